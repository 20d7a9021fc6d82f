"""The pages on small and large screens: nothing is covered, cut off, or outside of what it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_pages import doubted
from tests.support.browser import wait_for_sequence
from tests.support.on_air import TOKEN, RunningServer, open_table, send_commands, serve_tables
from tilesight.live import Analyst, GameSettings, Tournament
from tilesight.web.access.security import ConsoleToken
from vision.game_events import Command, Verb

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.slow

EVENT = """
title = "Landsmót"
round = "4. umferð, úrslitakeppni"
best-of = 5
[player.Anna]
club = "Hajdúböszörményi Szójátékkedvelők Egyesülete"
rating = 1873
[table.final]
players = ["Anna", "Jón"]
label = "Borð 1"
"""

COVERED = """() => [...document.querySelectorAll("#square :is(button, input)")].filter((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [[0.1, 0.5], [0.5, 0.15], [0.5, 0.85], [0.9, 0.5]].some(
      ([x, y]) => !each.contains(document.elementFromPoint(left + width * x, top + height * y)));
  }).map((each) => each.textContent)"""
"""The field and the buttons of the square editor that are not wholly seen."""


CROWDED = """
title = "Klubbmesterskap"
best-of = 3
[player.Aleksandersen]
flag = "no"
[table.final]
players = ["Aleksandersen", "Christoffersen", "Maximilian", "Wilhelmine"]
"""

PAIRED = """
title = "Klubbmesterskap"
best-of = 3
[player."Per-Østen Håkonsvåg"]
flag = "no"
[table.final]
players = ["Per-Østen Håkonsvåg", "Gunnhild Særheim"]
"""

UNREADABLE = """(all) => all.filter((each) => each.scrollWidth > each.clientWidth
    || parseFloat(getComputedStyle(each).fontSize) < 18).map((each) => each.textContent)"""
"""The names that are cut off, or too small."""

CLOCKED = """() => [...document.querySelectorAll(".player")].filter((card) => {
    const [score, clock] = [".score", ".clock"].map((name) => card.querySelector(name).getBoundingClientRect());
    return score.right > clock.left && score.bottom > clock.top;
  }).map((card) => card.textContent)"""
"""The cards whose clock covers their score."""

COVERED_SCORES = CLOCKED.replace(".clock", ".won")
"""The cards whose games won cover their score."""


@pytest.mark.parametrize("count", [2, 4])
def test_the_letters_to_choose_from_are_seen_on_small_screens(
    tmp_path: Path, open_page: Callable[..., Page], count: int
) -> None:
    table = open_table(tmp_path, "final", "hungarian", ("Éva", "Béla", "Ödön", "Ági")[:count], clock_s=1500.0)
    doubted(table, "8F SZÓL", 5, "Z", "GY")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", locale="hu-HU")
        wait_for_sequence(page, 1)
        for width, height in ((960, 540), (1280, 720), (1366, 768), (1024, 768), (1180, 820), (1600, 900)):
            page.set_viewport_size({"width": width, "height": height})
            page.keyboard.press("d")
            assert page.locator("#square .candidates button").count() == 2
            assert page.evaluate(COVERED) == [], (width, height)
            page.keyboard.press("Escape")


@pytest.fixture
def event(tmp_path: Path) -> Iterator[RunningServer]:
    """A served event of one table with long texts."""
    (tmp_path / "event.toml").write_text(EVENT, encoding="utf-8")
    with Tournament(tmp_path / "event.toml", notify=lambda _: None) as tournament:
        settings = GameSettings(name="final", edition="icelandic", clock_s=1500.0)
        table = tournament.open_table(settings, tmp_path / "final.db")
        send_commands(table, "rack Anna HRAKIAÐ")
        with serve_tables(table, tournament=tournament) as running:
            yield running


def test_club_and_rating_leave_the_score_clock_and_rack_free(
    event: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{event.address}/overlay", 1920, 1080)
    wait_for_sequence(page, event.tables["final"].state.sequence)
    page.locator(".player .score").first.evaluate("(each) => { each.textContent = '316'; }")
    assert page.locator(".player .meta").first.inner_text().startswith("1873 · Hajdúböszörményi Szó")
    covered = page.locator(".player").first.evaluate("""(card) => {
        const meta = card.querySelector(".meta").getBoundingClientRect();
        return [...card.querySelectorAll(".name, .clock, .rack, .score")].filter((each) => {
          const { left, right, top, bottom, height } = each.getBoundingClientRect();
          const rim = each.className === "score" ? height / 10 : 0;
          return left < meta.right && meta.left < right && top + rim < meta.bottom && meta.top < bottom - rim;
        }).map((each) => each.className);
      }""")
    assert covered == []


@pytest.mark.parametrize("names", [("Anna", "Ben"), ("Anna", "Ben", "Cat", "Dora")])
def test_the_clock_leaves_a_negative_score_of_three_digits_free(
    tmp_path: Path, open_page: Callable[..., Page], names: tuple[str, ...]
) -> None:
    table = open_table(tmp_path, edition="english", players=names, clock_s=1500.0)
    send_commands(
        table, "play 8D HORNS", "clock Anna 276", "clock Ben 444", "time Anna -12:34", "time Ben -123:45"
    )
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay", 960, 540)
        wait_for_sequence(page, table.state.sequence)
        assert page.locator(".player .score").nth(1).inner_text() == "−444"
        assert page.evaluate(CLOCKED) == []


@pytest.mark.parametrize("event_text", [PAIRED, CROWDED], ids=["two", "four"])
def test_viewers_see_the_whole_names_of_a_match(
    tmp_path: Path, open_page: Callable[..., Page], event_text: str
) -> None:
    (tmp_path / "event.toml").write_text(event_text, encoding="utf-8")
    with Tournament(tmp_path / "event.toml", notify=lambda _: None) as tournament:
        settings = GameSettings(name="final", edition="norwegian", clock_s=1500.0)
        table = tournament.open_table(settings, tmp_path / "final.db")
        first = table.state.game.players[0]
        table.apply_command(Command(verb=Verb.CLOCK, words=(first, "444")))
        with serve_tables(table, tournament=tournament) as air:
            for name in ("overlay", "break", "start", "hall"):
                page = open_page(f"{air.address}/{name}", 1920, 1080)
                names = page.locator(":is(.player, .side) .name")
                names.first.get_by_text(first).wait_for()
                assert names.evaluate_all(UNREADABLE) == [], name
            page = open_page(f"{air.address}/overlay", 1920, 1080)
            page.locator(".player .won").first.get_by_text("0").wait_for()
            assert page.locator(".player .score").first.inner_text() == "−444"
            assert page.evaluate(COVERED_SCORES) == []


def test_four_cards_of_the_console_are_one_row_or_two_of_two(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, edition="english", players=("Anna", "Ben", "Cat", "Dora"), clock_s=1500.0)
    tops = "(all) => all.map((card) => card.getBoundingClientRect().top)"
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 1180, 820)
        cards = page.locator("#players .player")
        cards.nth(3).wait_for()
        for width, height, rows in (
            (390, 844, 2),
            (820, 1180, 1),
            (1180, 820, 2),
            (1500, 900, 2),
            (1920, 1080, 1),
        ):
            page.set_viewport_size({"width": width, "height": height})
            assert list(Counter(cards.evaluate_all(tops)).values()) == [4 // rows] * rows, width


def test_a_phones_console_shows_several_moves(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    table = open_table(tmp_path, edition="english", players=("Anna", "Ben"))
    send_commands(table, "play 8D HORNS", *("pass", "exchange") * 20)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 390, 844)
        moves = page.locator("#moves ol")
        moves.get_by_text("HORNS").wait_for()
        height = moves.evaluate("(list) => list.clientHeight / list.firstChild.offsetHeight")
        assert 10 < height < 30
        moves.focus()
        page.keyboard.press("End")
        page.wait_for_timeout(300)
        assert moves.evaluate("(list) => list.scrollTop") > 100, "a keyboard scrolls the list, too"


@pytest.mark.parametrize("page_name", ["console", "commentary"])
def test_no_number_in_a_list_of_moves_is_cut_on_a_phone(
    tmp_path: Path, open_page: Callable[..., Page], page_name: str
) -> None:
    table = open_table(tmp_path, edition="english", players=("Margaret", "Benjamin"))
    send_commands(table, "play 8D HORNS", "clock Margaret 276", "clock Benjamin 444")
    token = TOKEN if page_name == "console" else ConsoleToken(TOKEN).commentary
    with serve_tables(table, analysts={"final": Analyst()}) as air:
        page = open_page(f"{air.address}/{page_name}#{token}", 360, 740)
        numbers = page.locator("#moves :is(.number, .score, .total)")
        numbers.get_by_text("−276").wait_for()
        page.locator("#moves .number").evaluate_all(
            "(all) => { for (const each of all) each.textContent = '104'; }"
        )
        first = page.locator("#moves .score").first
        first.evaluate(
            "(each) => { each.textContent = '104'; each.parentNode.classList.add('provisional'); }"
        )
        cut = "(all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
        assert numbers.evaluate_all(cut) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_a_card_of_the_hall_shows_its_table_and_cuts_the_match_off_within_it(
    event: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page("about:blank", 390, 844)

    def begin_next_round(route: Route) -> None:
        assert page.locator(".card").count() == 0  # cards wait for the round
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), "round": "5"})

    page.route("**/api/event", begin_next_round)
    page.goto(f"{event.address}/hall?lang=en")
    page.wait_for_selector("html[data-tables]", state="attached")
    assert page.inner_text("#round") == "Round 5"
    assert page.inner_text(".card .label") == "Borð 1"
    assert page.inner_text(".card .match") == "4. umferð, úrslitakeppni · Game 1 of 5"
    label, match, card = (page.locator(f".card {name}").bounding_box() for name in (".label", ".match", "h2"))
    assert label is not None
    assert match is not None
    assert card is not None
    assert label["width"] > 40
    assert label["x"] + label["width"] < match["x"]
    assert match["x"] + match["width"] <= card["x"] + card["width"]


def test_the_buttons_between_two_games_stay_on_a_phones_console(
    event: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{event.address}/console?lang=en#{TOKEN}", 390, 844)
    wait_for_sequence(page, event.tables["final"].state.sequence)
    new_game = page.locator("#telling .between button").last.bounding_box()
    assert new_game is not None
    assert new_game["x"] + new_game["width"] < 390 - 10 - 12 + 1  # the page's rim and the section's


LONG_NAMES = ("Hajdúböszörményi Szilveszterné", "Jón Sigurðsson", "Per-Østen Håkonsvåg", "Anna")
CUT = "(all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"
"""The texts that are cut off."""


def test_four_long_names_are_read_on_the_start_page(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    table = open_table(tmp_path, edition="hungarian", players=LONG_NAMES)
    with serve_tables(table) as air:
        for name in ("start", "break"):
            page = open_page(f"{air.address}/{name}", 1920, 1080)
            names = page.locator(".side .name")
            names.nth(3).wait_for()
            assert names.evaluate_all(CUT) == [], name
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), name


@pytest.mark.parametrize("language", ["is", "hu"])
def test_the_end_of_a_game_is_read_in_the_hall_and_on_air(
    tmp_path: Path, open_page: Callable[..., Page], language: str
) -> None:
    table = open_table(tmp_path, players=("Anna Jónsdóttir", "Jón Sigurðsson"), language=language)
    others = [open_table(tmp_path, name) for name in ("second", "third", "fourth")]
    send_commands(table, "play 8D HRAKI", "end Anna Jónsdóttir=ABK Jón Sigurðsson=")
    with serve_tables(table, *others) as air:
        for width, height in ((1920, 1080), (1280, 800), (390, 844)):
            page = open_page(f"{air.address}/hall?lang={language}", width, height)
            page.locator(".card.over .news .what").wait_for()
            page.wait_for_selector("html[data-tables]", state="attached")
            assert page.locator(".card.over .news .what").evaluate_all(CUT) == [], width
        page = open_page(f"{air.address}/overlay?table=final&lang={language}", 1920, 1080)
        page.locator("#last.over").wait_for()
        assert page.locator("#last .caption").evaluate_all(CUT) == []


def test_a_challenge_in_vain_is_read_with_the_challengers_name(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, players=LONG_NAMES[:2], language="en")
    send_commands(table, "play 8D HRAKI", "challenge lost")
    others = send_commands(
        open_table(tmp_path, "other", players=LONG_NAMES[1::-1]), "play 8D HRAKI", "challenge lost"
    )
    with serve_tables(table, others) as air:
        for name in ("final", "other"):
            page = open_page(f"{air.address}/overlay?table={name}", 1920, 1080)
            wait_for_sequence(page, 2)
            assert page.locator("#last :is(.play, .caption)").evaluate_all(CUT) == [], name


def test_four_cards_of_the_commentators_page_are_two_rows_of_two_or_one_row(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, edition="english", players=("Anna", "Ben", "Cat", "Dora"), clock_s=1500.0)
    tops = "(all) => all.map((card) => card.getBoundingClientRect().top)"
    with serve_tables(table, analysts={"final": Analyst()}) as air:
        page = open_page(f"{air.address}/commentary#{ConsoleToken(TOKEN).commentary}", 1280, 800)
        cards = page.locator("#players .player")
        cards.nth(3).wait_for()
        for width, height, rows in ((1100, 800, 2), (1280, 800, 2), (1920, 1080, 1)):
            page.set_viewport_size({"width": width, "height": height})
            assert list(Counter(cards.evaluate_all(tops)).values()) == [4 // rows] * rows, width


def test_the_name_of_an_option_stays_on_one_line(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    table = open_table(tmp_path)
    with serve_tables(table, analysts={"final": Analyst()}) as air:
        page = open_page(f"{air.address}/commentary#{ConsoleToken(TOKEN).commentary}", 390, 844)
        note = page.locator("#chances .note")
        note.get_by_text("--magpie-lexicon").wait_for()
        for width in range(320, 480, 8):
            page.set_viewport_size({"width": width, "height": 844})
            assert note.locator(".option").evaluate("(name) => name.getClientRects().length") == 1, width


def test_a_phones_console_has_a_low_place_for_the_picture_of_no_camera(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 390, 844)
        wait_for_sequence(page, 0)
        place = page.locator("#camera").bounding_box()
        assert place is not None
        assert place["height"] < 100
        assert page.inner_text("#camera p") == "no picture"
        tops = page.locator("#telling .between button").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().top)"
        )
        assert len(set(tops)) == 1, "the buttons between two games stand next to each other"


def test_a_table_without_a_camera_has_no_black_square_where_a_letter_is_corrected(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = send_commands(open_table(tmp_path, players=("Anna", "Jón", "Eva")), "play 8D HRAKI")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 390, 844)
        wait_for_sequence(page, table.state.sequence)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.locator("#letter").is_visible()
        assert page.locator("#square canvas").is_hidden()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        assert page.locator("#telling .choices").is_visible()
        assert page.locator("#telling .between").is_hidden()
