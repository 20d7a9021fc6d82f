"""The play between two boards."""

import itertools
import time

import pytest

from scoring import (
    Board,
    IllegalPlayError,
    InferenceKind,
    NotationError,
    Placement,
    Play,
    PlayOrderSearch,
    PlayRule,
    infer,
    load_edition,
    score_play,
)
from tests.support.positions import board_after, play_of

ICELANDIC = load_edition("icelandic")
EMPTY = Board.empty(ICELANDIC.layout)


HRAKI = board_after("8D HRAKI")
LOKI = board_after("8D HRAKI", "G6 LO.I")


def test_nothing_changed() -> None:
    assert infer(LOKI, LOKI, ICELANDIC).kind is InferenceKind.NOTHING
    assert infer(EMPTY, EMPTY, ICELANDIC).kind is InferenceKind.NOTHING


def test_a_play() -> None:
    found = infer(HRAKI, LOKI, ICELANDIC)
    assert found.kind is InferenceKind.PLAY
    assert found.plays == (play_of("G6 LO.I"),)
    assert found.added == play_of("G6 LO.I").placements
    assert found.removed == ()


def test_a_play_taken_back() -> None:
    found = infer(LOKI, HRAKI, ICELANDIC)
    assert found.kind is InferenceKind.TAKEN_BACK
    assert found.removed == play_of("G6 LO.I").placements
    assert infer(HRAKI, EMPTY, ICELANDIC).kind is InferenceKind.TAKEN_BACK


def test_a_play_taken_back_and_another_one_elsewhere() -> None:
    found = infer(LOKI, board_after("8D HRAKI", "F8 .UÐ"), ICELANDIC)
    assert found.kind is InferenceKind.TAKEN_BACK_AND_PLAY
    assert found.plays == (play_of("F9 UÐ"),)
    assert found.removed == play_of("G6 LO.I").placements


def test_tiles_that_others_hang_on_cannot_go() -> None:
    board = board_after("8D HRAKI", "G6 LO.I", "10D REIÐA")
    found = infer(board, board.without([(8, 6)]), ICELANDIC)
    assert found.kind is InferenceKind.NOT_LEGAL
    assert found.problem is not None
    assert found.problem.reason is PlayRule.LEAVES_FLOATING
    assert "the tiles on G9" in str(found.problem)
    swapped = infer(board, board.without([(8, 6)]).with_tiles(play_of("G9 Á")), ICELANDIC)
    assert swapped.kind is InferenceKind.NOT_LEGAL
    assert swapped.problem is not None
    assert swapped.problem.reason is PlayRule.LEAVES_FLOATING
    assert [tile.token for tile in (*swapped.removed, *swapped.added)] == ["I", "Á"]


def test_tiles_that_remain_must_cover_the_start() -> None:
    # without HRAKI, the word on the start square, LOKI and REIÐA are connected but off the start square
    board = (
        board_after("8D HRAKI", "G6 LO.I", "10D REIÐA", "H10 .R")
        .without([(7, 6)])
        .with_tiles(play_of("G8 A"))
    )
    rest = board.without([(7, 3), (7, 4), (7, 5), (7, 7)])
    assert rest.is_connected()
    taken = infer(board, rest, ICELANDIC)
    assert taken.kind is InferenceKind.NOT_LEGAL
    assert taken.problem is not None
    assert taken.problem.reason is PlayRule.START_NOT_COVERED
    assert "without the tiles on D8 E8 F8 H8 no word would be on the start square" in str(taken.problem)
    swapped = infer(board, rest.with_tiles(play_of("H8 Á")), ICELANDIC)
    assert swapped.kind is InferenceKind.NOT_LEGAL
    known = infer(board, rest, ICELANDIC, last_play=play_of("8D HRA.I"))
    assert known.kind is InferenceKind.NOT_LEGAL
    # if the start square was empty before, it says nothing about the tiles taken off
    off = rest.without([(9, 3)])
    assert infer(rest, off, ICELANDIC).kind is InferenceKind.TAKEN_BACK


def test_stray_tiles_of_a_misread_board_may_go_one_by_one() -> None:
    strays = Play.of([(0, 0, "A"), (14, 14, "R")])
    found = infer(HRAKI.with_tiles(strays), HRAKI.with_tiles(strays.placements[:1]), ICELANDIC)
    assert (found.kind, found.removed) == (InferenceKind.TAKEN_BACK, strays.placements[1:])


def test_an_illegal_play_after_tiles_were_taken() -> None:
    found = infer(LOKI, HRAKI.with_tiles(play_of("1A ÁR")), ICELANDIC)
    assert found.kind is InferenceKind.NOT_LEGAL
    assert found.problem is not None
    assert found.problem.reason is PlayRule.NOT_TOUCHING


def test_a_replacement_that_uses_tiles_again_is_found_whole_if_the_last_play_is_known() -> None:
    last = play_of("G6 LO.I")
    now = board_after("8D HRAKI", "G6 LO.AR")
    partly = infer(LOKI, now, ICELANDIC)
    assert partly.plays == (play_of("G9 AR"),)
    whole = infer(LOKI, now, ICELANDIC, last_play=last)
    assert whole.kind is InferenceKind.TAKEN_BACK_AND_PLAY
    assert whole.plays == (play_of("G6 LO.AR"),)
    assert whole.removed == last.placements
    assert whole.added == play_of("G6 LO.AR").placements


def test_a_last_play_that_was_shortened() -> None:
    last = play_of("G6 LO.I")
    found = infer(LOKI, board_after("8D HRAKI", "G6 LO"), ICELANDIC, last_play=last)
    assert found.kind is InferenceKind.TAKEN_BACK_AND_PLAY
    assert found.plays == (play_of("G6 LO"),)
    assert infer(LOKI, HRAKI, ICELANDIC, last_play=last).kind is InferenceKind.TAKEN_BACK


def test_a_last_play_that_explains_nothing_is_left_alone() -> None:
    assert infer(LOKI, HRAKI, ICELANDIC, last_play=play_of("8D HRAKI")).kind is InferenceKind.TAKEN_BACK
    found = infer(LOKI, HRAKI.with_tiles(play_of("O1 Á")), ICELANDIC, last_play=play_of("G6 LO.I"))
    assert found.kind is InferenceKind.NOT_LEGAL


def test_a_last_play_that_is_not_on_the_board_is_left_alone() -> None:
    last = play_of("G6 LO.I")
    for stray in ((14, 14, "A"), (15, 0, "A")):
        found = infer(LOKI, HRAKI, ICELANDIC, last_play=Play.of([*last, stray]))
        assert (found.kind, found.removed) == (InferenceKind.TAKEN_BACK, last.placements)


def test_a_play_taken_back_and_two_plays_between_two_looks() -> None:
    last = play_of("G6 LO.I")
    now = board_after("8D HRAKI", "F8 .UÐ", "10F .ÁR")
    found = infer(LOKI, now, ICELANDIC, last_play=last)
    assert found.kind is InferenceKind.TAKEN_BACK_AND_TWO_PLAYS
    assert found.removed == last.placements
    assert (play_of("F8 .UÐ"), play_of("10F .ÁR")) in found.splits
    assert found.plays == found.splits[0]
    for first, second in found.splits:
        assert HRAKI.with_tiles(first).with_tiles(second) == now
    assert infer(LOKI, now, ICELANDIC) == found


def test_a_play_laid_shorter_and_the_answer_to_it_between_two_looks() -> None:
    now = board_after("8D HRAKI", "G6 LO", "D8 .ÁR")
    found = infer(LOKI, now, ICELANDIC, last_play=play_of("G6 LO.I"))
    assert found.kind is InferenceKind.TAKEN_BACK_AND_TWO_PLAYS
    assert (play_of("G6 LO"), play_of("D8 .ÁR")) in found.splits
    # without `last_play`, two of its tiles seem to have stayed
    assert infer(LOKI, now, ICELANDIC).plays == (play_of("D8 .ÁR"),)


def test_two_plays_between_two_looks() -> None:
    now = board_after("8D HRAKI", "G6 LO.I", "10G ÐÁ")
    found = infer(HRAKI, now, ICELANDIC)
    assert found.kind is InferenceKind.TWO_PLAYS
    # LOKI and then ÐÁ with LOKIÐ scores more than LOKIÐ at once and then an Á
    assert found.plays == found.splits[0] == (play_of("G6 LO.I"), play_of("10G ÐÁ"))
    assert (play_of("G6 LO.IÐ"), play_of("10H Á")) in found.splits
    for first, second in found.splits:
        middle = infer(HRAKI, HRAKI.with_tiles(first), ICELANDIC)
        assert middle.plays == (first,)
        assert infer(HRAKI.with_tiles(first), now, ICELANDIC).plays == (second,)
    assert len(set(found.splits)) == len(found.splits)


@pytest.mark.parametrize("hidden", [None, (5, 7), (5, 8), (8, 6), (10, 7)])
def test_splits_are_complete_and_in_the_order_of_their_sums(hidden: tuple[int, int] | None) -> None:
    """Compare with all partitions of the new tiles, in the documented order."""
    hand = [Placement(*hidden, token="#")] if hidden else []
    before = HRAKI.with_tiles(hand)
    now = board_after("8D HRAKI", "G6 LO.I", "10G ÐÁ").without(hand).with_tiles(hand)
    added = infer(before, now, ICELANDIC).added
    sums = {}
    for chosen in itertools.product((True, False), repeat=len(added)):
        first = Play.of(tile for tile, early in zip(added, chosen, strict=True) if early)
        second = Play.of(tile for tile, early in zip(added, chosen, strict=True) if not early)
        try:
            total = score_play(before, first, ICELANDIC).total
            sums[first, second] = total + score_play(before.with_tiles(first), second, ICELANDIC).total
        except IllegalPlayError:
            continue
    found = infer(before, now, ICELANDIC)
    assert set(found.splits) == set(sums)
    assert [sums[split] for split in found.splits] == sorted(sums.values(), reverse=True)
    assert infer(before, now, ICELANDIC).splits == found.splits


def test_two_tiles_of_a_line_with_a_gap_or_old_tiles_between_may_be_two_plays() -> None:
    for squares in ([(8, 3, "Á"), (8, 5, "S")], [(7, 2, "S"), (7, 8, "N")]):
        tiles = Play.of(squares).placements
        plays = [Play(placements=(tile,)) for tile in tiles]
        orders = list(PlayOrderSearch(ICELANDIC).find(HRAKI, frozenset(tiles), 2))
        assert orders == [tuple(plays), tuple(reversed(plays))]


def test_the_search_for_plays_ends_after_its_last_check() -> None:
    tiles = frozenset(infer(HRAKI, board_after("8D HRAKI", "G6 LO.I", "10G ÐÁ"), ICELANDIC).added)
    assert [len(list(PlayOrderSearch(ICELANDIC, n).find(HRAKI, tiles, 2))) for n in (0, 1, 99)] == [0, 0, 2]


def test_a_lone_tile_may_be_either_play() -> None:
    """A single tile is in a row and a column, which give the same split: it must not come twice."""
    found = infer(HRAKI, HRAKI.with_tiles(Play.of([(8, 3, "Á"), (6, 7, "S")])), ICELANDIC)
    assert found.kind is InferenceKind.TWO_PLAYS
    assert set(found.splits) == {(play_of("D9 Á"), play_of("H7 S")), (play_of("H7 S"), play_of("D9 Á"))}


def test_two_plays_on_one_line() -> None:
    # ten tiles, more than a rack: one play in the middle, the other around it or next to it
    found = infer(EMPTY, board_after("8C SKRATTINNÚ"), ICELANDIC)
    assert found.kind is InferenceKind.TWO_PLAYS
    assert (play_of("8F ATTINNÚ"), play_of("8C SKR")) in found.splits
    assert (play_of("8E RATTINN"), play_of("8C SK.......Ú")) in found.splits
    assert all(len(first) <= 7 and len(second) <= 7 for first, second in found.splits)


def test_two_openings_side_by_side_in_either_order() -> None:
    found = infer(EMPTY, board_after("8G ÁR", "9G SÓ"), ICELANDIC)
    assert found.kind is InferenceKind.TWO_PLAYS
    assert (play_of("8G ÁR"), play_of("9G SÓ")) in found.splits
    assert (play_of("H8 RÓ"), play_of("G8 ÁS")) in found.splits
    assert (play_of("9G SÓ"), play_of("8G ÁR")) not in found.splits


def test_what_no_two_plays_explain() -> None:
    scattered = HRAKI.with_tiles(Play.of([(0, 0, "A"), (3, 9, "R"), (14, 2, "S")]))
    found = infer(HRAKI, scattered, ICELANDIC)
    assert found.kind is InferenceKind.NOT_LEGAL
    assert found.problem is not None
    assert found.problem.reason is PlayRule.NOT_ONE_LINE
    assert found.plays == ()


def test_a_board_full_of_nonsense_is_refused_at_once() -> None:
    full = Board.from_rows([["A"] * 15] * 15)
    start = time.thread_time()
    found = infer(EMPTY, full, ICELANDIC)
    assert time.thread_time() - start < 0.5
    assert found.kind is InferenceKind.NOT_LEGAL
    assert len(found.added) == 225


def test_covered_squares_count_as_unchanged() -> None:
    hand = [Placement(row=7, column=3, token="#"), Placement(row=0, column=0, token="#")]
    now = LOKI.without(hand).with_tiles(hand)
    assert infer(LOKI, now, ICELANDIC).kind is InferenceKind.NOTHING
    assert infer(HRAKI, now, ICELANDIC).plays == (play_of("G6 LO.I"),)


def test_what_was_covered_before_is_not_new() -> None:
    hidden = HRAKI.without([(7, 3), (0, 0)]).with_tiles(
        [Placement(row=7, column=3, token="#"), Placement(row=0, column=0, token="#")]
    )
    assert infer(hidden, LOKI, ICELANDIC).plays == (play_of("G6 LO.I"),)
    assert infer(hidden, HRAKI, ICELANDIC).kind is InferenceKind.NOTHING


def test_a_blank_is_the_same_blank_with_and_without_its_letter() -> None:
    known, unknown = board_after("8D HRAkI"), board_after("8D HRA?I")
    assert infer(known, unknown, ICELANDIC).kind is InferenceKind.NOTHING
    assert infer(known, unknown, ICELANDIC).named == ()
    learnt = infer(unknown, known, ICELANDIC)
    assert learnt.kind is InferenceKind.NOTHING
    assert learnt.named == (Placement(row=7, column=6, token="k"),)
    both = infer(unknown, known.with_tiles(play_of("G9 I")), ICELANDIC)
    assert both.plays == (play_of("G9 I"),)
    assert both.named == learnt.named
    renamed = infer(known, board_after("8D HRAsI"), ICELANDIC)
    assert renamed.removed == learnt.named
    replaced = infer(unknown, HRAKI, ICELANDIC)
    assert (replaced.named, replaced.added) == ((), (Placement(row=7, column=6, token="K"),))


@pytest.mark.parametrize("other", [[["."] * 16] * 16, [["."] * 15] * 16])
def test_boards_of_two_sizes_cannot_be_compared(other: list[list[str]]) -> None:
    with pytest.raises(NotationError, match="boards of one size"):
        infer(EMPTY, Board.from_rows(other), ICELANDIC)


def test_boards_of_another_size_than_the_editions() -> None:
    small = Board.from_rows(["....", "....", "....", "...."])
    for now in (small, small.with_tiles(play_of("1A ÁR"))):
        with pytest.raises(NotationError, match=r"4 rows and 4 columns.*name the edition"):
            infer(small, now, ICELANDIC)
        with pytest.raises(NotationError, match="name the edition"):
            infer(small.with_tiles(play_of("1A ÁR")), now, ICELANDIC)
