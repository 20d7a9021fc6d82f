"""The pages that are shipped: read once, and nothing else is ever read for a request."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

__all__ = ["Asset", "load_assets"]

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A shipped file: its content, what it is, and a tag that changes with it."""

    content: bytes
    media_type: str
    tag: str


@functools.cache
def load_assets() -> dict[str, Asset]:
    """Every shipped file by its path below ``pages``."""
    return dict(_below(resources.files("vision.web") / "pages", ""))


def _below(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _below(entry, f"{prefix}{entry.name}/")
        elif (suffix := "." + entry.name.rpartition(".")[2]) in TYPES:
            content = entry.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            asset = Asset(content=content, media_type=TYPES[suffix], tag=tag)
            found.append((prefix + entry.name, asset))
    return found
