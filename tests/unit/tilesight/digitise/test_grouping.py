"""Photos of games, thrown together: each game is found, and its photos in their order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scoring import COVERED, EMPTY, Board, Edition, Placement, load_edition, parse_play
from tests.support.positions import boards_after
from tests.support.random_games import random_play
from tilesight.digitise.games.catalogue import BoardCodes
from tilesight.digitise.games.grouping import group_photos, may_be_one_play
from tilesight.digitise.reading.photo_record import BoardRecord, PhotoRecord, PhotoStatus, PictureRecord

ENGLISH = load_edition("english")


def boards_of_game(seed: int, edition: Edition = ENGLISH, plays: int = 10) -> list[Board]:
    rng = random.Random(seed)
    board, boards = Board.empty(edition.layout), []
    for _ in range(plays):
        play = random_play(rng, board, edition, list("EATRINSOL?DG")[: edition.rack_size + 2])
        if play is not None and play.placements:
            board = board.with_tiles(play)
            boards.append(board)
    return boards


def found(
    boards: list[Board],
    taken: Sequence[str | None] | None = None,
    folder: str = "box",
    colours: Sequence[float] | None = None,
    edition: Edition = ENGLISH,
    cameras: str | None = None,
) -> list[list[int]]:
    squares = edition.layout.rows * edition.layout.columns
    codes = BoardCodes(squares=squares)
    photos, encoded = [], []
    for index, board in enumerate(boards):
        encoded.append(codes.encode(board.rows))
        photos.append(
            PhotoRecord(
                status=PhotoStatus.OK,
                name=f"{folder}/{index}.jpg",
                picture=PictureRecord(
                    width=1,
                    height=1,
                    taken=taken[index] if taken else None,
                    camera=cameras[index] if cameras else None,
                ),
                board=BoardRecord(
                    edition=edition.name,
                    rows=board.rows,
                    premium_colours=[[colours[index]] * 3] * 4 if colours else (),
                ),
            )
        )
    array = np.array(encoded, np.int8).reshape(-1, squares)
    return group_photos(photos, array, [edition.rack_size] * len(photos))


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_boards_that_are_being_cleared_are_of_no_game(seed: int, clock: bool) -> None:
    boards = boards_of_game(seed, plays=30)
    columns = sorted(tile.column for tile in boards[-1].tiles())
    cleared = []
    for share in (0.35, 0.6):
        first = columns[int(share * len(columns))]
        gone = [(tile.row, tile.column) for tile in boards[-1].tiles() if tile.column < first]
        cleared.append(boards[-1].without(gone))
    taken = [f"2026-03-01T12:{minute:02d}:00" for minute in range(len(boards) + 2)] if clock else None
    assert found([*boards, *cleared], taken) == [list(range(len(boards)))]


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_of_few_photos_of_a_game_those_of_the_cleared_board_are_the_last_by_the_clock(seed: int) -> None:
    whole = boards_of_game(seed, plays=30)
    boards = [whole[len(whole) // 3], whole[2 * len(whole) // 3], whole[-1]]
    tiles = sorted(boards[-1].tiles(), key=lambda tile: tile.square)
    cleared = [boards[-1].without([tile.square for tile in tiles[:gone]]) for gone in (20, 40)]
    taken = [f"2026-03-01T12:{minute:02d}:00" for minute in (3, 4, 0, 1, 2)]
    assert found([*cleared, *boards], taken) == [[2, 3, 4]]


@pytest.mark.parametrize("seed", range(5))
def test_two_shuffled_games_are_parted_and_ordered(seed: int) -> None:
    games = [boards_of_game(seed), boards_of_game(seed + 100)]
    mixed = [(game, turn) for game, boards in enumerate(games) for turn in range(len(boards))]
    random.Random(seed).shuffle(mixed)
    result = found([games[game][turn] for game, turn in mixed])
    orders = [[mixed[index] for index in game] for game in result]
    assert sorted(orders) == [[(game, turn) for turn in range(len(games[game]))] for game in (0, 1)]


def test_a_letter_that_some_photos_show_wrongly_does_not_change_the_order() -> None:
    """Before, a tile that was gone counted no more than a letter that changes."""
    boards = boards_of_game(1)[:6]
    for tiles in ([(14, 14)], [(0, 0), (0, 1), (0, 2)]):
        boards.append(boards[-1].with_tiles([Placement(row=row, column=at, token="S") for row, at in tiles]))
    first = next(iter(boards[0].tiles()))
    for misread in (4, 6):
        right = boards[misread].without([first.square])
        boards[misread] = right.with_tiles([replace(first, token="X")])
    assert found(boards) == [list(range(8))]


def test_a_photo_that_lacks_tiles_of_several_plays_is_put_where_it_belongs() -> None:
    boards = boards_of_game(2)
    hidden = [tile.square for tile in boards[5].tiles() if tile not in [*boards[1].tiles()]][:6]
    assert len([*boards[5].without(hidden).tiles()]) < len([*boards[4].tiles()])
    assert found([*boards[:5], boards[5].without(hidden), *boards[6:]]) == [list(range(len(boards)))]


def test_a_misread_letter_does_not_part_a_game() -> None:
    boards = boards_of_game(3)
    tile = list(boards[4].tiles())[2]
    wrong = Board.from_rows(
        [
            [
                "X" if (row, column) == (tile.row, tile.column) else token
                for column, token in enumerate(tokens)
            ]
            for row, tokens in enumerate(boards[4].rows)
        ]
    )
    assert found([*boards[:4], wrong, *boards[5:]]) == [list(range(len(boards)))]


@pytest.mark.parametrize("hidden", [EMPTY, "?"])
@pytest.mark.parametrize("seed", range(4))
def test_a_photo_on_which_glare_hides_tiles_follows_the_one_before_it(seed: int, hidden: str) -> None:
    boards = boards_of_game(seed)
    spoiled = [list(tokens) for tokens in boards[6].rows]
    for tile in list(boards[2].tiles())[:5]:
        spoiled[tile.row][tile.column] = hidden
    photos = [*boards[:6], Board.from_rows(spoiled), *boards[7:]]
    random.Random(seed).shuffle(turns := list(range(len(photos))))
    (order,) = found([photos[turn] for turn in turns])
    assert [turns[index] for index in order] == sorted(turns)


@pytest.mark.parametrize("seed", range(4))
def test_a_photo_on_which_a_hand_covers_tiles_keeps_its_place(seed: int) -> None:
    boards = boards_of_game(seed, plays=14)
    taken = [f"2024-05-01T10:{turn:02d}:00" for turn in range(len(boards))]
    photos = [
        Board.from_rows(
            [
                [
                    COVERED if turn in (5, 9) and 4 <= row < 11 and column < 9 else token
                    for column, token in enumerate(line)
                ]
                for row, line in enumerate(board.rows)
            ]
        )
        for turn, board in enumerate(boards)
    ]
    assert found(photos, taken) == [list(range(len(photos)))]
    assert sorted(found(photos)[0]) == list(range(len(photos)))
    assert found([boards[9], photos[9]]) == []


def test_a_play_that_was_taken_back_stands_after_the_board_that_it_was_laid_on() -> None:
    boards = boards_of_game(7)
    row = next(number for number, tokens in enumerate(boards[5].rows) if set(tokens) == {EMPTY})
    taken_back = Board.from_rows(
        [list("...QZJ.........") if number == row else tokens for number, tokens in enumerate(boards[5].rows)]
    )
    shuffled = [boards[8], taken_back, *boards[:8], boards[9]]
    (order,) = found(shuffled)
    assert order == [2, 3, 4, 5, 6, 7, 1, 8, 9, 0, 10]


def test_the_camera_s_clock_is_believed_where_it_fits() -> None:
    boards = boards_of_game(1)[:4]
    again = [boards[2], boards[0], boards[1], boards[0], boards[3]]  # a play laid, taken back, and laid again
    taken = [
        "2024-05-01T10:09:00",
        *(f"2024-05-01T10:0{minute}:00" for minute in (1, 3, 5)),
        "2024-05-01T10:12:00",
    ]
    assert found(again, list(taken)) == [[1, 2, 3, 0, 4]]
    backwards = [f"2024-05-01T10:0{9 - index}:00" for index in range(4)]
    whole = boards_of_game(1, plays=10)
    assert found([whole[0], whole[3], whole[6], whole[9]], list(backwards)) == [[0, 1, 2, 3]]


def test_the_clock_is_not_believed_where_prints_were_photographed_from_the_last_to_the_first() -> None:
    boards = boards_of_game(1, plays=10)
    taken = [f"2024-05-01T10:{59 - index}:00" for index in range(len(boards))]
    assert found(boards, taken) == [list(range(len(boards)))]
    twice = [board for board in boards for _ in range(2)]
    taken = [f"2024-05-01T10:{59 - index}:00" for index in range(len(twice))]
    (order,) = found(twice, taken)
    assert [index // 2 for index in order] == [index // 2 for index in range(len(twice))]


def test_the_clock_is_not_believed_where_prints_with_a_play_taken_back_were_photographed_backwards() -> None:
    boards = boards_of_game(1)
    taken_back = boards[3].with_tiles([Placement(row=0, column=at, token="Q") for at in range(3)])
    photos = [*boards[:4], taken_back, *boards[4:]]
    taken = [f"2024-05-01T10:{59 - index}:00" for index in range(len(photos))]
    assert found(photos, taken, cameras="A" * len(photos)) == [list(range(len(photos)))]


def test_the_clock_is_believed_in_a_short_game_that_begins_with_a_play_that_was_taken_back() -> None:
    boards = boards_of_game(1)
    taken = [f"2024-05-01T10:0{minute}:00" for minute in range(3)]
    assert found([boards[1], boards[0]], taken[:2]) == [[0, 1]]
    assert found([boards[2], boards[1], boards[0]], taken) == [[0, 1, 2]]


@pytest.mark.parametrize("seed", range(8))
def test_a_play_whose_squares_another_one_covers_later_keeps_its_place_without_a_clock(seed: int) -> None:
    boards = boards_of_game(seed)
    placed = [tile for tile in boards[6].tiles() if boards[5][tile.square] == EMPTY]
    other = [replace(tile, token="Q" if tile.token != "Q" else "Z") for tile in placed]
    photos = [*boards[:5], boards[4].with_tiles(other), *boards[5:]]
    (order,) = found(photos)
    assert order == list(range(len(photos)))


def test_the_clock_is_believed_where_a_full_rack_of_ten_was_taken_back() -> None:
    krydsord = load_edition("krydsord")
    boards = boards_of_game(2, krydsord)
    row = next(number for number, tokens in enumerate(boards[3].rows) if set(tokens) == {EMPTY})
    full = boards[3].with_tiles([Placement(row=row, column=at, token="E") for at in range(10)])
    taken = [f"2024-05-01T10:0{minute}:00" for minute in range(4)]
    photos = [boards[2], full, boards[3], boards[4]]
    assert found(photos, taken, edition=krydsord) == [[0, 1, 2, 3]]


def test_the_clocks_of_two_cameras_are_believed_unless_tiles_come_back() -> None:
    boards = boards_of_game(1)
    photos = [*boards, boards[4]]  # the last one by a guest whose clock is fast
    taken = [f"2024-05-01T10:{3 * index:02d}:00" for index in range(10)]
    assert found(photos, [*taken, "2024-05-01T10:16:00"], cameras="A" * 10 + "B") == [
        [0, 1, 2, 3, 4, 10, 5, 6, 7, 8, 9]
    ]
    assert found(photos, [*taken, "2024-05-01T10:16:00"], cameras="A" * 11) == [
        [0, 1, 2, 3, 4, 5, 10, 6, 7, 8, 9]
    ]
    withdrawn = boards[3].with_tiles([Placement(row=0, column=at, token="Q") for at in range(3)])
    photos = [*boards[:4], withdrawn, *boards[3:]]
    taken = [f"2024-05-01T10:{3 * index:02d}:00" for index in range(12)]
    assert found(photos, taken, cameras="AB" * 6) == [list(range(12))]


@pytest.mark.parametrize("seed", [1, 3])
def test_two_cameras_of_one_model_have_two_clocks(seed: int) -> None:
    boards = boards_of_game(seed)
    photos = [*boards[:5], boards[4], *boards[5:]]  # a player passed
    minutes = [3 * turn + 5 * (turn in (1, 7, 9)) for turn in range(len(photos))]
    taken = [f"2024-05-01T10:{minute:02d}:00" for minute in minutes]
    assert found(photos, taken, cameras="A" * len(photos)) == [list(range(len(photos)))]


def test_plays_that_are_often_laid_again_are_by_one_clock() -> None:
    boards = boards_of_game(1)
    turns = [0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]
    taken = [f"2024-05-01T10:{minute:02d}:00" for minute in range(len(turns))]
    assert found([boards[turn] for turn in turns], taken, cameras="A" * len(turns)) == [
        list(range(len(turns)))
    ]


def test_times_with_offsets_are_compared_as_instants_where_all_photos_have_one() -> None:
    boards = boards_of_game(1)[:4]
    again = [boards[0], boards[1], boards[0], boards[2]]  # the second one is taken back
    taken = [f"2024-05-01T21:0{minute}:00+02:00" for minute in range(4)]
    taken[1] = "2024-05-01T19:01:00+00:00"
    assert found(again, taken) == [[0, 1, 2, 3]]
    local = ["2024-05-01T21:00:00+02:00", *(f"2024-05-01T21:0{minute}:00" for minute in (1, 2, 3))]
    assert found(again, local) == [[0, 1, 2, 3]]


def test_a_word_of_a_full_rack_of_ten_may_be_one_play() -> None:
    codes = np.zeros(16 * 16, np.int8)
    codes[16 * 7 : 16 * 7 + 10] = 2
    assert may_be_one_play(codes, columns=16, rack_size=10)
    assert not may_be_one_play(codes, columns=16, rack_size=7)


def test_boards_that_share_little_are_no_game() -> None:
    one, other = boards_of_game(11)[5], boards_of_game(12)[5]
    assert found([one, other, one]) == []  # a copy is no game either
    assert found([]) == []


def test_larger_boards_than_expected_show_nothing() -> None:
    codes = BoardCodes(squares=4)
    boards = np.array([codes.encode([["A"] * 5] * 5), codes.encode([["A", "b"], ["#", "."]])])
    assert boards.tolist() == [[0, 0, 0, 0], [2, 1, -1, 0]]


def board(*plays: str) -> Board:
    before = Board.empty(ENGLISH.layout)
    for text in plays:
        before = before.with_tiles(parse_play(text, ENGLISH.tokens, before))
    return before


def test_a_first_word_joins_the_game_that_begins_with_more_than_one_play() -> None:
    whole = [board("H4 WELME"), board("H4 WELME", "5G Z.D")]
    laid = ("H7 ME", "H2 KREEA..F")
    begun = [board(*laid), board(*laid, "5G P.T")]
    for games in ([*whole, *begun], [*begun, *whole]):
        joined = next(game for game in found([board("H7 ME"), *games]) if 0 in game)
        assert [games[index - 1] for index in joined[1:]] == begun


def test_first_words_are_shared_out_among_the_games_that_lack_one() -> None:
    crossed = [board("H7 IO", "8G T.N", *more) for more in ((), ("H9 LA",))]
    long = [board("8H ON", "8J WTSAUI", *more) for more in ((), ("J9 ED",))]
    whole = [board("H4 PATIO", *more) for more in ((), ("5I X",))]
    photos = [board("8H ON"), board("H7 IO"), *crossed, *long, *whole]
    assert sorted(found(photos)) == [[0, 4, 5], [1, 2, 3], [6, 7]]
    photos[:2] = photos[1::-1]
    assert sorted(found(photos)) == [[0, 2, 3], [1, 4, 5], [6, 7]]


def test_a_first_word_that_two_games_may_begin_with_joins_the_one_next_to_it() -> None:
    games = [
        [board("8G AT", more), board("8G AT", more, last)]
        for more, last in (("8G ..LAS", "H8 .ON"), ("8G ..TIC", "H8 .WO"))
    ]
    for one, other in (games, games[::-1]):
        assert found([board("8G AT"), *one, *other]) == [[0, 1, 2], [3, 4]]
        assert found([*one, board("8G AT"), *other]) == [[0, 1], [2, 3, 4]]


def test_a_first_word_joins_its_game_though_print_on_the_empty_board_was_taken_for_letters() -> None:
    game = [board("H7 ME", "H2 KREEA..F"), board("H7 ME", "H2 KREEA..F", "5G P.T")]
    first = board("H7 ME").with_tiles([Placement(row=at, column=at, token="H") for at in (0, 14)])
    assert found([first, *game]) == [[0, 1, 2]]


def test_a_first_word_joins_the_game_of_its_day() -> None:
    games = [[board(word), board(word, "H5 CAR.")] for word in ("8H MELT", "8H MEND")]
    days = [f"2020-01-0{day}T10:0{minute}:00" for day in (1, 2) for minute in (1, 2)]
    for day, joined in ((1, [0, 1, 2]), (2, [0, 3, 4])):
        taken = [f"2020-01-0{day}T10:00:00", *days]
        assert joined in found([board("8H ME"), *games[0], *games[1]], taken)


def test_photos_of_one_moment_are_of_one_day_whatever_their_offsets() -> None:
    boards = [board("8H ME"), board("8H MELT")]
    assert found(boards, ["2024-05-02T00:30:00+02:00", "2024-05-01T22:31:00+00:00"]) == [[0, 1]]
    assert found(boards, ["2024-05-01T10:30:00-05:00", "2024-05-01T20:30:00-05:00"]) == [[0, 1]]
    assert found(boards, ["2024-05-01T10:30:00+02:00", "2024-05-02T10:31:00+02:00"]) == []
    assert found(boards, ["2024-05-01T23:30:00-05:00", "2024-05-02T10:31:00"]) == []


@pytest.mark.parametrize("first", ["2024-05-01T10:01:00", None])
@pytest.mark.parametrize("second", ["2024-05-01T10:02:00", None])
def test_a_photo_whose_day_is_unknown_is_not_of_another_day(first: str | None, second: str | None) -> None:
    boards = [board("8H ME"), board("8H MELT")]
    assert found(boards, [first, second]) == [[0, 1]]
    assert found(boards, ["2024-05-01T10:01:00", "2024-05-02T10:02:00"]) == []


def test_a_board_of_few_tiles_with_one_misread_joins_the_boards_that_grew_from_it() -> None:
    boards = [board("8H MELT"), board("8H MELT", "H5 CAR."), board("8H MELT", "H5 CAR.", "L8 .AS")]
    misread = board("8H MEXT")
    other = Board.from_rows(  # so is one of its tiles on the next photo
        [["K" if token == "M" else token for token in tokens] for tokens in boards[1].rows]
    )
    assert found([misread, other, boards[2]]) == [[0, 1, 2]]
    assert found([board("8H XEXQ"), other, boards[2]]) == [[1, 2]]


def test_two_tiles_are_of_the_game_whose_board_looks_like_theirs() -> None:
    first = boards_after("8G AT", "8G ..LAS", "H8 .ON")
    other = boards_after("8G AT", "8G ..TIC", "H8 .WO")
    boards = [*other[1:], *first[1:], first[0]]
    assert found(boards, colours=[1, 1, 2, 2, 2]) == [[0, 1], [4, 2, 3]]
    assert found(boards, colours=[1, 1, 2, 2, 1]) == [[4, 0, 1], [2, 3]]
    assert found(boards, colours=[1, 1, 2, 2, 3]) == [[0, 1], [2, 3]]


def test_one_tile_joins_a_game_only_on_a_board_that_looks_the_same() -> None:
    boards = [*boards_after("8H AT", "8H ..LAS", "H8 .ON")[1:], boards_after("8H A", "8H .S")[0]]
    assert found(boards, colours=[1, 1, 1]) == [[2, 0, 1]]
    assert found(boards, colours=[1, 1, 2]) == [[0, 1]]


def test_games_that_begin_nearly_the_same_on_two_boards_are_two() -> None:
    first, other = boards_after("8G CARE", "J8 .AT"), boards_after("8G CARD", "8G ....ING")
    assert found([*first, *other], colours=[1, 1, 2, 2]) == [[0, 1], [2, 3]]


def test_print_so_faint_that_letters_are_taken_for_blanks_leaves_the_order_as_it_is() -> None:
    boards = boards_of_game(5)

    def faint(board: Board, columns: set[int]) -> Board:
        return Board.from_rows(
            [
                [
                    "?" if token.isalpha() and column in columns else token
                    for column, token in enumerate(tokens)
                ]
                for tokens in board.rows
            ]
        )

    read = [*(faint(board, {7}) for board in boards[:-1]), faint(boards[-1], {6, 7, 8, 9})]
    letters = [sum(token.isalpha() for tokens in board.rows for token in tokens) for board in read]
    assert letters[-1] < letters[-2]
    random.Random(1).shuffle(turns := list(range(len(read))))
    assert [[turns[index] for index in game] for game in found([read[turn] for turn in turns])] == [
        sorted(turns)
    ]
