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
BOX_WIDTH, BOX_HEIGHT, GAP, ROW = 132, 30, 12, 46
LEFT, TOP = 150, 20
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
    contracts = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    layers = {each["containers"][0]: each["layers"] for each in contracts if "containers" in each}
    counts = count_imports(checkout)
    parts: list[str] = []
    y, width = TOP, 0
    for package in PACKAGES:
        rows = [[name.strip() for name in row.split("|")] for row in layers.get(package, [package])]
        uses = ", ".join(target for source, target in sorted(counts) if source == package)
        height = len(rows) * ROW + 34
        row_width = max(len(row) for row in rows) * (BOX_WIDTH + GAP)
        width = max(width, LEFT + row_width + 10)
        label = f"{package}" + (f" imports {uses}" if uses else " imports the standard library only")
        parts.append(
            f"<rect x='10' y='{y}' width='@' height='{height}' rx='6' fill='#f6f4ee' stroke='#b8b09c'/>"
        )
        parts.append(
            f"<text x='22' y='{y + 20}' {FONT} font-weight='600' fill='#222'>{html.escape(label)}</text>"
        )
        for index, row in enumerate(rows):
            for column, name in enumerate(row):
                x, top = 22 + column * (BOX_WIDTH + GAP), y + 32 + index * ROW
                parts.append(
                    f"<rect x='{x}' y='{top}' width='{BOX_WIDTH}' height='{BOX_HEIGHT}' rx='4' fill='#fff' "
                    "stroke='#8a8f94'/>"
                )
                parts.append(
                    f"<text x='{x + BOX_WIDTH // 2}' y='{top + 20}' {FONT} text-anchor='middle' fill='#222'>"
                    f"{html.escape(name)}</text>"
                )
        y += height + 14
    total = max(width, 620)
    body = "\n".join(parts).replace("'@'", f"'{total - 20}'")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{total}' height='{y}' viewBox='0 0 {total} {y}'>\n"
        f"<rect width='100%' height='100%' fill='#ffffff'/>\n{body}\n</svg>\n"
    )
