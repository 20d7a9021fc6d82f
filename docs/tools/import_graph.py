"""The diagram of the packages and their imports, from the code itself."""

from __future__ import annotations

import html
import re
import tomllib
from collections import Counter
from pathlib import Path

__all__ = ["count_imports", "draw_imports"]

PACKAGES = ("tilesight", "calibration", "vision", "scoring", "samples")
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
WIDTH, EDGE, GAP, ROW, HEAD = 760, 10, 8, 34, 30
"""Pixels of the diagram: its width, its margins, and the heights of a row and of a title."""
FONT = "font-family='system-ui, sans-serif' font-size='13'"


def count_imports(checkout: Path) -> Counter[tuple[str, str]]:
    """Count for each pair of packages how many modules of the first import the second."""
    found: Counter[tuple[str, str]] = Counter()
    for package in PACKAGES:
        for path in sorted((checkout / package).rglob("*.py")):
            imported = set(IMPORT.findall(path.read_text(encoding="utf-8")))
            roots = imported & set(PACKAGES) - {package}
            found.update((package, root) for root in roots)
    return found


def draw_imports(checkout: Path) -> str:
    """Draw the layers of the packages as SVG: each may import what is in the rows below it."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = {each["containers"][0]: each["layers"] for each in contracts if "containers" in each}
    imports = sorted(count_imports(checkout))
    parts, y = [], EDGE
    for package in PACKAGES:
        rows = [[name.strip() for name in row.split("|")] for row in layers.get(package, [package])]
        uses = ", ".join(target for source, target in imports if source == package)
        height = HEAD + len(rows) * ROW + GAP
        parts.append(_box(EDGE, y, WIDTH - 2 * EDGE, height, "#f6f4ee"))
        parts.append(
            _text(2 * EDGE, y + 20, f"{package} imports {uses or 'the standard library only'}", bold=True)
        )
        for index, row in enumerate(rows):
            width = (WIDTH - 4 * EDGE - GAP * (len(row) - 1)) / len(row)
            for column, name in enumerate(row):
                x, top = 2 * EDGE + column * (width + GAP), y + HEAD + index * ROW
                parts.append(_box(x, top, width, ROW - 6, "#ffffff"))
                parts.append(_text(x + width / 2, top + 18, name))
        y += height + GAP
    size = f"width='{WIDTH}' height='{y}' viewBox='0 0 {WIDTH} {y}'"
    body = "\n".join((_box(0, 0, WIDTH, y, "#ffffff", line="none"), *parts))
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size}>\n{body}\n</svg>\n"


def _box(x: float, y: float, width: float, height: float, fill: str, line: str = "#a8a08c") -> str:
    place = f"x='{x:.0f}' y='{y:.0f}' width='{width:.0f}' height='{height:.0f}' rx='4'"
    return f"<rect {place} fill='{fill}' stroke='{line}'/>"


def _text(x: float, y: float, text: str, *, bold: bool = False) -> str:
    style = "font-weight='600'" if bold else "text-anchor='middle'"
    return f"<text x='{x:.0f}' y='{y:.0f}' {FONT} {style} fill='#222222'>{html.escape(text)}</text>"
