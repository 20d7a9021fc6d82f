"""The front door: reading, following and scoring from Python, and an import that costs nothing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import tilesight
from scoring import Board, Game, format_gcg, load_edition, parse_play
from tests.support.lens_sections import lens_section
from tests.unit.vision.profile.test_lens import BARREL
from tests.unit.vision.profile.test_profile import a_board
from vision.errors import InputError, SettingsError
from vision.profile import Profile, save_profile

EDITION = load_edition("icelandic")


def test_a_photo_is_read(icelandic_sample: Path) -> None:
    found = tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic")
    assert isinstance(found.decoded.board, Board)
    assert "".join(token for row in found.decoded.board.rows for token in row if token != ".") == "HRAKI"


def test_what_was_read_is_printed_on_one_screen(icelandic_sample: Path) -> None:
    shown = repr(tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic"))
    assert "Board.from_cgp('15/15/15/15/15/15/15/3HRAKI7/15/15/15/15/15/15/15')" in shown
    assert len(shown) < 2000


def test_a_photo_is_read_from_its_bytes_or_its_pixels(icelandic_sample: Path) -> None:
    path = icelandic_sample / "turn-05.jpg"
    want = tilesight.read(path, edition="icelandic").decoded.board
    pixels = cv2.imread(str(path))
    assert pixels is not None
    rgb = pixels[..., ::-1].copy()
    for photo in (path.read_bytes(), np.asarray(pixels, np.uint8), np.asarray(rgb[..., ::-1], np.uint8)):
        found = tilesight.read(photo, edition="icelandic")
        assert found.decoded.board == want
    pixels[:] = 0
    assert found.frame.image_bgr.any()
    for few in (pixels[:5], pixels[:0]):
        with pytest.raises(InputError, match=r"photo: .* pixels cannot show a board"):
            tilesight.read(np.asarray(few, np.uint8), edition="icelandic")
    with pytest.raises(InputError, match="photo: "):
        tilesight.read(b"no picture", edition="icelandic")


def test_what_was_read_can_be_pickled_and_copied(icelandic_sample: Path) -> None:
    """Programs read photos with a pool of processes."""
    photo = tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic")
    batch = next(tilesight.watch(icelandic_sample, edition="icelandic", every="turn"))
    assert batch.observation is not None
    for found in (photo, batch.observation):
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert again.decoded.board == found.decoded.board
            assert again.decoded.alternatives == found.decoded.alternatives
            assert (again.rectified.image_bgr == found.rectified.image_bgr).all()
    assert pickle.loads(pickle.dumps(batch)).game == batch.game


def test_a_recorded_game_is_scored(tmp_path: Path) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play(parse_play("8D HRAKI", EDITION.tokens))
    path = tmp_path / "game.gcg"
    path.write_text(format_gcg(game))
    record = tilesight.score(path, edition="icelandic")
    assert (record.game.totals, record.differences) == (game.totals, ())


def test_a_folder_of_frames_is_followed(icelandic_sample: Path, tmp_path: Path) -> None:
    (tmp_path / "0.jpg").write_bytes((icelandic_sample / "turn-01.jpg").read_bytes())
    batches = list(tilesight.watch(str(tmp_path), edition="icelandic", journal=tmp_path / "game.db"))
    assert all(batch.game.edition.name == "icelandic" for batch in batches)
    assert (tmp_path / "game.db").exists()


def test_an_edition_is_named_by_itself_its_file_or_its_name(icelandic_sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "club.toml"
    file.write_text('base = "icelandic"')
    for edition in (EDITION, file, str(file), "icelandic"):
        found = tilesight.read(icelandic_sample / "turn-01.jpg", edition=edition)
        assert "".join(found.decoded.board.rows[7][3:8]) == "HRAKI"
    game = tmp_path / "game.gcg"
    game.write_text(format_gcg(Game(file, ["Anna", "Jón"]).with_play("8D HRAKI")))
    for edition in (EDITION, file):
        assert tilesight.score(game, edition=edition).game.totals == (28, 0)
        assert tilesight.read_gcg(game, edition).game.totals == (28, 0)
    batches = tilesight.watch(icelandic_sample, edition=file, every="turn")
    assert next(batches).game.totals == (28, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"every": "turns"}, "every: 'turns' is unknown; choose frame or turn"),
        ({"fps": 0}, "fps: 0 frames a second"),
        ({"fps": 2, "every": "turn"}, "fps: photos of turns have no time; leave it out"),
    ],
)
def test_an_argument_that_is_not_valid_is_refused(
    icelandic_sample: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        list(tilesight.watch(icelandic_sample, edition="icelandic", **arguments))


def test_the_corners_of_a_board_that_was_read_name_its_place(icelandic_sample: Path) -> None:
    first = tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic")
    second = tilesight.read(
        icelandic_sample / "turn-02.jpg", edition="icelandic", corners_px=first.photo_corners_px
    )
    assert len(list(second.decoded.board.tiles())) == 8
    text: Any = "10,10 20,10 20,20 10,20"
    with pytest.raises(SettingsError, match="corners: expected four x,y pairs"):
        tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic", corners_px=text)


def test_a_game_whose_pictures_are_all_known_is_resumed_with_its_score(
    icelandic_sample: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "turns"
    folder.mkdir()
    (folder / "1.jpg").write_bytes((icelandic_sample / "turn-01.jpg").read_bytes())
    first, again = (
        list(tilesight.watch(folder, edition="icelandic", every="turn", journal=tmp_path / "game.db"))
        for _ in range(2)
    )
    assert [batch.index for batch in first] == [0]
    assert [(batch.index, batch.items, batch.game.totals) for batch in again] == [(-1, (), (28, 0))]


@pytest.fixture
def moved(icelandic_sample: Path, tmp_path: Path) -> Path:
    """A profile of larger photos of the sample's board, which was elsewhere and had other squares."""
    found = tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic")
    width, height = found.frame.picture_size_px
    corners_px = found.photo_corners_px * 2 + found.grid.cell_px * 2
    board = dataclasses.replace(a_board(corners_px), rows=12, columns=12)
    path = tmp_path / "moved.json"
    save_profile(path, Profile(size_px=(2 * width, 2 * height), board=board))
    return path


def test_what_a_photo_has_of_another_profile_or_edition_is_reported(
    icelandic_sample: Path, moved: Path
) -> None:
    photo, remarks = icelandic_sample / "turn-05.jpg", list[str]()
    tilesight.read(photo, edition="english", profile=moved, notify=remarks.append)
    for part in (
        "another number of squares",
        "adapted to",
        "squares from where it was calibrated",
        "edition english",
    ):
        assert sum(part in remark for remark in remarks) == 1, (part, remarks)
    remarks.clear()
    tilesight.read(photo, edition="icelandic", notify=remarks.append)
    assert remarks == []


def test_photos_of_turns_report_once_that_the_board_moved_and_that_photos_have_another_size(
    icelandic_sample: Path, moved: Path, tmp_path: Path
) -> None:
    folder, remarks = tmp_path / "turns", list[str]()
    folder.mkdir()
    for number in (1, 2, 3):
        image = cv2.imread(str(icelandic_sample / f"turn-0{number}.jpg"))
        assert image is not None
        cv2.imwrite(str(folder / f"{number}.png"), np.roll(image, 4 * number, axis=1))
    for _ in tilesight.watch(folder, edition="icelandic", every="turn", profile=moved, notify=remarks.append):
        pass
    assert ["adapted to" in remark for remark in remarks] == [True, False]
    assert "1.png: the board is" in remarks[1]


def test_every_name_is_there_and_no_other() -> None:
    assert all(getattr(tilesight, name) is not None for name in tilesight.__all__)
    assert dir(tilesight) == sorted(tilesight.__all__)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        _ = tilesight.reed


def test_the_import_loads_no_pictures_library() -> None:
    code = "import sys, tilesight; print(*({'cv2', 'numpy', 'onnxruntime', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda front_door: front_door.read(None), "path: expected a path, bytes or an array, not NoneType"),
        (lambda front_door: front_door.read("board.jpg", lexicon={"A"}), "lexicon: expected a path, not set"),
        (
            lambda front_door: front_door.read(np.zeros((90, 90))),
            r"path: .* not float64 of \(90, 90\)",
        ),
        (lambda front_door: front_door.score(5), "path: expected a path, not int"),
        (
            lambda front_door: next(front_door.watch(np.zeros((90, 90)))),
            "source: expected a path, not ndarray",
        ),
        (lambda front_door: next(front_door.watch(None)), "source: expected a path, not NoneType"),
        (
            lambda front_door: next(front_door.watch("film", players="AB")),
            "players: expected a list of names, got 'AB'",
        ),
        (lambda front_door: next(front_door.watch("film", profile={})), "profile: expected a path, not dict"),
        (lambda front_door: next(front_door.watch("film", fps="ten")), "fps: expected a number, got 'ten'"),
    ],
)
def test_an_argument_of_another_type_is_named(call: Any, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        call(tilesight)


def test_an_edition_that_was_loaded_is_followed_without_a_journal(
    icelandic_sample: Path, tmp_path: Path
) -> None:
    (tmp_path / "0.jpg").write_bytes((icelandic_sample / "turn-01.jpg").read_bytes())
    assert all(batch.game.edition is EDITION for batch in tilesight.watch(tmp_path, edition=EDITION))
    with pytest.raises(SettingsError, match="a journal keeps its name or its file"):
        next(tilesight.watch(tmp_path, edition=EDITION, journal=tmp_path / "game.db"))


def test_corners_in_a_film_are_refused_where_the_profile_has_a_lens(
    icelandic_sample: Path, tmp_path: Path
) -> None:
    """The profile straightens every frame: the corners would be those of another picture."""
    path = tmp_path / "club.json"
    save_profile(path, Profile(camera="Club", size_px=BARREL.size_px, lens=lens_section(BARREL)))
    square = [(1, 1), (9, 1), (9, 9), (1, 9)]
    with pytest.raises(SettingsError, match="the profile's lens moves every pixel of a film"):
        next(tilesight.watch(icelandic_sample, edition="icelandic", profile=path, corners_px=square))


def test_remarks_reach_the_caller(icelandic_sample: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("hraki\n" + "raki 4\n" * 20)
    photo = (icelandic_sample / "turn-01.jpg").read_bytes()
    remarks: list[str] = []
    tilesight.read(photo, edition="icelandic", lexicon=words, notify=remarks.append)
    assert remarks
    of_the_words = list(remarks)
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "0.jpg").write_bytes(photo)
    film = tilesight.watch(tmp_path / "film", edition="icelandic", lexicon=words, notify=remarks.append)
    assert not [update for batch in film for update in batch.updates]
    assert remarks[len(of_the_words) : -1] == of_the_words
    assert "no play was seen in its pictures" in remarks[-1]
