"""Write the message catalogues of the pages from the sources: new messages come in, unused ones go, translations stay.

``python -m docs.tools.catalogues`` updates the files; with ``--check``, it names what is missing.

Messages of pages are the texts of HTML and the calls of ``gettext`` and ``ngettext`` in scripts. Messages of the server
are the texts with two words or more in the Python modules of `DOMAINS`; they have the context ``server``.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from tilesight.languages import LANGUAGES

__all__ = ["DOMAINS", "build_template", "check_catalogue", "extract_file", "format_catalogue", "list_sources"]

CHECKOUT = Path(__file__).resolve().parents[2]
CATALOGUES = Path("tilesight/languages/catalogues")
SERVER = "server"
"""The context of the server's messages."""

PAGES = "tilesight/web/pages"
DOMAINS: dict[str, tuple[str, ...]] = {
    "pages": (f"{PAGES}/*.html", f"{PAGES}/*.js"),
    "photo": (f"{PAGES}/photo*.html", f"{PAGES}/photo*.js", "tilesight/digitise/report/assets/correction.js"),
    "phone": (f"{PAGES}/phone*.html", f"{PAGES}/phone*.js", f"{PAGES}/phone/*"),
    "event": tuple(
        f"{PAGES}/{name}"
        for name in (
            "break.html",
            "break.js",
            "hall.html",
            "hall.js",
            "match.js",
            "moments.js",
            "standings.js",
        )
    ),
    SERVER: (
        "tilesight/live/clocks.py",
        "tilesight/live/game.py",
        "tilesight/live/history.py",
        "tilesight/live/tournament/results.py",
        "tilesight/live/tournament/succession.py",
        "tilesight/live/analysis/*.py",
        "tilesight/live/operator/*.py",
        "tilesight/web/app.py",
        "tilesight/web/context.py",
        "tilesight/digitise/workers/picture_process.py",
        "tilesight/web/phone/address.py",
        "tilesight/web/photo/*.py",
        "tilesight/web/access/security.py",
        "tilesight/web/serializers.py",
        "tilesight/web/routes/calibration.py",
        "tilesight/web/routes/dependencies.py",
        "tilesight/web/routes/operator.py",
        "tilesight/web/routes/photos.py",
        "vision/capture/images.py",
        "vision/capture/live.py",
        "vision/capture/tiff.py",
        "vision/core/boards.py",
        "vision/detection/detector.py",
        "vision/detection/diagnostics.py",
        "vision/game_events/*.py",
        "vision/game_events/record/*.py",
        "vision/game_events/turns/*.py",
        "vision/observation.py",
        "vision/pipeline/checks/*.py",
        "vision/pipeline/video.py",
        "vision/tracking/*.py",
        "vision/tracking/monitors/*.py",
        "scoring/board.py",
        "scoring/coordinates.py",
        "scoring/play.py",
        "scoring/score.py",
        "scoring/tiles.py",
        "scoring/game/*.py",
    ),
    "calibration": (
        "calibration/*.py",
        "calibration/lens/board_detection.py",
        "calibration/lens/fit.py",
        "calibration/lens/view_selection.py",
        "calibration/tiles/enrolment.py",
    ),
}
"""The sources of each catalogue file. A group of pages has its own, so that changes stay apart: name its files here.

A file belongs to the last group that names it; a message that several groups have belongs to the first one.
"""
NO_PAGES = ("api.html", "api.js", "field.html", "field.js", "language.js")
"""Pages for programs and scenes, which have no language."""
WORDS = {
    SERVER: (
        *("play", "pass", "exchange", "nothing", "a tile", "a blank", "blank", "move {index}: {message}"),
        *("camera", "commentator", "photographer"),
        *("reading", "clear the board: the next game has begun"),
        "{name}: it was made for pictures of {own_px} px, this one has {given_px}; set the camera to that size, or "
        "calibrate it for this one",
        "{name}: it was made for pictures of {own_px} px, this one has {given_px}, turned by a quarter; set the "
        "camera to that size, or calibrate it for this one",
    ),
    "calibration": (
        *("Lens", "Board", "Tiles", "Light", "1 picture"),
        *("yellowish", "bluish", "reddish", "greenish"),
        *("{count} pictures", "{count} corners"),
        "{count} pictures, points lie {error_px} px off",
        "focal length {focal_px} px, deviation {fx}",
    ),
}
"""Other texts of the server that people read: short ones, and those of modules in no group."""

ATTRIBUTES = ("aria-label", "title", "placeholder", "alt")
HAS_WORD = re.compile(r"[^\W\d_]")
TWO_WORDS = re.compile(r"\b[a-z']{2,}\b.*\s.*\b[a-z']{2,}\b", re.DOTALL)
STRING = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(rf"(?<!function )\b(?P<name>n?gettext)\(\s*(?P<one>{STRING})(?:,\s*(?P<several>{STRING}))?")
"""A call in a script; its texts are plain strings."""
CALIBRATION = re.compile(r"(?:Print|Take|Lay) .*\.$")
"""What people do for a calibration: sentences, unlike other messages."""
NO_MESSAGE = re.compile(r"(?!MAGPIE )[A-Z\s]|.*(?:'none'|'self'|[\w-]+=|\(\)|-\w+ \{)")
"""Texts of programs, and descriptions of the API: messages begin with a small letter or with a value."""
HOLE = re.compile(r"\{(\w+)\}")

OPTIONAL = {"n", "word"}
"""Values that a translation may leave out: a number that its word says, and an English form such as is or are."""

Extracted = tuple[str, str | tuple[str, str]]
"""The context, which is empty for messages of pages, and the text, or the texts for one and for several."""


def extract_file(path: Path) -> Iterator[Extracted]:
    """Extract the messages of a source file, in their order."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        parser = PageParser()
        parser.feed(text)
        yield from (("", message) for message in parser.messages)
    elif path.suffix == ".js":
        for call in CALL.finditer(text):
            one, several = (json.loads(each) if each else "" for each in call.group("one", "several"))
            yield "", (one, several) if call["name"] == "ngettext" else one
    else:
        # pages show the messages about a picture's file without its name
        yield from ((SERVER, message.removeprefix("{path}: ")) for message in list_texts(ast.parse(text)))


class PageParser(HTMLParser):
    """Collects the texts and labels of an HTML page, without elements that have ``translate="no"``."""

    SILENT = frozenset({"script", "style", "kbd"})
    VOID = frozenset({"meta", "link", "input", "img", "br", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the labels of an element."""
        values = dict(attrs)
        if tag not in self.VOID:
            self._open.append(values.get("translate") != "no" and tag not in self.SILENT)
        for name in ATTRIBUTES:
            self._add(values.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag not in self.VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self._add(data)

    def _add(self, text: str) -> None:
        text = " ".join(text.split())
        if HAS_WORD.search(text) and all(self._open):
            self.messages.append(text)


def list_texts(tree: ast.Module) -> Iterator[str]:
    """List the texts of a Python module that have two words or more; values are in braces."""
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))  # a docstring
        elif isinstance(node, ast.JoinedStr):
            inner |= {id(each) for each in node.values}
    for node in ast.walk(tree):
        if id(node) not in inner and isinstance(node, (ast.Constant, ast.JoinedStr)):
            text = format_template(node)
            if TWO_WORDS.search(HOLE.sub("", text)) and (
                CALIBRATION.match(text) or not NO_MESSAGE.match(text)
            ):
                yield text


def format_template(node: ast.Constant | ast.JoinedStr) -> str:
    """Return a text with the names of its values in braces; equal expressions have one name."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    names: dict[str, str] = {}
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            expression = ast.unparse(part.value)
            if expression not in names:
                name = (re.findall(r"[A-Za-z_]\w*", expression) or ["value"])[-1].strip("_").lower()
                name = "word" if isinstance(part.value, ast.IfExp) else name
                taken = sum(re.sub(r"\d+$", "", each) == name for each in names.values())
                names[expression] = f"{name}{taken + 1}" if taken else name
            parts.append(f"{{{names[expression]}}}")
    return "".join(parts)


def list_sources(checkout: Path = CHECKOUT) -> dict[str, list[Path]]:
    """List the files of each group."""
    owner: dict[Path, str] = {}
    for domain, patterns in DOMAINS.items():
        for pattern in patterns:
            found = sorted(checkout.glob(pattern))
            owner |= dict.fromkeys((each for each in found if each.name not in NO_PAGES), domain)
    return {domain: sorted(path for path in owner if owner[path] == domain) for domain in DOMAINS}


def build_template(domain: str, checkout: Path = CHECKOUT) -> Catalog:
    """Build the catalogue of a group without translations."""
    template = Catalog()
    known: set[Extracted] = set()
    for word in WORDS.get(domain, ()):
        template.add(word, context=SERVER)
    for other, paths in list_sources(checkout).items():
        for path in paths:
            for context, text in extract_file(path):
                if other == domain and (context, text) not in known:
                    name = path.relative_to(checkout).as_posix()
                    template.add(text, locations=[(name, 0)], context=context or None)
            if other != domain:
                known |= set(extract_file(path))
        if other == domain:
            break
    return template


def check_catalogue(template: Catalog, catalogue: Catalog) -> list[str]:
    """Name what is wrong with the translations of one file: missing, unused and wrong ones."""
    wanted = {(message.context, message.id) for message in template if message.id}
    known = {(message.context, message.id): message for message in catalogue if message.id}
    problems = [f"unused: {text!r}" for context, text in sorted(known.keys() - wanted, key=str)]
    for key in sorted(wanted, key=str):
        message = known.get(key)
        texts: Sequence[str] = () if message is None else _list_strings(message.string)
        if not texts or not all(texts):
            problems.append(f"missing: {key[1]!r}")
        elif message is not None and message.fuzzy:
            problems.append(f"fuzzy: {key[1]!r}")
        else:
            sources = _list_strings(key[1])
            holes = set(HOLE.findall(sources[-1]))
            problems += [
                f"values of {source!r}: {text!r}"
                for source, text in zip(sources, texts, strict=False)
                if (set(HOLE.findall(text)) ^ holes) - OPTIONAL
            ]
    return problems


def _list_strings(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else [str(each) for each in value]


def read_catalogue(path: Path, language: str) -> Catalog:
    """Read a catalogue file; an empty catalogue if there is none."""
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def format_catalogue(old: Catalog, language: str, domain: str, template: Catalog) -> str:
    """Return a catalogue file with the messages of the sources and the translations that it has."""
    new = Catalog(locale=language, domain=domain, charset="utf-8")
    for message in sorted(
        (each for each in template if each.id), key=lambda each: (each.context or "", str(each.id))
    ):
        known = old.get(message.id if isinstance(message.id, str) else message.id[0], message.context)
        text = known.string if known is not None else ""
        new.add(message.id, text, locations=message.locations, context=message.context)
    buffer = io.BytesIO()
    write_po(buffer, new, width=120, sort_output=False, omit_header=True, include_lineno=False)
    header = (
        f'# The {LANGUAGES[language]} catalogue of Tilesight\'s pages: "{domain}".\nmsgid ""\nmsgstr ""\n'
    )
    fields = (
        f"Language: {language}",
        "Content-Type: text/plain; charset=utf-8",
        f"Plural-Forms: {new.plural_forms}",
    )
    header += "".join(f'"{field}\\n"\n' for field in fields)
    return f"{header}\n{buffer.getvalue().decode().strip()}\n"


def main() -> None:
    """Update the catalogues, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and name what is missing, unused or not in order"
    )
    options = parser.parse_args()
    problems = []
    for domain in DOMAINS:
        template = build_template(domain)
        for language in LANGUAGES:
            if language == "en":
                continue
            path = CHECKOUT / CATALOGUES / language / f"{domain}.po"
            catalogue = read_catalogue(path, language)
            text = format_catalogue(catalogue, language, domain, template)
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                catalogue = read_catalogue(path, language)
            found = check_catalogue(template, catalogue)
            if not found and path.read_text(encoding="utf-8") != text:
                found = ["not in order; run python -m docs.tools.catalogues"]
            problems += [f"{language}/{domain}.po: {each}" for each in found]
    print("\n".join(problems), file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
