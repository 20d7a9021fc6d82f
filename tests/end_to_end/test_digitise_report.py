"""The report page in a real browser: found, filtered, corrected by keys, and saved for the next run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from tests.support.report_page import (
    LAY,
    STRANGE,
    card,
    open_report,
    reloaded,
    saved,
    saved_text,
    write_report,
)
from tilesight.digitise.results.corrections import BoardOrientation, Correction, load_corrections

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    write_report(tmp_path)
    with open_report(browser, tmp_path) as opened:
        yield opened


def names(page: Page) -> list[str]:
    return page.locator(".card .name").all_text_contents()


def test_a_square_is_corrected_by_a_key_and_saved_for_the_next_run(page: Page, tmp_path: Path) -> None:
    assert names(page) == [STRANGE, "wall.jpg", "a.jpg"]  # what needs a person most comes first
    page.fill("#find", "coat")
    page.locator(".card").nth(1).wait_for(state="detached")
    assert names(page) == [STRANGE]
    page.click(".card")
    assert page.locator("#square strong").text_content() == "H8"
    page.keyboard.press("G")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+E")
    assert page.locator("#board .fixed").all_text_contents() == ["G", "e"]
    assert page.locator("#unsaved-text").text_content() == "2 squares corrected"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "corrections.json")
    name = download.value.suggested_filename
    assert re.fullmatch(r"corrections-\d{4}(-\d\d){5}\.json", name)
    advice = f'Saved. Now: tilesight digitise … --corrections "{name}"'
    assert page.locator("#unsaved-text").text_content() == advice
    wanted = {f"{2:064x}": Correction(edition=None, squares={(7, 7): "G", (7, 8): "e"}, orientation=LAY)}
    assert load_corrections(tmp_path / "corrections.json") == wanted
    reloaded(page)  # the browser keeps them until they are discarded
    assert page.locator("#unsaved-text").text_content() == "2 squares corrected"
    page.click("#discard")
    assert page.locator("#discard").text_content() == "Really discard?"
    page.click("#discard")
    assert page.locator("#unsaved").is_hidden()


@pytest.mark.parametrize("offset", ["", "+00:00"])
def test_photos_are_ordered_by_the_moment_at_which_they_were_taken(
    browser: Browser, tmp_path: Path, offset: str
) -> None:
    write_report(tmp_path, "2014-10-25T21:03:00+02:00", f"2014-10-25T19:06:30{offset}")
    with open_report(browser, tmp_path) as page:
        page.select_option("#sort", "taken")
        first = "a.jpg" if offset else "wall.jpg"
        assert names(page)[0] == first  # by local times, where an offset is not known
        assert names(page)[2] == STRANGE  # its time is not known


def test_the_edition_of_a_photo_is_corrected(page: Page, tmp_path: Path) -> None:
    page.fill("#find", "cat")
    page.locator(".card").nth(1).wait_for(state="detached")
    page.click(".card")
    edition = page.get_by_label("Edition", exact=True).locator("visible=true").last
    assert edition.locator("option").all_text_contents() == ["english (97%)", "hungarian", "polish"]
    edition.select_option("polish")
    assert page.locator("#unsaved-text").text_content() == "1 edition corrected"
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("Q")
    assert page.locator("#square .note").text_content() == "Q is no tile of polish."
    page.keyboard.press("Z")
    assert page.locator("#unsaved-text").text_content() == "1 square and 1 edition corrected"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "corrections.json")
    wanted = {f"{1:064x}": Correction(edition="polish", squares={(0, 0): "Z"}, orientation=LAY)}
    assert load_corrections(tmp_path / "corrections.json") == wanted
    page.click("#close")
    assert page.locator(".card .line span").first.text_content() == "polish, 3 tiles"


def test_enter_says_that_a_square_is_right_and_goes_on_to_the_next_doubt(page: Page, tmp_path: Path) -> None:
    page.focus("#find")
    card(page, STRANGE).click()
    assert page.locator("#doubts .open").count() == 1
    page.get_by_text("right as it is").click()  # for fingers
    assert page.locator("#doubts .done").count() == 1
    page.locator("#doubts button").click()
    page.get_by_text("G", exact=True).click()
    page.get_by_text("C", exact=True).last.click()
    page.keyboard.press("Enter")
    assert page.locator("#doubts .done span").text_content() == "C: it is right"
    assert page.locator("#square .note").text_content() == "Nothing that follows is in doubt."
    page.keyboard.press("Escape")
    assert card(page, STRANGE).locator(".mark").text_content() == "corrected"
    assert page.evaluate("document.activeElement.textContent").startswith(STRANGE)
    wanted = {f"{2:064x}": Correction(edition=None, squares={(7, 7): "C"}, orientation=LAY)}
    assert saved(page, tmp_path / "c.json") == wanted


def test_a_board_is_right_with_one_key(page: Page, tmp_path: Path) -> None:
    card(page, STRANGE).click()
    assert page.locator("#board [data-column]").count() == page.locator("#board [data-row]").count() == 15
    assert page.locator("#board .cell").first.get_attribute("data-column") == "A"
    page.keyboard.press("Shift+Enter")
    assert page.locator("#doubts .open").count() == 0
    assert page.locator("#right").is_disabled()
    wanted = {f"{2:064x}": Correction(edition=None, squares={(7, 7): "C"}, orientation=LAY)}
    page.keyboard.press("Escape")
    assert saved(page, tmp_path / "c.json") == wanted


def test_the_list_of_doubts_follows_the_cursor(page: Page) -> None:
    card(page, STRANGE).click()
    followed = page.locator("#doubts [aria-current]")
    assert followed.locator("strong").text_content() == "H8"
    page.keyboard.press("ArrowDown")
    assert followed.count() == 0
    page.keyboard.press("ArrowUp")
    assert followed.count() == 1


def test_digraphs_are_typed_and_every_tile_can_be_chosen_by_hand(page: Page, tmp_path: Path) -> None:
    card(page, STRANGE).click()
    page.get_by_label("Edition", exact=True).locator("visible=true").last.select_option("hungarian")
    page.locator("#board .cell").nth(0).click()
    page.keyboard.type("SZ")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("Zs")
    page.keyboard.press("ArrowDown")
    page.get_by_text("other …").click()
    page.get_by_label("a blank that stands for").check()
    page.locator(".every").get_by_text("NY", exact=True).click()
    correction = saved(page, tmp_path / "c.json")[f"{2:064x}"]
    assert correction == Correction(
        edition="hungarian", squares={(0, 0): "SZ", (0, 1): "ZS", (1, 1): "ny"}, orientation=LAY
    )


def test_a_board_is_turned_and_another_is_none(page: Page, tmp_path: Path) -> None:
    page.select_option("#status", "ok")
    card(page, STRANGE).click()
    page.click("#turn-left")
    assert page.locator("#board .cell").count() == 0
    assert page.locator("#aside").text_content() == "The next run reads the board from this side."
    keys, unsaved = page.locator(".keys").bounding_box(), page.locator("#unsaved").bounding_box()
    assert keys is not None
    assert unsaved is not None
    assert keys["y"] + keys["height"] <= unsaved["y"]  # what is not saved hides no help
    page.click("#next")
    page.click("#none")
    assert page.locator("#unsaved-text").text_content() == "1 side and 1 photo corrected"
    assert saved(page, tmp_path / "c.json") == {
        f"{1:064x}": Correction(edition=None, squares={}, no_board=True),
        f"{2:064x}": Correction(edition=None, squares={}, turn=1),
    }
    page.click("#none")
    page.click("#previous")
    page.click("#turn-right")
    assert page.locator("#unsaved").is_hidden()
    assert page.locator("#board .cell").count() == 225


def test_a_photo_without_a_found_board_is_settled(page: Page, tmp_path: Path) -> None:
    card(page, "wall.jpg").click()
    assert page.locator(".about-board button:visible").all_text_contents() == ["This is no board"]
    page.click("#none")
    assert page.locator("#corners-help").is_hidden()
    assert saved(page, tmp_path / "c.json") == {
        f"{3:064x}": Correction(edition=None, squares={}, no_board=True)
    }
    page.click("#none")
    assert page.locator("#corners-help").is_visible()


def test_the_corners_of_a_board_that_was_not_found_are_shown(page: Page, tmp_path: Path) -> None:
    card(page, "wall.jpg").click()
    box = page.locator("#photo").bounding_box()
    assert box is not None
    for across, down, corner in (
        (0.1, 0.1, "left"),
        (0.9, 0.1, "right"),
        (0.9, 0.9, "right"),
        (0.1, 0.8, "left"),
    ):
        assert (page.locator("#corners-help").text_content() or "").endswith(f"{corner} one.")
        page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    assert (
        page.locator("#corners-help").text_content() == "The next run reads the board between these corners."
    )
    assert page.locator("#unsaved-text").text_content() == "1 board corrected"
    corners = saved(page, tmp_path / "c.json")[f"{3:064x}"].corners
    assert corners is not None
    assert np.abs(np.subtract(corners, [[480, 480], [4320, 480], [4320, 4320], [480, 3840]])).max() < 20
    page.click("#corners-again")
    assert page.locator("#unsaved").is_hidden()
    assert page.locator("#corners text").count() == 0


def test_corners_that_a_run_was_given_are_taken_back(page: Page, tmp_path: Path) -> None:
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    (tmp_path / "report.html").write_text(
        text.replace('"doubt":0.4', '"doubt":0.4,"corners_given":true'), encoding="utf-8"
    )
    reloaded(page)
    card(page, STRANGE).click()
    for text, left in (("Look for the board again", 0), ("Keep the corners that were shown", 225)):
        page.get_by_text(text).click()
        assert page.locator("#board .cell").count() == left
    page.get_by_text("Look for the board again").click()
    assert page.locator("#aside").text_content() == "The next run looks for the board again."
    assert '"corners": null' in saved_text(page, tmp_path / "c.json")
    reloaded(page)
    assert card(page, STRANGE).locator(".mark").text_content() == "looked for again"


def test_corrections_that_a_run_was_given_are_no_longer_to_be_saved(page: Page, tmp_path: Path) -> None:
    card(page, STRANGE).click()
    page.keyboard.press("G")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    given = text.replace("C O A T", "G O A T").replace('"doubt":0.4', '"corrected":[[7,7]],"doubt":0.0')
    assert given != text
    (tmp_path / "report.html").write_text(given, encoding="utf-8")
    reloaded(page)
    assert page.locator("#unsaved").is_hidden()
    assert page.locator(".card .mark").all_text_contents() == ["no board found", "sure", "corrected"]


def test_squares_that_are_not_saved_yet_turn_with_their_board(page: Page, tmp_path: Path) -> None:
    card(page, STRANGE).click()
    page.keyboard.press("G")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("E")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    turned = text.replace('"doubt":0.4', '"turned_by_game":1,"doubt":0.4')
    assert turned != text
    (tmp_path / "report.html").write_text(turned, encoding="utf-8")
    reloaded(page)
    assert page.locator("#unsaved-text").text_content() == "2 squares corrected"
    card(page, STRANGE).click()
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("A")
    squares = {(0, 0): "A", (7, 7): "G", (6, 7): "E"}
    wanted = Correction(
        edition=None, squares=squares, orientation=BoardOrientation(turn=1, rows=15, columns=15)
    )
    assert saved(page, tmp_path / "c.json") == {f"{2:064x}": wanted}


def test_squares_that_are_corrected_turn_with_a_board_and_back(page: Page, tmp_path: Path) -> None:
    card(page, STRANGE).click()
    page.locator("#board .cell").nth(5).click()
    page.keyboard.press("B")
    page.click("#turn-left")
    aside = "The next run reads the board from this side, and turns 1 corrected square with it."
    assert page.locator("#aside").text_content() == aside
    assert page.locator("#board .cell").all_text_contents() == ["B"]
    page.evaluate("Promise.all(element('board').getAnimations().map((each) => each.finished))")
    board, cell = (page.locator(name).bounding_box() for name in ("#board", "#board .cell"))
    assert board is not None
    assert cell is not None
    lies = [(cell[axis] - board[axis]) / cell["width"] for axis in ("x", "y")]
    assert np.allclose(lies, (0, 9), atol=0.05)  # column 5 of the first row, turned to the left
    assert page.locator("#unsaved-text").text_content() == "1 square and 1 side corrected"
    correction = saved(page, tmp_path / "c.json")[f"{2:064x}"]
    assert correction == Correction(edition=None, squares={(0, 5): "B"}, turn=1, orientation=LAY)
    assert correction.squares_rotated_to(1) == {(9, 0): "B"}  # as the next run takes it
    reloaded(page)
    card(page, STRANGE).click()
    for _ in range(3):  # round the other way
        page.click("#turn-left")
    assert page.locator("#board .fixed").all_text_contents() == ["B"]
    assert page.locator("#board .cell").nth(5).text_content() == "B"
    assert page.locator("#unsaved-text").text_content() == "1 square corrected"
    wanted = {f"{2:064x}": Correction(edition=None, squares={(0, 5): "B"}, orientation=LAY)}
    assert saved(page, tmp_path / "c.json") == wanted


def test_squares_that_a_run_was_given_are_reported_again_of_a_board_that_is_turned(
    page: Page, tmp_path: Path
) -> None:
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    given = text.replace('"doubt":0.4', '"corrected":[[7,7],[7,8]],"doubt":0.4')
    assert given != text
    (tmp_path / "report.html").write_text(given, encoding="utf-8")
    reloaded(page)
    card(page, STRANGE).click()
    page.keyboard.press("G")
    page.click("#turn-right")
    reloaded(page)
    wanted = Correction(edition=None, squares={(7, 7): "G", (7, 8): "O"}, turn=3, orientation=LAY)
    assert saved(page, tmp_path / "c.json") == {f"{2:064x}": wanted}
    card(page, STRANGE).click()
    page.click("#turn-left")
    wanted = Correction(edition=None, squares={(7, 7): "G"}, orientation=LAY)
    assert saved(page, tmp_path / "c.json") == {f"{2:064x}": wanted}


def test_a_copy_of_the_same_bytes_shows_what_is_corrected(page: Page, tmp_path: Path) -> None:
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "C O A T" in line)
    name = json.dumps(STRANGE).replace("<", "\\u003c")
    copy = line.replace(f'"image":{name}', f'"image":"copy.jpg","same_as":{name}')
    assert copy != line
    (tmp_path / "report.html").write_text(text.replace(line, f"{line}\n{copy}"), encoding="utf-8")
    reloaded(page)
    page.get_by_text("copy.jpg").locator("visible=true").first.click()  # what is corrected may be the copy
    page.keyboard.press("G")
    page.click("#close")
    assert card(page, STRANGE).locator(".mark").text_content() == "corrected"
    for each in (STRANGE, "copy.jpg"):
        card(page, each).click()
        assert page.locator("#board .fixed").all_text_contents() == ["G"]
        page.click("#close")
    page.fill("#find", "goat")
    page.get_by_text("2 of 4 photos").wait_for()
    page.click("#discard")
    page.click("#discard")
    page.fill("#find", "coat")
    page.get_by_text("2 of 4 photos").wait_for()
    card(page, STRANGE).click()
    assert page.locator("#board .cell").nth(7 * 15 + 7).text_content() == "C"


def test_the_middle_of_the_board_is_the_middle_of_its_photos_card(page: Page, tmp_path: Path) -> None:
    upright = np.zeros((640, 320, 3), np.uint8)
    upright[400:560, 80:240] = 255  # the board
    cv2.imwrite(str(tmp_path / "upright.jpg"), upright)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = text.replace('"width":600,"height":400', '"width":320,"height":640')
    text = text.replace('"corners_px":[]', '"corners_px":[[80,400],[240,400],[240,560],[80,560]]')
    text = text.replace('"thumbnail":"board.jpg"', '"thumbnail":"upright.jpg"')
    (tmp_path / "report.html").write_text(text, encoding="utf-8")
    reloaded(page)
    picture = card(page, "a.jpg").locator(".picture")
    picture.locator("img").evaluate("async (image) => { await image.decode(); }")
    shown = np.asarray(cv2.imdecode(np.frombuffer(picture.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE))
    _, _, _, corners = cv2.connectedComponentsWithStats((shown > 128).astype(np.uint8))
    height, width = shown.shape
    distances = np.abs(corners[1:] - [width / 2, height / 2]).max(axis=1)
    assert distances.min() < 3  # the others are at the round corners of the card


def test_photos_and_games_lead_to_one_another(page: Page) -> None:
    card(page, "a.jpg").click()
    page.get_by_text("game-0001").locator("visible=true").last.click()
    assert not page.locator("#detail").is_visible()
    facts = ["2014-10-25", "english, 1 photo", "A 9", "1 gap"]
    assert page.locator("summary span").all_text_contents() == facts
    page.locator("td .link").click()
    assert page.locator("#detail-name").text_content() == "a.jpg"


def test_folders_that_all_photos_have_in_common_are_left_out(page: Page, tmp_path: Path) -> None:
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    moved = text.replace('"image":"', '"image":"/home/club/').replace("club/a.jpg", "club/old/a.jpg")
    moved = moved.replace('"height":4800,"thumbnail":"board.jpg"', '"height":4800')
    (tmp_path / "report.html").write_text(moved, encoding="utf-8")
    reloaded(page)
    assert names(page) == [STRANGE, "wall.jpg", "old/a.jpg"]
    assert card(page, "wall.jpg").locator(".picture").text_content() == "wall.jpg: there is no board"
    card(page, "a.jpg").click()
    assert page.locator("#detail-name").text_content() == "/home/club/old/a.jpg"


def test_boards_of_no_game_are_found_without_copies(page: Page) -> None:
    page.select_option("#game", label="no game")
    assert names(page) == [STRANGE]  # neither the wall nor the board of the game
    page.evaluate("shown[0].nearly_same_as = 'a.jpg'; filter()")
    assert names(page) == []
    page.select_option("#game", "game-0001")
    assert names(page) == ["a.jpg"]
    page.select_option("#game", "")
    assert len(names(page)) == 3


def test_filters_and_games(page: Page) -> None:
    page.select_option("#status", "board-not-found")
    assert names(page) == ["wall.jpg"]
    page.select_option("#status", "")
    page.select_option("#show", "doubtful")
    assert names(page) == [STRANGE]
    page.select_option("#show", "edition")
    assert names(page) == [STRANGE]
    assert page.locator(".card .line span").first.text_content() == "english (40%), 4 tiles"
    page.fill("#find", "no such photo")
    page.wait_for_selector("#nothing:not([hidden])")
    page.click("#tab-games")
    page.click("details summary")
    assert page.locator(".gaps li").text_content() == STRANGE
    assert json.loads(page.evaluate("JSON.stringify(games[0].totals)")) == [9]


def test_the_board_is_not_tiny_on_a_phone_on_its_side_or_at_twice_the_size(page: Page) -> None:
    for width, height in ((844, 390), (640, 400)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".card").first.click()
        board = page.locator("#board").bounding_box()
        assert board is not None
        assert board["width"] >= 300, width
        page.click("#close")
