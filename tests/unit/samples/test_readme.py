"""The table of modules in the renderer's README."""

from __future__ import annotations

from pathlib import Path

import samples


def test_the_readme_lists_every_module():
    folder = Path(samples.__file__).parent
    text = (folder / "README.md").read_text(encoding="utf-8")
    modules = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.stem != "__init__"
    }
    assert [module for module in sorted(modules) if f"`{module}`" not in text] == []
