"""Calibrating from the page: a club's camera, pictures taken by buttons, and a table that goes on with the profile."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.actions import Measurement
from calibration.session import CalibrationSession, SessionSettings
from calibration.steps import STEPS
from tests.sets.exotic_sets import alphabet_rows, random_position
from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, serve_tables
from tests.support.unknown_club import BARREL, Club, photograph_board, photograph_sheet
from tests.unit.vision.profile.test_profile import LENS
from tilesight.web.routes.calibration import make_view
from vision.capture import Frame
from vision.errors import InputError, SettingsError
from vision.profile.profile import Profile
from vision.profile.profile_io import load_profile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]
PATIENCE_MS = 30_000
SHEETS = 8
ADDRESS = "/api/tables/final/calibration"


class Camera:
    """What lies before it is put there by the test; every look is a new frame."""

    def __init__(self) -> None:
        self.image: NDArray[np.uint8] | None = None
        self._numbers = itertools.count()

    def look(self) -> Frame | None:
        if self.image is None:
            return None
        return Frame(image_bgr=self.image, source="0", index=next(self._numbers))


@pytest.fixture(scope="module")
def club() -> dict[str, Any]:
    english = Club.english()
    game = random_position(english.edition, english.seed, 0)
    boards = {
        "empty": [["."] * 15 for _ in range(15)],
        "alphabet": alphabet_rows(english.edition),
        "game": game,
    }
    return {
        "rows": game,
        "sheets": [photograph_sheet(BARREL, number) for number in range(SHEETS)],
        **{
            name: [photograph_board(BARREL, english.above(rows, seed), seed)[0] for seed in (5, 6)]
            for name, rows in boards.items()
        },
    }


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def used() -> list[Profile]:
    return []


@pytest.fixture
def desk(tmp_path: Path, camera: Camera, used: list[Profile]) -> CalibrationSession:
    path = tmp_path / "club.json"
    return CalibrationSession(
        path, Club.english().edition, newest_frame=camera.look, check=lambda: None, use=used.append
    )


@pytest.fixture
def air(tmp_path: Path, desk: CalibrationSession) -> Iterator[RunningServer]:
    with serve_tables(open_table(tmp_path, edition="english"), calibrators={"final": desk}) as running:
        yield running


def test_who_has_no_token_neither_sees_nor_takes_pictures(air: RunningServer, camera: Camera) -> None:
    camera.image = np.zeros((48, 64, 3), np.uint8)
    for path in ("", "/camera.jpg", "/lens.jpg", "/sheet.pdf", "/report.html"):
        assert air.request("GET", ADDRESS + path)[0] == 401
    body = {"step": "light", "action": "take"}
    assert air.request("POST", ADDRESS, body)[0] == 401
    assert air.request("GET", f"{ADDRESS}/camera.jpg", headers=BEARER)[2][:2] == b"\xff\xd8"
    assert air.request("GET", f"{ADDRESS}/lens.jpg", headers=BEARER)[0] == 404
    assert air.request("GET", f"{ADDRESS}/sheet.pdf", headers=BEARER)[2][:4] == b"%PDF"
    assert air.request("POST", ADDRESS, {"step": "lens", "action": "sell"}, BEARER)[0] == 422


def test_a_table_without_a_camera_says_so(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        status, _, body = air.request("GET", ADDRESS, headers=BEARER)
    assert status == 404
    assert b"start it with a source" in body


def test_the_page_tells_what_the_terminal_tells(desk: CalibrationSession) -> None:
    shown = make_view(desk.state()).steps
    assert [(step.name, step.title, step.text) for step in shown] == [
        (step.name, step.title, step.text) for step in STEPS
    ]


def test_what_goes_wrong_is_reported_and_nothing_is_kept(
    desk: CalibrationSession,
    camera: Camera,
    club: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("calibration.session.SETTINGS", SessionSettings(frame_timeout_s=0.1))
    assert "no new picture" in desk.act("board", "take").message
    assert desk.camera() is None
    camera.image = club["empty"][0]
    assert "no target" in desk.act("lens", "take").message
    assert "different sides" in desk.act("lens", "measure").message
    assert "no picture was taken yet" in desk.act("tiles", "measure").message
    assert "nothing to read" in desk.act("lens", "read").message
    assert "tiles are seen, the alphabet of english has 26" in desk.act("tiles", "take", "alphabet").message
    assert "the rows: " in desk.act("tiles", "take", "A B C").message
    camera.image = club["game"][0]
    assert "take everything off" in desk.act("board", "take").message
    assert not (tmp_path / "club.json").exists()
    assert all(step.result == "" for step in desk.state().steps)


def test_a_lens_that_is_measured_after_the_board_asks_for_the_board_again(
    desk: CalibrationSession, camera: Camera, club: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera.image = club["empty"][0]
    board = desk.act("board", "take").steps[1]
    assert "photos are not straightened" in board.advice[0]
    measured = Measurement(section=LENS, summary="", size_px=LENS.lens.size_px)
    monkeypatch.setattr("calibration.session.measure_lens", lambda _: measured)
    lens, board = desk.act("lens", "measure").steps[:2]
    assert lens.missing == ""
    assert "measure the board again" in lens.advice[0]
    assert (board.result, board.advice, board.missing) == ("", (), "1 picture")


def test_a_table_that_can_use_no_profile_says_so_before_a_picture_is_taken(
    tmp_path: Path, camera: Camera, used: list[Profile]
) -> None:
    def refuse() -> None:
        raise SettingsError("leave out corners or profile")

    path = tmp_path / "club.json"
    desk = CalibrationSession(
        path, Club.english().edition, newest_frame=camera.look, check=refuse, use=used.append
    )
    camera.image = np.zeros((48, 64, 3), np.uint8)
    with serve_tables(open_table(tmp_path, edition="english"), calibrators={"final": desk}) as air:
        for body in (None, {"step": "light", "action": "take"}):
            status, _, told = air.request("GET" if body is None else "POST", ADDRESS, body, BEARER)
            assert status == 422
            assert b"leave out corners or profile" in told
    assert not path.exists()
    assert used == []


def test_a_picture_from_before_the_press_is_not_measured(
    tmp_path: Path, used: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibration.session.SETTINGS", SessionSettings(frame_timeout_s=0.1))
    path = tmp_path / "club.json"
    hanging = Frame(image_bgr=np.zeros((48, 64, 3), np.uint8), source="0", index=7)
    desk = CalibrationSession(
        path, Club.english().edition, newest_frame=lambda: hanging, check=lambda: None, use=used.append
    )
    assert "no new picture" in desk.act("light", "take").message
    assert not path.exists()


def test_a_new_picture_is_taken_also_where_a_restarted_camera_counts_from_0_again(
    tmp_path: Path, used: list[Profile]
) -> None:
    image = np.zeros((48, 64, 3), np.uint8)
    desk = CalibrationSession(
        tmp_path / "club.json",
        Club.english().edition,
        newest_frame=lambda: Frame(image_bgr=image, source="0", index=0),
        check=lambda: None,
        use=used.append,
    )
    assert desk.act("light", "take").message == ""
    assert len(used) == 1


def test_a_profile_that_cannot_be_read_is_not_called_the_journal(
    air: RunningServer, desk: CalibrationSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_: Path) -> Profile:
        raise InputError("club.json: the profile cannot be read (Permission denied)")

    monkeypatch.setattr("calibration.session.open_profile", unreadable)
    status, _, told = air.request("GET", f"{ADDRESS}/report.html", headers=BEARER)
    assert status == 507
    assert b"club.json: the profile cannot be read" in told


@pytest.fixture
def shots() -> Path | None:
    """Where screenshots go for whoever wants to look at the page."""
    folder = os.environ.get("TILESIGHT_SHOTS")
    return Path(folder) if folder else None


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


def test_a_club_is_calibrated_from_the_page(
    page: Page,
    air: RunningServer,
    camera: Camera,
    club: dict[str, Any],
    used: list[Profile],
    tmp_path: Path,
    shots: Path | None,
) -> None:
    def shot(name: str) -> None:
        if shots is not None:
            page.wait_for_timeout(900)
            page.screenshot(path=shots / f"calibrate-{name}.png")

    def press(action: str) -> None:
        page.click(f".step.open [data-action={action}]")
        page.wait_for_selector(f".step.open [data-action={action}]:enabled, .step.open .message:not(:empty)")

    def turn_to(step: str) -> None:
        page.click(f"[data-step={step}]")

    camera.image = club["empty"][0]
    page.goto(f"{air.address}/calibrate#{TOKEN}")
    page.wait_for_selector(".step.open")
    press("take")
    assert "no target" in page.locator(".step.open .message").inner_text()
    page.route(
        f"**{ADDRESS}",
        lambda route: (
            route.fulfill(status=500, body="Internal Server Error")
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    press("take")
    assert "the steps show what was kept" in page.locator(".step.open .message").inner_text()
    page.unroute(f"**{ADDRESS}")
    for number, sheet in enumerate(club["sheets"], start=1):
        camera.image = sheet
        press("take")
        page.wait_for_selector(f".taken li:nth-child({number})")
        if number == 3:
            assert "views" in page.locator(".missing").inner_text()
            assert page.locator("[data-action=measure]").is_disabled()
            shot("views")
    press("measure")
    page.wait_for_selector('html[data-measured="1000"]')
    shot("lens")

    turn_to("board")
    camera.image = club["empty"][0]
    press("take")
    page.wait_for_selector('html[data-measured="1100"]')
    shot("board")

    turn_to("tiles")
    for number, alphabet in enumerate(club["alphabet"], start=1):
        camera.image = alphabet
        press("take")
        page.wait_for_selector(f".taken li:nth-child({number})")
    press("measure")
    page.wait_for_selector('html[data-measured="1110"]')
    shot("tiles")
    camera.image = club["game"][0]
    press("read")
    page.wait_for_function("document.querySelector('textarea').value.includes('.')")
    read = page.locator("textarea").input_value()
    assert len(read.splitlines()) == 15

    turn_to("light")
    camera.image = club["game"][0]
    press("take")
    page.wait_for_selector('html[data-measured="1111"]')
    shot("light")
    with page.expect_download() as download:
        page.click("text=save the report")
    assert "<h2>Lens</h2>" in Path(download.value.path()).read_text(encoding="utf-8")

    profile = load_profile(tmp_path / "club.json")
    assert profile.lens is not None
    assert abs(profile.lens.lens.focal_px[0] / BARREL.focal_px - 1) < 0.005
    assert profile.tiles is not None
    assert profile.tiles.letters_right > 0.95
    assert None not in (profile.board, profile.light)
    assert len(used) == 4, "the table goes on with each step's profile at once"
    assert dataclasses.astuple(used[-1].lens.lens) == dataclasses.astuple(profile.lens.lens)  # type: ignore[union-attr]
