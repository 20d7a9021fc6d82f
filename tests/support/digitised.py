"""What a digitised folder holds, for tests and measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["read_lines", "read_results"]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_results(folder: Path) -> dict[str, bytes]:
    """Read all result files except the store and the times, which differ from run to run."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".work" not in path.relative_to(folder).parts and path.name != "times.jsonl"
    }
