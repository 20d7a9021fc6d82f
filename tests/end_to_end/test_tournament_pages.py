"""A match of two games in a browser: the console begins the second one, and every page shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring import load_edition
from tests.support.browser import wait_for_sequence
from tests.support.on_air import TOKEN, RunningServer, open_table, send_commands, serve_tables
from tilesight.live import GameSettings, LiveGame, Tournament
from tilesight.live.journal import Journal
from vision.game_events.record.commands import Command, Verb

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

EVENT = """
title = "Cup 2026"
round = 4
best-of = 3
challenge = 5
[player.Anna]
club = "Hugin"
rating = 1873
flag = "is"
[table.final]
players = ["Anna", "Jón"]
label = "Table 1"
"""


NAME_WIDTHS = "(all) => all.map((each) => each.offsetWidth / parseFloat(getComputedStyle(each).fontSize))"


@dataclass(frozen=True)
class Evening:
    """A served tournament of two tables."""

    air: RunningServer
    final: LiveGame
    folder: Path


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    (tmp_path / "event.toml").write_text(EVENT, encoding="utf-8")
    notes: list[str] = []
    with Tournament(tmp_path / "event.toml", notify=notes.append) as tournament:
        games = [
            tournament.open_table(
                GameSettings(name=name, edition="icelandic", clock_s=1500.0, language="en"),
                tmp_path / f"{name}.db",
            )
            for name in ("final", "second")
        ]
        with serve_tables(*games, tournament=tournament) as air:
            yield Evening(air, games[0], tmp_path)
    assert notes == []


def overflow(page: Page) -> int:
    width: int = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    return width


def test_a_match_of_two_games(evening: Evening, open_page: Callable[..., Page]) -> None:
    game, address = evening.final, evening.air.address
    overlay = open_page(f"{address}/overlay?table=final", 1920, 1080)
    console = open_page(f"{address}/console?table=final#{TOKEN}", 1024, 768)
    wait_for_sequence(console, game.state.sequence)
    assert "Round 4 · Table 1 · Game 1 of 3" in console.locator("#telling .between").inner_text()
    send_commands(game, "time Anna -0:30", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    wait_for_sequence(console, game.state.sequence)
    console.keyboard.press("z")
    console.keyboard.press("Enter")
    console.wait_for_selector("#telling .answer:not(:empty)")
    assert "overtime is not taken off (Anna 10)" in console.locator("#telling .answer").inner_text()
    console.keyboard.press("Escape")
    console.locator("#attention .take").click()
    console.wait_for_selector("#attention .take", state="detached")
    console.keyboard.press("z")
    console.keyboard.press("Enter")
    for page in (console, overlay):
        page.wait_for_function("() => document.querySelector('#players .name').textContent === 'Jón'")
        assert page.locator("#players .name").all_inner_texts() == ["Jón", "Anna"]
        assert page.locator("#players .won").all_inner_texts() == ["0", "1"]
        assert page.locator("#players .score").all_inner_texts() == ["0", "0"]
        assert page.locator(".tile").count() == 0
        assert overflow(page) == 0
    assert overlay.locator("#title .match").inner_text() == "Round 4 · Table 1 · Game 2 of 3"
    assert overlay.locator("#players .meta").all_inner_texts() == ["", "1873 · Hugin"]
    assert overlay.locator("#players .name svg.flag").count() == 1
    assert console.evaluate("() => document.documentElement.scrollHeight - innerHeight") == 0

    send_commands(game, "play 8D HRAKI", "end Jón=AAAAAAA Anna=RRRRRRR")
    standings = evening.air.json("/api/event")["standings"]
    assert [(line["name"], line["games"], line["wins"]) for line in standings] == [
        ("Jón", 2, 1.0),
        ("Anna", 2, 1.0),
    ]
    (archived,) = (evening.folder / "archive").glob("*.db")
    with Journal.open(archived, edition="icelandic", players=("?",)) as journal:
        assert journal.players == ("Anna", "Jón")
        kept = journal.game(load_edition("icelandic+challenge-5"))
        assert kept.totals == tuple(journal.events[-1]["totals"].values())
        assert kept.board[7, 3] == "H"


def test_moments_are_shown_and_go(evening: Evening, open_page: Callable[..., Page]) -> None:
    game = evening.final
    page = open_page(f"{evening.air.address}/overlay?table=final&seconds=1", 1920, 1080)
    wait_for_sequence(page, game.state.sequence)
    place = page.locator("#moments")

    def told(*commands: str) -> str:
        send_commands(game, *commands)
        page.wait_for_selector("#moments.shown strong")
        text = place.inner_text()
        box = page.evaluate(
            "() => { const place = document.querySelector('#moments'); return place.scrollWidth - place.clientWidth; }"
        )
        assert box <= 0
        page.wait_for_selector("#moments:not(.shown)", state="attached")
        assert place.inner_text() == ""
        return text

    assert told("play 8D HRAKIAÐ") == f"Bingo: HRAKIAÐ\nAnna gets {game.state.game.totals[0]} points"
    assert told("challenge lost") == "Challenge: HRAKIAÐ stays\nJón loses 5 points"
    assert told("challenge").startswith("Challenge: HRAKIAÐ comes off\nAnna loses ")
    send_commands(game, "play 8D HRAKI")
    assert told("play I8 ÖXI", "end Anna=AAAAAAA Jón=RRRRRRR").startswith(
        ("Jón takes the lead", "Jón wins by", "Game over")
    )
    late = open_page(f"{evening.air.address}/overlay?table=final&seconds=1", 1920, 1080)
    wait_for_sequence(late, game.state.sequence)
    late.wait_for_timeout(300)
    assert late.locator("#moments.shown").count() == 0, "who comes later sees no old moments"


@pytest.mark.parametrize("language", ["hu", "is"])
def test_a_moment_shows_its_ruling_and_points_with_a_long_name(
    tmp_path: Path, open_page: Callable[..., Page], language: str
) -> None:
    names = ("Hajdúböszörményiné Szabó-Kovács Erzsébet Magdolna", "Guðrún Þorgerður Sigurðardóttir Hlíðdal")
    table = open_table(tmp_path, edition="icelandic+challenge-5", players=names, language=language)
    cut = "(all) => all.map((each) => each.scrollWidth > each.clientWidth)"
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay?seconds=1", 1920, 1080)
        wait_for_sequence(page, table.state.sequence)
        for command in ("play 8D HRAKIAÐ", "challenge lost", "challenge", "play 8D HRAKI", "play I8 ÖXIN"):
            send_commands(table, command)
            if command != "play 8D HRAKI":
                page.wait_for_selector("#moments.shown strong")
                assert page.locator("#moments, #moments strong").evaluate_all(cut) == [False, False], command
                assert "…" in page.locator("#moments").inner_text()
            page.wait_for_selector("#moments:not(.shown)", state="attached")


def test_clocks_have_a_sign_at_five_minutes_and_at_one(
    evening: Evening, open_page: Callable[..., Page]
) -> None:
    game = evening.final
    page = open_page(f"{evening.air.address}/overlay?table=final")
    for left, level, sign in (("5:01", "", "none"), ("5:00", "low", '"5′"'), ("1:00", "last", '"1′"')):
        send_commands(game, f"time Anna {left}")
        wait_for_sequence(page, game.state.sequence)
        clock = page.locator("#players .clock").first
        assert clock.inner_text() == left
        assert {"low", "last"} & set((clock.get_attribute("class") or "").split()) == ({level} - {""})
        content = clock.evaluate("(place) => getComputedStyle(place, '::before').content")
        assert content == sign


def test_the_pages_of_the_event_fit_a_wide_page_and_a_phone(
    evening: Evening, open_page: Callable[..., Page]
) -> None:
    game, address = evening.final, evening.air.address
    send_commands(game, "countdown 10:00", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    pause = open_page(f"{address}/break?table=final", 1920, 1080)
    wait_for_sequence(pause, game.state.sequence)
    assert re.fullmatch(r"10:00|9:[345]\d", pause.locator("#countdown").inner_text())
    assert pause.locator("h1").inner_text().startswith("Game over: Anna wins by ")
    assert pause.locator(".between").inner_text() == "1 – 0"
    pause.wait_for_selector("#standings tbody tr")
    assert pause.locator("#standings td.name").all_inner_texts() == ["Anna", "Jón"]
    rule = "(cell) => getComputedStyle(cell).borderTopWidth"
    assert pause.locator("#standings thead td").evaluate(rule) == "0px", "no line above an empty heading"
    start = open_page(f"{address}/start?table=second", 1920, 1080)
    wait_for_sequence(start, 1)
    assert start.locator("h1").inner_text() == "Starting soon"
    assert start.locator("#countdown").is_hidden()
    hall = open_page(f"{address}/hall", 1920, 1080)
    hall.wait_for_selector('html[data-tables="2"]', state="attached")
    assert hall.locator(".card .label").all_inner_texts() == ["Table 1", "second"]
    assert hall.locator(".card").first.locator(".news").inner_text().startswith("Game over: Anna")
    for page in (pause, start, hall):
        assert overflow(page) == 0
        assert page.evaluate("() => document.documentElement.scrollHeight - innerHeight") == 0
        page.set_viewport_size({"width": 390, "height": 844})
        assert overflow(page) == 0
        for width in page.locator("#standings td.name").evaluate_all(NAME_WIDTHS):
            assert width >= 9, "in letters"
    send_commands(game, "countdown 600:00")
    wait_for_sequence(pause, game.state.sequence)
    assert overflow(pause) == 0, "hours are shown in full"


def test_a_full_hall_has_room_for_four_players_and_speaks_their_language(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    games = [open_table(tmp_path, f"t{number}", players=("A", "B", "C", "D")) for number in range(8)]
    with serve_tables(*games) as air:
        page = open_page(f"{air.address}/hall", 1920, 1080)
        page.wait_for_selector('html[data-tables="8"]', state="attached")
        send_commands(games[0], "pass")
        page.locator(".news", has_text=re.compile("^A situr hjá$")).wait_for()
        assert page.evaluate(
            "[...document.querySelectorAll('.card')].every((card) => card.scrollHeight <= card.clientHeight"
            " && card.firstChild.getBoundingClientRect().top >= card.getBoundingClientRect().top)"
        )


@pytest.mark.parametrize(("width", "height", "columns"), [(1920, 1080, 2), (1080, 1920, 1)])
def test_the_cards_of_the_hall_fill_a_wide_page_and_a_high_one(
    tmp_path: Path, open_page: Callable[..., Page], width: int, height: int, columns: int
) -> None:
    with serve_tables(*(open_table(tmp_path, f"t{number}") for number in range(3))) as air:
        page = open_page(f"{air.address}/hall", width, height)
        page.wait_for_selector('html[data-tables="3"]', state="attached")
        boxes = [box for card in page.locator(".card").all() if (box := card.bounding_box())]
        assert len({box["x"] for box in boxes}) == columns
        left, right = min(box["x"] for box in boxes), max(box["x"] + box["width"] for box in boxes)
        assert left == pytest.approx(width - right, abs=1)


@pytest.mark.parametrize(("width", "count"), [(1920, 9), (1920, 1), (360, 2)])
def test_a_long_name_in_the_hall_leaves_the_last_play_and_its_score(
    tmp_path: Path, open_page: Callable[..., Page], width: int, count: int
) -> None:
    names = ("Hajdúböszörményiné Szabó-Kovács Erzsébet Magdolna", "Guðrún Þorgerður Sigurðardóttir Hlíðdal")
    games = [open_table(tmp_path, f"t{number}", players=names) for number in range(count)]
    for game in games:
        send_commands(game, "play 8D HRAKIAÐ")
    with serve_tables(*games) as air:
        page = open_page(f"{air.address}/hall", width, 1080)
        page.wait_for_selector(f'html[data-tables="{count}"]', state="attached")
        news = page.locator(".card .news").first
        total = games[0].state.game.totals[0]
        assert news.inner_text().endswith(f"8D HRAKIAÐ +{total}")
        cut = "(all) => all.map((each) => each.scrollWidth > each.clientWidth)"
        assert news.locator("*").evaluate_all(cut) == [True, False]
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        send_commands(games[0], "pass")
        page.locator(".news", has_text=re.compile(f"^{names[1]} situr hjá$")).wait_for()


FITS = """(count) => {
  const place = document.querySelector("#standings");
  const rest = place.querySelector(".rest");
  const shown = [...place.querySelectorAll("td.name")].filter((each) => each.checkVisibility()).length;
  const line = rest.getBoundingClientRect();
  const spare = place.getBoundingClientRect().bottom - line.bottom;
  return rest.textContent === `and ${count - shown} more` && spare >= 0 && spare < 2 * line.height;
}"""
"""Whether the standings fill their place, and say how many lines are not shown."""


def test_the_standings_of_the_hall_say_how_many_lines_they_have_no_room_for(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    lines = "".join(f"P{number},{400 - number},Q{number},{300 - number}\n" for number in range(20))
    (tmp_path / "others.csv").write_text(f"player,points,opponent,opponent-points\n{lines}")
    (tmp_path / "event.toml").write_text('title = "Cup"\nresults = "others.csv"\n')
    with Tournament(tmp_path / "event.toml", notify=print) as tournament:
        settings = GameSettings(name="final", edition="icelandic", players=("Anna", "Jón"), language="en")
        game = tournament.open_table(settings, tmp_path / "final.db")
        with serve_tables(game, tournament=tournament) as air:
            page = open_page(f"{air.address}/hall", 1920, 1080)
            page.wait_for_selector('html[data-tables="1"]', state="attached")
            for width, height in ((1920, 1080), (1280, 600)):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_function(FITS, arg=40)
                assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0
            page.set_viewport_size({"width": 360, "height": 740})
            page.wait_for_function("() => document.querySelector('#standings .rest').hidden")
            assert page.locator("#standings td.name:visible").count() == 40


def test_a_table_that_is_gone_after_a_restart_leaves_the_hall(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    games = [open_table(tmp_path, name) for name in ("first", "second")]
    with serve_tables(*games) as air:
        page = open_page(f"{air.address}/hall", 1920, 1080)
        page.wait_for_selector('html[data-tables="2"]', state="attached")
        port = air.port
    with serve_tables(open_table(tmp_path, "second"), port=port):
        page.wait_for_selector('html[data-tables="1"]', state="attached")
        assert page.locator(".card .label").all_inner_texts() == ["second"]


def test_the_sign_of_a_winner_covers_no_flag(evening: Evening, open_page: Callable[..., Page]) -> None:
    send_commands(evening.final, "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    page = open_page(f"{evening.air.address}/hall", 1920, 1080)
    winner = page.locator(".player.winner")
    winner.wait_for()
    box = winner.evaluate(
        "(place) => { const sign = getComputedStyle(place, '::before');"
        " return [parseFloat(sign.left) + parseFloat(sign.width), parseFloat(sign.left)]; }"
    )
    assert box[0] <= 0
    edge = winner.evaluate(
        "(place) => place.closest('.card').getBoundingClientRect().left - place.getBoundingClientRect().left"
    )
    assert box[1] >= edge


def test_a_break_with_long_names_and_a_countdown_is_not_cut(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    names = [("Szabóné Kovács Boglárka", "Nagy-Horváth Zsigmond"), ("Eva", "Per"), ("Ása", "Una")]
    tables = "".join(
        f"[table.t{number}]\nplayers = {list(pair)}\n".replace("'", '"') for number, pair in enumerate(names)
    )
    (tmp_path / "event.toml").write_text('title = "Cup"\nbest-of = 3\n' + tables, encoding="utf-8")
    with Tournament(tmp_path / "event.toml", notify=print) as tournament:
        games = [
            tournament.open_table(
                GameSettings(name=f"t{number}", edition="icelandic", language="hu"), tmp_path / f"{number}.db"
            )
            for number in range(3)
        ]
        for game, (one, other) in zip(games, names, strict=True):
            send_commands(game, "play 8D HRAKI")
            game.apply_command(Command(verb=Verb.END, words=(f"{one}=AAAAAAA", f"{other}=RRRRRRR")))
        with serve_tables(*games, tournament=tournament) as air:
            page = open_page(f"{air.address}/break?table=t0", 1920, 1080)
            for command in ("countdown 10:00", "countdown"):
                send_commands(games[0], command)
                wait_for_sequence(page, games[0].state.sequence)
                page.wait_for_selector("#standings tbody tr:nth-child(5)")
                assert page.evaluate("() => document.documentElement.scrollHeight - innerHeight") == 0
