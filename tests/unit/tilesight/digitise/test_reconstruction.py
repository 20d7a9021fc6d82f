"""What the photos of a game say together: when tiles were laid, which ones they are, and in which order photos go."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import Board, Edition, Placement, load_edition, parse_play
from tests.support.positions import boards_after
from tests.support.random_games import random_game
from tilesight.digitise.reading.photo_reader import pack_reading, unpack_reading
from tilesight.digitise.reading.photo_record import PhotoRecord
from tilesight.digitise.reconstruction.evidence import (
    PhotoEvidence,
    collect_evidence,
    state_log_likelihoods,
    states_of,
)
from tilesight.digitise.reconstruction.found_games import add_conflicts, find_conflicts
from tilesight.digitise.reconstruction.game_record import build_game
from tilesight.digitise.reconstruction.play_search import search_plays
from tilesight.digitise.reconstruction.positions import reconstruct_positions
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from tilesight.digitise.results.corrections import Correction, collect_corrected_tiles, correct_squares
from vision.core.boards import Occupancy, SquareProbabilities

ENGLISH = load_edition("english")
NORWEGIAN = load_edition("norwegian")
KINDS = states_of(ENGLISH)
EARLY = ("8D CABLE", "D8 .ARTS", "11D .EA", "F10 N.T", "10F .O")


def states(board: Board, sure: float = 0.99) -> NDArray[np.float64]:
    """The probability of each state of each square in a good photo of the board."""
    shares = np.full((15, 15, len(KINDS)), (1 - sure) / len(KINDS))
    for row, column in itertools.product(range(15), repeat=2):
        token = board[row, column]
        shares[row, column, KINDS.index("?" if token.islower() else token)] = sure
    return shares


def photo(name: str, board: Board, shares: NDArray[np.float64] | None = None) -> PhotoEvidence:
    shares = states(board) if shares is None else shares
    return PhotoEvidence(name=name, board=board, states=np.log(shares + 1e-3).reshape(225, -1))


def photos(boards: Sequence[Board]) -> list[PhotoEvidence]:
    return [photo(f"{number}.jpg", board) for number, board in enumerate(boards)]


def reading(board: Board, tokens: Sequence[str] = ENGLISH.tokens) -> SquareProbabilities:
    """What a sure reader says of a board."""
    occupancy = np.zeros((15, 15, 4), np.float32)
    letters = np.full((15, 15, len(tokens)), 1 / len(tokens), np.float32)
    for row, column in itertools.product(range(15), repeat=2):
        token = board[row, column]
        kind = {".": Occupancy.EMPTY, "?": Occupancy.BLANK, "#": Occupancy.COVERED}.get(token, Occupancy.TILE)
        occupancy[row, column, kind] = 1
        if kind is Occupancy.TILE:
            letters[row, column] = np.eye(len(tokens))[tokens.index(token)]
    return SquareProbabilities(
        reader="network",
        tokens=tuple(tokens),
        value_labels=(1, None),
        occupancy=occupancy,
        letters=letters,
        values=np.full((15, 15, 2), 0.5, np.float32),
        turns=np.full((15, 15, 4), 0.25, np.float32),
    )


def test_a_letter_that_training_showed_more_often_is_no_likelier() -> None:
    board = reading(boards_after(*EARLY)[-1])
    one, other = map(board.tokens.index, "NM")
    letters = np.array(board.letters)
    letters[7, 7] = 0.0
    letters[7, 7, [one, other]] = 2 / 3, 1 / 3
    often = tuple(1.0 + (token == "N") for token in board.tokens)
    plain = state_log_likelihoods(replace(board, letters=letters), ENGLISH)
    even = state_log_likelihoods(replace(board, letters=letters, letter_factors=often), ENGLISH)
    n, m = map(KINDS.index, "NM")
    assert plain[7 * 15 + 7, n] - plain[7 * 15 + 7, m] == pytest.approx(np.log(2), abs=1e-2)
    assert even[7 * 15 + 7, n] - even[7 * 15 + 7, m] == pytest.approx(0, abs=1e-3)


def test_the_only_letter_on_its_side_is_rather_a_sign_on_a_blank() -> None:
    shown = boards_after(*EARLY)[-1]
    board = reading(shown)
    row, column = next((tile.row, tile.column) for tile in shown.tiles())
    occupancy = board.occupancy.copy()
    occupancy[row, column] = 0
    occupancy[row, column, [Occupancy.TILE, Occupancy.BLANK]] = 0.6, 0.4
    kinds = []
    for quarter_turns in (0, 1):
        turns = np.tile(np.eye(4, dtype=np.float32)[0], (15, 15, 1))
        turns[row, column] = np.eye(4)[quarter_turns]
        logs = state_log_likelihoods(replace(board, occupancy=occupancy, turns=turns), ENGLISH)
        kinds.append(KINDS[logs[row * 15 + column].argmax()])
    assert kinds[0] != "?"
    assert kinds[1] == "?"


def test_a_reading_is_kept_square_by_square_where_something_may_lie() -> None:
    before = reading(boards_after(*EARLY)[-1])
    often = tuple(1.0 + (token == "N") for token in before.tokens)
    before = replace(before, letter_factors=often, value_factors=(1.0, 3.5))
    data = pack_reading(before)
    after = unpack_reading(data)
    held = before.occupancy[..., Occupancy.EMPTY] < 0.5
    assert len(data) < 3_000
    assert after.tokens == before.tokens
    assert after.value_labels == before.value_labels
    assert after.reader == before.reader
    assert after.letter_factors == often
    assert after.value_factors == before.value_factors
    for name in ("occupancy", "letters", "values", "turns"):
        assert getattr(after, name)[held] == pytest.approx(getattr(before, name)[held], abs=1e-3)
    assert (after.occupancy[~held] == [1, 0, 0, 0]).all()
    bare = unpack_reading(pack_reading(reading(Board.empty(ENGLISH.layout))))
    assert (bare.occupancy == [1, 0, 0, 0]).all()
    assert unpack_reading(pack_reading(after)).letters.tobytes() == after.letters.tobytes()


def test_what_covers_a_square_says_nothing_of_what_lies_there() -> None:
    rows = [list(row) for row in boards_after("8D CABLE")[0].rows]
    rows[0][0] = "#"
    logs = state_log_likelihoods(reading(Board.from_rows(rows)), ENGLISH)
    assert np.ptp(logs[0]) < 0.01
    assert logs[7 * 15 + 3].argmax() == KINDS.index("C")


def test_the_likeliest_history_begins_a_tile_where_photos_begin_to_show_it() -> None:
    empty, tile, unsure = [-0.01, -6.0, -6.0], [-6.0, -6.0, -0.01], [-0.5, -3.0, -1.5]
    looks = np.array([[empty], [tile], [unsure], [tile], [tile]], np.float64)
    timelines = SquareTimelines(looks)
    assert timelines.cost_of_placing(1)[0] == pytest.approx(0)
    assert timelines.cost_of_staying_empty(0)[0] == pytest.approx(0)
    laid = np.array([1])
    assert sum(timelines.cost_of_keeping(laid, look)[0] for look in range(2, 5)) == pytest.approx(0)
    assert timelines.placement_probabilities(TileSpan(0, 1, 5)).argmax() == 1
    assert timelines.kind_log_likelihoods(TileSpan(0, 1, 5)).argmax() == 1


def last_board(chances: dict[tuple[int, int], float]) -> Board:
    """The last board of photos in which tiles are blanks with these probabilities, else what is printed there."""
    boards, seen = boards_after(*EARLY), []
    for number, board in enumerate(boards):
        shares = states(board)
        for square, blank in chances.items():
            if board[square] != ".":
                shares[square] = 1e-5
                shares[square][[KINDS.index("?"), KINDS.index(board[square])]] = blank, 1 - blank
        seen.append(photo(f"{number}.jpg", board, shares))
    return reconstruct_positions(seen, ENGLISH)[-1].board


def test_there_are_not_more_blanks_than_the_bag_holds() -> None:
    board = last_board({(7, 3): 0.97, (7, 4): 0.98, (7, 5): 0.99})
    assert [board[7, column] for column in (3, 4, 5)] == ["C", "?", "?"]


def test_a_blank_is_no_surer_for_being_in_more_photos() -> None:
    board = last_board({(7, 4): 0.9, (7, 6): 0.99, (9, 6): 0.97})  # the last one is in one photo
    assert [board[square] for square in ((7, 4), (7, 6), (9, 6))] == ["A", "?", "?"]


def test_all_tiles_that_people_named_blanks_are_blanks_and_the_bag_is_checked() -> None:
    boards = boards_after(*EARLY)
    squares = {(7, 3): "?", (7, 4): "?", (7, 5): "b"}
    seen = photos(boards)
    seen[-1] = corrected_by(squares, boards[-1], states(boards[-1]))
    found = reconstruct_positions(seen, ENGLISH)
    assert [found[-1].board[square] for square in squares] == ["?", "?", "b"]
    assert [position.overruled for position in found if position.overruled] == []
    (gap,) = build_game(found, ENGLISH, ("Anna", "Jón")).gaps
    assert "english has 2 in all" in gap


def search(*looks: NDArray[np.float64], edition: Edition = ENGLISH) -> list[list[set[tuple[int, int]]]]:
    """The squares of each play of the best hypothesis that stays, by the look from which it is there."""
    squares = [(row, column) for row in range(15) for column in range(15)]
    logs = np.log(np.stack(looks) + 1e-3).reshape(len(looks), 225, -1)
    hypothesis = search_plays(SquareTimelines(logs), edition)
    return [
        [{squares[square] for square in play.squares} for play in hypothesis.plays if play.placed == look]
        for look in range(len(looks))
    ]


def course_of(*looks: NDArray[np.float64], edition: Edition = ENGLISH) -> list[set[tuple[int, int]]]:
    """The squares with tiles at each position of the best hypothesis."""
    squares = [(row, column) for row in range(15) for column in range(15)]
    logs = np.log(np.stack(looks) + 1e-3).reshape(len(looks), 225, -1)
    hypothesis = search_plays(SquareTimelines(logs), edition)
    return [{squares[tile.square] for tile in hypothesis.tiles_at(look)} for look in range(len(looks))]


def filled(board: Board) -> set[tuple[int, int]]:
    return {(tile.row, tile.column) for tile in board.tiles()}


def test_a_tile_that_no_photo_shows_fills_the_gap_that_the_rules_do_not_allow() -> None:
    boards = boards_after(*EARLY)
    looks = [states(board) for board in boards]
    for look in looks[1:]:
        look[9, 3] = states(Board.empty(ENGLISH.layout))[
            9, 3
        ]  # the R of CARTS, a bare blank on a pale square
    assert course_of(*looks) == [filled(board) for board in boards]


@pytest.mark.parametrize("covered", [slice(9, 12), slice(8, 12)])
def test_tiles_under_a_hand_are_of_the_play_that_its_photo_shows(covered: slice) -> None:
    boards = boards_after(*EARLY)
    looks = [states(board) for board in boards]
    looks[1][covered, 3] = 1 / len(KINDS)
    looks[1][covered, 3, KINDS.index(".")] *= 1.5  # the edge of the hand
    assert course_of(*looks) == [filled(board) for board in boards]


@pytest.mark.parametrize("seed", range(4))
def test_many_plays_between_two_photos_lay_the_tiles_that_are_seen_and_no_others(seed: int) -> None:
    game = random_game(random.Random(seed), ENGLISH, turns=50)
    first = next(step.after.board for step in game.steps if not step.after.board.is_empty)
    between = search(states(first), states(game.board))[1]
    laid = [square for play in between for square in play]
    assert set(laid) == filled(game.board) - filled(first)
    assert len(laid) == len(set(laid))
    assert max(map(len, between)) <= ENGLISH.rack_size


def test_a_play_of_one_tile_is_laid_at_once_though_a_long_one_can_be_split_in_many_ways() -> None:
    game = random_game(random.Random(103), ENGLISH, turns=50)
    boards = [step.after.board for step in game.steps if not step.after.board.is_empty][::3]
    assert course_of(*map(states, boards)) == [filled(board) for board in boards]


def test_a_tile_that_photos_show_apart_is_not_laid() -> None:
    boards = boards_after(*EARLY)
    looks = [states(board) for board in boards]
    for look in looks[2:]:
        look[0, 0] = states(boards[-1])[7, 3]
    assert course_of(*looks) == [filled(board) for board in boards]


def test_plays_that_were_taken_back_are_gone_and_others_may_follow() -> None:
    boards = boards_after(*EARLY[:3])
    other = boards[1].with_tiles(parse_play("H8 .AST", ENGLISH.tokens, boards[1]))
    sequence = [boards[0], boards[1], other, boards[1], boards[2]]
    assert course_of(*(states(board) for board in sequence)) == [filled(board) for board in sequence]


def test_no_photo_and_photos_without_a_tile_are_no_look() -> None:
    assert reconstruct_positions([], ENGLISH) == []
    empty = Board.empty(ENGLISH.layout)
    covered = Board.from_rows([["#", *["."] * 14], *[["."] * 15] * 14])
    assert (
        reconstruct_positions([photo("a.jpg", empty), photo("b.jpg", covered, states(empty))], ENGLISH) == []
    )
    begun = photo("c.jpg", boards_after("8D CABLE")[0])
    (look,) = reconstruct_positions(
        [photo("a.jpg", empty), photo("b.jpg", covered, states(empty)), begun], ENGLISH
    )
    assert look.photos == ("c.jpg",)


def json_of(board: Board) -> dict[str, Any]:
    return {
        "image": "a.jpg",
        "status": "ok",
        "edition": "english",
        "rows": [list(row) for row in board.rows],
        "confidence": [[1.0] * 15] * 15,
    }


def record_of(board: Board) -> PhotoRecord:
    return PhotoRecord.from_json(json_of(board))


def test_what_people_stated_of_a_square_holds_for_the_game() -> None:
    boards = boards_after(*EARLY)
    seen = []
    for number, board in enumerate(boards):
        record = record_of(board)
        if number == 1:
            said = Correction(edition=None, squares={(7, 3): "T", (7, 4): "a"})
            record = correct_squares(record, said, ENGLISH, {})
        found = collect_evidence(record, reading(board), ENGLISH)
        assert found is not None
        seen.append(found)
    last = reconstruct_positions(seen, ENGLISH)[-1].board
    assert (last[7, 3], last[7, 4]) == ("T", "a")


def corrected_evidence(boards: Sequence[Board], *corrections: tuple[int, str]) -> list[PhotoEvidence]:
    """What photos show; each correction is of one photo's square F10, the last one last."""
    said = {number: Correction(squares={(9, 5): token}) for number, token in corrections}
    records = [replace(record_of(board), name=f"{number}.jpg") for number, board in enumerate(boards)]
    own = {number: correct_squares(records[number], said[number], ENGLISH, {}) for number, _ in corrections}
    tiles = collect_corrected_tiles(own.values())
    found = []
    for number, (record, board) in enumerate(zip(records, boards, strict=True)):
        corrected = correct_squares(record, said.get(number, Correction()), ENGLISH, tiles)
        of_photo = own[number].corrected or () if number in own else ()
        found.append(collect_evidence(corrected, reading(board), ENGLISH, of_photo))
    return [each for each in found if each is not None]


@pytest.mark.parametrize("number", [3, 4, 12])
def test_a_tile_that_was_corrected_in_one_photo_is_the_same_tile_in_all(number: int) -> None:
    boards = boards_after(*EARLY)
    boards += boards[-1:] * 8
    found = reconstruct_positions(corrected_evidence(boards, (number, "n")), ENGLISH)
    assert [len(look.turns) for look in found] == [1] * 5
    assert [look.board[9, 5] for look in found] == [".", ".", ".", "n", "n"]


def test_a_corrected_tile_is_not_that_of_photos_that_show_another_one_there() -> None:
    board = boards_after(*EARLY)[-1]
    record = correct_squares(record_of(board), Correction(), ENGLISH, {((9, 5), "E"): "T"})
    seen = collect_evidence(record, reading(board), ENGLISH)
    assert seen is not None
    assert KINDS[seen.states[9 * 15 + 5].argmax()] == "N"


def corrected_by(
    squares: dict[tuple[int, int], str], board: Board, misread: NDArray[np.float64]
) -> PhotoEvidence:
    said = correct_squares(record_of(board), Correction(edition=None, squares=squares), ENGLISH, {})
    found = collect_evidence(said, reading(board), ENGLISH, said.corrected or ())
    assert found is not None
    states = photo("a.jpg", board, misread).states.copy()
    corrected = [row * 15 + column for row, column in squares]
    states[corrected] = found.states[corrected]
    return replace(found, states=states)


@pytest.mark.parametrize(("square", "token"), [((7, 5), "B"), ((7, 5), "?"), ((7, 5), "b"), ((7, 7), ".")])
def test_no_number_of_photos_outvotes_what_people_stated(square: tuple[int, int], token: str) -> None:
    board = boards_after("8D CAXLE")[0]
    photos = [photo(f"{number}.jpg", board) for number in range(60)]
    photos[2] = corrected_by({square: token}, board, states(board))
    looks = reconstruct_positions(photos, ENGLISH)
    assert {look.board[square] for look in looks if "a.jpg" in look.photos} == {token}
    assert [look.overruled for look in looks if look.overruled] == []


def test_a_correction_that_the_rules_do_not_allow_is_reported() -> None:
    boards = boards_after(*EARLY[:2])
    photos = [photo(f"{number}.jpg", board) for number, board in enumerate(boards)]
    photos[1] = corrected_by({(0, 0): "B"}, boards[1], states(boards[1]))
    looks = reconstruct_positions(photos, ENGLISH)
    assert [each for look in looks for each in look.overruled] == [("a.jpg", (0, 0), None)]
    gaps = build_game(looks, ENGLISH, ("Anna", "Jón")).gaps
    assert "a.jpg: what was corrected on A1 fits no play and is left out" in gaps


@pytest.mark.parametrize(("first", "last", "token"), [(3, 4, "m"), (4, 3, "n"), (12, 3, "n")])
def test_of_corrections_of_one_tile_the_last_one_counts(first: int, last: int, token: str) -> None:
    boards = boards_after(*EARLY[:3], "F10 ?.T", "10F .O")
    boards += boards[-1:] * 8
    evidence = corrected_evidence(boards, (first, "m" if token == "n" else "n"), (last, token))
    found = reconstruct_positions(evidence, ENGLISH)
    assert {look.board[9, 5] for look in found[3:]} == {token}
    assert build_game(found, ENGLISH, ("Anna", "Jón")).gaps == ()


def test_corrections_of_a_tile_that_was_read_in_two_ways_contradict_each_other() -> None:
    boards = boards_after(*EARLY)
    boards += boards[-1:] * 8
    rows = [list(tokens) for tokens in boards[9].rows]
    rows[9][5] = "E"
    boards[9] = Board.from_rows(rows)
    found = reconstruct_positions(corrected_evidence(boards, (4, "t"), (9, "m")), ENGLISH)
    assert {look.board[9, 5] for look in found[3:]} == {"t"}
    gaps = build_game(found, ENGLISH, ("Anna", "Jón")).gaps
    line = "what was corrected on F10 contradicts the correction of 4.jpg; correct one of them"
    assert gaps == (f"9.jpg: {line}",)


def test_a_letter_and_a_blank_for_one_tile_take_no_play_back() -> None:
    boards = boards_after(*EARLY)
    boards += boards[-1:] * 8
    found = reconstruct_positions(corrected_evidence(boards, (4, "T"), (7, "N")), ENGLISH)
    assert [len(look.turns) for look in found] == [1] * 5
    assert {look.board[9, 5] for look in found[3:]} == {"N"}
    assert [each for look in found for each in look.overruled] == []


def test_squares_that_the_game_has_otherwise_are_doubts_of_the_photo() -> None:
    board = boards_after("8D CABLE")[0]
    data = json_of(board) | {"doubt": 0.25}
    data["rows"][7][5], data["rows"][7][4], data["rows"][0][0] = "X", "b", "A"
    data["rows"][7][6], data["rows"][7][3], data["rows"][1][1] = "#", "?", "Z"
    data["corrected"] = [{"square": [1, 1], "was": ".", "now": "Z"}]
    reasons = "another reading is likely too", "the value is that of another letter"
    data["doubts"] = [{"square": [7, 5], "reason": reason} for reason in reasons]
    seen = PhotoRecord.from_json(data)
    others = find_conflicts(seen, board.without([Placement(row=7, column=3, token="C")]))
    assert others == {(0, 0): ".", (7, 3): ".", (7, 4): "A", (7, 5): "B"}
    blank = Board.from_rows([["c", "?", *["."] * 13], *[["."] * 15] * 14])
    both = json_of(blank)
    both["rows"][0][0], both["rows"][0][1] = "?", "E"
    assert find_conflicts(PhotoRecord.from_json(both), blank) == {(0, 1): "?"}
    assert find_conflicts(record_of(Board.from_rows([["A"] * 13] * 13)), blank) == {}
    doubted = add_conflicts(seen, others | {(0, 1): "?"}).to_json()
    assert [(each["square"], each["reason"]) for each in doubted["doubts"]] == [
        ((0, 0), "its game has nothing here"),
        ((0, 1), "its game has a blank here"),
        ((7, 3), "its game has nothing here"),
        ((7, 4), "its game has A here"),
        *(((7, 5), reason) for reason in (*reasons, "its game has B here")),
    ]
    assert doubted["doubt"] == 5.25
    assert list(map(list, doubted["rows"])) == data["rows"]


def test_a_photo_of_another_board_or_of_other_letters_says_nothing() -> None:
    board = boards_after(*EARLY)[-1]
    small = Board.from_rows([["."] * 13] * 13)
    assert (
        collect_evidence(record_of(board), reading(board), NORWEGIAN) is None
    )  # no Ø in that reader's alphabet
    thirteen = reading(board)
    cut = SquareProbabilities(
        reader="network",
        tokens=thirteen.tokens,
        value_labels=thirteen.value_labels,
        occupancy=thirteen.occupancy[:13, :13],
        letters=thirteen.letters[:13, :13],
        values=thirteen.values[:13, :13],
        turns=thirteen.turns[:13, :13],
    )
    assert collect_evidence(record_of(small), cut, ENGLISH) is None
