"""Calibration profiles: written whole, checked when read, upgraded, and never applied to pictures they are not of."""

from __future__ import annotations

import base64
import dataclasses
import fcntl
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from calibration import profile_update
from calibration.profile_update import read_camera_model, update_profile
from calibration.report import render_report
from scoring import load_edition
from tests.unit.vision.profile.test_lens import BARREL
from tilesight.live import GameSettings, load_tables
from vision.errors import InputError, SettingsError
from vision.pipeline.camera import CameraModel
from vision.pipeline.recognizers import load_few_shot_recognizer
from vision.profile.profile import BoardSection, LensSection, LightSection, Origin, Profile, TilesSection
from vision.profile.profile_io import SCHEMA, load_profile, save_profile
from vision.recognition.cascade import CascadeReader
from vision.recognition.prototypes import fit_prototypes

MADE = Origin(made="2026-03-01T12:00:00+00:00", sources=("a.jpg", "b.jpg"))
LENS = LensSection(
    lens=BARREL,
    error_px=0.12,
    uncertainty={"fx": 0.5, "k1": 0.001},
    view_errors_px=(0.1, 0.14),
    residuals_px=np.arange(8, dtype=np.float32).reshape(2, 4),
    origin=MADE,
)
CORNERS = np.array([[100.0, 90], [700, 95], [690, 560], [110, 555]])


TWO_AND_HALF = np.array([2.0, 0.5], "<f4")


def a_board(corners: np.ndarray | None = CORNERS) -> BoardSection:
    picture = np.full((240, 240, 3), (60, 120, 80), np.uint8)
    return BoardSection(corners_px=corners, empty_bgr=picture, rows=15, columns=15, fit=0.9, origin=MADE)


def some_tiles() -> TilesSection:
    rng = np.random.default_rng(1)
    labels = ("A", "B", "A", "B")
    features = rng.normal(size=(4, 6)) + np.repeat([[0.0], [5.0]], 2, axis=0)[[0, 2, 1, 3]]
    return TilesSection(
        edition="english",
        prototypes=fit_prototypes(
            np.repeat(features, 3, axis=0) + rng.normal(0, 0.1, (12, 6)), np.repeat(labels, 3).tolist()
        ),
        network="0123",
        examples_bgr=np.full((4, 48, 48, 3), 200, np.uint8),
        labels=labels,
        photos=(0, 0, 1, 1),
        letters_right=float("nan"),
        network_right=0.5,
        origin=MADE,
    )


def a_profile() -> Profile:
    light = LightSection(measures={"noise": 1.5}, advice=("add light",), origin=MADE)
    return Profile(
        camera="Club", size_px=(800, 600), lens=LENS, board=a_board(), tiles=some_tiles(), light=light
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "club.json"
    save_profile(path, a_profile())
    return path


def edited(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card))
    return path


def test_what_is_written_reads_back(written: Path) -> None:
    was, now = a_profile(), load_profile(written)
    assert now.camera == "Club"
    assert now.size_px == (800, 600)
    assert now.lens is not None
    assert now.board is not None
    assert now.tiles is not None
    assert now.lens.lens == BARREL
    assert now.lens.uncertainty == {"fx": 0.5, "k1": 0.001}
    np.testing.assert_array_equal(now.lens.residuals_px, LENS.residuals_px)
    assert now.board.corners_px is not None
    np.testing.assert_allclose(now.board.corners_px, CORNERS)
    assert now.light == was.light
    assert now.tiles.labels == ("A", "B", "A", "B")
    assert np.isnan(now.tiles.letters_right)
    assert was.tiles is not None
    np.testing.assert_allclose(now.tiles.prototypes.class_means, was.tiles.prototypes.class_means, rtol=1e-6)
    assert np.abs(now.tiles.examples_bgr.astype(int) - 200).max() <= 2
    assert json.loads(written.read_text())["schema"] == SCHEMA


def test_more_tiles_than_fit_below_each_other_in_a_picture_read_back(tmp_path: Path) -> None:
    examples = np.repeat(np.arange(2000, dtype=np.uint8) // 8, 48 * 48 * 3).reshape(-1, 48, 48, 3)
    tiles = dataclasses.replace(
        some_tiles(), examples_bgr=examples, labels=some_tiles().labels * 500, photos=tuple(range(2000))
    )
    save_profile(tmp_path / "p.json", Profile(tiles=tiles))
    now = load_profile(tmp_path / "p.json").tiles
    assert now is not None
    assert now.examples_bgr.shape == examples.shape
    assert np.abs(now.examples_bgr.astype(int) - examples).max() <= 4


def test_an_empty_profile_reads_back(tmp_path: Path) -> None:
    save_profile(tmp_path / "p.json", Profile())
    assert load_profile(tmp_path / "p.json").lens is None


def test_a_profile_cut_in_half_is_named(written: Path) -> None:
    written.write_text(written.read_text()[: written.stat().st_size // 2])
    with pytest.raises(SettingsError, match=r"not a complete profile .*cut or edited"):
        load_profile(written)


def test_a_picture_in_place_of_a_profile_is_named(tmp_path: Path) -> None:
    picture = tmp_path / "board.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    with pytest.raises(SettingsError, match=r"board\.png: not a calibration profile; name what '.*' wrote$"):
        load_profile(picture)


def test_a_newer_schema_is_named(written: Path) -> None:
    with pytest.raises(SettingsError, match=f"schema {SCHEMA + 1} is newer"):
        load_profile(edited(written, lambda card: card.update(schema=SCHEMA + 1)))


@pytest.mark.parametrize("schema", [None, "2", True, 0])
def test_other_json_is_no_profile(written: Path, schema: object) -> None:
    with pytest.raises(SettingsError, match="not a calibration profile"):
        load_profile(edited(written, lambda card: card.update(schema=schema)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card["lens"].update(focal_px=["wide", 3]), r"lens\.focal_px: expected 2 numbers"),
        (lambda card: card["lens"].update(focal_px=[1.0, 1.0]), "those of no camera"),
        (lambda card: card["lens"].update(model="mirror"), r"lens\.model: expected radial or fisheye"),
        (lambda card: card["lens"].update(error_px=-1), r"lens\.error_px: expected a number from 0"),
        (lambda card: card["lens"].update(uncertainty=[1]), r"lens\.uncertainty: expected numbers by name"),
        (lambda card: card["lens"].update(made=7), r"lens\.made: expected a text"),
        (lambda card: card["lens"].update(made_from="a.jpg"), r"lens\.made_from: expected a list"),
        (lambda card: card["lens"].update(error_px=10**400), r"lens\.error_px: expected a number from 0"),
        (lambda card: card["lens"].update(focal_px=[10**400, 3]), r"lens\.focal_px: expected 2 numbers"),
        (lambda card: card["lens"].update(uncertainty={"fx": -(10**400)}), r"lens\.uncertainty: expected"),
        (lambda card: card.update(image_size=[800.5, 600]), "image_size: expected width and height"),
        (lambda card: card.update(image_size=None), "expected the pictures' size"),
        (
            lambda card: (card.update(image_size=None), card.pop("lens")),
            "image_size: expected width and height",
        ),
        (lambda card: card.update(model=3), "model: expected a text"),
        (lambda card: card.update(lens=[1, 2]), "lens: expected an object"),
        (lambda card: card["board"].update(corners_px=[1, 2]), r"board\.corners_px: expected 8 numbers"),
        (
            lambda card: card["board"].update(corners_px=CORNERS[[1, 0, 2, 3]].ravel().tolist()),
            r"board\.corners_px: expected corners TL TR BR BL of a board in the picture",
        ),
        (lambda card: card["board"].update(corners_px=[1e300] * 8), r"board\.corners_px: expected corners"),
        (
            lambda card: card["board"].update(corners_px=(CORNERS + 1000).ravel().tolist()),
            r"board\.corners_px: expected corners",
        ),
        (
            lambda card: card["board"].update(corners_px=(CORNERS * 10).ravel().tolist()),
            r"board\.corners_px: expected corners",
        ),
        (
            lambda card: card["lens"].update(distortion=[1e300] * 5),
            "a number is missing or infinite, or far too large",
        ),
        (lambda card: card["board"].update(rows=14), "board: expected a picture of its squares"),
        (lambda card: card["board"].update(empty_jpeg="bm90IGE="), r"board\.empty_jpeg: expected a picture"),
        (lambda card: card["board"].update(empty_jpeg="..."), r"board\.empty_jpeg: expected base64"),
        (lambda card: card["tiles"].update(axes="AAAA"), r"tiles\.axes: expected 6 x 1 numbers"),
        (lambda card: card["tiles"].update(reach="AADAfw=="), r"tiles\.reach: expected finite numbers"),
        (lambda card: card["tiles"].update(labels=["A"]), r"tiles.*expected"),
        (lambda card: card["tiles"].update(labels=["A"] * 4), r"tiles\.labels: expected two"),
        (lambda card: card["tiles"].update(labels=["A", "B", "C", "A"]), r"tiles\.labels: expected two"),
        (lambda card: card["tiles"].update(tokens=["A", "A"]), r"tiles\.tokens: expected each letter once"),
        (
            lambda card: card["tiles"].update(network_says=base64.b64encode(TWO_AND_HALF.tobytes()).decode()),
            r"tiles\.network_says: expected numbers from 0 to 1, got 2\.0",
        ),
        (
            lambda card: card["tiles"].update(
                likeness_misses=base64.b64encode((-TWO_AND_HALF).tobytes()).decode()
            ),
            r"tiles\.likeness_misses: expected numbers from 0 to 1, got -2\.0",
        ),
        (lambda card: card["tiles"].update(spread=None), r"tiles\.spread: expected a number from"),
    ],
)
def test_nonsense_is_named_with_its_place(
    written: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        load_profile(edited(written, change))


def test_the_first_schema_is_upgraded(written: Path) -> None:
    def as_first(card: dict[str, Any]) -> None:
        card["schema"] = 1
        card["lens"]["image_size"] = card.pop("image_size")
        del card["lens"]["model"]

    profile = load_profile(edited(written, as_first))
    assert profile.size_px == (800, 600)
    assert profile.lens is not None
    assert profile.lens.lens == BARREL


def test_a_first_schema_without_what_it_must_have_is_named(written: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be upgraded from schema 1"):
        load_profile(edited(written, lambda card: card.update(schema=1)))


def test_a_missing_profile_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make one with 'tilesight calibrate'"):
        load_profile(tmp_path / "none.json")


def test_a_huge_file_is_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(InputError, match="larger than 50 MB"):
        load_profile(path)


def test_a_failed_write_keeps_the_old_profile(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = written.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InputError, match="No space left"):
        update_profile(written, camera="Club", light=None)
    assert written.read_bytes() == before


def test_a_section_of_another_camera_or_size_is_refused(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(SettingsError, match="belongs to the camera 'Club'"):
        update_profile(written, camera="Phone", light=None)
    with pytest.raises(SettingsError, match="made for pictures of 800x600 px, these have 640x480"):
        update_profile(written, size_px=(640, 480), board=a_board())
    assert written.read_bytes() == before


def test_pictures_that_name_another_model_are_refused(tmp_path: Path) -> None:
    def taken_with(model: str, name: str) -> Path:
        exif = Image.Exif()
        exif[0x0110] = model
        Image.new("RGB", (32, 32)).save(tmp_path / name, exif=exif)
        return tmp_path / name

    first, other = taken_with("Finepix 1", "a.jpg"), taken_with("Pixel 2", "b.jpg")
    Image.new("RGB", (32, 32)).save(tmp_path / "c.png")
    assert read_camera_model([first, tmp_path / "c.png"]) == "Finepix 1"
    assert read_camera_model([tmp_path / "c.png"]) == ""
    with pytest.raises(SettingsError, match=r"2 cameras \(Finepix 1, Pixel 2\)"):
        read_camera_model([first, other])
    path = tmp_path / "p.json"
    made = update_profile(path, size_px=(800, 600), model="Finepix 1", lens=LENS)
    assert load_profile(path).model == "Finepix 1"
    with pytest.raises(SettingsError, match=r"pictures of a Finepix 1, these are of a Pixel 2"):
        update_profile(path, size_px=(800, 600), model="Pixel 2", board=a_board())
    for section in ({"lens": LENS}, {"lens": LENS, "board": a_board()}):
        with pytest.raises(SettingsError, match="name another profile, or delete this one"):
            update_profile(path, size_px=(800, 600), model="Pixel 2", **section)
    assert [made.matches_camera(model) for model in ("Finepix 1", "Pixel 2", None, "")] == [
        True,
        False,
        True,
        True,
    ]
    assert dataclasses.replace(made, lens=None).matches_camera("Pixel 2")


def test_names_that_are_not_utf_8_are_kept_with_their_bytes_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xf3r\xf0.jpg")
    light = LightSection(measures={}, advice=(), origin=dataclasses.replace(MADE, sources=(name,)))
    path = tmp_path / os.fsdecode(b"p\xf3.json")
    for _ in range(2):  # the camera is the same one when it is named again
        update_profile(path, camera=os.fsdecode(b"V\xe9l"), light=light)
    read = load_profile(path)
    assert read.light is not None
    assert (read.camera, read.light.origin.sources) == (r"V\xe9l", (r"b\xf3r\xf0.jpg",))
    assert rb"p\xf3.json" in render_report(read).encode()


def test_two_updates_at_once_keep_each_others_sections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = profile_update.open_profile

    def open_slowly(path: Path) -> Profile:
        profile = opened(path)
        time.sleep(0.2)  # the other update starts
        return profile

    monkeypatch.setattr(profile_update, "open_profile", open_slowly)
    path = tmp_path / "p.json"
    with ThreadPoolExecutor() as pool:
        updates = [
            pool.submit(update_profile, path, board=a_board(None)),
            pool.submit(update_profile, path, tiles=some_tiles()),
        ]
    for update in updates:
        update.result()
    both = load_profile(path)
    assert both.board is not None
    assert both.tiles is not None
    assert list(tmp_path.iterdir()) == [path], "the lock leaves no file"


def test_a_folder_that_cannot_be_locked_takes_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: int, operation: int) -> None:
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refuse)
    update_profile(tmp_path / "p.json", tiles=some_tiles())
    assert load_profile(tmp_path / "p.json").tiles is not None


def test_a_system_without_locks_takes_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    importlib.reload(profile_update).update_profile(tmp_path / "p.json", tiles=some_tiles())
    assert load_profile(tmp_path / "p.json").tiles is not None


def test_a_new_lens_may_have_a_new_size_where_nothing_else_depends_on_it(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    update_profile(path, camera="Club", size_px=(800, 600), lens=LENS)
    again = update_profile(path, size_px=(800, 600), lens=LENS, board=a_board(None))
    assert load_profile(path).board is not None
    assert (again.camera, again.lens is not None) == ("Club", True), "what another calibration added stays"


def test_a_new_lens_takes_out_the_board_that_was_measured_without_it(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    remarks: list[str] = []
    update_profile(path, size_px=(800, 600), model="Finepix 1", board=a_board())
    with pytest.raises(SettingsError, match="pictures of a Finepix 1, these are of a Pixel 2"):
        update_profile(path, size_px=(640, 480), model="Pixel 2", notify=remarks.append, lens=LENS)
    assert load_profile(path).board is not None
    made = update_profile(path, size_px=(640, 480), model="Finepix 1", notify=remarks.append, lens=LENS)
    assert (made.board, made.lens, made.size_px) == (None, LENS, (640, 480))
    assert load_profile(path).board is None
    assert "measure the board again" in remarks[0]
    update_profile(path, size_px=(640, 480), notify=remarks.append, board=a_board())
    assert update_profile(path, notify=remarks.append, light=None).board is not None
    assert len(remarks) == 1


def test_the_old_cameras_model_stays_only_where_something_depends_on_it(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    update_profile(path, size_px=(800, 600), model="Finepix 1", lens=LENS)
    assert update_profile(path, size_px=(800, 600), board=a_board()).model == "Finepix 1"
    assert update_profile(path, tiles=some_tiles()).model == "Finepix 1"
    assert update_profile(path, size_px=(800, 600), lens=LENS).model == ""


def test_pictures_of_another_shape_are_refused_and_scaled_ones_adapted_aloud() -> None:
    said: list[str] = []
    profile = a_profile()
    half = CameraModel.of(profile, (400, 300), said.append)
    assert "adapted to 400x300" in said[0]
    assert half.lens == BARREL.rescale((400, 300))
    assert half.corners_px is not None
    np.testing.assert_allclose(half.corners_px, (CORNERS + 0.5) / 2 - 0.5)
    with pytest.raises(SettingsError, match="800x600 px, this one has 640x640"):
        CameraModel.of(profile, (640, 640))
    with pytest.raises(SettingsError, match="turned by a quarter"):
        CameraModel.of(profile, (600, 800))


def test_tiles_alone_suit_any_picture() -> None:
    assert CameraModel.of(Profile(size_px=(800, 600), tiles=some_tiles()), (640, 640)).lens is None


@pytest.mark.parametrize(
    ("section", "change", "message"),
    [
        (a_board(), {"empty_bgr": np.zeros((240, 200, 3), np.uint8)}, "empty_bgr"),
        (some_tiles(), {"photos": (0,)}, "photos"),
        (some_tiles(), {"examples_bgr": np.zeros((3, 48, 48, 3), np.uint8)}, "examples_bgr"),
    ],
)
def test_sections_whose_parts_do_not_fit_together_cannot_be_made(
    section: BoardSection | TilesSection, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(section, **change)


@pytest.mark.parametrize(
    "other",
    [
        {"corners_px": ((1.0, 1.0), (9.0, 1.0), (9.0, 9.0), (1.0, 9.0))},
        {"racks_px": (((1.0, 1.0), (9.0, 1.0), (9.0, 9.0), (1.0, 9.0)), None)},
    ],
)
def test_a_table_on_air_takes_a_profile_or_pixels_of_the_bent_picture(other: dict[str, Any]) -> None:
    assert GameSettings(name="one", profile=Path("club.json")).profile == Path("club.json")
    with pytest.raises(SettingsError, match="moves every pixel"):
        GameSettings(name="one", profile=Path("club.json"), **other)


def test_a_tables_file_names_its_profile_next_to_it(tmp_path: Path) -> None:
    (tmp_path / "tables.toml").write_text('[table.one]\nprofile = "club.json"\n')
    assert load_tables(tmp_path / "tables.toml")[0].profile == tmp_path / "club.json"


def test_tiles_measured_with_other_letters_than_the_networks_are_refused() -> None:
    tiles = dataclasses.replace(some_tiles(), network=CascadeReader.load(features=True).fingerprint)
    with pytest.raises(SettingsError, match=r"measured with 1 letters, the network has \d+; restore it"):
        load_few_shot_recognizer(tiles, load_edition("english"))


def test_the_tiles_of_a_second_schema_are_left_to_be_enrolled_again(written: Path) -> None:
    def as_second(card: dict[str, Any]) -> None:
        card["schema"] = 2
        for key in ("network_says", "network_misses", "likeness_misses", "tile_boost", "alike_from"):
            del card["tiles"][key]
        card["tiles"]["network_weight"] = 0.4

    tiles = load_profile(edited(written, as_second)).tiles
    assert tiles is not None
    assert tiles.network == "", "no weights are called so: the pictures are enrolled for those that there are"
    assert tiles.labels == some_tiles().labels
