"""CGP: a position as one line of text."""

from __future__ import annotations

import pytest

from scoring import Board, CgpPosition, NotationError, format_cgp, load_edition, parse_cgp, parse_play

ENGLISH = load_edition("english").tokens
HUNGARIAN = load_edition("hungarian").tokens
EMPTY_ROWS = "/".join(["15"] * 15)


def test_a_position_as_text_and_back() -> None:
    board = Board.empty(load_edition("english").layout)
    board = board.with_tiles(parse_play("8D HArKI", ENGLISH)).with_tiles(parse_play("E1 XYZ", ENGLISH))
    position = CgpPosition(
        board=board,
        racks=(("A", "?"), ()),
        scores=(120, -5),
        scoreless_turns=1,
        operations=(("lex", "CSW24"), ("ld", "english"), ("tmr", "1500000/1480000")),
    )
    text = format_cgp(position, ENGLISH)
    assert text == (
        "4X10/4Y10/4Z10/15/15/15/15/3HArKI7/15/15/15/15/15/15/15 A?/ 120/-5 1 "
        "lex CSW24; ld english; tmr 1500000/1480000;"
    )
    assert parse_cgp(text, ENGLISH) == position


def test_every_digraph_is_in_brackets_and_nothing_else() -> None:
    board = Board.empty(load_edition("hungarian").layout).with_tiles(parse_play("8D SZ[S]Zgy", HUNGARIAN))
    text = format_cgp(CgpPosition(board=board), HUNGARIAN)
    assert text == "15/15/15/15/15/15/15/3[SZ]SZ[gy]8/15/15/15/15/15/15/15 / 0/0 0"
    assert parse_cgp(text, HUNGARIAN).board == board


def test_lines_of_earlier_versions_are_read() -> None:
    """They had brackets only where a tile would be misread."""
    board = Board.empty(load_edition("hungarian").layout).with_tiles(parse_play("8D SZ[S]Zgy", HUNGARIAN))
    rows = "15/15/15/15/15/15/15/3SZ[S]Zgy8/15/15/15/15/15/15/15"
    assert parse_cgp(f"{rows} ZS/ 0/0 0", HUNGARIAN).board == board
    assert parse_cgp(f"{rows} ZS/ 0/0 0", HUNGARIAN).racks == (("ZS",), ())
    bare = parse_cgp(f"{rows.replace('3SZ[S]Zgy8', '3SZA10')} / 0/0 0", HUNGARIAN)
    assert bare.board[7, 3] == "SZ"


@pytest.mark.parametrize("tile", ["GY", "LY", "NY", "TY"])
def test_a_letter_that_is_no_tile_tells_a_line_of_an_earlier_version(tile: str) -> None:
    rows = "/".join([*["15"] * 14, f"5{tile}[SZ]{tile.lower()}SZ6"])
    position = parse_cgp(f"{rows} SZA/ 0/0 0", HUNGARIAN)
    assert position.board.rows[14][5:9] == (tile, "SZ", tile.lower(), "SZ")
    assert position.racks[0] == ("SZ", "A")
    of_rack = parse_cgp(f"{EMPTY_ROWS} SZA{tile}/ 0/0 0", HUNGARIAN)
    assert of_rack.racks[0] == ("SZ", "A", tile)


def test_bare_letters_are_single_tiles() -> None:
    """Macondo and MAGPIE know no other form."""
    rows = "15/15/15/15/15/15/15/7LLAMA3/15/15/15/15/15/15/15"
    position = parse_cgp(f"{rows} LLAEIOR/ 0/0 0", load_edition("spanish"))
    assert position.board.rows[7][7:12] == ("L", "L", "A", "M", "A")
    assert position.racks[0] == ("L", "L", "A", "E", "I", "O", "R")


def test_the_size_is_that_of_the_edition() -> None:
    with pytest.raises(NotationError, match="14 rows and 15 columns, english has 15 and 15"):
        parse_cgp("/".join(["15"] * 14) + " / 0/0 0", load_edition("english"))


def test_a_covered_square_is_written_as_empty_and_an_unknown_blank_as_a_question_mark() -> None:
    board = Board.from_rows([".#A", "?#.", "..."])
    assert format_cgp(CgpPosition(board=board), ENGLISH).split()[0] == "2A/?2/3"


def test_a_board_alone_says_whose_tiles_it_has() -> None:
    hungarian = load_edition("hungarian")
    board = Board.empty(hungarian.layout).with_tiles(parse_play("8H SZÓ", HUNGARIAN))
    text = format_cgp(CgpPosition.of_board(board, hungarian), HUNGARIAN)
    assert text.endswith("/7[SZ]Ó6/15/15/15/15/15/15/15 / 0/0 0 ld hungarian;")
    assert parse_cgp(text, HUNGARIAN) == CgpPosition.of_board(board, hungarian)


def test_what_other_programs_write() -> None:
    position = parse_cgp(f"{EMPTY_ROWS} ABCDEFG/ 0/0 0 lex NWL20", ENGLISH)
    assert position.racks == (tuple("ABCDEFG"), ())
    assert position.operations == (("lex", "NWL20"),)
    assert parse_cgp(f"{EMPTY_ROWS} / 0/0 0", ENGLISH).operations == ()
    assert parse_cgp(f"{EMPTY_ROWS} / 0/0 0;", ENGLISH) == parse_cgp(f"{EMPTY_ROWS} / 0/0 0", ENGLISH)
    assert parse_cgp(f"{EMPTY_ROWS} / 0/0 0; lex CSW24; ld english", ENGLISH).operations == (
        ("lex", "CSW24"),
        ("ld", "english"),
    )
    assert parse_cgp(f"{EMPTY_ROWS} / 0/0 0 noarg; ;", ENGLISH).operations == (("noarg", ""),)
    assert format_cgp(CgpPosition(board=position.board, operations=(("noarg", ""),)), ENGLISH).endswith(
        " 0 noarg;"
    )


def test_operations_may_be_the_options_of_magpie() -> None:
    for written in ("-lex FRA20 -ld french -tmr -5/3", "-lex FRA20; -ld french -tmr -5/3;"):
        assert parse_cgp(f"{EMPTY_ROWS} / 0/0 0 {written}", ENGLISH).operations == (
            ("lex", "FRA20"),
            ("ld", "french"),
            ("tmr", "-5/3"),
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("15/15 / 0/0", "got 3 of the 4 fields"),
        (f"{EMPTY_ROWS} / 0/x 0", "'x' is no whole number"),
        (f"{EMPTY_ROWS} / 0/{'9' * 5000} 0", "is no whole number of up to 9 digits"),
        (f"{EMPTY_ROWS} / 0/0 many", "scoreless turns"),
        ("15/14 / 0/0 0", "one length"),
        ("15/14€ / 0/0 0", "no tile at"),
        ("15/99999999999 / 0/0 0", "run of 99999999999"),
        (f"{EMPTY_ROWS} a!/ 0/0 0", "no tile at"),
        (f"{EMPTY_ROWS} AB./ 0/0 0", "'.' on the rack 'AB.' is no tile"),
        (f"{EMPTY_ROWS} AB/Ab 0/0 0", "'b' on the rack 'Ab' is no tile"),
    ],
)
def test_what_is_no_position_is_refused(text: str, words: str) -> None:
    with pytest.raises(NotationError, match=words):
        parse_cgp(text, ENGLISH)


@pytest.mark.parametrize("rack", [(), ("A", "?")])
def test_a_position_of_one_player_reads_back(rack: tuple[str, ...]) -> None:
    board = Board.empty(load_edition("english").layout)
    position = CgpPosition(board=board, racks=(rack,), scores=(5,), operations=(("ld", "english"),))
    assert parse_cgp(format_cgp(position, ENGLISH), ENGLISH) == position
