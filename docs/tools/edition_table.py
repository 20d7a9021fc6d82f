"""The table of the shipped editions."""

from __future__ import annotations

from scoring import BLANK, edition_names, load_edition

__all__ = ["format_editions"]


def format_editions() -> str:
    """Return a table of the shipped editions: title, tiles, blanks, tiles of several letters."""
    lines = ["| name | title | tiles | blanks | tiles of several letters |", "|---|---|---|---|---|"]
    for name in edition_names():
        edition = load_edition(name)
        several = " ".join(token for token in edition.tokens if len(token) > 1)
        total, blanks = (
            "not known" if count is None else count for count in (edition.bag_size, edition.counts.get(BLANK))
        )
        lines.append(f"| `{name}` | {edition.title} | {total} | {blanks} | {several} |")
    return "\n".join(lines)
