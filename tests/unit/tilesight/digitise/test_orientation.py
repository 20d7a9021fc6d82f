"""Photos named from the wrong side join the game whose tiles they show."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import Board, Edition, Placement, load_edition
from tests.support.digitised import read_lines, read_results
from tests.support.positions import boards_after
from tests.support.shoebox import Inline, run
from tilesight.digitise.games.catalogue import BoardCodes
from tilesight.digitise.games.grouping import SETTINGS, tile_log_odds
from tilesight.digitise.games.orientation import OrientationSearch, best_log_odds, match_orientations
from tilesight.digitise.reading.options import PhotoRequest, ReadOptions
from tilesight.digitise.reading.photo_reader import read_picture
from vision.capture import Frame, decode_picture
from vision.core import brighten_shade
from vision.core.boards import BoardReading, DecodedBoard, Occupancy, SquareProbabilities
from vision.decoding.decoder import decode
from vision.decoding.edition_guess import EditionGuess, guess_editions
from vision.errors import BoardNotFoundError
from vision.pipeline import any_edition
from vision.pipeline import photo as photo_module
from vision.recognition.base import SquareReader
from vision.recognition.viewpoint.orientation import OrientedReading, resolve_orientation

pytestmark = pytest.mark.slow

ENGLISH, SPANISH = map(load_edition, ("english", "spanish"))
PLAYS = ("8D CABLE", "D8 .ARTS", "11D .EA", "F10 N.T", "10F .O")


def boards() -> list[Board]:
    return boards_after(*PLAYS)


def codes(of: list[Board]) -> NDArray[np.int8]:
    encoder = BoardCodes(squares=225)
    return np.array([encoder.encode(board.rows) for board in of])


@pytest.mark.parametrize("turn", [1, 2, 3])
@pytest.mark.parametrize("left_out", range(len(PLAYS)))
def test_a_board_that_was_turned_lies_like_its_game_from_the_other_side(turn: int, left_out: int) -> None:
    array = codes(boards())
    others = np.delete(array, left_out, axis=0)
    named = np.rot90(array[left_out].reshape(15, 15), -turn)
    assert match_orientations(named, others, np.zeros(len(others), int))[0] == turn


def test_a_board_of_another_game_lies_like_none() -> None:
    array = codes(boards())
    other = np.zeros((15, 15), np.int8)
    other[2, 3:9] = 2
    assert match_orientations(other, array, np.zeros(len(array), int)) == ()
    assert match_orientations(other, array[:0], np.zeros(0, int)) == ()


def test_an_oblong_board_has_two_sides() -> None:
    game = np.zeros((3, 3 * 4), np.int8)
    game[:, :3], game[1:, 4], game[2, 8] = 5, 6, 7
    named = np.rot90(game[1].reshape(3, 4), 2)
    assert match_orientations(named, game[[0, 2]], np.zeros(2, int)) == (2,)


def fit(board: NDArray[np.int8], game: NDArray[np.int8]) -> float:
    """The log-odds that a board is of a game."""
    log_odds = tile_log_odds(board, game, (game > 0).sum(axis=1), SETTINGS.same_tile)
    return best_log_odds(log_odds, np.zeros(len(game), int))


def test_letters_tell_whether_a_board_is_of_the_game() -> None:
    array = codes(boards())
    assert fit(array[2], np.delete(array, 2, axis=0)) > 10
    others = array[2].copy()
    others[others > 0] += 7
    assert fit(others, array) < 0
    one_misread = array[2].copy()
    one_misread[np.flatnonzero(one_misread)[0]] += 7
    assert fit(one_misread, array) > 0


@pytest.mark.parametrize("misread", [[], [1], [0, 1, 2]])
def test_a_board_is_of_a_game_of_which_some_boards_were_misread(misread: list[int]) -> None:
    array = codes(boards())
    for index in misread:
        array[index, np.flatnonzero(array[index])[:3]] += 7
    assert fit(array[3], np.delete(array, 3, axis=0)) > np.log(len(array) + SETTINGS.other_photos)


@pytest.mark.parametrize(
    ("photos", "is_guess", "has_colours", "is_turned", "covered_rows", "fits"),
    [
        (5, True, True, True, 0, True),
        (5, False, True, True, 0, False),
        (5, True, True, False, 0, False),
        (3000, True, True, True, 0, True),
        (3000, True, False, True, 0, False),
        (3000, True, True, True, 2, True),
    ],
)
def test_a_guessed_side_of_a_first_word_is_put_right_by_its_own_game(
    monkeypatch: pytest.MonkeyPatch,
    photos: int,
    is_guess: bool,
    has_colours: bool,
    is_turned: bool,
    covered_rows: int,
    fits: bool,
) -> None:
    """NA was read as A in its place and N on the other side of it; of many photos, the colours are needed, too.

    Squares under a hand are no tiles.
    """
    edition, empty = load_edition("english"), Board.empty(load_edition("english").layout)
    right = empty.with_tiles([Placement(row=7, column=6, token="N"), Placement(row=7, column=7, token="A")])
    turned = empty.with_tiles([Placement(row=7, column=8, token="N"), Placement(row=7, column=7, token="A")])
    game = [turned if is_turned else right]
    for row in range(8, 12):
        game.append((right if row == 8 else game[-1]).with_tiles([Placement(row=row, column=7, token="S")]))
    colours = ((1.0, 2.0, 3.0),) if has_colours else ((),)
    board = SimpleNamespace(turn_is_guess=is_guess, edition="english", premium_colours=colours)
    encoder = BoardCodes(squares=225)
    catalogue = MagicMock(
        boards=np.array([encoder.encode(each.rows) for each in game]),
        codes=encoder,
        editions={"english": edition},
        summaries=[SimpleNamespace(board=board)] * 5,
    )
    catalogue.key.return_value = ("box", 15, 15)
    catalogue.__len__.return_value = photos
    occupancy = np.zeros((15, 15, 4))
    occupancy[covered_rows:, :, Occupancy.EMPTY] = occupancy[:covered_rows, :, Occupancy.COVERED] = 1
    catalogue.reading.return_value = SimpleNamespace(occupancy=occupancy, tokens=())
    games = MagicMock(catalogue=catalogue, games=[list(range(5))], game_of=dict.fromkeys(range(5), 0))
    games.edition.return_value = edition
    monkeypatch.setattr("tilesight.digitise.games.orientation.find_unknown_letters", lambda *_: ())
    other = right if is_turned else turned
    monkeypatch.setattr(
        "tilesight.digitise.games.orientation.decode", lambda *_: SimpleNamespace(board=other)
    )
    found = OrientationSearch(games).edition_of_game(0, 2, MagicMock(folder="box"))
    assert found == (edition if fits else None)


def test_a_board_that_cannot_be_read_from_a_given_side_is_not_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    photo = Path(__file__).resolve().parents[4] / "samples" / "shipped" / "icelandic" / "turn-01.jpg"
    monkeypatch.setattr("vision.core.geometry.MIN_USER_CELL_PX", 1000.0)
    how = ReadOptions(editions=(load_edition("icelandic"),), request=PhotoRequest(quarter_turns=2))
    record = read_picture(photo.read_bytes(), "a.jpg", how).record
    assert record.status == "board-not-found"
    assert "too few to read" in (record.message or "")


def misled(
    first: BoardReading, recognizer: SquareReader, prior_board: Board | None = None
) -> OrientedReading:
    """Names boards of few tiles upside down, and is sure of it."""
    side = resolve_orientation(first, recognizer, prior_board)
    if (first.probabilities.occupancy[..., Occupancy.EMPTY] < 0.5).sum() > 6:
        return side
    upright = side.reading
    rectified = upright.rectified.rotate(2)
    reading = BoardReading(
        grid=upright.grid.rotate(2), planes=[rectified], probabilities=recognizer.read(rectified)
    )
    return OrientedReading(reading=reading, quarter_turns=(side.quarter_turns + 2) % 4, is_certain=True)


def assert_same_boards_and_games(photos: list[dict[str, Any]], right: list[dict[str, Any]]) -> None:
    for name in ("rows", "game"):
        assert [photo.get(name) for photo in photos] == [photo.get(name) for photo in right]


def assert_another_run_changes_nothing(pool: Inline, box: Path, out: Path) -> None:
    done, before = len(pool.tasks), read_results(out)
    run(box, out)
    assert len(pool.tasks) == done
    assert read_results(out) == before


def test_a_photo_that_was_read_upside_down_is_read_again_as_its_game_lies(
    pool: Inline, once: Path, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photo_module, "resolve_orientation", misled)
    run(box, tmp_path / "out")
    photos, right = read_lines(tmp_path / "out" / "photos.jsonl"), read_lines(once / "photos.jsonl")
    first = [photo for photo in photos if photo.get("turned_by_game")]
    assert [(Path(photo["image"]).name, photo["turned_by_game"]) for photo in first] == [
        ("d.jpg", 2),
        ("x-copy.jpg", 2),
    ]
    assert first[0]["text"].splitlines()[7] == "...HRAKI......."
    assert_same_boards_and_games(photos, right)
    corners = next(photo for photo in right if photo["image"] == first[0]["image"])["corners_px"]
    assert np.array(first[0]["corners_px"]) == pytest.approx(np.array(corners), abs=1.0)
    seen, shown = (
        np.asarray(cv2.imread(str(folder / photo["board"])), dtype=float)
        for folder, photo in ((tmp_path / "out", first[0]), (once, right[3]))
    )
    assert np.abs(seen - shown).mean() < 2
    games = [folder / "games.jsonl" for folder in (tmp_path / "out", once)]
    assert read_lines(games[0]) == read_lines(games[1])
    assert_another_run_changes_nothing(pool, box, tmp_path / "out")


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("files", [["d.jpg", "x-copy.jpg"], ["c.jpg"]])  # c has most tiles
def test_a_board_that_was_refused_is_found_where_it_seemed_to_lie_if_its_letters_are_those_of_its_game(
    pool: Inline,
    once: Path,
    box: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    turn: int,
    files: list[str],
) -> None:
    right = read_lines(once / "photos.jsonl")
    (doubted,) = (photo for photo in right if photo["image"].endswith(files[0]))
    corners = np.roll(np.array(doubted["corners_px"]), -turn, axis=0)
    locate_board, picture = (
        photo_module.locate_board,
        decode_picture((box / files[0]).read_bytes(), Path("d.jpg")),
    )

    versions = picture.image_bgr, brighten_shade(picture.image_bgr)

    def refused(frame: Frame, given: Any, *others: Any) -> Any:
        if given.corners_px is None and any(np.array_equal(frame.image_bgr, each) for each in versions):
            refusal = BoardNotFoundError("no board found: for a reason")
            refusal.tried_px = corners
            raise refusal
        return locate_board(frame, given, *others)

    monkeypatch.setattr(photo_module, "locate_board", refused)
    alone, out = tmp_path / "box", tmp_path / "out"
    alone.mkdir()
    shutil.copy(box / files[0], alone)
    run(alone, out)
    (record,) = read_lines(out / "photos.jsonl")
    assert record["status"] == "board-not-found"
    assert np.array(record["tried_corners_px"]) == pytest.approx(corners, abs=0.01)
    run(box, tmp_path / "all")
    photos = read_lines(tmp_path / "all" / "photos.jsonl")
    found = [photo for photo in photos if photo.get("corners_by_game")]
    assert [Path(photo["image"]).name for photo in found] == files
    assert "are those of its game" in found[0]["remarks"][0]
    assert_same_boards_and_games(photos, right)
    assert [photo.get("edition") for photo in photos] == [photo.get("edition") for photo in right]
    assert_another_run_changes_nothing(pool, box, tmp_path / "all")


def test_squares_that_people_put_right_turn_with_their_board(
    pool: Inline, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photo_module, "resolve_orientation", misled)
    some, out = tmp_path / "box", tmp_path / "out"
    some.mkdir()
    shutil.copy(box / "d.jpg", some)
    run(some, out)
    (alone,) = read_lines(out / "photos.jsonl")
    assert alone["text"].splitlines()[7] != "...HRAKI......."
    squares = [{"square": [7, 11], "token": "K"}, {"square": [0, 1], "token": "A"}]
    (tmp_path / "c.json").write_text(
        json.dumps({"schema": 1, "pictures": {alone["sha256"]: {"squares": squares}}})
    )
    run(some, out, corrections=tmp_path / "c.json")
    assert [each["square"] for each in read_lines(out / "photos.jsonl")[0]["corrected"]] == [[0, 1], [7, 11]]
    for name in "abce":
        shutil.copy(box / f"{name}.jpg", some)
    run(some, out)
    turned = read_lines(out / "photos.jsonl")[3]
    assert turned["turned_by_game"] == 2
    assert [each["square"] for each in turned["corrected"]] == [[7, 3], [14, 13]]
    assert turned["text"].splitlines()[7] == "...KRAKI......."
    assert "remarks" not in turned
    again = {"squares": [{"square": [7, 3], "token": "B"}], "lay": {"turn": 2, "rows": 15, "columns": 15}}
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": {alone["sha256"]: again}}))
    run(some, out, corrections=tmp_path / "c.json")
    assert read_lines(out / "photos.jsonl")[3]["text"].splitlines()[7] == "...BRAKI......."
    for name in "abce":
        (some / f"{name}.jpg").unlink()
    run(some, out)
    (alone,) = read_lines(out / "photos.jsonl")
    assert {tuple(each["square"]): each["now"] for each in alone["corrected"]} == {(0, 1): "A", (7, 11): "B"}


def test_a_photo_whose_letters_fit_from_no_side_stays_as_it_was_read(
    pool: Inline, once: Path, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lonely = tmp_path / "box"
    shutil.copytree(box, lonely)
    (lonely / "x-copy.jpg").unlink()
    monkeypatch.setattr(photo_module, "resolve_orientation", misled)
    monkeypatch.setattr(OrientationSearch, "edition_of_game", lambda *_: None)
    run(lonely, tmp_path / "out")
    photos = {Path(photo["image"]).name: photo for photo in read_lines(tmp_path / "out" / "photos.jsonl")}
    assert "turned_by_game" not in photos["d.jpg"]
    assert photos["d.jpg"]["game"] is None
    assert photos["d.jpg"]["text"].splitlines()[7].startswith("." * 7)
    assert cv2.imread(str(tmp_path / "out" / photos["d.jpg"]["board"])) is not None
    shown = {photo["board"] for photo in photos.values() if photo.get("board")}
    assert {f"boards/{path.name}" for path in (tmp_path / "out" / "boards").iterdir()} == shown


def test_the_bar_of_reading_is_full_when_only_editions_are_tried(
    pool: Inline, once: Path, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    monkeypatch.setattr(OrientationSearch, "turns_to_try", lambda *_: {0: (0, 2)})
    monkeypatch.setattr(OrientationSearch, "edition_of_game", lambda *_: None)
    told: dict[str, tuple[int, int]] = {}
    run(box, out, lambda what, done, total: told.update({what: (done, total)}))
    assert (told["reading"], told["trying sides"]) == ((9, 9), (1, 1))


def test_a_photo_that_was_read_by_another_edition_is_read_by_that_of_its_game(
    pool: Inline, once: Path, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guessed(reading: SquareProbabilities, editions: Sequence[Edition]) -> tuple[EditionGuess, ...]:
        if (reading.occupancy[..., Occupancy.EMPTY] < 0.5).sum() > 6 or len(editions) == 1:
            return guess_editions(reading, editions)
        return (EditionGuess(edition=SPANISH, probability=1.0),)

    def decoded(reading: SquareProbabilities, edition: Edition, **known: Any) -> DecodedBoard:
        found = decode(reading, edition, **known)
        if edition.name != SPANISH.name:
            return found
        rows = [[token if token == "." else "E" for token in row] for row in found.board.rows]
        return replace(found, board=Board.from_rows(rows))

    monkeypatch.setattr(any_edition, "guess_editions", guessed)
    monkeypatch.setattr("vision.pipeline.photo.decode", decoded)
    run(box, tmp_path / "out")
    photos, right = read_lines(tmp_path / "out" / "photos.jsonl"), read_lines(once / "photos.jsonl")
    assert [photo.get("rows") for photo in photos] == [photo.get("rows") for photo in right]
    assert [photo.get("edition") for photo in photos] == [photo.get("edition") for photo in right]
    games = [read_lines(folder / "games.jsonl") for folder in (tmp_path / "out", once)]
    assert [each["plays"] for each in games[0]] == [each["plays"] for each in games[1]]
