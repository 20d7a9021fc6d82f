"""Following a game by boards alone: plays, passes, take-backs, missed looks and misread letters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from scoring import Board, Game, Placement, Play, load_edition
from tests.support.positions import tiles
from tilesight.output import build_end_event, format_event, format_score_sheet, to_text
from vision.core.boards import Candidate, DecodedBoard
from vision.game_events.inference import best_explanation, follow_turn
from vision.game_events.opening import begin_game
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind

KIND = UpdateKind
EDITION = load_edition("icelandic")
EMPTY_BOARD = Board.empty(EDITION.layout)


HRAKI = tiles("HRAKI", 7, 3)
LOKI = tiles("LO.I", 5, 6, down=True)


def seen(
    board: Board,
    doubts: Mapping[tuple[int, int], Mapping[str, float]] | None = None,
) -> DecodedBoard:
    confidence = np.full(board.size, 0.99)
    alternatives = {}
    for square, candidates in (doubts or {}).items():
        alternatives[square] = tuple(Candidate(token=t, probability=p) for t, p in candidates.items())
        confidence[square] = candidates.get(board[square], 0.5)
    return DecodedBoard(board=board, confidence=confidence, alternatives=alternatives, doubts=())


def new_game(players: tuple[str, ...] = ("Anna", "Jón")) -> Game:
    return Game(edition=EDITION, players=players)


def after(*boards: DecodedBoard, game: Game | None = None) -> tuple[GameUpdate, ...]:
    """What the last of these boards told."""
    outcome = outcome_of(*boards, game=game)
    assert not isinstance(outcome, Notice)
    return outcome


def outcome_of(*boards: DecodedBoard, game: Game | None = None) -> tuple[GameUpdate, ...] | Notice:
    """The same, or why no turn explains the last one."""
    game = game or new_game()
    outcome: tuple[GameUpdate, ...] | Notice = ()
    for board in boards:
        outcome = follow_turn(game, board)
        game = outcome[-1].game if not isinstance(outcome, Notice) else game
    return outcome


def kinds(updates: tuple[GameUpdate, ...]) -> list[UpdateKind]:
    return [update.kind for update in updates]


ONE = EMPTY_BOARD.with_tiles(HRAKI)
TWO = ONE.with_tiles(LOKI)


def test_a_play_is_scored_for_the_player_on_turn() -> None:
    (play,) = after(seen(ONE), seen(TWO))
    event = format_event(play, "board-02.png", 1)
    assert event["event"] == "play"
    assert (event["player"], event["position"], event["score"], event["total"]) == ("Jón", "G6", 15, 15)
    assert event["word"] == ["L", "O", "K", "I"]
    assert event["words"] == {"LOKI": 15}
    assert sorted(map(tuple, event["placed"])) == [(5, 6, "L"), (6, 6, "O"), (8, 6, "I")]
    assert play.confidence == pytest.approx(0.99**3)


def test_an_unchanged_board_is_a_turn_without_a_play() -> None:
    updates = after(seen(ONE), seen(ONE))
    assert kinds(updates) == [KIND.NO_PLAY]
    assert updates[-1].game.turn == 0
    assert format_event(updates[0], "b", 1)["score"] == 0


def test_a_play_taken_back_loses_its_points_and_the_turn() -> None:
    updates = after(seen(ONE), seen(TWO), seen(ONE))
    assert kinds(updates) == [KIND.WITHDRAWN]
    event = format_event(updates[0], "c", 2)
    assert (event["player"], event["score"], event["total"]) == ("Jón", -15, 0)
    assert updates[0].game.turn == 0


def test_a_play_taken_back_and_the_next_play_in_one_look() -> None:
    other = ONE.with_tiles(tiles("R.K", 6, 5, down=True))
    updates = after(seen(ONE), seen(TWO), seen(other))
    assert kinds(updates) == [KIND.WITHDRAWN, KIND.PLAY]
    assert [format_event(h, "c", 2)["player"] for h in updates] == ["Jón", "Anna"]


def test_a_play_taken_back_and_the_next_two_plays_in_one_look() -> None:
    others = ONE.with_tiles(tiles(".UÐ", 7, 5, down=True)).with_tiles(tiles(".ÁR", 9, 5))
    updates = after(seen(ONE), seen(TWO), seen(others))
    assert kinds(updates) == [KIND.WITHDRAWN, KIND.PLAY, KIND.PLAY]
    assert [format_event(h, "c", 2)["player"] for h in updates] == ["Jón", "Anna", "Jón"]
    assert format_event(updates[1], "c", 2)["alternatives"]
    assert updates[-1].game.board == others


@pytest.mark.parametrize(
    ("taken", "placed", "hand_log_odds", "player"),
    [
        ("HRAKI", "KARHI", -2.4, 0),
        ("HRAKI", "KARHI", -2.6, 1),
        ("AKA", "ARAKA", -0.9, 0),
        ("AKA", "ARAKA", -1.1, 1),
    ],
)
def test_tiles_laid_elsewhere_in_one_reading_are_their_players_unless_the_hand_says_more(
    taken: str, placed: str, hand_log_odds: float, player: int
) -> None:
    game = new_game().with_play(Play(placements=tuple(tiles(taken, 7, 8 - len(taken)))))
    moved = seen(EMPTY_BOARD.with_tiles(tiles(placed, 7, 7)))
    updates = best_explanation(game, [(moved.board, 1.0)], moved, same_hand_log_odds=hand_log_odds)
    assert updates is not None
    assert kinds(updates) == [KIND.WITHDRAWN, KIND.PLAY]
    assert updates[-1].game.events[-1].player == player


def test_two_plays_between_two_looks_are_both_found() -> None:
    updates = after(seen(TWO))
    assert kinds(updates) == [KIND.PLAY, KIND.PLAY]
    assert updates[-1].game.totals == (28, 15)


def test_the_other_orders_of_two_plays_are_reported_with_their_totals() -> None:
    three = TWO.with_tiles(tiles("REI.A", 9, 3) + tiles("Ð", 9, 6))
    first, second = after(seen(ONE), seen(three))
    event = format_event(first, "b", 1)
    assert event["alternatives"]
    for other in event["alternatives"]:
        assert len(other["plays"]) == 2
        assert other["totals"].keys() == {"Anna", "Jón"}
    assert "alternatives" not in format_event(second, "b", 1)
    assert "two plays at once" in to_text(first, "b")


def test_a_joker_without_a_letter_is_reported_to_leave_the_score_too_low() -> None:
    krydsord = load_edition("krydsord")
    board = Board.empty(krydsord.layout).with_tiles(tiles("H?ND", 7, 7))
    (play,) = after(seen(board), game=Game(edition=krydsord, players=("A",)))
    assert format_event(play, "a", 0)["incomplete"] == ["I8"]
    assert "joker on I8" in to_text(play, "a")


def test_a_correction_says_what_it_makes_impossible() -> None:
    """Two letters that the bag holds once: the second reading of the first makes the later play illegal."""
    opened = after(seen(EMPTY_BOARD.with_tiles(tiles("HRAKI", 7, 3))))[-1].game
    game = opened.with_play(Play.of(tiles("LO.X", 5, 6, down=True)))
    correction = after(seen(game.board.without([(7, 3)]).with_tiles(tiles("X", 7, 3))), game=game)[0]
    assert correction.kind is KIND.CORRECTION
    assert format_event(correction, "b", 1)["problems"]
    assert "[now " in to_text(correction, "b")


def test_a_letter_misread_before_is_corrected_and_the_scores_follow() -> None:
    misread = EMPTY_BOARD.with_tiles(tiles("NRAKI", 7, 3))
    updates = after(seen(misread), seen(TWO))
    assert kinds(updates) == [KIND.CORRECTION, KIND.PLAY]
    event = format_event(updates[0], "b", 1)
    assert (event["square"], event["was"], event["now"]) == ([7, 3], "N", "H")
    assert event["totals"] == {"Anna": 28, "Jón": 0}
    assert updates[-1].game.totals == (28, 15)


def test_a_play_replaced_by_another_on_its_squares_is_no_misreading() -> None:
    other = EMPTY_BOARD.with_tiles(tiles("STEIN", 7, 3))
    updates = after(seen(ONE), seen(other))
    assert kinds(updates) == [KIND.WITHDRAWN, KIND.PLAY]
    assert [format_event(h, "b", 1)["player"] for h in updates] == ["Anna", "Jón"]


def test_a_letter_is_corrected_while_the_play_after_it_is_taken_back() -> None:
    misread = EMPTY_BOARD.with_tiles(tiles("NRAKI", 7, 3))
    other = ONE.with_tiles(tiles("LO.A", 5, 6, down=True))
    before = misread.with_tiles(LOKI)
    assert kinds(after(seen(misread), seen(before), seen(ONE))) == [KIND.CORRECTION, KIND.WITHDRAWN]
    assert kinds(after(seen(misread), seen(before), seen(other)))[0] == KIND.CORRECTION


def test_a_false_tile_that_the_rules_forbid_gives_way_to_its_alternative() -> None:
    wrong = TWO.with_tiles([Placement(row=0, column=0, token="T")])
    updates = after(seen(ONE), seen(wrong, {(0, 0): {"T": 0.6, ".": 0.4}}))
    assert kinds(updates) == [KIND.PLAY]
    assert updates[-1].game.board == TWO
    assert updates[0].confidence < 0.9


def test_a_missed_tile_that_the_rules_need_is_taken_from_its_alternatives() -> None:
    gap = ONE.with_tiles(LOKI[1:2]).with_tiles([Placement(row=9, column=6, token="Ð")])
    updates = after(seen(ONE), seen(gap, {(8, 6): {".": 0.7, "I": 0.3}}))
    assert kinds(updates) == [KIND.PLAY]
    assert updates[-1].game.board[8, 6] == "I"


@pytest.mark.parametrize(
    "new",
    [
        tiles(".UÐ", 7, 5, down=True),
        tiles(".ÁR", 7, 3, down=True),
        tiles(".UR", 7, 7, down=True),
        tiles(".ÐÁ", 5, 6),
        tiles("SÁ", 9, 6),
    ],
)
def test_a_missed_tile_of_the_last_play_is_likelier_than_a_withdrawal_and_two_plays(
    new: list[Placement],
) -> None:
    three, missed = TWO.with_tiles(new), (5, 6)
    updates = after(seen(ONE), seen(TWO), seen(three.without([missed]), {missed: {".": 0.55, "L": 0.45}}))
    assert kinds(updates) == [KIND.PLAY]
    assert updates[-1].game.board == three


def test_a_withdrawal_is_as_sure_as_that_its_tiles_are_gone() -> None:
    gone = {(8, 6): {".": 0.9}}
    (withdrawn,) = after(seen(ONE), seen(TWO), seen(ONE, gone))
    assert withdrawn.kind is KIND.WITHDRAWN
    assert withdrawn.confidence == pytest.approx(0.9 * 0.99**2)


def test_what_the_bag_decided_is_not_read_otherwise_without_need() -> None:
    """The decided token of a square need not be the likeliest by itself: the bag may hold no more of that."""
    updates = after(seen(ONE, {(7, 3): {"N": 0.5, "H": 0.4}}))
    assert updates[-1].game.board == ONE


def test_what_no_turn_explains_is_reported_and_leaves_the_game_alone() -> None:
    wrong = TWO.with_tiles([Placement(row=0, column=0, token="T")])
    unclear = outcome_of(seen(ONE), seen(wrong))
    assert isinstance(unclear, Notice)
    assert unclear.kind is NoticeKind.UNCLEAR
    event = format_event(unclear, "b", 1)
    assert "waits" in event["message"]
    assert "score" not in event
    assert "b: unclear:" in to_text(unclear, "b")


def test_an_older_play_that_vanishes_is_unclear() -> None:
    three = TWO.with_tiles(tiles("REIÐA", 9, 3))
    without_loki = three.without(LOKI)
    assert isinstance(outcome_of(seen(ONE), seen(TWO), seen(three), seen(without_loki)), Notice)


def test_too_many_doubts_are_not_guessed_away() -> None:
    wrong = TWO.with_tiles([Placement(row=0, column=column, token="T") for column in range(0, 14, 2)])
    doubts = {(0, column): {"T": 0.6, ".": 0.4} for column in range(0, 14, 2)}
    assert isinstance(outcome_of(seen(ONE), seen(wrong, doubts)), Notice)


def test_lines_and_sheet_name_player_word_and_points() -> None:
    game = new_game()
    (first,) = after(seen(ONE), game=game)
    (second,) = after(seen(ONE, {(7, 3): {"H": 0.5}}), game=first.game)
    assert to_text(first, "a").split() == ["Anna", "8D", "HRAKI", "+28", "28"]
    assert "pass or exchange" in to_text(second, "b")
    assert format_score_sheet(second.game) == [
        ("Anna  8D HRAKI", "28"),
        ("Jón  pass or exchange", "0"),
        ("Anna  Jón", "28 : 0"),
    ]
    end = build_end_event(second.game)
    assert end["totals"] == {"Anna": 28, "Jón": 0}
    assert end["rows"][7][3:8] == ["H", "R", "A", "K", "I"]


def test_a_doubtful_play_is_marked_and_a_correction_reads_well() -> None:
    (doubtful,) = after(seen(ONE, {(7, 3): {"H": 0.6, "N": 0.4}}))
    assert "in doubt" in to_text(doubtful, "a")
    correction, _ = after(seen(EMPTY_BOARD.with_tiles(tiles("NRAKI", 7, 3))), seen(TWO))
    assert "N is H" in to_text(correction, "b")


def test_the_same_word_twice_in_a_play_counts_both() -> None:
    board = ONE.with_tiles(tiles("L", 8, 3))
    (play,) = after(seen(ONE), seen(board))
    event = format_event(play, "b", 1)
    assert sum(event["words"].values()) + event["bonus"] == event["score"]


def test_a_board_of_one_player_alternates_with_nobody() -> None:
    updates = after(seen(ONE), seen(TWO), game=new_game(("Anna",)))
    assert updates[-1].game.totals == (43,)


def test_a_tile_of_the_first_board_that_was_misread_is_corrected() -> None:
    misread = ONE.without([(7, 7)]).with_tiles(tiles("L", 7, 7))
    game, _ = begin_game(new_game(), misread)
    correction, play = after(seen(TWO), game=game)
    assert (correction.kind, play.kind) == (KIND.CORRECTION, KIND.PLAY)
    assert play.game.start == ONE
    assert play.game.totals == begin_game(new_game(), ONE)[0].with_play(Play.of(LOKI)).totals
    event = format_event(correction, "b", 1)
    assert (event["square"], event["was"], event["now"]) == ([7, 7], "L", "I")
    assert to_text(correction, "b") == "b: correction: read again: L is I   Anna 0, Jón 0"


def test_a_game_begins_on_a_board_of_which_a_part_is_covered() -> None:
    rows = [list(row) for row in TWO.rows]
    rows[0][14] = rows[1][14] = "#"
    game, message = begin_game(new_game(), Board.from_rows(rows))
    assert game.board == TWO
    assert message.startswith("8 tiles are on the board already")
