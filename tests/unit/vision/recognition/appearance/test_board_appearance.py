from __future__ import annotations

import numpy as np
import pytest

from scoring import Layout, parse_layout
from vision.core.boards import Occupancy, RectifiedBoard
from vision.recognition.appearance.board_appearance import (
    face_colours,
    may_hold_something,
    square_classes,
    weigh_appearance,
)

BOARD, PINK, FACE = (165, 180, 185), (190, 150, 230), (150, 185, 215)
CELL, MARGIN = 32, 8


def board(faces: dict[tuple[int, int], tuple[int, int, int]], slope: float = 0.0) -> RectifiedBoard:
    """A beige board of 9 x 9 with squares of other colours, darker to the right by `slope`."""
    side = 9 * CELL + 2 * MARGIN
    image = np.full((side, side, 3), BOARD, float)
    for (row, column), colour in faces.items():
        y, x = MARGIN + row * CELL, MARGIN + column * CELL
        image[y + 2 : y + CELL - 2, x + 2 : x + CELL - 2] = colour
    image *= (1 - slope * np.linspace(0, 1, side))[None, :, None]
    image += np.random.default_rng(1).normal(0, 2, image.shape)
    return RectifiedBoard(
        image_bgr=np.clip(image, 0, 255).astype(np.uint8), rows=9, columns=9, cell_px=CELL, margin_px=MARGIN
    )


def seen(tiles: set[tuple[int, int]], torn: dict[tuple[int, int], tuple[float, float]]) -> np.ndarray:
    """Sure tiles and empty squares, and squares torn between empty and blank."""
    occupancy = np.zeros((9, 9, 4), np.float32)
    occupancy[..., Occupancy.EMPTY] = 1
    for square in tiles:
        occupancy[square] = (0, 1, 0, 0)
    for square, (empty, blank) in torn.items():
        occupancy[square] = (empty, 0, blank, 1 - empty - blank)
    return occupancy


TILES = {(4, column) for column in range(1, 8)} - {(4, 4)}
FACES = dict.fromkeys(TILES, FACE)


@pytest.mark.parametrize("slope", [0.0, 0.3])
class TestDecision:
    def test_a_square_like_the_tiles_is_a_blank(self, slope: float) -> None:
        decided = weigh_appearance(board(FACES | {(4, 4): FACE}, slope), seen(TILES, {(4, 4): (0.7, 0.3)}))
        assert decided[4, 4].argmax() == Occupancy.BLANK

    def test_a_square_like_other_empty_ones_is_empty(self, slope: float) -> None:
        decided = weigh_appearance(board(FACES, slope), seen(TILES, {(4, 4): (0.3, 0.7)}))
        assert decided[4, 4].argmax() == Occupancy.EMPTY

    def test_a_coloured_square_is_empty_where_others_of_its_colour_are(self, slope: float) -> None:
        pink = {(0, 0): PINK, (0, 8): PINK, (8, 0): PINK, (3, 3): PINK}
        decided = weigh_appearance(board(FACES | pink, slope), seen(TILES, {(3, 3): (0.3, 0.7)}))
        assert decided[3, 3].argmax() == Occupancy.EMPTY

    def test_a_letter_in_the_print_of_a_square_is_recognised_by_the_colour(self, slope: float) -> None:
        pink = {(0, 0): PINK, (0, 8): PINK, (8, 0): PINK, (3, 3): PINK}
        before = seen(TILES, {})
        before[3, 3] = (0.2, 0.7, 0.1, 0.0)
        decided = weigh_appearance(board(FACES | pink, slope), before)[3, 3]
        assert decided.argmax() == Occupancy.EMPTY
        assert decided[Occupancy.TILE] == pytest.approx(7 * decided[Occupancy.BLANK], rel=1e-4)


class TestCovers:
    def covered(self, colour: tuple[int, int, int], sure: float) -> np.ndarray:
        before = seen(TILES, {(2, 2): (1 - sure, 0.0)})
        found: np.ndarray = weigh_appearance(board(FACES | {(2, 2): colour}), before)[2, 2]
        return found

    def test_what_looks_like_the_board_is_no_cover(self) -> None:
        assert self.covered(BOARD, 0.9).argmax() == Occupancy.EMPTY

    def test_what_does_not_stays_one(self) -> None:
        skin = (120, 140, 200)
        assert self.covered(skin, 0.9)[Occupancy.COVERED] == pytest.approx(0.9, abs=1e-4)

    def test_the_dazzling_reflection_of_a_lamp_is_no_cover(self) -> None:
        assert self.covered((255, 255, 255), 0.9).argmax() == Occupancy.EMPTY

    def test_a_pale_cover_stays_one(self) -> None:
        pale = (215, 220, 222)
        assert self.covered(pale, 0.9)[Occupancy.COVERED] == pytest.approx(0.9, abs=1e-4)

    def test_a_sure_cover_of_the_boards_colour_stays_one(self) -> None:
        assert self.covered(BOARD, 0.995).argmax() == Occupancy.COVERED


class TestRestraint:
    def test_probabilities_stay_probabilities_and_other_squares_as_they_were(self) -> None:
        before = seen(TILES, {(4, 4): (0.4, 0.5)})
        after = weigh_appearance(board(FACES), before)
        assert after.sum(axis=-1) == pytest.approx(1, abs=1e-5)
        changed = np.argwhere(np.abs(after - before).max(axis=-1) > 1e-7).tolist()
        assert changed == [[4, 4]]
        assert after[4, 4, Occupancy.COVERED] < 0.1  # it looks like the board

    def test_colour_never_adds_more_than_its_bound(self) -> None:
        after = weigh_appearance(board(FACES), seen(TILES, {(4, 4): (0.001, 0.999)}))
        assert after[4, 4].argmax() == Occupancy.BLANK

    def test_where_nothing_is_open_nothing_is_looked_at(self) -> None:
        before = seen(TILES, {})
        assert weigh_appearance(board(FACES), before) is before

    def test_too_few_tiles_say_little_against_what_looks_like_a_square(self) -> None:
        few = {(4, 1), (4, 2)}
        before = seen(few, {(4, 4): (0.3, 0.7), (2, 2): (0.05, 0.95)})
        after = weigh_appearance(board(dict.fromkeys(few, FACE)), before)
        assert after[4, 4].argmax() == Occupancy.EMPTY
        assert after[2, 2].argmax() == Occupancy.BLANK

    def test_too_few_tiles_say_nothing_for_a_tile(self) -> None:
        few = {(4, 1), (4, 2)}
        before = seen(few, {(4, 4): (0.7, 0.3)})
        after = weigh_appearance(board(dict.fromkeys(few | {(4, 4)}, FACE)), before)
        assert after == pytest.approx(before, abs=1e-6)

    def test_too_few_empty_squares_decide_nothing(self) -> None:
        everywhere = {(row, column) for row in range(9) for column in range(9)} - {(4, 4)}
        before = seen(everywhere, {(4, 4): (0.3, 0.7)})
        assert weigh_appearance(board(dict.fromkeys(everywhere, FACE)), before) is before


RED = {(0, 0), (0, 8), (8, 0), (8, 8), (2, 2), (2, 6), (6, 2), (6, 6)}


def layout_of(red: set[tuple[int, int]]) -> Layout:
    """A layout of 9 x 9 with triple words."""
    rows = ("".join("T" if (row, column) in red else "." for column in range(9)) for row in range(9))
    return parse_layout("\n".join(rows))


LAYOUT = layout_of(RED)
LIKE_THE_BOARD = (163, 181, 188)
NEARLY_FACE = (120, 178, 222)


def with_print(rectified: RectifiedBoard, squares: set[tuple[int, int]]) -> RectifiedBoard:
    """The same board with dark bars, as a text, on some squares."""
    image = rectified.image_bgr.copy()
    for row, column in squares:
        y, x = MARGIN + row * CELL, MARGIN + column * CELL
        for bar in (9, 15, 21):
            image[y + bar : y + bar + 3, x + 8 : x + CELL - 8] = (40, 40, 40)
    return RectifiedBoard(image_bgr=image, rows=9, columns=9, cell_px=CELL, margin_px=MARGIN)


class TestLayout:
    def test_a_blank_like_the_plain_squares_is_recognised_by_the_premium_square_under_it(self) -> None:
        faces = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES | {(2, 2)}, LIKE_THE_BOARD)
        before = seen(TILES, {(2, 2): (0.9, 0.1)})
        assert weigh_appearance(board(faces), before)[2, 2].argmax() == Occupancy.EMPTY
        assert weigh_appearance(board(faces), before, LAYOUT)[2, 2].argmax() == Occupancy.BLANK

    def test_a_bare_premium_square_stays_empty(self) -> None:
        faces = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES, FACE)
        before = seen(TILES, {(2, 2): (0.2, 0.8)})
        assert weigh_appearance(board(faces), before, LAYOUT)[2, 2].argmax() == Occupancy.EMPTY

    def test_print_that_is_missing_proves_a_tile_and_print_that_is_there_none(self) -> None:
        # tiles and all squares have one colour
        faces, before = dict.fromkeys(TILES, BOARD), seen(TILES, {(2, 2): (0.5, 0.5)})
        shown = with_print(board(faces), RED)
        hidden = with_print(board(faces), RED - {(2, 2)})
        weighed = [weigh_appearance(each, before, LAYOUT)[2, 2, Occupancy.BLANK] for each in (shown, hidden)]
        assert weighed[1] / weighed[0] > 5

    def test_a_reflection_on_a_premium_square_is_no_tile(self) -> None:
        blue, green, red = (round(0.6 * channel + 0.4 * 255) for channel in PINK)
        faces = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES, FACE) | {(2, 2): (blue, green, red)}
        before = seen(TILES, {(2, 2): (0.3, 0.7)})
        assert weigh_appearance(board(faces), before, LAYOUT)[2, 2].argmax() == Occupancy.EMPTY

    def test_print_that_is_taken_for_tiles_on_a_whole_class_is_removed(self) -> None:
        print_read = seen(TILES | RED, {})
        weighed = weigh_appearance(board(dict.fromkeys(TILES, FACE)), print_read, LAYOUT)
        np.testing.assert_array_equal(weighed, seen(TILES, {}))

    def test_tiles_with_clear_letters_on_a_whole_class_are_kept(self) -> None:
        """As the letters of an alphabet, laid out with gaps."""
        apart, shown = seen(TILES | RED, {}), board(dict.fromkeys(TILES | RED, FACE))
        clear, unclear = (np.full((9, 9, 1), probability, np.float32) for probability in (0.99, 0.5))
        assert weigh_appearance(shown, apart, LAYOUT, letters=clear) is apart
        assert weigh_appearance(shown, apart, LAYOUT, letters=unclear)[2, 2].argmax() == Occupancy.EMPTY

    def test_a_few_tiles_on_one_class_and_tiles_that_touch_others_are_kept(self) -> None:
        few = TILES | {(2, 2), (6, 6), (0, 8)}
        words = TILES | RED | {(row, column) for row in (1, 3, 5, 7) for column in (0, 2, 6, 8)}
        for tiles in (few, words):
            before = seen(tiles, {})
            assert weigh_appearance(board(dict.fromkeys(tiles, FACE)), before, LAYOUT) is before

    def test_a_class_of_which_every_square_is_doubtful_is_compared_with_itself(self) -> None:
        # tiles touch all of them, so that the rule of isolated print does not apply
        touched = {(3, 1), (3, 7), (5, 1), (5, 7), (1, 3), (1, 5), (7, 3), (7, 5)}
        tiles = {(4, place) for place in range(1, 8)} | {(place, 4) for place in range(1, 8)}
        faces = dict.fromkeys(touched, NEARLY_FACE) | dict.fromkeys(tiles | {(3, 1)}, FACE)
        before = seen(tiles, dict.fromkeys(touched, (0.3, 0.7)))
        weighed = weigh_appearance(board(faces), before, layout_of(touched))
        assert {square for square in touched if weighed[square].argmax() == Occupancy.BLANK} == {(3, 1)}

    def test_the_start_is_a_class_of_its_own(self) -> None:
        classes = square_classes(LAYOUT, (9, 9))
        assert (classes == classes[4, 4]).sum() == 1
        assert (classes == classes[0, 0]).sum() == len(RED)

    def test_a_board_that_is_not_square_has_two_sides(self) -> None:
        classes = square_classes(parse_layout("T..\n...\n...\n..T"), (4, 3))
        assert classes[0, 0] == classes[3, 2] > 0

    @pytest.mark.parametrize(
        ("layout", "shape"), [(None, (9, 9)), (LAYOUT, (4, 9)), (parse_layout("T..\n...\n..."), (3, 3))]
    )
    def test_a_layout_that_is_unknown_or_differs_from_its_sides_has_one_class(
        self, layout: Layout | None, shape: tuple[int, int]
    ) -> None:
        assert not square_classes(layout, shape).any()


class TestSeeminglyEmptySquares:
    """Squares that seem empty, but have the colour of the tiles, or that of no empty square of their class."""

    FACES = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES | {(2, 2), (6, 3)}, FACE)

    def found(
        self,
        faces: dict[tuple[int, int], tuple[int, int, int]],
        tiles: set[tuple[int, int]],
        layout: Layout | None,
    ) -> set[tuple[int, int]]:
        mask = may_hold_something(face_colours(board(faces)), seen(tiles, {}), layout)
        return {(int(row), int(column)) for row, column in np.argwhere(mask)}

    def test_bare_tiles_are_found_on_premium_and_plain_squares(self) -> None:
        assert self.found(self.FACES, TILES, LAYOUT) == {(2, 2), (6, 3)}

    def test_squares_whose_class_has_the_colour_of_tiles_are_not(self) -> None:
        assert not self.found(dict.fromkeys(TILES | RED, FACE), TILES, LAYOUT)

    def test_a_class_with_few_empty_squares_tells_nothing(self) -> None:
        few = {(0, 0), (2, 2), (6, 6)}
        assert not self.found(dict.fromkeys(TILES | RED, FACE), TILES | (RED - few), LAYOUT)

    def test_nothing_is_found_where_classes_are_unknown(self) -> None:
        assert not self.found(self.FACES, TILES, None)

    def test_squares_of_another_colour_are_found_also_without_tiles(self) -> None:
        blue = {(5, column) for column in range(2, 7)}
        for tiles in (TILES, set[tuple[int, int]]()):
            faces = dict.fromkeys(RED, PINK) | dict.fromkeys(tiles, FACE) | dict.fromkeys(blue, (160, 70, 40))
            assert self.found(faces, tiles, LAYOUT) == blue

    def test_premium_squares_of_another_layout_are_not(self) -> None:
        others = {(row, column) for row in (1, 3, 5, 7) for column in (1, 3, 5, 7)} | {(0, 4), (4, 8), (8, 4)}
        blue = {(5, column) for column in (0, 2, 4, 6)}
        faces = dict.fromkeys(others, PINK) | dict.fromkeys(TILES, FACE) | dict.fromkeys(blue, (160, 70, 40))
        assert self.found(faces, TILES, LAYOUT) == blue

    def test_a_reflection_is_no_other_colour(self) -> None:
        lit = dict.fromkeys({(5, column) for column in range(2, 7)}, (235, 240, 242))
        faces = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES, FACE) | lit
        assert not self.found(faces, TILES, LAYOUT)

    def test_many_squares_of_another_colour_are_uneven_light(self) -> None:
        blue = {(row, column) for row in range(4) for column in range(5)} - RED  # a quarter of the board
        assert len(blue) > 16
        faces = dict.fromkeys(RED, PINK) | dict.fromkeys(TILES, FACE) | dict.fromkeys(blue, (160, 70, 40))
        assert not self.found(faces, TILES, LAYOUT)
