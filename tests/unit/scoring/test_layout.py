"""Layouts and positions: text form and errors."""

import pytest

from scoring import (
    Direction,
    Layout,
    NotationError,
    Premium,
    column_name,
    format_layout,
    format_position,
    format_square,
    load_edition,
    neighbours,
    parse_layout,
    parse_position,
    parse_square,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8D", (7, 3, Direction.ACROSS)),
        ("D8", (7, 3, Direction.DOWN)),
        (" h15 ", (14, 7, Direction.DOWN)),
        ("1A", (0, 0, Direction.ACROSS)),
        ("30AB", (29, 27, Direction.ACROSS)),
        ("ZZ9", (8, 701, Direction.DOWN)),
    ],
)
def test_positions_are_read(text: str, expected: tuple[int, int, Direction]) -> None:
    assert parse_position(text) == expected
    assert format_position(*expected) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "8", "D", "0A", "A0", "8-D", "D8D", "ÅA1", "8 D", "Ä8", "100A"])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is no position"):
        parse_position(text)


def test_squares_are_named_column_first() -> None:
    assert format_square(7, 7) == "H8"
    assert parse_square("H8") == parse_square("8h") == (7, 7)


def test_a_square_has_four_neighbours_also_off_the_board() -> None:
    assert neighbours((0, 0)) == {(-1, 0), (1, 0), (0, -1), (0, 1)}


def test_columns_past_z_have_two_letters() -> None:
    assert [column_name(column) for column in (0, 25, 26, 51, 52, 98)] == ["A", "Z", "AA", "AZ", "BA", "CU"]
    assert all(parse_square(f"{column_name(column)}1") == (0, column) for column in range(99))


def test_directions_cross() -> None:
    assert Direction.ACROSS.other is Direction.DOWN
    assert Direction.DOWN.other is Direction.ACROSS


def test_premiums_multiply_a_letter_or_a_word() -> None:
    factors = {premium.value: (premium.letter, premium.word) for premium in Premium}
    assert factors == {
        ".": (1, 1),
        "d": (2, 1),
        "t": (3, 1),
        "q": (4, 1),
        "D": (1, 2),
        "T": (1, 3),
        "Q": (1, 4),
    }


def test_the_standard_layout() -> None:
    layout = load_edition("icelandic").layout
    assert (layout.rows, layout.columns) == (15, 15)
    assert layout.start == {(7, 7)}
    assert layout[7, 7] is Premium.DOUBLE_WORD
    assert layout[0, 0] is Premium.TRIPLE_WORD
    assert layout.transposed() == layout
    counts = [sum(row.count(premium) for row in layout.premiums) for premium in Premium]
    assert counts == [164, 24, 12, 0, 17, 8, 0]


def test_the_krydsord_layout_has_four_plain_start_squares_and_every_symmetry() -> None:
    layout = load_edition("krydsord").layout
    assert (layout.rows, layout.columns) == (16, 16)
    assert layout.start == {(7, 7), (7, 8), (8, 7), (8, 8)}
    assert {layout[square] for square in layout.start} == {Premium.PLAIN}
    assert layout.transposed() == layout
    assert layout.premiums == layout.premiums[::-1]
    assert {premium for row in layout.premiums for premium in row} == {
        Premium.PLAIN,
        Premium.DOUBLE_LETTER,
        Premium.TRIPLE_LETTER,
        Premium.DOUBLE_WORD,
        Premium.TRIPLE_WORD,
    }


def test_the_first_word_starts_in_the_middle_unless_stated_otherwise() -> None:
    assert parse_layout("...\n...\n...").start == {(1, 1)}
    assert parse_layout("....\n....\n").start == {(0, 1), (0, 2), (1, 1), (1, 2)}
    assert parse_layout("...\n...\nstart: A1 C2").start == {(0, 0), (1, 2)}
    assert parse_layout("....\n....\nstart: D1").transposed().start == {(3, 0)}


def test_a_layout_prints_what_it_is_read_from() -> None:
    text = "T.q\nd.Q\nstart: A1 C2\n"
    assert format_layout(parse_layout(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("..\n...", "all have one length"),
        ("", "all have one length"),
        ("..x", "row '..x': 'x' is no premium square"),
        ("...\nstart: D1", "start square D1 is off a board of 1 rows and 3 columns"),
        ("...\nstart: 11", "no position"),
    ],
)
def test_what_is_no_layout_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_layout(text)


def test_rows_without_squares_are_no_layout() -> None:
    with pytest.raises(NotationError, match="all have one length"):
        Layout(premiums=((), ()))


def test_a_board_has_no_more_lines_than_text_can_name() -> None:
    assert Layout(premiums=((Premium.PLAIN,) * 99,) * 99).start == {(49, 49)}
    for rows, columns in ((100, 9), (9, 100)):
        with pytest.raises(NotationError, match=f"{rows} rows and {columns} columns, but at most 99"):
            Layout(premiums=((Premium.PLAIN,) * columns,) * rows)
