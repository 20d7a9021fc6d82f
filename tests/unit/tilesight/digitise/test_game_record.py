"""A game from its photos: what one photo misread the others mend, and what they do not tell is said."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring import Board, Placement, load_edition, parse_gcg, parse_play
from tests.support.positions import boards_after
from tests.support.random_games import random_play
from tilesight.digitise.reconstruction.evidence import PhotoEvidence, states_of
from tilesight.digitise.reconstruction.game_record import SPLIT_CONFIDENCE, FoundGame, build_game
from tilesight.digitise.reconstruction.positions import reconstruct_positions

ENGLISH = load_edition("english")
PLAYS = ("8D CABLE", "D8 .ARTS", "11D .EA", "F10 N.T", "10F .O", "8D .....S")


def seen(
    board: Board,
    *,
    but: dict[tuple[int, int], str] | None = None,
    sure: float = 0.99,
    also: str = "",
    name: str = "",
) -> PhotoEvidence:
    """What a photo says of the board: `but` is what it shows otherwise, `also` what it might be as well."""
    changed = [Placement(row=row, column=column, token=token) for (row, column), token in (but or {}).items()]
    board = board.without(changed).with_tiles(tile for tile in changed if tile.token != ".")
    kinds = states_of(ENGLISH)
    shares = np.full((15, 15, len(kinds)), (1 - sure) / len(kinds))
    for row, column in itertools.product(range(15), repeat=2):
        shares[row, column, kinds.index(board[row, column])] = sure
        if also and (row, column) in (but or {}):
            shares[row, column, kinds.index(also)] = 1 - sure
    return PhotoEvidence(name=name, board=board, states=np.log(shares + 1e-3).reshape(225, -1))


def followed(photos: Sequence[PhotoEvidence]) -> FoundGame:
    named = [replace(photo, name=f"{number}.jpg") for number, photo in enumerate(photos)]
    return build_game(reconstruct_positions(named, ENGLISH), ENGLISH, ("Anna", "Jón"))


def words(found: FoundGame) -> list[str]:
    return [step.scored.main_word.text for step in found.game.steps if step.scored]


WHOLE = followed([seen(board) for board in boards_after(*PLAYS)])


def test_a_photo_a_play_gives_the_game() -> None:
    assert words(WHOLE) == ["CABLE", "CARTS", "TEA", "NAT", "NO", "CABLES"]
    assert WHOLE.gaps == ()
    assert WHOLE.shown == tuple(f"{number}.jpg" for number in range(6))
    record = WHOLE.record("game-0001", list(WHOLE.shown))
    assert [play["player"] for play in record["plays"][:2]] == ["Anna", "Jón"]
    assert record["totals"] == list(WHOLE.game.totals)
    assert parse_gcg(WHOLE.gcg).game.totals == WHOLE.game.totals
    assert "#note photo: 3.jpg" in WHOLE.gcg


def test_a_letter_that_most_photos_read_rightly_is_right_in_all() -> None:
    photos = [seen(board) for board in boards_after(*PLAYS)]
    photos[1] = seen(boards_after(*PLAYS)[1], but={(7, 4): "O"}, sure=0.6, also="A")
    photos[4] = seen(boards_after(*PLAYS)[4], but={(7, 5): "?"})
    assert followed(photos).game.events == WHOLE.game.events


def test_a_tile_that_one_photo_alone_shows_is_none() -> None:
    photos = [seen(board) for board in boards_after(*PLAYS)]
    photos[2] = seen(boards_after(*PLAYS)[2], but={(0, 0): "?"})
    assert followed(photos).game.events == WHOLE.game.events


def test_a_tile_that_some_photos_overlook_is_there() -> None:
    photos = [seen(board) for board in boards_after(*PLAYS)]
    photos[3] = seen(boards_after(*PLAYS)[3], but={(8, 3): "."})
    assert followed(photos).game.events == WHOLE.game.events


def test_a_tile_that_is_overlooked_when_it_is_laid_is_found_by_later_photos() -> None:
    photos = [seen(board) for board in boards_after(*PLAYS)]
    photos[1] = seen(boards_after(*PLAYS)[1], but={(9, 3): "."})
    found = followed(photos)
    assert found.game.events == WHOLE.game.events
    assert found.confidence[1] > 0.95  # the rules allow no hole


def test_a_play_is_as_sure_as_its_ends_by_all_photos_of_its_position() -> None:
    boards = boards_after(*PLAYS)
    unsure = seen(boards[1])
    end = unsure.states[11 * 15 + 3]
    end[0] = end.max()  # the S of CARTS is there or not
    others = [seen(board) for board in boards[2:]]
    once = followed([seen(boards[0]), unsure, *others])
    twice = followed([seen(boards[0]), unsure, seen(boards[1]), *others])
    assert once.game.events == twice.game.events == WHOLE.game.events
    assert 0.45 < once.confidence[1] < 0.55
    assert twice.confidence[1] > 0.95


def test_a_play_that_was_taken_back_is_reported() -> None:
    boards = boards_after(*PLAYS)
    laid = boards[2].with_tiles(parse_play("H9 ATE", ENGLISH.tokens, boards[2]))
    found = followed([seen(board) for board in (*boards[:3], laid, *boards[2:])])
    assert [event.kind for event in found.game.events[3:5]] == ["play", "withdrawn"]
    assert words(found)[4:] == ["NAT", "NO", "CABLES"]


def test_several_photos_of_a_position_are_one_look_and_no_turn() -> None:
    photos = [seen(board) for board in boards_after(*PLAYS) for _ in range(2)]
    named = [replace(photo, name=f"{number}.jpg") for number, photo in enumerate(photos)]
    looks = reconstruct_positions(named, ENGLISH)
    assert looks[2].photos == ("4.jpg", "5.jpg")
    assert followed(photos).game.events == WHOLE.game.events


def test_two_plays_between_photos_are_a_gap() -> None:
    boards = boards_after(*PLAYS)
    found = followed([seen(board) for board in (boards[0], boards[2], *boards[3:])])
    assert sorted(words(found)) == sorted(words(WHOLE))
    (gap,) = found.gaps
    assert gap == "2 plays between 0.jpg and 1.jpg: the most plausible ones"
    assert max(found.confidence[1:3]) <= SPLIT_CONFIDENCE < min(found.confidence[3:])
    assert "; gap: 2 plays" in found.gcg
    assert "[tilesight] incomplete" in found.gcg


def test_more_plays_between_photos_are_the_most_plausible_ones() -> None:
    boards = boards_after(*PLAYS)
    found = followed([seen(boards[0]), seen(boards[5])])
    assert found.game.board == boards[5]
    assert found.gaps == ("5 plays between 0.jpg and 1.jpg: the most plausible ones",)


def test_letters_that_no_play_explains_are_left_out_and_reported() -> None:
    boards = boards_after(*PLAYS)
    strange = seen(boards[2], but={(0, 0): "Q", (14, 14): "Z", (0, 14): "X"})
    found = followed([seen(boards[0]), seen(boards[1]), strange])
    assert words(found) == ["CABLE", "CARTS", "TEA"]
    assert found.gaps == ("2.jpg: what is seen on A1 O1 O15 fits no play and is left out",)


def test_letters_that_a_later_photo_of_a_position_shows_are_left_out_and_reported() -> None:
    boards = boards_after(*PLAYS)
    strange = seen(boards[1], but={(14, 14): "Z", (0, 0): "Q"})
    stranger = seen(boards[1], but={(14, 14): "Z", (0, 0): "Q", (0, 14): "X"})
    found = followed([seen(boards[0]), seen(boards[1]), strange, stranger])
    assert words(found) == ["CABLE", "CARTS"]
    assert found.gaps == (
        "2.jpg: what is seen on A1 O15 fits no play and is left out",
        "3.jpg: what is seen on O1 fits no play and is left out",
    )


def test_a_photo_that_nothing_explains_is_left_out_and_reported() -> None:
    boards = boards_after(*PLAYS)
    block = {(row, column): "E" for row in range(8, 14) for column in range(4, 12)}
    found = followed([seen(boards[0]), seen(boards[1]), seen(boards[1], but=block)])
    assert words(found) == ["CABLE", "CARTS"]
    (gap,) = found.gaps
    assert gap.startswith("2.jpg: no plays lead there from 1.jpg (")


def boards_of_random_plays(count: int) -> list[Board]:
    rng = random.Random(4)
    bag = [tile for tile, number in ENGLISH.counts.items() for _ in range(number or 0) if tile != "?"]
    rng.shuffle(bag)
    boards = [Board.empty(ENGLISH.layout)]
    while len(boards) <= count:
        play = random_play(rng, boards[-1], ENGLISH, bag[:7])
        assert play is not None
        for tile in play:
            bag.remove(tile.token)
        boards.append(boards[-1].with_tiles(play))
    return boards[1:]


def test_photos_of_a_game_that_had_begun_give_its_later_plays() -> None:
    boards = boards_of_random_plays(14)
    whole, found = (followed([seen(board) for board in of]) for of in (boards, boards[9:]))
    tiles = sum(1 for _ in boards[9].tiles())
    assert found.gaps == (f"0.jpg: the game starts from this board of {tiles} tiles",)
    assert found.game.start == boards[9]
    assert [step.scored for step in found.game.steps] == [step.scored for step in whole.game.steps[10:]]


def test_a_play_that_is_being_laid_is_no_game_that_had_begun() -> None:
    board = boards_after(*PLAYS)[0]
    squares = [(tile.row, tile.column) for tile in board.tiles()]
    laid = [seen(board, but=dict.fromkeys(squares[count:], ".")) for count in (1, 3)]
    found = followed([*laid, seen(board), seen(board)])
    assert words(found) == ["CABLE"]
    assert found.game.start is None


def test_many_plays_between_two_photos_cost_no_later_play() -> None:
    boards = boards_of_random_plays(14)
    whole = followed([seen(board) for board in boards])
    found = followed([seen(board) for board in (*boards[:2], *boards[10:])])
    (gap,) = found.gaps
    assert gap.endswith("plays between 1.jpg and 2.jpg: the most plausible ones")
    assert [step.scored for step in found.game.steps[-3:]] == [step.scored for step in whole.game.steps[-3:]]


def test_a_letter_of_which_the_bag_has_too_few_costs_no_later_play() -> None:
    few = replace(ENGLISH, name="few", counts={**ENGLISH.counts, "T": 1})
    photos = [replace(seen(board), name=f"{number}.jpg") for number, board in enumerate(boards_after(*PLAYS))]
    found = build_game(reconstruct_positions(photos, ENGLISH), few, ("Anna", "Jón"))
    assert found.game.board == boards_after(*PLAYS)[-1]
    assert found.game.totals == WHOLE.game.totals
    (gap,) = found.gaps
    assert (
        gap == "3.jpg: the play needs 1 T and 1 is on the board, but few has 1 in all; a tile may be misread"
    )
