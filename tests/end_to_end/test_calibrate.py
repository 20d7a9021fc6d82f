"""A newcomer's way: from a camera, a board and tiles that nobody has seen to a perfect reading, by the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image

from samples import Camera, Light, icelandic_style, render_photo
from scoring import load_edition
from tests.conftest import Outcome
from tests.support.unknown_club import BARREL, Club
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_reader import read_picture
from vision.profile.profile_io import SCHEMA, load_profile

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[tuple[str, ...], ...]]:
    """The folder of the club's pictures, and what lies on the board of the last one."""
    folder = tmp_path_factory.mktemp("club")
    return folder, Club.english().pictures(folder, sheets=9)


@pytest.fixture
def calibrated(club: tuple[Path, object], tilesight: Callable[..., Outcome]) -> Path:
    """A profile with all four sections; made once."""
    folder = club[0]
    profile = folder / "club.json"
    if profile.exists():
        return profile
    sheets = sorted(folder.glob("sheet-*.jpg"))
    done = tilesight("calibrate", "lens", *sheets, "--profile", profile, "--camera", "Club camera")
    assert done.code == 0, done.err
    assert "lens (radial) from 9 views" in done.out
    done = tilesight("calibrate", "board", folder / "empty.jpg", "--profile", profile)
    assert done.code == 0, done.err
    alphabets = sorted(folder.glob("alphabet-*.jpg"))
    done = tilesight("calibrate", "tiles", *alphabets, "--letters", "alphabet", "--profile", profile)
    assert done.code == 0, done.err
    assert "52 tiles of 26 letters" in done.out
    frames = sorted(folder.glob("frame-*.jpg"))
    done = tilesight("calibrate", "light", *frames, "--profile", profile)
    assert done.code == 0, done.err
    assert "flicker" in json.loads(profile.read_text())["light"]["measures"]
    return profile


def test_an_unknown_club_is_read_without_a_mistake(
    club: tuple[Path, tuple[tuple[str, ...], ...]], calibrated: Path, tilesight: Callable[..., Outcome]
) -> None:
    folder, truth = club
    profile = load_profile(calibrated)
    assert profile.lens is not None
    assert profile.lens.lens.focal_px[0] == pytest.approx(BARREL.focal_px, rel=0.005)
    done = tilesight("read", folder / "game.jpg", "--profile", calibrated, "--format", "json")
    assert done.code == 0, done.err
    record = done.json_lines[0]
    wrong = [
        (row, column, want, have)
        for row, (wanted, read) in enumerate(zip(truth, record["rows"], strict=True))
        for column, (want, have) in enumerate(zip(wanted, read, strict=True))
        if want != have
    ]
    assert not wrong
    image = cv2.imread(str(folder / "game.jpg"))
    assert image is not None
    corners = np.array(record["corners_px"])
    assert (corners >= 0).all()
    assert (corners < [image.shape[1], image.shape[0]]).all()


def test_corners_are_given_in_pixels_of_the_photo(
    club: tuple[Path, tuple[tuple[str, ...], ...]], calibrated: Path, tilesight: Callable[..., Outcome]
) -> None:
    photo = club[0] / "game.jpg"
    found = tilesight("read", photo, "--profile", calibrated, "--format", "json").json_lines[0]
    text = " ".join(f"{x},{y}" for x, y in found["corners_px"])
    again = tilesight(
        "read", photo, "--profile", calibrated, "--format", "json", "--corners", text
    ).json_lines[0]
    assert again["rows"] == found["rows"]
    np.testing.assert_allclose(again["corners_px"], found["corners_px"], atol=0.02)
    before = calibrated.read_bytes()
    far = "100000,100000 200000,100000 200000,200000 100000,200000"
    for section in ("board", "tiles"):
        refused = tilesight("calibrate", section, photo, "--profile", calibrated, "--corners", far)
        assert refused.code == 2
        assert "outside the picture of 1280x960" in refused.err
    assert calibrated.read_bytes() == before


def test_the_report_shows_what_changed(
    club: tuple[Path, object], calibrated: Path, tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    done = tilesight("calibrate", "report", club[0] / "game.jpg", "--profile", calibrated, "--out", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "Club camera" in text
    assert "cell off the grid" in text
    assert "No letter is taken for another." in text
    house = tmp_path / "house.json"
    card = json.loads(calibrated.read_text())
    house.write_text(json.dumps({**card, "tiles": {**card["tiles"], "edition": "house"}}))
    done = tilesight("calibrate", "report", "--profile", house, "--out", page)
    assert done.code == 2
    assert "its tiles are of edition house" in done.err


def test_the_report_fits_a_phone(
    club: tuple[Path, object],
    calibrated: Path,
    tilesight: Callable[..., Outcome],
    tmp_path: Path,
    open_page: Callable[..., Page],
) -> None:
    page, photo = tmp_path / "report.html", tmp_path / f"{'a-photo-with-a-long-name-' * 4}.jpg"
    photo.write_bytes((club[0] / "game.jpg").read_bytes())
    assert tilesight("calibrate", "report", photo, "--profile", calibrated, "--out", page).code == 0
    opened = open_page(page.as_uri(), 320, 640)
    assert opened.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_a_folder_of_turns_is_followed_with_a_profile(
    club: tuple[Path, object], calibrated: Path, tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    turns = tmp_path / "turns"
    turns.mkdir()
    (turns / "1.jpg").write_bytes((club[0] / "empty.jpg").read_bytes())
    done = tilesight("watch", turns, "--every", "turn", "--profile", calibrated, "--format", "json")
    assert done.code == 0, done.err
    film = tilesight("watch", turns, "--profile", calibrated, "--format", "json", "--fps", "2")
    assert film.code == 0, film.err
    refused = tilesight("watch", turns, "--profile", calibrated, "--corners", "1,1 9,1 9,9 1,9")
    assert refused.code == 2
    assert "leave it out" in refused.err


def test_a_wrong_enrolment_keeps_the_old_profile(
    club: tuple[Path, object], calibrated: Path, tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    before = calibrated.read_bytes()
    shifted = tmp_path / "shifted.txt"
    rows = [["."] * 15 for _ in range(15)]
    letters = "BCDEFGHIJKLMNOPQRSTUVWXYZA"
    for letter, place in zip(
        letters, ((r, c) for r in range(1, 15, 2) for c in range(1, 15, 2)), strict=False
    ):
        rows[place[0]][place[1]] = letter
    shifted.write_text("\n".join(" ".join(row) for row in rows))
    photos = sorted(club[0].glob("alphabet-*.jpg"))
    done = tilesight("calibrate", "tiles", *photos, "--letters", shifted, "--profile", calibrated)
    assert done.code == 3
    assert "letters are shifted" in done.err
    assert calibrated.read_bytes() == before


def test_another_size_is_refused_and_the_old_profile_kept(
    club: tuple[Path, object], calibrated: Path, tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    image = cv2.imread(str(club[0] / "game.jpg"))
    assert image is not None
    square = tmp_path / "square.png"
    cv2.imwrite(str(square), image[:900, :900])
    done = tilesight("read", square, "--profile", calibrated)
    assert done.code == 2
    assert "made for pictures of 1280x960 px, this one has 900x900" in done.err
    game = club[0] / "game.jpg"
    several = tilesight("read", square, game, "--profile", calibrated, "--format", "json")
    assert [(each["image"], each["status"]) for each in several.json_lines] == [
        (str(square), "unreadable"),
        (str(game), "ok"),
    ]
    assert several.json_lines[0]["message"].startswith(f"{square}: ")
    assert several.code == 3
    page = tmp_path / "report.html"
    report = tilesight("calibrate", "report", game, square, "--profile", calibrated, "--out", page)
    assert report.code == 2
    assert f"{square}: " in report.err
    half = tmp_path / "half.png"
    cv2.imwrite(str(half), cv2.resize(image, (960, 720), interpolation=cv2.INTER_AREA))
    before = calibrated.read_bytes()
    done = tilesight("calibrate", "board", half, "--profile", calibrated, "--fixed")
    assert done.code in (2, 3)
    done = tilesight("calibrate", "tiles", half, "--profile", calibrated)
    assert "adapted to 960x720" in done.err
    assert calibrated.read_bytes() == before


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[: len(text) // 2], "cut or edited"),
        (lambda text: text.replace(f'"schema": {SCHEMA}', '"schema": 9'), "schema 9 is newer"),
        (lambda text: text.replace('"model": "radial"', '"model": "round"'), "expected radial or fisheye"),
    ],
)
def test_a_damaged_profile_is_named_by_every_command(
    club: tuple[Path, object],
    calibrated: Path,
    tilesight: Callable[..., Outcome],
    tmp_path: Path,
    damage: Callable[[str], str],
    reason: str,
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(damage(calibrated.read_text()))
    before = broken.read_bytes()
    for command in (
        ("read", club[0] / "game.jpg"),
        ("watch", club[0]),
        ("calibrate", "light", club[0] / "game.jpg"),
    ):
        done = tilesight(*command, "--profile", broken)
        assert done.code == 2
        assert reason in done.err
    assert broken.read_bytes() == before


def test_bad_pictures_are_named_and_nothing_is_written(
    tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    plain = tmp_path / "plain.png"
    cv2.imwrite(str(plain), np.full((300, 400, 3), 120, np.uint8))
    profile = tmp_path / "p.json"
    done = tilesight("calibrate", "lens", plain, tmp_path / "none.jpg", "--profile", profile)
    assert done.code == 3
    assert "one plain surface" in done.err
    assert "no such file" in done.err
    assert "0 of 0 pictures are different views" in done.err
    for command in ("board", "tiles"):
        done = tilesight("calibrate", command, plain, "--profile", profile)
        assert done.code == 4
        assert "plain.png: edition english: no board found: one plain surface" in done.err
    assert (
        tilesight("calibrate", "tiles", plain, "--letters", "a", "--letters", "b", "--profile", profile).code
        == 2
    )
    assert tilesight("calibrate", "target", tmp_path / "s.pdf", "--squares", "ten").code == 2
    assert not profile.exists()


def test_the_sheet_is_written_for_every_paper(tilesight: Callable[..., Outcome], tmp_path: Path) -> None:
    for arguments in (
        ("--paper", "a4"),
        ("--paper", "letter", "--chess"),
        ("--squares", "8x6", "--square-mm", "20"),
    ):
        done = tilesight("calibrate", "target", tmp_path / "sheet.pdf", *arguments)
        assert done.code == 0, done.err
        assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


def test_a_layout_file_is_written(
    club: tuple[Path, object], tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    layout, profile = tmp_path / "club.txt", tmp_path / "p.json"
    done = tilesight(
        "calibrate", "board", club[0] / "empty.jpg", "--profile", profile, "--layout-out", layout, "--fixed"
    )
    assert done.code == 0, done.err
    assert len(layout.read_text().split()[:15]) == 15
    card = json.loads(profile.read_text())
    assert card["image_size"] == [1280, 960]
    assert len(card["board"]["corners_px"]) == 8


def test_the_guide_leads_through_all_steps(
    club: tuple[Path, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tilesight: Callable[..., Outcome],
) -> None:
    folder = club[0]
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    for picture in folder.glob("sheet-*.jpg"):
        (sheets / picture.name).write_bytes(picture.read_bytes())
    spaced = tmp_path / "my tiles"
    spaced.mkdir()
    for picture in folder.glob("alphabet-*.jpg"):
        (spaced / picture.name).write_bytes(picture.read_bytes())
    alphabets = " ".join(f"'{path}'" for path in sorted(spaced.iterdir()))
    answers = iter(
        [
            "n",
            str(tmp_path / "nowhere"),
            str(sheets),
            "n",
            str(folder / "empty.jpg"),
            "'no second quote",
            alphabets,
            str(folder / "empty.jpg"),
        ]
    )
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    profile = tmp_path / "club.json"
    done = tilesight("calibrate", "guide", "--profile", profile)
    assert done.code == 0, done.err
    made = load_profile(profile)
    assert None not in (made.lens, made.board, made.tiles, made.light)
    assert profile.with_suffix(".html").exists()


def test_a_board_that_moved_under_a_fixed_camera_is_found_and_reported(
    club: tuple[Path, tuple[tuple[str, ...], ...]], tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    profile = tmp_path / "fixed.json"
    done = tilesight("calibrate", "board", club[0] / "empty.jpg", "--profile", profile, "--fixed")
    assert done.code == 0, done.err
    same = tilesight("read", club[0] / "empty.jpg", "--profile", profile)
    assert "was searched" not in same.err
    moved = tilesight("read", club[0] / "game.jpg", "--profile", profile, "--format", "json")
    assert "squares from where it was calibrated: it or the camera has moved" in moved.err
    assert moved.json_lines[0]["rows"][0][3] != "."
    image = cv2.imread(str(club[0] / "empty.jpg"))
    assert image is not None
    half = tmp_path / "half.png"
    cv2.imwrite(str(half), cv2.resize(image, (960, 720), interpolation=cv2.INTER_AREA))
    adapted = tilesight("read", half, "--profile", profile)
    assert "adapted to 960x720" in adapted.err


def test_a_fixed_board_may_be_seen_from_its_other_side(
    tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    """An empty board does not say which side is up; that letters do so later is no drift."""
    rows = [["."] * 15 for _ in range(15)]
    for name in ("empty", "game"):
        photo = render_photo(
            rows,
            load_edition("icelandic"),
            style=icelandic_style(),
            camera=Camera(cell_px=30, azimuth_deg=180.0),
            light=Light(),
            seed=3,
        )
        cv2.imwrite(str(tmp_path / f"{name}.png"), photo.image_bgr)
        rows[7][4:9] = ["H", "R", "A", "K", "I"]
    profile = tmp_path / "fixed.json"
    done = tilesight("calibrate", "board", tmp_path / "empty.png", "--profile", profile, "--fixed")
    assert done.code == 0, done.err
    seen = tilesight(
        "read", tmp_path / "game.png", "--edition", "icelandic", "--profile", profile, "--format", "json"
    )
    assert seen.json_lines[0]["rows"][7][4:9] == ["H", "R", "A", "K", "I"]
    assert "was searched" not in seen.err


def test_a_photo_of_another_camera_is_reported(
    club: tuple[Path, object], calibrated: Path, tilesight: Callable[..., Outcome], tmp_path: Path
) -> None:
    card = json.loads(calibrated.read_text())
    profile = tmp_path / "p.json"
    profile.write_text(json.dumps({**card, "model": "Finepix 1"}))
    exif = Image.Exif()
    exif[0x0110] = "Pixel 2"
    photo = tmp_path / "game.jpg"
    Image.open(club[0] / "game.jpg").save(photo, exif=exif, quality=95)
    done = tilesight("read", photo, "--profile", profile)
    assert done.code == 0, done.err
    assert "taken with a Pixel 2" in done.err
    assert "was made with a Finepix 1" in done.err
    assert "taken with" not in tilesight("read", photo, "--profile", calibrated).err
    before = profile.read_bytes()
    for command in (("board",), ("tiles",), ("light",), ("report", "--out", tmp_path / "p.html")):
        refused = tilesight("calibrate", *command, photo, "--profile", profile)
        assert refused.code == 2
        assert "pictures of a Finepix 1, these are of a Pixel 2" in refused.err
    assert profile.read_bytes() == before
    folder = tmp_path / "turns"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.jpg").write_bytes(photo.read_bytes())
    watched = tilesight("watch", folder, "--every", "turn", "--players", "Anna,Jón", "--profile", profile)
    assert watched.err.count("taken with a Pixel 2") == 1, "once for each camera"
    how = ReadOptions(editions=(load_edition("english"),), profile=load_profile(profile))
    remarks = read_picture(photo.read_bytes(), "game.jpg", how).record.remarks
    assert any("taken with a Pixel 2" in remark for remark in remarks)
