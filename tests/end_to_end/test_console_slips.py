"""The console in hurried hands and on a phone: keys held down, a second Enter, a state that comes in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring import parse_play
from tests.support.browser import wait_for_sequence, wait_while_page_runs
from tests.support.on_air import TOKEN, RunningServer, open_table, send_commands, serve_tables
from tests.support.simulated_camera import SimulatedCamera
from tilesight.languages import LANGUAGES

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Route

pytestmark = pytest.mark.slow
OpenPage = Callable[..., "Page"]

HOLD = """async key => { for (let n = 0; n < 6; n += 1) {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, repeat: n > 0, bubbles: true}));
  await new Promise((done) => setTimeout(done, 60));
} }"""


def open_console(open_page: OpenPage, air: RunningServer) -> Page:
    page: Page = open_page(f"{air.address}/console#{TOKEN}", 1180, 820)
    wait_for_sequence(page, air.tables["final"].state.sequence)
    return page


def type_letter(page: Page, letter: str) -> None:
    """Choose the next square, and type into its editor."""
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.fill("#letter", letter)


def type_letter_without_answer(page: Page, letter: str) -> Route:
    """Correct a square; the command is held until the route continues."""
    held: list[Route] = []
    page.route("**/commands", lambda route: held.append(route))
    type_letter(page, letter)
    with page.expect_request("**/commands"):
        page.keyboard.press("Enter")
    wait_while_page_runs(page, lambda: held)  # the request is seen before its route is
    return held[0]


def test_the_example_of_a_settlement_has_the_players_of_the_game(tmp_path: Path, open_page: OpenPage) -> None:
    with serve_tables(open_table(tmp_path, players=("Zsófi", "Bence", "Kåre"))) as air:
        page = open_console(open_page, air)
        page.keyboard.press("e")
        assert page.get_attribute("#words", "placeholder") == "Zsófi=AB, Bence=, Kåre="


def test_a_key_that_is_held_down_is_one_command(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR", "pass", "pass")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("l")
        page.evaluate(HOLD, "Delete")
        wait_for_sequence(page, 4)
        page.keyboard.press("Escape")
        page.evaluate(HOLD, "p")
        wait_for_sequence(page, 5)
        page.wait_for_timeout(300)
        assert [event.kind for event in table.state.game.events] == ["play", "pass", "pass"]


def test_a_whole_command_may_be_typed_into_a_form(tmp_path: Path, open_page: OpenPage) -> None:
    names = ("End Lind", "Ben")
    table = open_table(tmp_path, edition="english", players=names)
    with serve_tables(table) as air:
        page = open_console(open_page, air)

        def type_in(keys: str, text: str) -> None:
            before = table.state.sequence
            for key in keys:
                page.keyboard.press(key)
            page.fill("#words", text)
            page.keyboard.press("Enter")
            wait_for_sequence(page, before + 1)
            page.wait_for_selector("#telling:not(.asking)")

        def rack(player: int) -> str:
            return "".join(table.state.operator.rack(player, time.time()))

        type_in("s1", "RACK")
        assert rack(0) == "RACK", "these are tiles"
        type_in("s1", "rack End Lind")
        assert rack(0) == ""
        type_in("s1", "rack end lind AB")
        assert rack(0) == "AB"
        type_in("s2", "Rack QZ")
        assert rack(1) == "QZ"
        type_in("n", "play 8G CAT")
        type_in("x", "exchange 3")
        type_in("li", "insert 2 Ben pass")
        assert [event.kind for event in table.state.game.events] == ["play", "pass", "exchange"]
        for text in ("end End Lind=AB Ben=", "End Lind=AB, Ben="):
            type_in("e", text)
            assert table.state.game.totals == (6, 4), text
            ended = table.state.sequence
            page.keyboard.press("u")
            wait_for_sequence(page, ended + 1)
        type_in("t", "Title of the cup")
        assert table.state.title == "Title of the cup"


def test_a_verb_may_begin_like_the_name_of_a_player(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path, edition="english", players=("P", "Exchange"))
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("n")
        page.keyboard.type("play 8D HORNS")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 1)
        assert table.state.game.totals == (24, 0)


def test_a_second_enter_is_no_second_command(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("f")
        page.keyboard.press("1")
        page.keyboard.type("10")
        page.evaluate(
            "for (let n = 0; n < 2; n += 1) document.querySelector('#telling form').requestSubmit()"
        )
        wait_for_sequence(page, 1)
        page.wait_for_timeout(300)
        assert table.state.game.totals == (-10, 0)
        assert page.text_content("#telling .answer") == ""


def test_a_penalty_that_two_consoles_give_counts_once(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        pages = [open_console(open_page, air) for _ in range(2)]
        for page in pages:
            for key in "f1":
                page.keyboard.press(key)
            page.fill("#words", "10")
        pages[0].keyboard.press("Enter")
        for page in pages:
            wait_for_sequence(page, 1)
        pages[1].keyboard.press("Enter")
        pages[1].wait_for_selector("#telling .answer:has-text('moved on')")
        assert table.state.game.totals == (-10, 0)


@pytest.mark.parametrize(("verb", "moves"), [("pass", 3), ("undo", 1)])
def test_a_double_click_is_one_command(tmp_path: Path, open_page: OpenPage, verb: str, moves: int) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR", "pass")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.click(f"#actions [data-verb={verb}]")
        wait_for_sequence(page, 3)
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        page.wait_for_timeout(300)
        assert len(table.state.game.events) == moves


def test_what_is_pressed_stays_while_the_state_changes(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        kept = page.evaluate_handle("[...document.querySelectorAll('#attention > *, #moves li')]")
        assert kept.evaluate("each => each.length") == 2
        send_commands(table, "title Final", "title Finals")
        wait_for_sequence(page, 3)
        assert kept.evaluate("each => each.every((node) => node.isConnected)")


def test_a_late_answer_to_a_letter_leaves_what_was_begun_since(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        held = type_letter_without_answer(page, "N")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        held.continue_()
        wait_for_sequence(page, 2)
        page.wait_for_timeout(200)
        assert page.evaluate("document.activeElement.id") == "words"


def test_the_next_square_may_be_chosen_before_the_answer_to_a_letter(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        held = type_letter_without_answer(page, "N")
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        held.continue_()
        wait_for_sequence(page, 2)
        page.wait_for_timeout(200)
        assert page.locator("#square .square-name").text_content() == "I8"
        assert page.evaluate("document.activeElement.id") == "letter"


def test_the_next_key_may_be_pressed_before_the_answer_to_a_typed_command(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_console(open_page, air)
        held: list[tuple[Route, APIResponse]] = []
        page.route("**/commands", lambda route: held.append((route, route.fetch())), times=1)
        page.keyboard.press("n")
        page.fill("#words", "8H HESTUR")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 1)
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        assert page.locator("#square .square-name").text_content() == "I8"
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.fill("#words", "8H Q")
        page.keyboard.press("Enter")
        page.locator("#telling .answer:not(:empty)").wait_for()
        wait_while_page_runs(page, lambda: held)
        route, answer = held[0]
        route.fulfill(response=answer)
        page.wait_for_timeout(200)
        assert page.text_content("#telling .answer") != "", "it is the answer to the second one"
        assert page.input_value("#words") == "8H Q"


def test_a_typed_command_that_is_refused_after_somebody_elses_is_there_to_be_mended(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        held: list[Route] = []
        page.route("**/commands", lambda route: held.append(route), times=1)
        page.keyboard.press("n")
        page.fill("#words", "8H QQQ")
        page.keyboard.press("Enter")
        wait_while_page_runs(page, lambda: held)
        send_commands(table, "pass")
        wait_for_sequence(page, 1)
        held[0].continue_()
        page.locator("#telling .answer:not(:empty)").wait_for()
        page.locator("#telling.asking").wait_for()
        assert page.input_value("#words") == "8H QQQ"
        page.fill("#words", "8H HESTUR")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 2)
        assert table.state.game.board.rows[7][7] == "H"


def test_a_refused_letter_stays_in_its_editor(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        type_letter(page, "W")
        page.keyboard.press("Enter")
        page.locator("#telling .answer:not(:empty)").wait_for()
        page.wait_for_timeout(200)
        assert page.input_value("#letter") == "W"
        assert page.evaluate("document.activeElement.id") == "letter"
        assert table.state.game.board.rows[7][7] == "H"


def test_a_phone_without_keys_begins_the_next_game_and_sees_what_is_asked(
    tmp_path: Path, open_page: OpenPage
) -> None:
    names = ("Wolfeschlegelsteinhausenbergerdorff Hubert Blaine", "Ben", "Cyd", "Dee")
    with serve_tables(open_table(tmp_path, edition="english", players=names)) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 360, 640)
        wait_for_sequence(page, 0)
        assert page.is_visible("#telling .between button >> text=New game")
        for button, asked in (
            ("#actions [data-verb=turn]", "#telling .choices button"),
            (".player .buttons button", "#words"),
            ("#actions [data-verb=challenge]", "#telling .answer:not(:empty)"),
        ):
            page.locator(button).first.click()
            page.locator(asked).first.wait_for()
            box = page.locator(asked).first.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= 360 - box["width"]
            assert 0 <= box["y"] <= 640 - box["height"]


def test_no_page_of_a_phone_is_wider_than_its_screen(tmp_path: Path, open_page: OpenPage) -> None:
    names = ("Wolfeschlegelsteinhausenbergerdorff Hubert Blaine", "Árvíztűrőtükörfúrógépné Kovács Margit")
    with serve_tables(open_table(tmp_path, players=names, clock_s=90.0)) as air:
        for path in ("/", "/hall", f"/console#{TOKEN}", f"/commentary#{TOKEN}"):
            page = open_page(f"{air.address}{path}", 360, 640)
            page.get_by_text("Wolfeschlegel").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") == 360, path
            clocks = page.locator(".player .clock").all()
            assert all(
                (box := clock.bounding_box()) and box["x"] + box["width"] <= 360 for clock in clocks
            ), path


@pytest.mark.parametrize(("key", "capitals"), [("n", "characters"), ("t", "sentences"), ("h", "none")])
def test_a_phones_keyboard_types_tiles_in_capitals(
    tmp_path: Path, open_page: OpenPage, key: str, capitals: str
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_console(open_page, air)
        page.keyboard.press(key)
        assert page.locator("#words").get_attribute("autocapitalize") == capitals


def test_a_phone_shows_each_button_whole_in_every_language(tmp_path: Path, open_page: OpenPage) -> None:
    cut = """() => [...document.querySelectorAll('#actions button')]
      .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"""
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", 360, 740)
        wait_for_sequence(page, 0)
        for language in LANGUAGES:
            page.goto(f"{air.address}/console?lang={language}")
            page.wait_for_selector(f"html[lang={language}][data-sequence]", state="attached")
            assert page.evaluate(cut) == [], language


def test_a_phone_shows_every_answer_to_an_alarm(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    camera = SimulatedCamera(table)
    camera.show(camera.board.with_tiles(parse_play("8D HRAKI", table.state.edition.tokens)))
    send_commands(table, "undo")
    camera.rest(5)
    with serve_tables(table) as air:
        for language, width in (("da", 390), ("hu", 390), ("en", 360), ("nb", 360)):
            page = open_page(f"{air.address}/console?lang={language}#{TOKEN}", width, 844)
            page.locator("#attention button").nth(2).wait_for()
            panel = page.locator("#attention")
            assert panel.evaluate("(each) => each.scrollHeight - each.clientHeight") == 0, language


def test_a_name_is_changed_in_mid_game_and_the_buttons_follow(tmp_path: Path, open_page: OpenPage) -> None:
    table = send_commands(open_table(tmp_path, clock_s=90.0), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press(",")
        page.keyboard.press("1")
        page.keyboard.type("Anna Lind")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 2)
        assert page.text_content(".player .name") == "Anna Lind"
        assert page.text_content("#moves .who") == "Anna Lind"
        page.locator(".player .buttons button", has_text="Run").first.click()
        wait_for_sequence(page, 3)
        assert page.text_content("#telling .answer") == ""


def test_the_letters_of_a_play_that_are_blanks_are_shown_while_it_is_typed(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("l")
        page.keyboard.press("i")
        assert page.locator("#words").get_attribute("autocapitalize") == "characters"
        page.fill("#words", "Anna play 9H Is")
        assert page.text_content("#telling .checked") == "lower case is a blank: s"
        page.fill("#words", "ANNA PLAY 9H raki")
        assert page.text_content("#telling .checked") == ""


def test_as_many_typed_letters_are_blanks_as_the_server_takes_for_them(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = open_table(tmp_path, edition="romanian-rosian")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("n")
        for words, shown in (("8H as", "lower case is a blank: a s"), ("8E casa", "")):
            page.fill("#words", words)
            assert page.text_content("#telling .checked") == shown
        page.keyboard.press("Enter")
        wait_for_sequence(page, 1)
        assert "".join(table.state.game.board.rows[7][4:8]) == "CASA"


def test_a_typed_i_has_its_dot_where_there_is_such_a_tile(tmp_path: Path, open_page: OpenPage) -> None:
    own, dotted = tmp_path / "own.toml", "i\u0307"
    own.write_text('base = "english"\n[tiles]\n"İ" = { count = 2, value = 1 }\n', encoding="utf-8")
    table = send_commands(open_table(tmp_path, edition=str(own)), "play 8H sAA")
    steps = [("i", dotted), ("ı", "i"), ("?i", dotted), ("!i", "İ"), ("ı", "I"), ("i", "İ")]
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        for sequence, (typed, token) in enumerate(steps, 2):
            type_letter(page, typed)
            page.keyboard.press("Enter")
            wait_for_sequence(page, sequence)
            assert table.state.game.board.rows[7][7] == token


def test_a_challenge_after_the_next_play_is_warned_of_in_another_colour_than_refusals(
    tmp_path: Path, open_page: OpenPage
) -> None:
    colour = "() => getComputedStyle(document.querySelector('#telling .answer')).backgroundColor"
    table = send_commands(open_table(tmp_path), "play 8H HESTUR", "play H8 HÚS")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("c")
        wait_for_sequence(page, 3)
        warning = "HÚS was challenged; if HESTUR was meant, undo that, and insert the challenge before move 2"
        page.locator("#telling .answer", has_text=warning).wait_for()
        warned = page.evaluate(colour)
        page.keyboard.press("v")
        page.locator("#telling .answer", has_text="another turn").wait_for()
        assert warned != page.evaluate(colour)


def test_enter_after_an_arrow_corrects_the_square_and_repeats_no_button(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.click("#actions [data-verb=pass]")
        wait_for_sequence(page, 2)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "letter"
        page.wait_for_timeout(300)
        assert [event.kind for event in table.state.game.events] == ["play", "pass"]


def test_a_player_who_is_asked_for_is_meant_for_the_game_as_it_was(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = send_commands(open_table(tmp_path, players=("Anna", "Ben", "Cyd")), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        for key in ("v", "g"):
            page.keyboard.press(key)
            page.wait_for_selector("#telling .choices:not([hidden])")
            kept = send_commands(table, "pass").state
            wait_for_sequence(page, kept.sequence)
            page.keyboard.press("1")
            page.wait_for_selector("#telling .answer:not(:empty)")
            assert "moved on" in page.inner_text("#telling .answer")
            assert table.state.sequence == kept.sequence
            page.keyboard.press("Escape")


@pytest.mark.parametrize("key", ["p", "l"])
def test_another_command_closes_the_question_for_a_player(
    tmp_path: Path, open_page: OpenPage, key: str
) -> None:
    table = send_commands(open_table(tmp_path, players=("Anna", "Ben", "Cyd")), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press(",")
        page.wait_for_selector("#telling .choices:not([hidden])")
        page.keyboard.press(key)
        page.wait_for_selector("#telling .choices", state="hidden")
        page.keyboard.press("1")
        page.wait_for_timeout(200)
        assert page.locator("#telling.asking").count() == 0


@pytest.mark.parametrize(
    ("key", "code", "opens"), [(",", "KeyW", True), (".", "KeyE", True), ("w", "Comma", False)]
)
def test_a_sign_is_itself_wherever_it_lies(
    tmp_path: Path, open_page: OpenPage, key: str, code: str, opens: bool
) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.evaluate(
            "([key, code]) => document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }))",
            [key, code],
        )
        if opens:
            page.wait_for_selector("#telling .choices:not([hidden]), #telling.asking")
            page.wait_for_timeout(200)
        else:
            wait_for_sequence(page, 2)
        assert table.state.sequence == (1 if opens else 2)
        assert page.locator("#telling.asking .verb", has_text="End").count() == 0


def test_a_choice_in_the_list_goes_when_somebody_else_moves_the_moves(
    tmp_path: Path, open_page: OpenPage
) -> None:
    table = send_commands(open_table(tmp_path), "play 8H HESTUR", "pass", "pass", "exchange 2")
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("l")
        page.keyboard.press("ArrowDown")
        assert page.locator("#moves .chosen .number").inner_text() == "3"
        send_commands(table, "pass")
        wait_for_sequence(page, 5)
        assert page.locator("#moves .chosen .number").inner_text() == "3", "a new move moves no other"
        page.keyboard.press("Delete")
        wait_for_sequence(page, 6)
        assert page.locator("#moves .chosen .number").inner_text() == "3", "it was this console's own command"
        page.keyboard.press("Enter")
        page.wait_for_selector("#telling.asking")
        send_commands(table, "delete 1")
        wait_for_sequence(page, 7)
        assert page.locator("#moves .chosen, #telling.asking").count() == 0
        page.keyboard.press("Delete")
        page.wait_for_timeout(300)
        assert table.state.sequence == 7


def test_a_title_is_changed_as_it_was_typed(tmp_path: Path, open_page: OpenPage) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_console(open_page, air)
        page.keyboard.press("t")
        assert page.input_value("#words") == "", "the names are no title"
        page.keyboard.press("Escape")
        send_commands(table, "title Final of the cup")
        wait_for_sequence(page, 1)
        page.keyboard.press("t")
        assert page.input_value("#words") == "Final of the cup"
        page.keyboard.press("Enter")
        page.wait_for_selector("#telling:not(.asking)")
        assert table.state.title == "Final of the cup"


def test_a_console_without_a_camera_asks_for_pictures_now_and_then(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page("about:blank")
        asked: list[str] = []
        answered: list[str] = []
        page.on("request", lambda each: asked.append(each.url) if ".jpg" in each.url else None)
        page.on("response", lambda each: answered.append(each.url) if ".jpg" in each.url else None)

        def wait_for_answers() -> None:
            wait_while_page_runs(page, lambda: len(answered) >= max(2, len(asked)))

        page.clock.install()
        page.goto(f"{air.address}/console#{TOKEN}")
        wait_for_answers()
        page.clock.pause_at(page.evaluate("Date.now() / 1000 + 5"))
        wait_for_answers()
        before = len(asked)
        for _ in range(20):
            page.clock.run_for(200)
            wait_for_answers()
        assert 2 <= len(asked) - before <= 4


@pytest.mark.parametrize("size", [(768, 1024), (820, 1180)])
def test_a_tablet_held_upright_shows_buttons_of_commands(
    tmp_path: Path, open_page: OpenPage, size: tuple[int, int]
) -> None:
    with serve_tables(send_commands(open_table(tmp_path, clock_s=90.0), "play 8H HESTUR")) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", *size)
        wait_for_sequence(page, 1)
        page.wait_for_timeout(200)
        box = page.locator("#actions button").last.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1]
