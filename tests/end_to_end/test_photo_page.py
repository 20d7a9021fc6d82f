"""The photo page in a real browser: a photo goes in, its board is corrected, and texts and a picture come out."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring import Board, edition_names, load_edition, parse_cgp, parse_gcg, parse_tokens
from tests.support.on_air import TOKEN, RunningServer, serve_tables
from tilesight.web.photo import PhotoService

pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.slow
PATIENCE_MS = 30_000
"""As long as a photo may be read; the first one waits for its process to start."""
SHARED = (
    "german-12/board-10.jpg",
    "romanian-1/1_10.jpg",
    "german-light/board-04.jpg",
    "english-hasbro/IMG_20151016_165900.jpg",
    "polish/006.jpg",
)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    names = sorted(edition_names(), key=lambda name: name != "english")
    with serve_tables(photos=PhotoService([load_edition(name) for name in names])) as running:
        yield running


@pytest.fixture
def page(open_page: Callable[..., Page], server: RunningServer) -> Iterator[Page]:
    """The page of a device that is signed in; nothing may fail in it."""
    opened = open_page(f"{server.address}/photo", 1200, 900)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.fill("#token", TOKEN)
    opened.click("#entrance button")
    opened.locator("main").wait_for()
    yield opened
    assert problems == []
    assert server.notes == []


def send(page: Page, photo: Path) -> None:
    page.set_input_files("#choose", photo)
    expect(page.locator("#state")).not_to_have_text(re.compile("^(Reading.*)?$"), timeout=PATIENCE_MS)


def text_of(page: Page, kind: str, wanted: str = "") -> str:
    """What the page offers as a text, once it contains what is wanted."""
    field = page.locator(f"[data-kind={kind}] textarea")
    expect(field).to_have_value(re.compile(re.escape(wanted) or "."), timeout=PATIENCE_MS)
    return field.input_value()


def test_a_rendered_photo_is_read_corrected_by_keys_and_copied(
    page: Page, icelandic_sample: Path, tmp_path: Path
) -> None:
    send(page, icelandic_sample / "turn-05.jpg")
    assert "HRAKI" in text_of(page, "cgp")
    cgp = page.locator("[data-kind=cgp] textarea")
    assert cgp.evaluate("(field) => field.scrollHeight <= field.clientHeight")
    tops = page.locator(".pair button").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect().top)"
    )
    assert tops[0] == tops[1]
    assert text_of(page, "txt").splitlines()[7] == "...HRAKI......."
    game = parse_gcg(text_of(page, "gcg")).game
    assert game.board.rows == Board.from_cgp(text_of(page, "cgp").split(" ")[0]).rows
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    page.keyboard.press("U")
    assert page.locator("#board .fixed").all_text_contents() == ["U"]
    assert text_of(page, "txt", "HRUKI")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+L")  # a blank
    assert "3HRUlI7" in text_of(page, "cgp", "HRUl")
    page.keyboard.press("q")  # no tile of the edition
    assert page.locator("#square .note").text_content() == "Q is no tile of icelandic."
    count = page.locator("#board .cell b").count()
    assert str(page.text_content("#state")).startswith(f"{count} tiles.")
    page.keyboard.press("Delete")
    assert str(page.text_content("#state")).startswith(f"{count - 1} tiles.")
    page.keyboard.press("Shift+L")
    with page.expect_download() as download:
        page.locator("[data-kind=png] button").click()
    download.value.save_as(tmp_path / "board.png")
    assert download.value.suggested_filename == "turn-05.png"
    picture = cv2.imread(str(tmp_path / "board.png"))
    assert picture is not None
    assert picture.shape == (1200, 1200, 3)
    assert picture[570, 275, 2] > 230  # the tile on D8
    assert picture[570, 940, 2] < 100  # the empty square M8
    with page.expect_download() as download:
        page.locator("[data-kind=gcg] button", has_text="Download").click()
    assert download.value.suggested_filename == "turn-05.gcg"
    page.select_option("#edition", "english")  # read anew; what was corrected stays
    assert "ld english" in text_of(page, "cgp", "ld english")


def test_a_phone_corrects_with_the_finger(
    open_page: Callable[..., Page], server: RunningServer, icelandic_sample: Path
) -> None:
    page = open_page(f"{server.address}/photo#{TOKEN}", 390, 800)
    page.locator("main").wait_for()
    send(page, icelandic_sample / "turn-05.jpg")
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    page.get_by_role("button", name="other …").click()
    page.get_by_role("button", name="Ó", exact=True).click()
    assert text_of(page, "txt", "HRÓKI")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    violations = axe.run(page).response["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]][:3]) for each in violations] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_guessed_edition_is_named_as_a_guess(page: Page, icelandic_sample: Path) -> None:
    shares = {"icelandic": 0.57, "english": 0.42}

    def make_unsure(route: Route) -> None:
        found = route.fetch()
        assert found.json()["editions"]["icelandic"] == found.json()["edition_probability"] > 0.99
        route.fulfill(response=found, json={**found.json(), "edition_probability": 0.57, "editions": shares})

    page.route("**/api/photo?*", make_unsure)
    send(page, icelandic_sample / "turn-05.jpg")
    expect(page.locator("#state")).to_contain_text(
        "The tiles may be of several editions: icelandic (57%), english (42%). Choose the right one."
    )
    options = page.locator("#edition option").all_text_contents()
    assert {"icelandic (57%)", "english (42%)", "polish"} < set(options)
    page.unroute("**/api/photo?*")
    page.select_option("#edition", "icelandic")  # a person names it
    expect(page.locator("#state")).not_to_contain_text(re.compile("editions|Reading"), timeout=PATIENCE_MS)
    assert "icelandic" in page.locator("#edition option").all_text_contents()


def test_late_texts_of_an_earlier_correction_are_not_shown(page: Page, icelandic_sample: Path) -> None:
    send(page, icelandic_sample / "turn-05.jpg")
    text_of(page, "cgp", "HRAKI")
    held: list[Route] = []
    page.route("**/api/photo/texts", lambda route: held.append(route) if not held else route.continue_())
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    with page.expect_request("**/api/photo/texts"):
        page.keyboard.press("U")
    page.keyboard.press("O")
    text_of(page, "cgp", "HROKI")
    with page.expect_response("**/api/photo/texts"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert "HROKI" in text_of(page, "cgp")


def test_no_texts_are_asked_for_once_a_photo_without_a_board_is_shown(
    page: Page, icelandic_sample: Path, tmp_path: Path
) -> None:
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(str(route.request.post_data))
        route.abort()

    page.route("**/api/photo/texts", refuse)
    with page.expect_request("**/api/photo/texts"):
        send(page, icelandic_sample / "turn-05.jpg")
    plain = tmp_path / "plain.png"
    cv2.imwrite(str(plain), np.full((600, 800, 3), 120, np.uint8))
    send(page, plain)
    page.locator("#result.boardless").wait_for()
    page.wait_for_timeout(3000)  # longer than the pause after which texts are asked for again
    assert asked
    assert not [text for text in asked if json.loads(text)["rows"] == []]


def test_a_file_that_is_no_picture_leaves_the_board_and_its_corrections(
    page: Page, icelandic_sample: Path, tmp_path: Path
) -> None:
    send(page, icelandic_sample / "turn-05.jpg")
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    page.keyboard.press("U")
    assert text_of(page, "txt", "HRUKI")
    held: list[Route] = []
    page.route("**/api/photo?*", lambda route: held.append(route))
    other = tmp_path / "other.jpg"
    other.write_bytes(b"no picture")
    with page.expect_request("**/api/photo?*"):
        page.set_input_files("#choose", other)
    page.keyboard.press("O")  # the board waits: it may be replaced
    held[0].continue_()
    page.locator("#state.wrong", has_text="not a picture that can be read").wait_for()
    assert page.locator("#board .fixed").all_text_contents() == ["U"]
    with page.expect_download() as download:
        page.locator("[data-kind=cgp] button", has_text="Download").click()
    assert download.value.suggested_filename == "turn-05.cgp"
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    page.keyboard.press("A")
    assert text_of(page, "txt", "HRAKI")
    expect(page.locator("#state")).to_contain_text(re.compile(r"^\d+ tiles\."))


def test_a_photo_that_is_chosen_while_another_is_read_is_read_next(
    page: Page, icelandic_sample: Path
) -> None:
    held: list[Route] = []
    page.route("**/api/photo?*", lambda route: held.append(route) if not held else route.continue_())
    for turn in (1, 3, 5):
        with page.expect_event("request") if turn == 1 else contextlib.nullcontext():
            page.set_input_files("#choose", icelandic_sample / f"turn-0{turn}.jpg")
    held[0].continue_()
    assert "HRAKI" in text_of(page, "cgp")
    with page.expect_download() as download:
        page.locator("[data-kind=cgp] button", has_text="Download").click()
    assert download.value.suggested_filename == "turn-05.cgp"


def test_an_edition_that_could_not_be_read_is_not_shown_as_the_boards(
    page: Page, icelandic_sample: Path
) -> None:
    send(page, icelandic_sample / "turn-05.jpg")
    text_of(page, "cgp", "ld icelandic")
    page.route("**/api/photo?*", lambda route: route.abort())
    page.select_option("#edition", "english")
    page.locator("#state.wrong", has_text="The server cannot be reached").wait_for()
    assert page.input_value("#edition") == "icelandic"
    page.unroute("**/api/photo?*")
    page.select_option("#edition", "english")
    text_of(page, "cgp", "ld english")


def test_a_correction_reaches_the_texts_after_a_request_that_failed(
    page: Page, icelandic_sample: Path
) -> None:
    send(page, icelandic_sample / "turn-05.jpg")
    text_of(page, "cgp", "HRAKI")
    page.route("**/api/photo/texts", lambda route: route.abort())
    page.locator("#board .cell").nth(7 * 15 + 5).click()
    page.keyboard.press("U")
    problem = page.locator("#state.wrong", has_text="The server cannot be reached")
    problem.wait_for()
    assert page.locator("#texts").is_hidden()
    page.keyboard.press("ArrowRight")  # draws the board again
    problem.wait_for()
    page.unroute("**/api/photo/texts")
    page.locator("#texts").wait_for()
    assert "HRUKI" in text_of(page, "cgp")
    expect(page.locator("#state")).to_contain_text(re.compile(r"^\d+ tiles\."))


def test_a_dropped_file_that_is_no_picture_gets_a_clear_line_and_corners_can_be_shown(
    page: Page, icelandic_sample: Path, tmp_path: Path
) -> None:
    dropped = base64.b64encode(b"MZ is no picture").decode()
    page.evaluate(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], "a.jpg"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }""",
        dropped,
    )
    page.locator("#state.wrong").wait_for()
    assert "not a picture that can be read" in str(page.locator("#state").text_content())
    assert page.locator("#result").is_hidden()
    assert page.locator("#texts").is_hidden()
    cv2.imwrite(str(tmp_path / "wall.jpg"), np.full((600, 800, 3), 128, np.uint8))
    send(page, tmp_path / "wall.jpg")
    page.locator("#corners-help").wait_for()
    assert "Now the top left one" in str(page.locator("#corners-help").text_content())
    for x, y in ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9)):
        box = page.locator("#photo").bounding_box()
        assert box is not None
        page.locator("#photo").click(position={"x": x * box["width"], "y": y * box["height"]})
    assert "Now the bottom left one" in str(page.locator("#corners-help").text_content())
    page.click("#corners-again")
    assert "Now the top left one" in str(page.locator("#corners-help").text_content())


@pytest.mark.boards
@pytest.mark.parametrize("name", SHARED)
def test_a_real_photo_is_read(page: Page, shared: Path, name: str) -> None:
    photo = shared / "boards" / name
    if not photo.exists():
        pytest.skip(f"{name} is not among the labelled photos")
    send(page, photo)
    labels = next(
        path for path in (photo.with_name("photos.json"), photo.with_name("game.json")) if path.exists()
    )
    labelled = json.loads(labels.read_text(encoding="utf-8"))
    photos = labelled if isinstance(labelled, list) else labelled["frames"]
    truth = next(each for each in photos if each["image"] == photo.name)
    position = text_of(page, "cgp")
    edition = load_edition(position.split(" ld ")[1].rstrip(";"))
    board = parse_cgp(position, edition).board
    wanted = Board.from_rows(parse_tokens(row, edition.tokens) for row in truth["board"])
    unsure = {tuple(square) for square in truth.get("unsure", ())}
    wrong = [
        (row, column)
        for row, line in enumerate(wanted.rows)
        for column, token in enumerate(line)
        if board[row, column].upper() != token.upper() and token not in "?#" and (row, column) not in unsure
    ]
    assert wrong == []
    doubts = page.locator("#board .doubt")
    number = doubts.count()
    if number:
        page.keyboard.press("Enter")  # it is right: on to the next doubt
        expect(doubts).to_have_count(number - 1)
    page.keyboard.press("Shift+Enter")
    expect(doubts).to_have_count(0)
    expect(page.locator("#right")).to_be_disabled()
