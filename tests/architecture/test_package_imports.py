"""A package is imported through its `__init__`: other packages import from it, not from its modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("scoring", "vision", "calibration", "tilesight", "samples")
OPEN = ("vision", "calibration", "tilesight", "tilesight.digitise")
"""Packages whose `__init__` has nothing to import: others import from the packages in them."""


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def public_name(importer: str, target: str) -> str:
    """The name that a module of the package `importer` may import for the contents of `target`."""
    parts = target.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if importer == name or importer.startswith(f"{name}.") or (name in OPEN and name != target):
            continue
        return name
    return target


def find_private_imports(root: Path) -> Iterator[str]:
    files = {
        module_name(path.relative_to(root)): path for name in ROOTS for path in (root / name).rglob("*.py")
    }
    packages = {name for name, path in files.items() if path.name == "__init__.py"}
    for name, path in sorted(files.items()):
        package = name if name in packages else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            if node.module not in files or all(f"{node.module}.{each.name}" in files for each in node.names):
                continue
            expected = public_name(package, node.module)
            if expected != node.module:
                yield f"{path.relative_to(root)}:{node.lineno}: import from {expected}, not from {node.module}"


def test_each_package_is_imported_through_its_init(checkout: Path) -> None:
    assert list(find_private_imports(checkout)) == []


def test_an_import_of_a_private_module_is_found(tmp_path: Path) -> None:
    for name, text in {
        "vision/__init__.py": "",
        "vision/core/__init__.py": "",
        "vision/core/boards.py": "Board = 1\n",
        "vision/photo.py": "from vision.core.boards import Board\n",
        "vision/other.py": "from vision.core import Board\nfrom vision.photo import Board\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(find_private_imports(tmp_path)) == [
        "vision/photo.py:1: import from vision.core, not from vision.core.boards"
    ]
