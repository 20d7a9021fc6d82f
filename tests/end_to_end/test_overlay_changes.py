"""The overlay and the list of tables after a change: an undone play, a player who is gone, another name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import wait_for_sequence
from tests.support.on_air import open_table, send_commands, serve_tables

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
OpenPage = Callable[..., "Page"]


def test_moments_of_what_was_undone_go_at_once_and_no_other_follows(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay?seconds=60", 1280, 720)
        wait_for_sequence(page, 0)
        send_commands(table, "play 8D HRAKIAÐ", "challenge")
        page.wait_for_selector("#moments.shown strong")
        send_commands(table, "undo")
        wait_for_sequence(page, 3)
        page.wait_for_selector("#moments:not(.shown)", state="attached")
        page.wait_for_timeout(300)
        assert page.inner_text("#moments") == ""
        send_commands(table, "challenge")
        page.wait_for_selector("#moments.shown strong")
        assert "HRAKIAÐ" in page.inner_text("#moments")


def test_moments_of_a_play_that_was_taken_back_go_at_once(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay?seconds=60", 1280, 720)
        wait_for_sequence(page, 0)
        send_commands(table, "play 8D HRAKIAÐ")
        page.wait_for_selector("#moments.shown strong")
        send_commands(table, "withdraw")
        wait_for_sequence(page, 2)
        page.wait_for_selector("#moments:not(.shown)", state="attached")
        assert page.inner_text("#moments") == ""


def test_the_overlay_keeps_no_player_who_is_gone(tmp_path: Path, open_page: OpenPage) -> None:
    port, page = 0, None
    for names in (("Anna", "Ben", "Cyd"), ("Anna", "Ben")):
        folder = tmp_path / str(len(names))
        folder.mkdir()
        with serve_tables(open_table(folder, players=names, clock_s=90.0), port=port) as air:
            port = air.port
            page = page or open_page(f"{air.address}/overlay")
            page.wait_for_function(
                "count => document.querySelectorAll('#players .player').length === count", arg=len(names)
            )
            assert page.locator("#players .name").all_inner_texts() == list(names)


def test_a_new_name_is_in_the_last_play_and_in_the_list(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR", "challenge lost")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay", 1280, 720)
        wait_for_sequence(page, 2)
        assert "Jón" in str(page.text_content("#last .what"))
        send_commands(table, "name Jón Benedikt")
        wait_for_sequence(page, 3)
        for place in ("#last", "#moves"):
            assert "Benedikt" in str(page.text_content(place))
            assert "Jón" not in str(page.text_content(place))


def test_another_edition_loads_the_page_again_without_an_error(tmp_path: Path, open_page: OpenPage) -> None:
    errors: list[str] = []
    port, page = 0, None
    for edition in ("icelandic", "hungarian"):
        folder = tmp_path / edition
        folder.mkdir()
        table = send_commands(open_table(folder, edition=edition), "pass")
        with serve_tables(table, port=port) as air:
            port = air.port
            if page is None:
                page = open_page(f"{air.address}/overlay?parts=board,unseen", 1280, 720)
                page.on("pageerror", lambda error: errors.append(str(error)))
            letter = "Þ" if edition == "icelandic" else "GY"
            page.wait_for_selector(f"#unseen .letter:has-text('{letter}')")
    assert errors == []


def test_the_list_of_tables_follows_the_games(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/")
        page.wait_for_selector("section.table")
        assert page.locator("#to-hall").get_attribute("href") == "/hall"
        assert page.locator("section.table .links a").filter(visible=True).count() == 4
        page.click("summary:has-text('Text fields')")
        assert page.locator("a:text-is('p2_clock')").is_visible()
        send_commands(table, "play 8H HESTUR", "title Final")
        page.wait_for_selector("section.table h2:text-is('Final')")
        assert str(table.state.game.totals[0]) in page.inner_text("section.table .score")
        send_commands(table, "end Anna=AB Jón=")
        page.wait_for_selector("section.table a:has-text('import it there')")


@pytest.mark.parametrize("play", ["10AA .EA", "AD8 .AT"])
def test_new_letters_are_known_on_boards_of_more_than_26_columns(
    tmp_path: Path, open_page: OpenPage, play: str
) -> None:
    rows = ["." * 32] * 15
    edition = tmp_path / "wide.toml"
    edition.write_text(f'base = "english"\n[layout]\nrows = {rows}\nstart = ["AC8"]\n', encoding="utf-8")
    table = open_table(tmp_path, edition=str(edition))
    send_commands(table, "play 8AA HEART", "play AA8 .AT", f"play {play}")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay", 1280, 720)
        wait_for_sequence(page, 3)
        kinds = page.locator("#last .what span").evaluate_all("(all) => all.map((each) => each.className)")
    assert kinds == ["through", "", ""]
