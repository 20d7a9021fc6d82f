"""A board that is burnt out is refused with what would help; one that is white by nature is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, Tone, icelandic_style, random_screen, render_photo
from scoring import Premium, load_edition
from vision.capture import Frame
from vision.core.boards import DoubtReason, Occupancy, RectifiedBoard, SquareProbabilities
from vision.errors import BoardNotFoundError
from vision.pipeline.checks import check_exposure, find_burnt_squares, has_uneven_light
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer

ICELANDIC = load_edition("icelandic")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][4:9] = ["H", "R", "A", "K", "I"]


def photo(brightness: float) -> Frame:
    style = icelandic_style()
    pale = replace(style, board=replace(style.board, plain_bgr=(200.0, 210.0, 215.0)))
    rendered = render_photo(
        ROWS, ICELANDIC, style=pale, camera=Camera(cell_px=30), light=Light(brightness=brightness), seed=1
    )
    return Frame(image_bgr=rendered.image_bgr, source="rendered", index=0, time_s=0.0)


def test_a_burnt_out_board_is_refused_with_what_would_help() -> None:
    reader = load_recognizer("network", ICELANDIC)
    assert (
        read_photo(photo(1.0), GameContext(edition=ICELANDIC, recognizer=reader)).decoded.board[7, 4] == "H"
    )
    with pytest.raises(BoardNotFoundError, match="expose shorter"):
        read_photo(photo(4.0), GameContext(edition=ICELANDIC, recognizer=reader))


def white_board(word: str) -> RectifiedBoard:
    """A word in black letters on white tiles on a white board, as a game on a screen shows it early."""
    tile = np.full((20, 20, 3), 255, np.uint8)
    image = np.full((15 * 20, 15 * 20, 3), 255, np.uint8)
    for place in range(len(word)):
        ink = tile.copy()
        ink[4:16, 8:12] = 20
        image[140:160, 20 * (5 + place) : 20 * (6 + place)] = ink
    return RectifiedBoard(image_bgr=image, rows=15, columns=15, cell_px=20, margin_px=0)


def reading_of(word: str, clearness: float = 1.0) -> SquareProbabilities:
    """What is read of such a board."""
    occupancy = np.zeros((15, 15, len(Occupancy)), np.float32)
    occupancy[..., Occupancy.EMPTY] = 1.0
    tokens = tuple(sorted({*word, "A", "B"}))
    letters = np.full((15, 15, len(tokens)), 1.0 / len(tokens), np.float32)
    for place, letter in enumerate(word):
        occupancy[7, 5 + place] = 0.0
        occupancy[7, 5 + place, Occupancy.TILE] = 1.0
        letters[7, 5 + place] = (1.0 - clearness) / (len(tokens) - 1)
        letters[7, 5 + place, tokens.index(letter)] = clearness
    return SquareProbabilities(
        occupancy=occupancy,
        letters=letters,
        values=np.full((15, 15, 12), 1 / 12, np.float32),
        value_labels=(None, *range(11)),
        turns=np.full((15, 15, 4), 0.25, np.float32),
        tokens=tokens,
        reader="network",
    )


def test_a_white_board_with_dark_print_is_not_burnt_out() -> None:
    image = np.full((15 * 20, 15 * 20, 3), 255, np.uint8)
    white = RectifiedBoard(image_bgr=image, rows=15, columns=15, cell_px=20, margin_px=0)
    with pytest.raises(BoardNotFoundError, match="100% of it"):
        check_exposure(white, reading_of(""))
    image = image.copy()
    image[::10, ::4] = 20
    image[:, ::20] = 30
    printed = RectifiedBoard(image_bgr=image, rows=15, columns=15, cell_px=20, margin_px=0)
    check_exposure(printed, reading_of(""))


def test_a_white_board_with_one_dark_word_is_not_burnt_out() -> None:
    board = white_board("HOUSE")
    check_exposure(board, reading_of("HOUSE"))
    for blurred in (reading_of("HOUSE", clearness=0.5), reading_of("HOUSES")):  # the last tile's ink is gone
        with pytest.raises(BoardNotFoundError, match="expose shorter"):
            check_exposure(board, blurred)


def test_a_white_board_on_which_tiles_are_not_white_is_not_burnt_out() -> None:
    board = white_board("HOUSE")
    grey = board.image_bgr.copy()
    grey[grey < 255] = 140  # a game in dim ink
    pale = replace(board, image_bgr=grey)
    with pytest.raises(BoardNotFoundError, match="expose shorter"):
        check_exposure(pale, reading_of("HOUSE"))
    grey[140:160, 100:200][grey[140:160, 100:200] == 255] = 215
    check_exposure(replace(board, image_bgr=grey), reading_of("HOUSE"))


def test_a_white_game_on_a_screen_is_read_from_its_first_word(monkeypatch: pytest.MonkeyPatch) -> None:
    white = Tone(saturation=(0.0, 0.0), value=(1.0, 1.0))
    for tone in ("LIGHT", "DARK"):
        monkeypatch.setattr(f"samples.random.screens.{tone}", white)
    monkeypatch.setattr("samples.random.screens.PHOTOGRAPHED", 0.0)
    english = load_edition("english")
    rows = [["."] * 15 for _ in range(15)]
    rows[7][5:10] = ["H", "O", "U", "S", "E"]
    image = random_screen(rows, english, np.random.default_rng(1), own_marks=False).image_bgr
    frame = Frame(image_bgr=image, source="rendered", index=0, time_s=0.0)
    assert read_photo(
        frame, GameContext(edition=english, recognizer=load_recognizer("network", english))
    ).decoded.board.rows[7][5:10] == tuple("HOUSE")


def test_a_square_that_a_flash_burns_to_white_is_in_doubt() -> None:
    frame = photo(1.0)
    context = GameContext(edition=ICELANDIC, recognizer=load_recognizer("network", ICELANDIC))
    clear = read_photo(frame, context)
    assert clear.decoded.board[7, 6] == "A"
    x, y = clear.grid.image_from_grid.apply(np.array([[6.5, 7.5]]))[0]
    height, width = frame.image_bgr.shape[:2]
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    flash = 600 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 20.0**2))[..., None]
    lit = replace(frame, image_bgr=np.minimum(frame.image_bgr + flash, 255).astype(np.uint8))
    found = read_photo(lit, context).decoded
    assert found.board[7, 6] == "."
    reasons = {(doubt.row, doubt.column): doubt.reason for doubt in found.doubts}
    assert reasons[7, 6] is DoubtReason.UNSURE


def test_a_board_that_is_white_itself_has_no_burnt_squares() -> None:
    white = white_board("HOUSE")
    assert not find_burnt_squares(white, reading_of("HOUSE")).any()
    image = np.minimum(white.image_bgr, 160)
    image[40:60, 40:60] = 255
    burnt = find_burnt_squares(replace(white, image_bgr=image), reading_of("HOUSE"))
    assert np.argwhere(burnt).tolist() == [[2, 2]]


def test_squares_are_burnt_too_where_the_light_spreads_over_the_board() -> None:
    board = white_board("HOUSE")
    image = np.minimum(board.image_bgr, 160)
    for left in range(0, image.shape[1], 20):  # a fifth of each square is white
        image[:, left : left + 4] = 255
    image[40:60, 40:60] = 255
    burnt = find_burnt_squares(replace(board, image_bgr=image), reading_of("HOUSE"))
    assert np.argwhere(burnt).tolist() == [[2, 2]]


@pytest.mark.parametrize(("shade", "is_uneven"), [(1.0, False), (0.6, False), (0.4, True)])
def test_light_is_uneven_where_plain_squares_are_much_brighter_than_others(
    shade: float, is_uneven: bool
) -> None:
    """Premium squares, which are dark by themselves, do not count."""
    board = white_board("")
    image = board.image_bgr.copy()
    image[:, 150:] = (image[:, 150:] * shade).astype(np.uint8)
    for row, premiums in enumerate(ICELANDIC.layout.premiums):
        for column, premium in enumerate(premiums):
            if premium is not Premium.PLAIN:
                image[20 * row : 20 * row + 20, 20 * column : 20 * column + 20] = 30
    lit = replace(board, image_bgr=image)
    assert has_uneven_light(lit, reading_of(""), ICELANDIC.layout) is is_uneven
