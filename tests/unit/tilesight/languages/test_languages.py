"""Catalogues: every message in every language, with its values; and which language a page has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from docs.tools.catalogues import (
    CATALOGUES,
    CHECKOUT,
    DOMAINS,
    build_template,
    check_catalogue,
    extract_file,
    format_catalogue,
    read_catalogue,
)
from tilesight.languages import (
    LANGUAGES,
    choose_language,
    find_language,
    list_catalogue_files,
    load_catalogue,
    normalise_language,
)

TRANSLATED = [language for language in LANGUAGES if language != "en"]


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_message_is_missing_unused_out_of_order_or_has_other_values(domain: str) -> None:
    template = build_template(domain)
    for language in TRANSLATED:
        path = CATALOGUES / language / f"{domain}.po"
        catalogue = read_catalogue(path, language)
        assert check_catalogue(template, catalogue) == [], f"{path}: run python -m docs.tools.catalogues"
        text = format_catalogue(catalogue, language, domain, template)
        assert path.read_text(encoding="utf-8") == text, "run python -m docs.tools.catalogues"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_catalogue_has_a_group_and_is_loaded(language: str) -> None:
    assert {path.name.removesuffix(".po") for path in list_catalogue_files(language)} == set(DOMAINS)
    catalogue = load_catalogue(language)
    for state in ("the board rests", "reading", "clear the board: the next game has begun"):
        assert catalogue.server[state] != state
    assert len(catalogue.pages["{n} tile"]) in (1, 2)


def test_texts_of_scripts_are_plain_strings() -> None:
    scripts = (CHECKOUT / "tilesight" / "web" / "pages").rglob("*.js")
    odd = [
        f"{path.name}: {line.strip()}"
        for path in scripts
        if path.name != "language.js"
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bn?gettext\((?![\"\n]|$)", line)
    ]
    assert odd == []


def test_a_wrong_translation_is_named() -> None:
    template = Catalog()
    for text in ("{name} wins", "gone", ("{n} tile", "{n} tiles"), "kept"):
        template.add(text)
    catalogue = Catalog(locale="da")
    catalogue.add("{name} wins", "{navn} vinder")
    catalogue.add("old", "gammel")
    catalogue.add(("{n} tile", "{n} tiles"), ("én brik", "{n} brikker"))
    catalogue.add("kept", "beholdt")
    assert check_catalogue(template, catalogue) == [
        "unused: 'old'",
        "missing: 'gone'",
        "values of '{name} wins': '{navn} vinder'",
    ]


def test_messages_of_a_page_are_its_texts_labels_and_calls(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<html><head><title>Tables</title></head><body><p translate="no">Tilesight</p>'
        '<p>Send  <kbd>Enter</kbd> it</p><img alt="a\n board"><input aria-label="words"></body></html>'
    )
    script = tmp_path / "page.js"
    script.write_text(
        'gettext("one \\"two\\"");\nngettext(\n  "{n} tile",\n  "{n} tiles", 3);\nother("three");'
    )
    module = tmp_path / "page.py"
    module.write_text(
        '"""The docstring of a module."""\n'
        'raise Error(f"no tile lies on {format(square)}: {players[0]} or {players[1]}")\n'
        'place = "H8"'
    )
    assert [text for _, text in extract_file(page)] == ["Tables", "Send", "it", "a board", "words"]
    assert [text for _, text in extract_file(script)] == ['one "two"', ("{n} tile", "{n} tiles")]
    assert list(extract_file(module)) == [("server", "no tile lies on {square}: {players} or {players2}")]


@pytest.mark.parametrize(
    ("option", "edition", "language"),
    [
        ("", "is", "is"),
        ("", "no", "nb"),
        ("", "de", "en"),
        ("hu", "is", "hu"),
        ("", "", "en"),
        ("da-DK", "de", "da"),
    ],
)
def test_a_table_has_the_chosen_language_or_its_editions(option: str, edition: str, language: str) -> None:
    assert choose_language(option, edition) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("da-DK,da;q=0.9,en;q=0.8", "da"),
        ("de,nn;q=0.7,hu;q=0.3", "nb"),
        ("is;q=0.2,hu;q=0.9", "hu"),
        ("*", "en"),
        (";;q=,,is;q=x;q", "is"),
    ],
)
def test_a_browser_gets_the_language_that_it_prefers(header: str, language: str) -> None:
    assert find_language(header) == language


def test_a_language_that_the_pages_lack_is_none() -> None:
    assert [normalise_language(tag) for tag in ("IS", "nb_NO", "xx", "", "<b>")] == [
        "is",
        "nb",
        None,
        None,
        None,
    ]
