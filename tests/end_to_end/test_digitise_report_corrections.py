"""Corrections in the report page that other open copies of it must keep, and that the next run must accept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.report_page import (
    LAY,
    STRANGE,
    card,
    open_report,
    reloaded,
    saved,
    wait_for_store,
    write_report,
)
from tilesight.digitise.results.corrections import Correction

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.slow
EDITION = "#facts select"


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    write_report(tmp_path)
    with open_report(browser, tmp_path) as opened:
        yield opened


def change_report(page: Page, folder: Path, old: str, new: str) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert old in text
    (folder / "report.html").write_text(text.replace(old, new), encoding="utf-8")
    page.reload()


def correct(page: Page, name: str, square: int, key: str) -> None:
    card(page, name).click()
    page.locator("#board .cell").nth(square).click()
    page.keyboard.press(key)


def unsaved(page: Page) -> Locator:
    return page.locator("#unsaved-text:visible")


def test_two_open_pages_keep_the_corrections_of_each_other(page: Page, tmp_path: Path) -> None:
    other = page.context.new_page()
    other.add_init_script("window.showSaveFilePicker = undefined")
    other.goto(page.url)
    card(other, "a.jpg").click()
    correct(page, STRANGE, 0, "A")
    unsaved(other).get_by_text("1 square corrected").wait_for()
    other.keyboard.press("Escape")
    page.keyboard.press("Escape")
    reloaded(page)
    assert unsaved(page).text_content() == "1 square corrected"
    correct(other, "a.jpg", 0, "B")
    page.get_by_text("2 squares corrected").wait_for()
    card(page, "a.jpg").click()
    assert page.locator("#board .fixed").all_text_contents() == ["B"]
    other.locator("#board .cell").nth(1).click()
    other.keyboard.press("C")
    page.locator("#board .fixed").nth(1).wait_for()  # the open photo shows it, too
    page.click("#close")
    wanted = {
        f"{1:064x}": Correction(squares={(0, 0): "B", (0, 1): "C"}, orientation=LAY),
        f"{2:064x}": Correction(squares={(0, 0): "A"}, orientation=LAY),
    }
    assert saved(page, tmp_path / "c.json") == wanted
    other.click("#discard")
    other.click("#discard")
    page.locator("#unsaved").wait_for(state="hidden")
    reloaded(page)
    assert page.locator("#unsaved").is_hidden()


def test_what_another_page_stored_is_kept_and_saved_before_this_one_knows_it(
    page: Page, tmp_path: Path
) -> None:
    other = page.context.new_page()
    other.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation())")
    other.add_init_script("window.showSaveFilePicker = undefined")
    other.goto(page.url)
    correct(page, STRANGE, 0, "A")
    wait_for_store(page, other)
    correct(other, "a.jpg", 0, "B")
    other.click("#close")
    squares = {number: {(0, 0): token} for number, token in ((1, "B"), (2, "A"))}
    wanted = {f"{number:064x}": Correction(squares=each, orientation=LAY) for number, each in squares.items()}
    assert saved(other, tmp_path / "c.json") == wanted


def test_corrections_of_photos_that_left_the_report_are_saved_once(page: Page, tmp_path: Path) -> None:
    correct(page, "a.jpg", 0, "A")
    change_report(page, tmp_path, f'"sha256":"{1:064x}"', f'"sha256":"{4:064x}"')
    assert page.locator("#unsaved").is_hidden()
    correct(page, STRANGE, 0, "B")
    assert unsaved(page).text_content() == "1 square corrected"
    assert saved(page, tmp_path / "c.json").keys() == {f"{1:064x}", f"{2:064x}"}
    assert saved(page, tmp_path / "c.json").keys() == {f"{2:064x}"}


def test_an_empty_board_gets_letters_once_its_edition_is_chosen(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, '"edition":"english","edition_probability":0.97,', "")
    correct(page, "a.jpg", 0, "A")
    note = page.locator("#square .note")
    assert note.text_content() == "Choose the edition first."
    assert page.locator("#unsaved").is_hidden()
    page.keyboard.press("?")
    assert unsaved(page).text_content() == "1 square corrected"
    page.select_option(EDITION, "hungarian")
    assert note.count() == 0
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("A")
    assert page.locator("#board .fixed").all_text_contents() == ["A"]
    page.select_option(EDITION, "")
    assert page.locator("#facts .note").text_content() == (
        "A1 is corrected to A, which needs an edition; correct it first."
    )
    assert page.locator(EDITION).input_value() == "hungarian"


def test_an_edition_without_a_tile_that_a_square_was_corrected_to_is_refused(page: Page) -> None:
    correct(page, STRANGE, 0, "Shift+Q")
    page.select_option(EDITION, "polish")
    assert page.locator("#facts .note").text_content() == (
        "A1 is corrected to q, which is no tile of polish; correct it first."
    )
    assert page.locator(EDITION).input_value() == "english"
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("Delete")
    page.select_option(EDITION, "polish")
    assert page.locator("#facts .note").text_content() == ""
    assert unsaved(page).text_content() == "1 edition corrected"


def test_a_tile_is_corrected_in_all_photos_of_its_game_that_read_it_so(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, '"doubt":0.4', '"game":"game-0001","doubt":0.4')
    page.select_option("#status", "ok")
    cell = page.locator("#board .cell").nth(7 * 15 + 7)
    correct(page, "a.jpg", 7 * 15 + 7, "G")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")  # an empty square is that of its photo only
    page.click("#previous")
    assert page.locator("#board .cell.fixed").all_text_contents() == ["G"]
    assert page.locator("#doubts .done span").text_content() == "G: corrected"
    page.keyboard.press("Enter")  # it is right
    page.click("#close")
    assert card(page, STRANGE).locator(".mark").text_content() == "corrected"
    first = Correction(squares={(7, 7): "G", (7, 8): "."}, orientation=LAY)
    assert saved(page, tmp_path / "c.json") == {f"{1:064x}": first}
    correct(page, STRANGE, 7 * 15 + 7, "B")  # the last correction counts
    page.keyboard.press("ArrowRight")
    page.keyboard.press("P")  # in the other photo, the square was corrected to an empty one
    page.click("#next")
    assert cell.text_content() == "B"
    assert page.locator("#board .cell").nth(7 * 15 + 8).text_content() == ""
    assert saved(page, tmp_path / "c.json") == {
        f"{1:064x}": Correction(squares={(7, 8): "."}, orientation=LAY),
        f"{2:064x}": Correction(squares={(7, 7): "B", (7, 8): "P"}, orientation=LAY),
    }
    cell.click()
    page.keyboard.press("C")  # as it was read
    page.click("#previous")
    assert cell.text_content() == "C"
    assert page.locator("#doubts .open").count() == 1


def test_tiles_that_were_read_differently_or_on_a_turned_board_are_not_corrected(
    page: Page, tmp_path: Path
) -> None:
    given = '"game":"game-0001","corrected":[[7,7,"Q"]],"doubt":0.4'
    change_report(page, tmp_path, '"doubt":0.4', given)
    page.select_option("#status", "ok")
    correct(page, "a.jpg", 7 * 15 + 7, "G")  # the other photo was read as Q, and corrected to C
    page.click("#previous")
    cells = page.locator("#board .cell")
    assert cells.nth(7 * 15 + 7).text_content() == "C"
    change_report(page, tmp_path, '"Q"', '"C"')
    page.select_option("#status", "ok")
    card(page, STRANGE).click()
    assert cells.nth(7 * 15 + 7).text_content() == "G"
    page.click("#turn-left")
    page.click("#next")
    cells.nth(7 * 15 + 7).click()
    page.keyboard.press("P")
    page.click("#previous")
    page.click("#turn-right")
    assert cells.nth(7 * 15 + 7).text_content() == "P"


def test_the_edition_of_one_photo_is_that_of_its_game(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, '"doubt":0.4', '"game":"game-0001","doubt":0.4')
    page.select_option("#status", "ok")
    correct(page, STRANGE, 0, "Q")
    page.click("#next")
    page.select_option(EDITION, "polish")
    note = page.locator("#facts .note").text_content() or ""
    assert note.startswith("A1 of <img")
    assert note.endswith(".jpg is corrected to Q, which is no tile of polish; correct it first.")
    page.click("#previous")
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("Delete")
    page.click("#next")
    page.select_option(EDITION, "polish")
    page.click("#previous")
    assert page.locator(EDITION).input_value() == "polish"
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("Q")
    assert page.locator("#square .note").text_content() == "Q is no tile of polish."
    assert unsaved(page).text_content() == "1 edition corrected"
    page.select_option(EDITION, "english")
    assert page.locator("#unsaved").is_hidden()


def test_keys_after_the_choice_of_an_edition_are_of_the_board(page: Page) -> None:
    page.select_option("#status", "ok")
    card(page, STRANGE).click()
    page.locator(EDITION).dispatch_event("pointerdown")
    page.select_option(EDITION, "hungarian")
    page.keyboard.press("E")
    assert unsaved(page).text_content() == "1 square and 1 edition corrected"
    assert page.locator(EDITION).input_value() == "hungarian"
    page.focus(EDITION)
    page.keyboard.press("p")
    assert page.locator(EDITION).input_value() == "polish"
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.keyboard.press("PageDown")
    assert page.locator("#detail-name").text_content() == "a.jpg"
    assert unsaved(page).text_content() == "1 square and 1 edition corrected"


def test_enter_after_a_click_on_save_goes_on_with_the_board(page: Page, tmp_path: Path) -> None:
    correct(page, STRANGE, 0, "A")
    saved(page, tmp_path / "c.json")
    page.keyboard.press("Enter")
    assert page.locator("#square strong").text_content() == "H8"
    page.keyboard.press("Enter")
    assert unsaved(page).text_content() == "2 squares corrected"


def test_a_doubt_is_not_confirmed_as_a_tile_that_the_chosen_edition_lacks(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, "C O A T", "Q O A T")
    card(page, STRANGE).click()
    page.select_option(EDITION, "polish")
    for key in ("Enter", "Shift+Enter"):
        page.locator("#board .cell").nth(7 * 15 + 7).click()
        page.keyboard.press(key)
        assert page.locator("#square .note").text_content() == "Q is no tile of polish."
    assert unsaved(page).text_content() == "1 edition corrected"


def test_corners_that_cross_are_asked_for_again(page: Page, tmp_path: Path) -> None:
    card(page, "wall.jpg").click()
    box = page.locator("#photo").bounding_box()
    assert box is not None

    def click(corners: tuple[tuple[float, float], ...]) -> str:
        for across, down in corners:
            page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
        return page.locator("#corners-help").text_content() or ""

    again = "These corners do not go round the board in order. Begin again. Now the top left one."
    top_left, top_right, low_right, low_left = (0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)
    assert click((top_left, low_right, top_right, low_left)) == again
    assert click((top_left, top_right, (0.3, 0.3), low_left)) == again
    assert page.locator("#unsaved").is_hidden()
    assert page.locator("#corners text").count() == 0
    assert click((top_left,)).startswith("If there is a board")
    assert click((low_left, low_right, top_right)).startswith("The next run")  # as in a mirrored picture
    assert saved(page, tmp_path / "c.json")[f"{3:064x}"].corners is not None


def test_a_photo_that_was_no_board_is_read_again_without_corners(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, '"status":"board-not-found"', '"status":"board-not-found","no_board":true')
    card(page, "wall.jpg").click()
    assert page.locator("#aside").text_content() == "The next run has this as a photo without a board."
    page.get_by_text("This is a board").click()
    assert page.locator("#aside:visible").text_content() == "The next run reads the board again."
    assert page.locator("#corners-help").is_hidden()
    assert page.locator(".keys").is_hidden()
    page.click("#close")
    assert card(page, "wall.jpg").locator(".mark").text_content() == "looked for again"
    assert saved(page, tmp_path / "c.json") == {f"{3:064x}": Correction(no_board=False)}


def test_photos_of_which_a_run_was_given_only_the_edition_side_or_corners_are_corrected(
    page: Page, tmp_path: Path
) -> None:
    change_report(page, tmp_path, '"doubt":0.4,', '"corners_given":true,')
    change_report(page, tmp_path, '"edition_probability":0.97,', '"corrected":[],')
    page.select_option("#show", "corrected")
    assert page.locator("#count").text_content() == "2 of 3 photos"
    assert page.locator(".card .mark").all_text_contents() == ["1 in doubt", "corrected"]


def test_what_else_was_corrected_in_a_photo_that_is_no_board_is_not_kept(page: Page, tmp_path: Path) -> None:
    correct(page, STRANGE, 0, "A")
    page.select_option(EDITION, "hungarian")
    page.click("#turn-left")
    page.click("#none")
    assert unsaved(page).text_content() == "1 square, 1 edition, 1 side and 1 photo corrected"
    change_report(page, tmp_path, '"doubt":0.4', '"no_board":true,"doubt":0.4')
    assert page.locator("#unsaved").is_hidden()
    assert page.evaluate("corrections") == {}


def test_a_typed_i_has_its_dot_where_there_is_such_a_tile(page: Page, tmp_path: Path) -> None:
    change_report(page, tmp_path, '"english":["A",', '"english":["İ","A",')
    correct(page, STRANGE, 0, "i")
    for square, key in ((1, "ı"), (2, "Shift+İ"), (3, "ş")):
        page.locator("#board .cell").nth(square).click()
        page.evaluate(
            "([key, shiftKey]) => document.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey }))",
            [key[-1], key.startswith("Shift+")],
        )
    assert page.locator("#board .fixed").all_text_contents() == ["İ", "I", "i\u0307"]
    assert page.locator("#square .note").text_content() == "Ş is no tile of english."
    page.click("#close")
    for text, found in (("iıi", 1), ("İIİ", 1), ("ııı", 0), ("A.JPG", 1)):
        page.fill("#find", text)
        page.locator("#count").get_by_text(f"{found} of 3 photos").wait_for()
