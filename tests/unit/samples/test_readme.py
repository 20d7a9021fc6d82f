"""The table of modules in the page on the renderer."""

from __future__ import annotations

from pathlib import Path

import samples


def test_the_page_lists_every_module():
    folder = Path(samples.__file__).parent
    text = (folder.parent / "docs" / "development" / "renderer.md").read_text(encoding="utf-8")
    modules = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.stem != "__init__"
    }
    assert [module for module in sorted(modules) if f"`{module}`" not in text] == []
