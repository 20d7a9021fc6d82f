"""The commentators' page and the console's word check, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import wait_for_sequence
from tests.support.fake_magpie import write_program
from tests.support.on_air import TOKEN, RunningServer, open_table, send_commands, serve_tables
from tilesight.live import Analyst, Magpie, WordList
from tilesight.web.access.security import ConsoleToken

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "words.txt"
    path.write_text("HRAKI\nRAKI\nKÁL\n", encoding="utf-8")
    final = open_table(tmp_path, rack_delay_s=30.0, clock_s=1500.0)
    analyst = Analyst(WordList(path, final.state.edition), Magpie(write_program(tmp_path / "magpie"), "IS"))
    with serve_tables(final, analysts={"final": analyst}) as running:
        yield running


def test_commentators_see_racks_plays_and_chances(air: RunningServer, open_page: Callable[..., Page]) -> None:
    table = send_commands(
        air.tables["final"], "play 8D HRAKI", "play D8 HÚ", "rack Anna RAKIABÐ", "rack Jón AL?"
    )
    page = open_page(f"{air.address}/commentary?lang=en#{ConsoleToken(TOKEN).commentary}", 1366, 768)
    page.wait_for_selector("#plays tbody tr")
    page.wait_for_selector("#chances tbody tr")
    assert page.locator(".player.on-turn .rack").inner_text().split() == list("RAKIABÐ")
    assert page.locator("#chances td").first.inner_text() == "61%"
    assert page.locator("#unseen .of").inner_text() == f"{104 - 6 - 10} tiles"
    marks = page.locator("#moves .word").all_text_contents()
    assert marks == ["HÚ✗ not in the list ", "HRAKI✓ in the list "]
    send_commands(table, "pass")
    wait_for_sequence(page, table.state.sequence)
    assert page.locator(".player.on-turn .rack").inner_text().split() == list("AL?")
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_chances_of_another_position_are_not_shown_while_magpie_is_at_work(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = send_commands(open_table(tmp_path), "rack Anna HRAKIAÐ", "rack Jón AL?")
    may_answer = tmp_path / "may-answer"
    waits = f"while not os.path.exists({str(may_answer)!r}): time.sleep(0.02)"
    magpie = Magpie(write_program(tmp_path / "magpie", behaviour=waits), "IS")
    with serve_tables(table, analysts={"final": Analyst(magpie=magpie)}) as running:
        page = open_page(f"{running.address}/commentary?lang=da#{ConsoleToken(TOKEN).commentary}")
        working, found = page.get_by_text("MAGPIE regner"), page.locator("#chances tbody tr")
        working.wait_for()
        may_answer.touch()
        found.first.wait_for()
        assert working.count() == 0
        may_answer.unlink()
        send_commands(table, "play 8D HRAKI")
        working.wait_for()
        assert found.count() == 0
        send_commands(table, "undo")  # the answer that is awaited is not to this position
        wait_for_sequence(page, table.state.sequence)
        may_answer.touch()
        found.first.wait_for()
        wait_for_sequence(page, table.state.sequence)
        asked = (tmp_path / "magpie.asked").read_text(encoding="utf-8")
        assert asked.count("cgp ") == 3
        send_commands(table, "title A title")
        wait_for_sequence(page, table.state.sequence)
        assert found.count() == 4


@pytest.mark.parametrize(("edition", "mark"), [("english", "bingo"), ("krydsord", "")])
def test_a_play_is_marked_where_it_has_the_bonus(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_page: Callable[..., Page],
    edition: str,
    mark: str,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "words.txt"
    path.write_text("RETINAS\n", encoding="utf-8")
    table = open_table(tmp_path, edition=edition, players=("Anna", "Ben"))
    send_commands(table, "rack Anna RETINAS")
    with serve_tables(table, analysts={"final": Analyst(WordList(path, table.state.edition))}) as running:
        page = open_page(f"{running.address}/commentary?lang=en#{ConsoleToken(TOKEN).commentary}")
        page.wait_for_selector("#plays tbody tr")
        assert page.locator("#plays tbody tr").first.get_attribute("class") == mark


def test_the_console_marks_words_and_checks_others_by_key(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI", "play D8 HÚ")
    page = open_page(f"{air.address}/console#{TOKEN}", 1180, 820)
    page.wait_for_selector("html[data-sequence]", state="attached")
    assert page.locator("#moves .what").all_text_contents() == ["HÚ✗ not in the list ", "HRAKI✓ in the list "]
    page.keyboard.press(".")
    assert page.locator("#words").input_value() == "HÚ"
    page.keyboard.press("Enter")
    page.wait_for_selector("#telling .checked .unlisted")
    page.locator("#words").fill("kál, raki lo")
    page.keyboard.press("Enter")
    page.wait_for_selector("#telling .checked .listed")
    assert page.locator("#telling .checked .word").all_text_contents() == [
        "KÁL✓ in the list ",
        "RAKI✓ in the list ",
        "LO✗ not in the list ",
    ]
    page.keyboard.press("Escape")
    assert page.locator("#telling .checked").inner_text() == ""
    assert air.tables["final"].state.sequence == 2


CUT = """() => [...document.querySelectorAll('#moves .what')].filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.textContent)"""
"""What the list of moves cuts."""


@pytest.mark.parametrize(
    ("edition", "rack"),
    [("english", "MWVHNOU"), ("hungarian", "SZSZCSGYNYLYZS")],
    ids=("english", "hungarian"),
)
@pytest.mark.parametrize("size", [(1280, 800), (800, 700), (360, 740)])
def test_a_known_rack_hides_neither_score_nor_clock(
    tmp_path: Path, open_page: Callable[..., Page], edition: str, rack: str, size: tuple[int, int]
) -> None:
    table = open_table(tmp_path, edition=edition, players=("Ann", "Ben", "Cat", "Dora"), clock_s=5400.0)
    send_commands(table, f"rack Ben {rack}")
    with serve_tables(table) as running:
        page = open_page(f"{running.address}/commentary?lang=en#{ConsoleToken(TOKEN).commentary}", *size)
        wait_for_sequence(page, table.state.sequence)
        assert page.locator(".rack-tile").count() == 7
        assert page.evaluate(CUT.replace("#moves .what", ".player, .rack-tile")) == []


def test_a_phone_shows_the_words_of_the_moves(air: RunningServer, open_page: Callable[..., Page]) -> None:
    table = send_commands(air.tables["final"], "play 8D HRAKI", "play G6 LO.I", "change 1 pass")
    page = open_page(f"{air.address}/commentary?lang=en#{ConsoleToken(TOKEN).commentary}", 390, 844)
    wait_for_sequence(page, table.state.sequence)
    assert page.locator("#moves .what").all_text_contents() == ["no word", "pass"]
    send_commands(table, "undo")
    wait_for_sequence(page, table.state.sequence)
    assert page.evaluate(CUT) == []
    page = open_page(f"{air.address}/console?lang=en#{TOKEN}", 360, 740)
    wait_for_sequence(page, table.state.sequence)
    assert page.evaluate(CUT) == []


def test_a_low_clock_and_the_player_on_turn_have_a_sign(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, players=("Anna", "Ben"), clock_s=290.0)
    send_commands(table, "time Ben 0:59")
    with serve_tables(table) as running:
        page = open_page(f"{running.address}/commentary?lang=en#{ConsoleToken(TOKEN).commentary}", 390, 844)
        wait_for_sequence(page, table.state.sequence)
        sign = "(each) => getComputedStyle(each, '::before').content"
        cards = page.locator("#players .player")
        assert [card.locator(".clock").evaluate(sign) for card in cards.all()] == ['"5′ "', '"1′ "']
        assert [card.locator(".name").evaluate(sign) for card in cards.all()] == ['"▸ "', "none"]
        assert cards.locator(".turn").all_text_contents() == ["on turn", ""]
