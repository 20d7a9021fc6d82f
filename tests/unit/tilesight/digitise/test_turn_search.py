"""The plays that a final board and the points of each turn decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import Board, Edition, Lexicon, Play, load_edition, parse_play, score_play
from tilesight.digitise.reconstruction.sheet_game import build_game_from_sheet
from tilesight.digitise.score_sheets import Sheet, solve_turns
from tilesight.digitise.score_sheets.file import SheetTurn
from tilesight.digitise.score_sheets.reverse_plays import ReversePlays

ENGLISH = load_edition("english")
GAME = ("8D HORSE", "F6 TU.N", "5F STONE", "J4 P.AR", "9F .EST", "7J .OAD", "L7 .TE")


def play_game(
    edition: Edition = ENGLISH, texts: tuple[str, ...] = GAME
) -> tuple[list[Play], list[int], Board]:
    """Return the plays, their points and the final board."""
    board, plays, points = Board.empty(edition), [], []
    for text in texts:
        play = parse_play(text, edition, board)
        points.append(score_play(board, play, edition).total)
        board = board.with_tiles(play)
        plays.append(play)
    return plays, points, board


def words_of(plays: list[Play]) -> Lexicon:
    """Return the words of the plays."""
    board, words = Board.empty(ENGLISH), []
    for play in plays:
        words += ["".join(word.tokens).upper() for word in score_play(board, play, ENGLISH).words]
        board = board.with_tiles(play)
    return Lexicon.of(words)


def sheet_of(points: list[int]) -> Sheet:
    """Return the score sheet of two players."""
    turns = tuple(SheetTurn(player=number % 2, points=each) for number, each in enumerate(points))
    return Sheet(photos=("*",), players=("Anna", "Jón"), turns=turns)


def test_the_points_of_the_turns_decide_the_plays() -> None:
    plays, points, board = play_game()
    found = solve_turns(board, ENGLISH, points)
    assert found is not None
    assert (list(found.plays), found.wrong_turns, found.tile) == (plays, (), None)
    assert found.alternatives == ((),) * len(plays)
    assert min(found.confidence) > 0.99


def test_a_large_rack_has_longer_plays() -> None:
    krydsord = load_edition("krydsord")
    plays, points, board = play_game(krydsord, ("H8 FORPULET", "13D NYBO.IG"))
    found = solve_turns(board, krydsord, points)
    assert found is not None
    assert list(found.plays) == plays


def test_a_turn_without_points_has_no_play() -> None:
    plays, points, board = play_game()
    found = solve_turns(board, ENGLISH, [points[0], 0, *points[1:], 0])
    assert found is not None
    assert list(found.plays) == [plays[0], None, *plays[1:], None]
    assert solve_turns(board, ENGLISH, [0, 0]) is None


def test_a_play_that_was_taken_back_is_a_gap_of_the_score_sheet_s_game() -> None:
    _, points, board = play_game()
    other = Board.empty(ENGLISH.layout).with_tiles([(0, 0, "Q")])
    game = build_game_from_sheet([("a.jpg", other), ("b.jpg", board)], sheet_of(points), ENGLISH)
    assert game is not None
    assert game.gaps == ("a.jpg: a play on it was taken back; the score sheet's game lacks it",)


@pytest.mark.parametrize(("count", "is_named"), [(7, False), (8, True)])
def test_an_exchange_of_more_tiles_than_a_rack_holds_is_named(count: int, is_named: bool) -> None:
    _, points, board = play_game()
    sheet = sheet_of([points[0], 0, *points[1:]])
    exchange = replace(sheet.turns[1], exchanged=count)
    game = build_game_from_sheet(
        [("a.jpg", board)], replace(sheet, turns=(sheet.turns[0], exchange, *sheet.turns[2:])), ENGLISH
    )
    assert game is not None
    gap = f"Jón, turn 1: x{count} exchanges more tiles than a rack holds; check the score sheet"
    assert (gap in game.gaps) is is_named


@pytest.mark.parametrize("turn", [0, 3, 6])
def test_a_wrong_entry_is_named(turn: int) -> None:
    plays, points, board = play_game()
    wrong = [made + 10 * (number == turn) for number, made in enumerate(points)]
    found = solve_turns(board, ENGLISH, wrong)
    assert found is not None
    assert list(found.plays) == plays
    assert found.wrong_turns == (turn,)


def test_several_wrong_entries_are_named_where_photos_show_every_turn() -> None:
    plays, points, board = play_game()
    wrong = [made + (number in (1, 3, 4)) for number, made in enumerate(points)]
    shown = [Board.empty(ENGLISH)]
    for play in plays:
        shown.append(shown[-1].with_tiles(play))
    found = solve_turns(board, ENGLISH, wrong, known=shown[1:])
    assert found is not None
    assert list(found.plays) == plays
    assert sorted(found.wrong_turns) == [1, 3, 4]
    boards = [(f"{number}.jpg", each) for number, each in enumerate(shown[1:])]
    game = build_game_from_sheet(boards, sheet_of(wrong), ENGLISH)
    assert game is not None
    assert [gap.split(";")[0] for gap in game.gaps] == [
        f"{name}: the score sheet says {wrong[turn]}, the play makes {points[turn]}"
        for turn, name in ((1, "Jón, turn 1"), (3, "Jón, turn 2"), (4, "Anna, turn 3"))
    ]
    assert solve_turns(board, ENGLISH, wrong, known=shown[4:]) is None


def test_each_turn_that_may_have_the_wrong_entry_is_named() -> None:
    edition = replace(ENGLISH, values={**dict.fromkeys(ENGLISH.values, 1), "H": 4})
    plays, points, board = play_game(edition, ("8D HORSE", "D8 .O", "F8 .O"))
    assert points[1] > points[2]
    entries = [points[0], points[1], points[1]]
    found = solve_turns(board, edition, entries)
    assert found is not None
    assert sorted(found.wrong_turns) == [1, 2]
    game = build_game_from_sheet([("a.jpg", board)], sheet_of(entries), edition)
    assert game is not None
    names = {1: "Jón, turn 1", 2: "Anna, turn 2"}
    assert game.gaps == (
        f"{names[found.wrong_turns[0]]}: the score sheet says {points[1]}, the play makes {points[2]}; check both",
        f"if the plays were made in another order, the wrong entry is one of these: {names[found.wrong_turns[1]]}",
        f"which of these plays of {points[1]} points came first is not decided: Jón, turn 1; Anna, turn 2",
    )
    shown = Board.empty(edition).with_tiles(plays[0]).with_tiles(plays[1])
    found = solve_turns(board, edition, entries, known=[shown])
    assert found is not None
    assert found.wrong_turns == (2,)


def test_a_misread_tile_may_be_in_a_word_that_the_lexicon_lacks_for_it() -> None:
    plays, points, board = play_game(texts=("8D HORSE", "F6 TU.N", "8D .....S"))
    tile = next(tile for tile in board.tiles() if (tile.row, tile.column) == (7, 6))
    misread = board.without([tile]).with_tiles([replace(tile, token="J")])
    found = solve_turns(misread, ENGLISH, points, lexicon=Lexicon.of(["HORSE", "TURN", "HORSES"]))
    assert found is not None
    assert found.tile == (7, 6)
    assert [len(play or ()) for play in found.plays] == [len(play) for play in plays]


@pytest.mark.parametrize(
    ("square", "token", "true"), [((4, 5), "Z", "S"), ((6, 11), "J", "A"), ((7, 4), "K", "O")]
)
def test_the_lexicon_names_a_misread_tile_and_its_letter(
    square: tuple[int, int], token: str, true: str
) -> None:
    plays, points, board = play_game()
    tile = next(tile for tile in board.tiles() if (tile.row, tile.column) == square)
    misread = board.without([tile]).with_tiles([replace(tile, token=token)])
    found = solve_turns(misread, ENGLISH, points, lexicon=words_of(plays))
    assert found is not None
    assert (found.tile, found.tile_tokens) == (square, (true,))
    squares = [[(each.row, each.column) for each in play] for play in plays]
    assert [[(each.row, each.column) for each in play or ()] for play in found.plays] == squares
    game = build_game_from_sheet([("final.jpg", misread)], sheet_of(points), ENGLISH, words_of(plays))
    assert game is not None
    assert any(f"may be misread: with {true} the words" in gap for gap in game.gaps)


def test_the_lexicon_names_a_blank_that_is_read_as_another_letter() -> None:
    texts = ("8D HORSE", "F6 TU.N", "5F StONE")
    plays, points, board = play_game(texts=texts)
    tile = next(tile for tile in board.tiles() if (tile.row, tile.column) == (4, 6))
    misread = board.without([tile]).with_tiles([replace(tile, token="K")])
    found = solve_turns(misread, ENGLISH, points, lexicon=words_of(plays))
    assert found is not None
    assert (found.tile, found.tile_tokens) == ((4, 6), ("t",))
    game = build_game_from_sheet([("final.jpg", misread)], sheet_of(points), ENGLISH, words_of(plays))
    assert game is not None
    assert any("with a blank for T the words" in gap for gap in game.gaps)


def test_a_play_that_the_edition_forbids_is_a_gap_and_not_the_end_of_the_run() -> None:
    _, points, board = play_game()
    few = replace(ENGLISH, counts={**ENGLISH.counts, "O": 1})
    game = build_game_from_sheet([("final.jpg", board)], sheet_of(points), few)
    assert game is not None
    assert game.game.board == board
    assert any("but english has 1 in all" in gap for gap in game.gaps)


def test_without_an_unknown_word_no_tile_is_corrected() -> None:
    plays, _, board = play_game()
    tile = next(tile for tile in board.tiles() if (tile.row, tile.column) == (4, 6))
    unknown = board.without([tile]).with_tiles([replace(tile, token="?")])
    assert ReversePlays(unknown, ENGLISH, words_of(plays)).find_misread_tiles() == {}
    assert ReversePlays(board, ENGLISH, words_of(plays)).find_misread_tiles() == {}
    assert ReversePlays(board, ENGLISH).find_misread_tiles() == {}


def test_points_that_fit_no_game_give_none() -> None:
    _, points, board = play_game()
    assert solve_turns(board, ENGLISH, [made + 500 for made in points]) is None
    assert solve_turns(board, ENGLISH, points[:2]) is None


def test_plays_of_equal_points_may_change_places_unless_a_photo_shows_their_order() -> None:
    even = replace(ENGLISH, values={**ENGLISH.values, "H": 1, "R": 1})
    plays, points, board = play_game(even, ("8D HORSE", "D8 .O", "F8 .O"))
    assert points[1] == points[2]
    found = solve_turns(board, even, points)
    assert found is not None
    plays_found = set(found.plays)
    assert all(other in plays_found for others in found.alternatives for other in others)
    assert [len(others) for others in found.alternatives] == [0, 1, 1]
    assert found.confidence == pytest.approx((1.0, 0.5, 0.5))
    shown = Board.empty(even).with_tiles(plays[0]).with_tiles(plays[2])
    found = solve_turns(board, even, points, known=[shown])
    assert found is not None
    assert list(found.plays) == [plays[0], plays[2], plays[1]]
    assert found.alternatives == ((), (), ())
    game = build_game_from_sheet([("a.jpg", board)], sheet_of(points), even)
    assert game is not None
    assert game.gaps == (
        f"which of these plays of {points[1]} points came first is not decided: Jón, turn 1; Anna, turn 2",
    )


def test_all_orders_of_three_plays_of_equal_points_are_named() -> None:
    even = replace(ENGLISH, values=dict.fromkeys(ENGLISH.values, 1))
    plays, points, board = play_game(even, ("8D HORSE", "D8 .O", "F8 .O", "H8 .L"))
    assert points[1] == points[2] == points[3]
    found = solve_turns(board, even, points)
    assert found is not None
    assert [len(others) for others in found.alternatives] == [0, 2, 2, 2]
    assert found.confidence == pytest.approx((1, 1 / 3, 1 / 3, 1 / 3))
    shown = Board.empty(even).with_tiles(plays[0]).with_tiles(plays[2]).with_tiles(plays[1])
    found = solve_turns(board, even, points, known=[shown])
    assert found is not None
    assert [len(others) for others in found.alternatives] == [0, 1, 1, 0]


def test_the_last_play_may_empty_a_rack_that_is_not_full() -> None:
    norwegian = load_edition("norwegian")
    plays, points, board = play_game(norwegian, ("8E HEST", "F7 L.T"))
    found = solve_turns(board, norwegian, [points[0], points[1] + 50])
    assert found is not None
    assert (list(found.plays), found.wrong_turns) == (plays, ())
