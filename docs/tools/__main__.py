"""Write all parts of the documents that follow from the code; with ``--check``, name those that are out of date."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from docs.tools.command_pages import format_commands, format_verbs
from docs.tools.edition_table import format_editions
from docs.tools.import_graph import draw_imports
from docs.tools.message_page import format_messages

CHECKOUT = Path(__file__).resolve().parents[2]


def generate(checkout: Path = CHECKOUT) -> dict[Path, str]:
    """Return the documents with generated parts, and their new contents."""
    docs = checkout / "docs"
    found = {docs / "images" / "packages.svg": draw_imports(checkout)}
    parts = {
        docs / "reference" / "commands.md": {"commands": format_commands(), "verbs": format_verbs()},
        docs / "reference" / "messages.md": {"messages": format_messages(checkout)},
        docs / "editions.md": {"editions": format_editions()},
    }
    for path, sections in parts.items():
        text = path.read_text(encoding="utf-8")
        for name, content in sections.items():
            begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
            pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
            text = pattern.sub(lambda _, new=f"{begin}\n{content}\n{end}": new, text)  # type: ignore[misc]
        found[path] = text
    return found


def main() -> None:
    """Write the documents, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and fail if a part is out of date"
    )
    options = parser.parse_args()
    outdated = [
        path
        for path, text in generate().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if options.check:
        for path in outdated:
            print(f"{path.relative_to(CHECKOUT)} is out of date; run make reference", file=sys.stderr)
        sys.exit(bool(outdated))
    for path in outdated:
        path.write_text(generate()[path], encoding="utf-8")
        print(path.relative_to(CHECKOUT))


if __name__ == "__main__":
    main()
