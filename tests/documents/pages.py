"""The documents: their files, their code blocks, their sentences and their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CHECKOUT", "Block", "anchors", "code_blocks", "links", "pages", "sentences"]

CHECKOUT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^( *)```(\S*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """List all documents of the checkout."""
    return [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code: its page, its language, its text."""

    page: str
    language: str
    text: str


def code_blocks(language: str) -> Iterator[Block]:
    """List the blocks of a language in all pages."""
    for path in pages():
        for indent, found, text in _FENCE.findall(path.read_text(encoding="utf-8")):
            if found == language:
                lines = [line.removeprefix(indent) for line in text.splitlines()]
                yield Block(path.relative_to(CHECKOUT).as_posix(), language, "\n".join(lines) + "\n")


def sentences(page: Path) -> list[str]:
    """List the sentences of a page: of paragraphs and of points of a list, without code, tables and pictures."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    text = re.sub(r"^<!--.*?-->$|^#.*$|^\|.*$|^!\[.*$|^    .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[*]|\d+[.]) )", text):
        words = " ".join(paragraph.split()).lstrip("* ")
        found += [each for each in re.split(r"(?<=[.?!])\s+(?=[\w'*(])", words) if re.search(r"\w", each)]
    return found


def links(page: Path) -> list[str]:
    """List the targets of a page's links and pictures, without those in code."""
    text = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """List the anchors of a page's headings."""
    heads = re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    slugs = (
        re.sub(r"[^\w\- ]", "", head.replace("`", "")).strip().lower().replace(" ", "-") for head in heads
    )
    return set(slugs)
