"""Boards: values, text form, problems."""

import pytest

from scoring import (
    Board,
    BoardProblem,
    Edition,
    IllegalPlayError,
    NotationError,
    Placement,
    PlayRule,
    format_board,
    load_edition,
    parse_board,
)


@pytest.fixture(scope="module")
def icelandic() -> Edition:
    return load_edition("icelandic")


def lay(board: Board, text: str, row: int, column: int) -> Board:
    """Return the board with a text of one-letter tiles placed across."""
    return board.with_tiles(
        Placement(row=row, column=column + index, token=token)
        for index, token in enumerate(text)
        if token != "."
    )


@pytest.fixture
def board(icelandic: Edition) -> Board:
    return lay(Board.empty(icelandic.layout), "HRAKI", 7, 3)


def test_a_board_is_a_value(icelandic: Edition, board: Board) -> None:
    empty = Board.empty(icelandic.layout)
    assert empty.is_empty
    assert not board.is_empty
    assert board[7, 3] == "H"
    assert board.size == (15, 15)
    assert [tile.token for tile in board.tiles()] == list("HRAKI")
    assert board.without(board.tiles()) == empty
    assert board.without([(7, 3)])[7, 3] == "."
    assert board.transposed()[3, 7] == "H"
    assert board.transposed().transposed() == board
    assert Board.from_rows(["AB", "C."]).rows == (("A", "B"), ("C", "."))
    assert hash(board) == hash(Board.from_rows(board.rows))


def test_only_free_squares_take_tiles(board: Board) -> None:
    with pytest.raises(IllegalPlayError, match="X cannot be laid on D8, where H is") as refused:
        board.with_tiles([Placement(row=7, column=3, token="X")])
    assert refused.value.reason is PlayRule.OCCUPIED
    with pytest.raises(IllegalPlayError, match="X on D16 is off the board of 15 rows") as refused:
        board.with_tiles([Placement(row=15, column=3, token="X")])
    assert refused.value.reason is PlayRule.OFF_BOARD
    with pytest.raises(IllegalPlayError, match="which cannot be seen"):
        Board.from_rows(["#."]).with_tiles([Placement(row=0, column=0, token="X")])


def test_a_number_that_is_longer_than_any_board_is_refused() -> None:
    with pytest.raises(NotationError, match="a run of 99999999999999999999 empty squares"):
        Board.from_cgp(f"{'9' * 5_000}/1")


def test_rows_of_several_lengths_are_no_board() -> None:
    with pytest.raises(NotationError, match=r"lengths \[1, 2\]"):
        Board.from_rows(["AB", "C"])
    with pytest.raises(NotationError, match="one length"):
        Board.from_rows([])


def test_text_both_ways() -> None:
    hungarian = load_edition("hungarian").tokens
    board = Board.from_rows([("SZ", "S", "Z"), (".", "sz", "#")])
    assert format_board(board, hungarian) == "SZ[S]Z\n.sz#\n"
    assert parse_board("SZ[S]Z\n.sz#", hungarian) == board
    assert parse_board("SZ S Z\n. sz #", hungarian) == board
    assert parse_board("   A  B  C\n 1 SZ S  Z\n 2 ·  sz #\n", hungarian) == board


def test_a_tile_with_the_sign_of_an_empty_square() -> None:
    letters = ("A", "L", "L·L")
    board = Board.from_rows([("A", "L·L", "."), (".", "l·l", "L")])
    assert parse_board(format_board(board, letters), letters) == board
    assert parse_board("  A B C\n1 A L·L ·\n2 · l·l L\n", letters) == board
    assert parse_board("A·L\n···", ("A", "L")) == Board.from_rows(["A.L", "..."])


def problems(board: Board, edition: Edition) -> BoardProblem:
    return board.problems(edition)


def test_a_possible_board_has_no_problems(icelandic: Edition, board: Board) -> None:
    assert board.problems(icelandic) is BoardProblem.NONE
    assert Board.empty(icelandic.layout).problems(icelandic) is BoardProblem.NONE


def test_each_problem_has_its_flag(icelandic: Edition, board: Board) -> None:
    empty = Board.empty(icelandic.layout)
    cases = {
        BoardProblem.WRONG_SIZE: Board.from_rows(["AB"]),
        BoardProblem.UNKNOWN_LETTER: lay(board, "W", 6, 3),
        BoardProblem.MORE_THAN_BAG: lay(board, "X.X", 6, 3).with_tiles(
            [Placement(row=6, column=4, token="A")]
        ),
        BoardProblem.START_EMPTY: lay(empty, "HRAKI", 7, 0),
        BoardProblem.FLOATING_TILES: lay(board, "OK", 0, 0),
    }
    assert {flag: problem.problems(icelandic) for flag, problem in cases.items()} == {
        flag: flag for flag in cases
    }
    assert lay(empty, "A", 7, 7).problems(icelandic) is BoardProblem.NO_FIRST_WORD
    assert lay(lay(board, "a?s", 6, 3), "k", 8, 3).problems(icelandic) is BoardProblem.MORE_THAN_BAG


def test_problems_add_up(icelandic: Edition) -> None:
    found = lay(Board.empty(icelandic.layout), "W.X.X", 0, 0).problems(icelandic)
    assert found == (
        BoardProblem.UNKNOWN_LETTER
        | BoardProblem.MORE_THAN_BAG
        | BoardProblem.START_EMPTY
        | BoardProblem.FLOATING_TILES
        | BoardProblem.NO_FIRST_WORD
    )


def test_counts_that_are_not_known_are_never_exceeded() -> None:
    romanian = load_edition("romanian-rosian")
    board = lay(Board.empty(romanian.layout), "X" * 15, 7, 0)
    assert board.problems(romanian) is BoardProblem.NONE


def test_covered_squares_have_the_benefit_of_the_doubt(icelandic: Edition) -> None:
    empty = Board.empty(icelandic.layout)
    board = lay(empty, "HRA##OK", 7, 3)
    assert board.problems(icelandic) is BoardProblem.NONE
    assert lay(empty, "HRA.#OK", 7, 3).problems(icelandic) & BoardProblem.FLOATING_TILES
    assert lay(empty, "##", 0, 0).problems(icelandic) is BoardProblem.NONE
    assert lay(empty, "##", 0, 0).is_connected()
