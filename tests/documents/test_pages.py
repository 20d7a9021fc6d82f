"""The documents: short sentences, and links that lead somewhere."""

from __future__ import annotations

import json
import re
import statistics
import string
from pathlib import Path
from typing import get_args

import pytest

from docs.tools.import_graph import PACKAGES, count_imports
from docs.tools.message_page import list_refusals
from scoring import Ending, edition_names, load_edition, parse_cgp, parse_gcg
from scoring.editions import loading
from scoring.editions.edition_file import KEYS as EDITION_KEYS
from tests.documents.pages import CHECKOUT, anchors, links, pages, sentences
from tests.support.on_air import open_table, send_commands
from tilesight.cli.keyboard import KEYS
from tilesight.cli.score import build_record
from tilesight.digitise.search import find_photos, find_plays
from tilesight.languages import LANGUAGES
from tilesight.output import ArchivedEvent, GameEvent, NewGameEvent, UpdateEvent
from tilesight.web.schemas import Change, MomentView, Status
from tilesight.web.serializers import PUBLIC_FIELDS, filter_event
from vision.errors import ExitCode
from vision.game_events import NoticeKind, UpdateKind, Verb

README = CHECKOUT / "README.md"
PRIVATE_WORDS = [
    line.partition("->")[0]
    for line in (CHECKOUT / "docs" / "words.txt").read_text().splitlines()
    if "->" in line
]
MAX_WORDS = 30
"""Words of a sentence of the README, and of the guides."""


def read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def test_the_readme_is_short_and_its_sentences_are() -> None:
    lengths = [len(sentence.split()) for sentence in sentences(README)]
    assert len(read("README.md").splitlines()) <= 130
    assert statistics.median(lengths) <= 15
    assert [each for each in sentences(README) if len(each.split()) > MAX_WORDS] == []


@pytest.mark.parametrize(
    "page",
    [each for each in pages() if each.name not in ("BENCHMARKS.md", "CHANGELOG.md")],
    ids=lambda p: p.name,
)
def test_no_page_has_a_long_sentence_or_a_private_word(page: Path) -> None:
    if "development" not in page.parts:
        assert [each for each in sentences(page) if len(each.split()) > MAX_WORDS] == []
    words = set(re.findall(r"\w+", page.read_text(encoding="utf-8").casefold()))
    assert sorted(words & set(PRIVATE_WORDS)) == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_page_is_in_the_index_and_every_picture_is_shown() -> None:
    index = read("docs/index.md")
    for page in (CHECKOUT / "docs").rglob("*.md"):
        name = page.relative_to(CHECKOUT / "docs").with_suffix("").as_posix()
        assert name == "index" or re.search(rf"^{re.escape(name)}$", index, re.MULTILINE), name
    text = "".join(page.read_text(encoding="utf-8") for page in pages())
    pictures = [path for path in (CHECKOUT / "docs" / "images").rglob("*") if path.is_file()]
    assert [path.name for path in pictures if path.name not in text] == []


def test_the_index_has_the_remarks_on_a_photo() -> None:
    index = read("docs/reference/messages.md")
    assert (
        "| the tiles are seen from near the table and may be read in the wrong squares | check the board"
        in index
    )


def test_the_index_has_the_remarks_on_a_film() -> None:
    index = read("docs/reference/messages.md")
    assert (
        "| the tiles count as ...'s play going on | if ... placed them, undo and enter both plays |" in index
    )
    assert (
        "| new tiles are seen, but a hand stays over the board | plays are reported once it has left |"
        in index
    )


def test_troubleshooting_explains_every_refusal_and_notice() -> None:
    page = " ".join(read("docs/troubleshooting.md").split())
    found = [each.strip(" .|") for each in re.findall(r"\| ([^|]+) \|", page)]
    missing = []
    for refusal in list_refusals(CHECKOUT):
        text = refusal.text.removeprefix("no board found: ")
        if not any(entry in text for entry in found if len(entry) > 11) and len(refusal.longest_part) > 11:
            missing.append(refusal.text)
    assert missing == []
    assert [kind for kind in NoticeKind if f"`{kind}`" not in page] == []


def test_the_formats_name_every_event_and_exit_code() -> None:
    page = read("docs/reference/formats.md")
    assert [kind for kind in (*UpdateKind, *NoticeKind) if f"`{kind}`" not in page] == []
    assert [code for code in ExitCode if f"| {code.value} |" not in page] == []


def section(page: str, title: str) -> str:
    """The text under a title of a page."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def keys_of(value: object) -> set[str]:
    """The keys of a JSON object and of the lists of objects in it, without those of points by player or word."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys_of(each) for key, each in value.items() if key not in ("totals", "words")))


def test_the_formats_name_what_score_best_and_find_print(tmp_path: Path) -> None:
    page = read("docs/reference/formats.md")
    path = CHECKOUT / "tests" / "golden" / "data" / "written" / "settled-each.gcg"
    text = path.read_text(encoding="utf-8").replace("+28 28", "+27 27", 1)
    record = parse_gcg(f"{text}>x: ???\n")
    assert record.differences
    assert record.problems
    score = build_record(path, record)
    described = section(page, "JSON of `score` and `best`")
    assert [key for key in keys_of(score) if f"`{key}`" not in described] == []
    assert [end for end in Ending if f"`{end.name.lower().replace('_', '-')}`" not in described] == []
    play = next(each for each in score["events"] if each["event"] == "play")
    values = {"photo": "a.jpg", **play, "word": "AB"}
    (tmp_path / "photos.jsonl").write_text(json.dumps({"image": "a.jpg", "taken": "2014"}))
    (tmp_path / "games.jsonl").write_text(json.dumps({"game": "1", "plays": [values]}))
    found = find_photos(tmp_path, None, ("2014", None)) + find_plays(tmp_path, None, None, (0, None), None)
    described = section(page, "JSON of `find`")
    assert len(found) == 2
    assert [key for key in keys_of(found) if f"`{key}`" not in described] == []


COMMANDS = (
    "title Final", "countdown 10:00", "rack Anna ABÐ", "play 8D HRAKI", "confirm", "letter H8 Í", "undo",
    "redo", "start", "time Anna 12:00", "pass", "exchange 2", "play 7H HÆ", "withdraw", "play 7H HÆ",
    "challenge lost", "clock Anna 10", "name Jón Benedikt", "delete 3", "end Anna=AB Benedikt=Ð",
)  # fmt: skip
"""Make every kind of event that a single game has without a camera."""


def test_the_formats_name_what_viewers_get_of_each_event(tmp_path: Path) -> None:
    described = section(read("docs/reference/formats.md"), "Events for viewers")
    fields: dict[str, set[str]] = {}
    for kinds, names in re.findall(r"^\| (`.*?) \| (.*) \|$", described, re.MULTILINE):
        for kind in re.findall(r"`([\w-]+)`", kinds):
            fields[kind] = {"event", *re.findall(r"`(\w+)`", names)} - {"null"}
    for kind in ("correction", "play"):
        fields[kind] |= fields["play"]
    plain = {each.kind for each in get_args(GameEvent) if each is not UpdateEvent}
    assert set(fields) >= {*UpdateKind} | plain
    assert set().union(*fields.values()) >= PUBLIC_FIELDS
    events: list[GameEvent] = [
        NewGameEvent(number=2, round="", best_of=None, players=("Anna",), at_s=0.0),
        ArchivedEvent(
            event="", table="", round="", number=1, best_of=None, totals={}, counted=True, at_s=0.0
        ),
    ]
    table = open_table(tmp_path, clock_s=60.0)
    table.add_listener(lambda state: events.extend(state.events))
    send_commands(table, *COMMANDS)
    assert {event.kind for event in events} >= set(fields) - {"no-play", "board-taken"}
    for event in events:
        assert set(filter_event(event.to_json())) <= fields[event.kind], event.kind
        if event.kind not in ("play", "correction", "undone", "redone"):
            assert set(filter_event(event.to_json())) == fields[event.kind], event.kind


def test_the_formats_name_what_server_sent_events_have() -> None:
    described = section(read("docs/reference/formats.md"), "Server-sent events")
    fields = {*Change.model_fields, *Status.model_fields}
    assert [name for name in (*fields, "change", "status", "alive") if f"`{name}`" not in described] == []
    described = section(read("docs/reference/formats.md"), "Webhook")
    assert [name for name in MomentView.model_fields if f"`{name}`" not in described] == []


def test_the_command_pages_name_every_verb_and_key() -> None:
    commands, live = read("docs/reference/commands.md"), read("docs/guides/live.md")
    assert [verb for verb in Verb if not re.search(rf"`{verb}\b|, {verb}`", commands)] == []
    assert [key for key in KEYS if f"| `{key}` |" not in live] == []


def test_the_page_of_the_editions_names_every_key_and_the_module_every_default() -> None:
    page, defaults = read("docs/editions.md"), str(loading.__doc__)
    for key, kind in EDITION_KEYS.items():
        table = kind[-1] if isinstance(kind, tuple) else kind
        for name in [key, *(table if isinstance(table, dict) else ())]:
            assert f"`{name}`" in page or f"`[{name}]`" in page, name
            is_listed = re.search(rf"^ *\[?{name}(\]| =)", defaults, re.MULTILINE)
            assert is_listed or key == "premium-texts", name


def test_the_page_of_the_editions_names_the_letters_that_the_networks_know() -> None:
    known = json.loads(read("vision/weights/tiles.json"))["tokens"]
    (line,) = re.findall(r"know A to Z and:\n\n    (.*)\n", read("docs/editions.md"))
    assert sorted([*string.ascii_uppercase, *line.split()]) == sorted(known)


def test_the_position_of_the_page_of_game_files_can_be_read() -> None:
    (line,) = re.findall(r"^    (15/.*)$", read("docs/game-files.md"), re.MULTILINE)
    position = parse_cgp(line, load_edition("icelandic").tokens)
    assert position.board.rows[7][3:8] == ("H", "R", "A", "K", "I")
    assert position.scores == (28, 15)


def test_the_readme_names_every_language_and_the_editions_page_every_edition() -> None:
    readme, page = read("README.md"), read("docs/editions.md")
    assert [name for name in edition_names() if f"`{name}`" not in page] == []
    languages = {re.split(r"\W", load_edition(name).title)[0] for name in edition_names()}
    assert sorted(language for language in languages if language not in readme) == []


def test_the_guide_and_the_help_name_every_language_of_the_pages() -> None:
    guide, commands = read("docs/guides/stream.md"), read("docs/reference/commands.md")
    assert [tag for tag in LANGUAGES if f"(`{tag}`)" not in guide] == []
    assert f"The language of the pages: {', '.join(LANGUAGES)};" in commands


def test_imports_are_counted() -> None:
    counts = count_imports(CHECKOUT)
    assert counts["tilesight", "vision"] > 10
    assert not [pair for pair in counts if pair[0] == "scoring"]
    assert {name for pair in counts for name in pair} <= set(PACKAGES)
