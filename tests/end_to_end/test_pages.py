"""The pages in a real browser: the overlay follows a game, the console corrects it, and both come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from samples import icelandic_style, random_film
from tests.support.browser import wait_for_sequence
from tests.support.on_air import TOKEN, RunningServer, journal_of, open_table, send_commands, serve_tables
from tilesight.live import LiveGame
from tilesight.output import UncertainTile, UpdateEvent
from vision.capture import Frame
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


@pytest.fixture
def air(tmp_path: Path) -> Iterator[RunningServer]:
    with serve_tables(
        open_table(tmp_path, clock_s=1500.0),
        open_table(tmp_path, "left", "hungarian", ("<b>Erzsébet</b>", "Bálint")),
    ) as running:
        yield running


def letters_on(page: Page) -> str:
    return "".join(page.locator("#board .tile .letter, #board-place .tile .letter").all_text_contents())


def console(open_page: Callable[..., Page], air: RunningServer, table: str = "final") -> Page:
    page = open_page(f"{air.address}/console?table={table}#{TOKEN}", 1180, 820)
    wait_for_sequence(page, air.tables[table].state.sequence)
    return page


def doubted(table: LiveGame, play: str, column: int, *others: str) -> None:
    """A play as a camera tells it, one of whose letters is in doubt."""
    from scoring import parse_play
    from tilesight.output import to_event
    from vision.game_events.updates import GameUpdate, UpdateKind

    game = table.state.game
    game = game.with_play(parse_play(play, game.edition.tokens, game.board))
    event = to_event(GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1]), "film", 1)
    tile = next(tile for tile in game.steps[-1].scored.play if tile.column == column)  # type: ignore[union-attr]
    shares = tuple((other, 0.35 / number) for number, other in enumerate(others, 1))
    doubt = UncertainTile(row=tile.row, column=tile.column, token=tile.token, confidence=0.6, others=shares)
    table._recorder.commit(game, [replace(event, uncertain_tiles=(doubt,))])


def test_the_overlay_follows_a_rendered_game_event_by_event(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    film = random_film(np.random.default_rng(1), "icelandic", plays=2, cell_px=28, style=icelandic_style())
    table = open_table(tmp_path, players=film.players)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay")
        wait_for_sequence(page, 0)
        table.attach(
            VideoTracker(
                table.state.game,
                GameContext(
                    edition=table.state.game.edition, recognizer=load_recognizer("network", film.edition)
                ),
            )
        )
        seen: list[str] = []
        for number, (time_s, image) in enumerate(film.frames(8.0)):
            table.see(Frame(image_bgr=image, source="film", index=number, time_s=time_s))
            if table.state.sequence > len(seen):
                wait_for_sequence(page, table.state.sequence)
                seen.append(page.locator("#last .points").inner_text())
        table.finish()
        plays = [event for event in film.events if event.kind == "play"]
        assert seen == [f"+{event.score}" for event in plays]
        totals = [str(total) for total in film.totals]
        assert page.locator("#players .score").all_inner_texts() == totals
        tiles = {(tile.row, tile.column) for event in plays for tile in event.play}
        assert page.locator("#board .tile").count() == len(tiles)
        assert page.locator("#board .tile.newest").count() == len(plays[-1].play)
        picture = air.request("GET", "/api/tables/final/board.jpg")
        assert (picture[0], picture[2][:2]) == (200, b"\xff\xd8")


def test_two_tables_at_once_and_markup_in_a_name_is_text(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    pages = [open_page(f"{air.address}/overlay?table={name}") for name in ("final", "left")]
    send_commands(air.tables["final"], "play 8D HRAKI")
    send_commands(air.tables["left"], "play 8G szÉGY")
    for page in pages:
        wait_for_sequence(page, 1)
    assert sorted(letters_on(pages[0])) == sorted("HRAKI")
    assert pages[1].locator("#board .tile .letter").all_text_contents() == ["SZ", "É", "GY"]
    assert pages[1].locator("#board .tile.blank .letter").all_text_contents() == ["SZ"]
    assert pages[1].locator("#players .name").first.inner_text() == "<b>Erzsébet</b>"
    assert pages[1].locator("#players b").count() == 0


def test_nothing_on_the_overlay_moves_that_did_not_happen(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{air.address}/overlay?table=final")
    wait_for_sequence(page, 0)
    page.evaluate(
        "() => { window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach("
        "entry => { window.shift += entry.value; })).observe({ type: 'layout-shift', buffered: true }); }"
    )
    table = send_commands(air.tables["final"], "start", "rack Anna HRAKIAÐ")
    for command in (
        "play 8D HRAKI",
        "pass",
        "play G6 LO.I",
        "letter D8 K",
        "title A longer title",
        "challenge",
    ):
        send_commands(table, command)
        wait_for_sequence(page, table.state.sequence)
    page.wait_for_timeout(600)
    assert page.evaluate("() => window.shift") == 0


@pytest.mark.parametrize(
    ("query", "shown", "hidden"),
    [
        ("parts=board", ["#board"], ["#players", "#last", "#unseen", "#moves", "#title"]),
        ("parts=scores,clocks", ["#players"], ["#board", "#last"]),
        ("parts=unseen&theme=light&accent=%23ff0000&font=DejaVu%20Sans", ["#unseen"], ["#board"]),
        ("accent=#ff0000&parts=unseen&ink=#fffc&lang=nb", ["#unseen"], ["#board"]),
        ("parts=nonsense&theme=nonsense&accent=url(x)", ["#board", "#players", "#title"], ["#picture"]),
    ],
)
def test_the_address_chooses_what_is_shown(
    air: RunningServer, open_page: Callable[..., Page], query: str, shown: list[str], hidden: list[str]
) -> None:
    page = open_page(f"{air.address}/overlay?table=final&{query}", 800, 600)
    wait_for_sequence(page, 0)
    assert [page.locator(part).is_visible() for part in shown] == [True] * len(shown)
    assert [page.locator(part).is_visible() for part in hidden] == [False] * len(hidden)
    background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert background == "rgba(0, 0, 0, 0)"
    accent = page.evaluate("() => document.documentElement.style.getPropertyValue('--accent')")
    assert accent == ("#ff0000" if "ff0000" in query else "")
    assert page.evaluate("() => document.documentElement.lang") == ("nb" if "nb" in query else "is")


def test_a_misread_tile_is_corrected_with_three_keys(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    page, overlay = console(open_page, air), open_page(f"{air.address}/overlay?table=final")
    doubted(table, "8D HRAKI", 3, "K")
    wait_for_sequence(page, 1)
    page.wait_for_selector(".mark.doubt")
    page.keyboard.press("d")
    page.keyboard.type("k")
    page.keyboard.press("Enter")
    wait_for_sequence(page, 2)
    wait_for_sequence(overlay, 2)
    assert sorted(letters_on(overlay)) == sorted("KRAKI")
    assert page.locator(".mark.doubt").count() == 0
    assert journal_of(table).events[-1]["event"] == "correction"
    page.keyboard.press("u")
    wait_for_sequence(page, 3)
    assert sorted(letters_on(page)) == sorted("HRAKI")
    page.keyboard.press("r")
    wait_for_sequence(page, 4)
    assert sorted(letters_on(page)) == sorted("KRAKI")


def test_a_marked_square_is_corrected_with_the_mouse_or_confirmed(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    page = console(open_page, air)
    doubted(table, "8D HRAKI", 4, "B")
    wait_for_sequence(page, 1)
    page.locator("#board-place .tile").nth(1).click()
    page.get_by_role("button", name="B 35%").click()
    wait_for_sequence(page, 2)
    assert table.state.game.board[7, 4] == "B"
    doubted(table, "G6 LO.I", 6, "B")
    wait_for_sequence(page, 3)
    page.keyboard.press("y")
    wait_for_sequence(page, 4)
    assert table.state.operator.uncertain_tiles == ()
    assert table.state.game.board[5, 6] == "L"


def test_the_key_of_a_question_confirms_no_doubtful_tile(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    doubted(table, "8D HRAKI", 3, "K")
    table._recorder.commit(table.state.game, [UpdateEvent(kind="unclear", message="tiles were moved")])
    page = console(open_page, air)
    for press in (lambda: page.keyboard.press("q"), lambda: page.get_by_role("button", name="Seen").click()):
        press()
        page.locator("#attention", has_text="tiles were moved").wait_for(state="detached")
        assert [tile.token for tile in table.state.operator.uncertain_tiles] == ["H"]
        table._recorder.commit(table.state.game, [UpdateEvent(kind="unclear", message="tiles were moved")])
        wait_for_sequence(page, table.state.sequence)


def test_blanks_challenges_clocks_racks_and_plays_by_keys_alone(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    page = console(open_page, air)

    def keys(sequence: int, *pressed: str) -> None:
        for key in pressed:
            if (len(key) == 1 and key.isascii()) or key in ("Enter", "Escape") or key.startswith("Arrow"):
                page.keyboard.press(key)
            else:
                page.keyboard.type(key)
        wait_for_sequence(page, sequence)

    keys(1, "n", "8D HR?KI", "Enter")
    assert table.state.game.board[7, 5] == "?"
    keys(2, "ArrowRight", "ArrowLeft", "ArrowLeft", "Enter", "á", "Enter")
    assert table.state.game.board[7, 5] == "á", "a letter that is typed on a blank is what it stands for"
    keys(3, "k")
    assert table.state.operator.clocks.running == 1  # type: ignore[union-attr]
    keys(4, "v")
    assert table.state.game.events[-1].kind == "challenge"
    keys(5, "u")
    keys(6, "c")
    assert table.state.game.totals == (0, 0)
    keys(7, "x", "2", "Enter")
    page.locator("#players .player").nth(1).get_by_role("button", name="Rack").click()
    keys(8, "abð?", "Enter")
    assert table.state.known_racks(time.time())[1] == ("A", "B", "Ð", "?")
    page.locator("#players .player").nth(0).get_by_role("button", name="Time").click()
    keys(9, "9:59", "Enter")
    keys(9, "n", "8D QQQ", "Enter")
    page.wait_for_selector("#telling .answer:not(:empty)")
    assert "has no tile" in page.locator("#telling .answer").inner_text()
    keys(9, "Escape")
    assert page.locator("#telling .answer").inner_text() == ""


def test_a_console_without_the_token_shows_nothing_and_takes_one(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{air.address}/console")
    page.locator("#token").fill("a wrong token")
    page.keyboard.press("Enter")
    page.wait_for_selector("#entrance .answer:not(:empty)")
    assert page.locator("#desk").is_hidden()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    wait_for_sequence(page, 0)
    assert TOKEN not in page.url
    assert page.evaluate("() => document.cookie") == ""


def test_an_address_that_is_refused_says_why(air: RunningServer, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{air.address}/console#an-address-of-before")
    page.wait_for_selector("#entrance .answer:not(:empty)")
    assert page.url == f"{air.address}/console"


def test_pages_come_back_after_the_server_was_away(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    port = 0
    page: Page | None = None
    for number in range(3):
        table = open_table(tmp_path)
        with serve_tables(table, port=port) as air:
            port = air.port
            page = page or open_page(f"{air.address}/overlay")
            send_commands(table, "pass" if number else "play 8D HRAKI")
            wait_for_sequence(page, number + 1)
            expected = air.json("/api/tables/final")
    assert page is not None
    assert page.locator("#moves li").count() == len(expected["moves"])
    assert letters_on(page) == "HRAKI"


def test_a_console_whose_token_is_no_more_asks_for_the_new_one(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = console(open_page, air)
    with serve_tables(open_table(tmp_path), port=air.port, token="another-token-for-tests"):
        page.wait_for_selector("#entrance:not([hidden])")
        page.locator("#token").fill("another-token-for-tests")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 0)


def test_what_is_typed_holds_for_the_game_as_it_was_when_it_was_asked(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    page = console(open_page, air)
    page.keyboard.press("x")
    send_commands(table, "play 8D HRAKI")
    wait_for_sequence(page, 1)
    page.keyboard.press("Enter")
    page.wait_for_selector("#telling .answer:not(:empty)")
    assert "moved on" in page.locator("#telling .answer").inner_text()
    assert len(table.state.game.events) == 1, "it was meant for the player who was on turn then"
    page.keyboard.press("Enter")
    wait_for_sequence(page, 2)
    assert table.state.game.events[-1].kind == "exchange"


def test_a_late_answer_does_not_close_what_was_begun_since(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = console(open_page, air)
    page.evaluate(
        "() => { const send = window.fetch; window.fetch = async (...request) => {"
        "const answer = await send(...request);"
        "if (request[1]?.method === 'POST') { await new Promise((arrive) => { window.arrive = arrive; }); }"
        "return answer; }; }"
    )
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    wait_for_sequence(page, 1)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("8D HR")
    page.wait_for_function("() => window.arrive !== undefined")
    page.evaluate("async () => { window.arrive(); await new Promise((done) => setTimeout(done)); }")
    page.keyboard.type("AKI")
    assert page.locator("#words").input_value() == "8D HRAKI"


def test_a_candidate_for_a_blank_is_reported_as_it_is_offered(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    table = air.tables["final"]
    page = console(open_page, air)
    doubted(table, "8D HRAkI", 6, "K")
    wait_for_sequence(page, 1)
    page.keyboard.press("d")
    page.get_by_role("button", name="K 35%").click()
    wait_for_sequence(page, 2)
    assert table.state.game.board[7, 6] == "K"


def test_a_field_follows_and_colours_a_blank(air: RunningServer, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{air.address}/obs/final/last_play", 900, 100)
    send_commands(air.tables["final"], "play 8D HRaKI")
    page.wait_for_selector("#field .blank")
    assert page.locator("#field").inner_text() == "LAST PLAY: Anna 8D HRaKI 26 26"
    assert page.locator("#field .blank").inner_text() == "a"


def test_the_list_of_tables_and_the_api_are_readable(
    air: RunningServer, open_page: Callable[..., Page]
) -> None:
    page = open_page(air.address)
    page.wait_for_selector("section.table")
    assert page.locator("section.table h2").all_inner_texts() == ["Anna – Jón", "<b>Erzsébet</b> – Bálint"]
    page = open_page(f"{air.address}/api")
    page.wait_for_selector("section.operation")
    assert page.get_by_text("POST /api/tables/{table}/commands").count() == 1


def test_the_list_of_tables_does_not_swap_names_that_run_from_right_to_left(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path, players=("שרה כהן", "דוד לוי"))) as running:
        page = open_page(running.address)
        score = page.locator(".table .score")
        assert score.inner_text() == "שרה כהן\u00a00 דוד לוי\u00a00"
        first, second = (name.bounding_box() for name in score.locator("bdi").all())
    assert first is not None
    assert second is not None
    assert first["x"] < second["x"]


def test_every_page_works_under_its_own_policy(air: RunningServer, open_page: Callable[..., Page]) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI")
    page = open_page("about:blank")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in ("/overlay?parts=board,picture", f"/console#{TOKEN}", "/obs/final/score"):
        page.goto(f"{air.address}{path}")
        page.wait_for_timeout(500)
    # A table without a camera has no picture, which the browser mentions.
    assert [text for text in complaints if "404" not in text] == []
