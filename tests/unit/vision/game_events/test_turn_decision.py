"""What a stable board means, on boards alone: patience, merged turns, uncertain tiles, and crumbs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from scoring import BLANK, COVERED, EMPTY, Board, Game, Placement, Play, PlayEvent, load_edition
from tests.support.positions import tiles
from vision.core.boards import Candidate, DecodedBoard
from vision.game_events.inference import EARLIER
from vision.game_events.record.commands import apply_command, parse_command
from vision.game_events.turn_state import StableBoard, TurnDecision
from vision.game_events.turns.decision import TurnDetector
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind

KIND = UpdateKind
EDITION = load_edition("icelandic")
BARE = Board.empty(EDITION.layout)
Squares = set[tuple[int, int]]
EARLY_S = 1.2
"""Seconds of rest after which a play is told, unless it is doubtful or may not be complete."""


HRAKI, LOKI = tiles("HRAKI", 7, 3), tiles("LO.I", 5, 6, down=True)
ONE = BARE.with_tiles(HRAKI)
TWO = ONE.with_tiles(LOKI)


def surely(board: Board) -> DecodedBoard:
    return DecodedBoard(board=board, confidence=np.full(board.size, 0.99), alternatives={}, doubts=())


class Seat:
    """A detector and a clock: boards come to rest before it, one after the other."""

    def __init__(self, players: tuple[str, ...] = ("Anna", "Jón"), game: Game | None = None) -> None:
        self.detector = TurnDetector(game or Game(edition=EDITION, players=players))
        self.time_s = 0.0
        self.first = True
        self.first_reading: Board | None = None

    def sees(
        self,
        board: Board,
        *,
        after_s: float = 20.0,
        rest_s: float = 1.4,
        doubts: Mapping[tuple[int, int], Mapping[str, float]] | None = None,
        unchanged: Squares | None = None,
        hidden: Squares | None = None,
        reached_over: bool = False,
        hand: float | None = None,
        is_last: bool = False,
    ) -> TurnDecision:
        """This board, after a movement that began `after_s` seconds after the last rest; `hand` is its direction."""
        motion_started_s = self.time_s + after_s
        self.time_s = motion_started_s + rest_s
        confidence, alternatives = np.full(board.size, 0.99), {}
        for square, candidates in (doubts or {}).items():
            alternatives[square] = tuple(Candidate(token=t, probability=p) for t, p in candidates.items())
            confidence[square] = candidates.get(board[square], 0.5)
        changed = np.array(
            [
                [now != was for now, was in zip(*rows, strict=True)]
                for rows in zip(board.rows, self.detector.game.board.rows, strict=True)
            ]
        )
        covered = np.zeros(board.size, bool)
        for square in hidden or ():
            covered[square] = changed[square] = True
        for square in doubts or ():
            changed[square] = True
        for square in unchanged or ():
            changed[square] = False
        decision = self.detector.decide(
            StableBoard(
                decoded=DecodedBoard(
                    board=board, confidence=confidence, alternatives=alternatives, doubts=()
                ),
                changed=changed,
                occluded=covered,
                reached_over=reached_over,
                rest_s=rest_s,
                motion_started_s=motion_started_s,
                time_s=self.time_s,
                is_first=self.first,
                first_reading=None if self.first_reading is None else surely(self.first_reading),
                is_late=rest_s > EARLY_S,
                is_last=is_last,
                hand_direction=None
                if hand is None
                else (math.sin(math.radians(hand)), math.cos(math.radians(hand))),
            )
        )
        if decision.is_resolved:
            self.first = False
        return decision


def kinds(decision: TurnDecision) -> list[UpdateKind]:
    return [update.kind for update in decision.updates]


def words(updates: tuple[GameUpdate, ...]) -> list[str]:
    return [h.step.scored.main_word.text for h in updates if h.step is not None and h.step.scored is not None]


@pytest.fixture
def seat() -> Seat:
    seat = Seat()
    assert seat.sees(BARE).is_resolved
    return seat


@pytest.fixture
def played(seat: Seat) -> Seat:
    assert kinds(seat.sees(ONE)) == [KIND.PLAY]
    return seat


def test_plays_are_told_as_they_rest(seat: Seat) -> None:
    assert words(seat.sees(ONE).updates) == ["HRAKI"]
    assert words(seat.sees(TWO).updates) == ["LOKI"]
    assert seat.detector.game.totals == (28, 15)


def test_an_unchanged_board_is_understood_and_nothing_to_tell(played: Seat) -> None:
    assert played.sees(ONE) == TurnDecision(is_resolved=True)


def test_a_hand_on_the_board_is_waited_for(seat: Seat) -> None:
    assert not seat.sees(ONE, hidden={(9, 9)}).is_resolved
    assert not seat.sees(ONE, reached_over=True).is_resolved


def test_new_tiles_under_a_hand_that_stays_are_reported(seat: Seat) -> None:
    assert seat.sees(ONE, hidden={(9, 9)}).notices == ()
    assert seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=4.0).notices == ()
    (notice,) = seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=5.0).notices
    assert "a hand stays over the board" in notice.message
    assert kinds(seat.sees(ONE)) == [KIND.PLAY]


def test_new_tiles_under_a_hand_that_stays_are_reported_by_the_first_of_them(seat: Seat) -> None:
    part = BARE.with_tiles(HRAKI[:3])
    for board, after_s in ((part, 20.0), (part, 0.0), (ONE, 0.0)):
        assert seat.sees(board, hidden={(9, 9)}, after_s=after_s, rest_s=2.0).notices == ()
    (notice,) = seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=4.0).notices
    assert "a hand stays over the board" in notice.message


def test_new_tiles_next_to_a_hand_on_the_last_board_are_reported(seat: Seat) -> None:
    assert seat.sees(ONE, hidden={tile.square for tile in HRAKI}, is_last=True).notices == ()
    (notice,) = seat.sees(ONE, hidden={(7, 3)}, after_s=0.0, is_last=True).notices
    assert notice.message.startswith("the last picture shows new tiles and a hand")


def test_a_cup_on_the_board_is_played_around(seat: Seat) -> None:
    board = Board.from_rows(
        [["#" if (r, c) == (0, 0) else t for c, t in enumerate(row)] for r, row in enumerate(ONE.rows)]
    )
    assert words(seat.sees(board).updates) == ["HRAKI"]


def test_a_play_next_to_a_square_out_of_the_picture_is_in_doubt_until_it_shows(seat: Seat) -> None:
    begun = BARE.with_tiles([*tiles("HRAK", 7, 4), Placement(row=7, column=8, token=COVERED)])
    outside = {(7, 8)}  # what cannot be seen has not changed
    assert seat.sees(begun, rest_s=EARLY_S, unchanged=outside) == TurnDecision(is_resolved=False)
    (part,) = seat.sees(begun, unchanged=outside).updates
    assert (words((part,)), part.confidence) == (["HRAK"], 0.5)
    (whole,) = seat.sees(BARE.with_tiles(tiles("HRAKI", 7, 4))).updates
    assert words((whole,)) == ["HRAKI"]
    assert whole.replaces is not None


def test_a_play_next_to_what_has_just_covered_a_square_waits_longer(seat: Seat) -> None:
    begun = BARE.with_tiles([*tiles("HRAK", 7, 4), Placement(row=7, column=8, token=COVERED)])
    assert seat.sees(begun) == TurnDecision(is_resolved=False)
    (part,) = seat.sees(begun, rest_s=3.0).updates
    assert (words((part,)), part.confidence) == (["HRAK"], 0.35)


def test_half_a_play_that_is_not_legal_waits(seat: Seat) -> None:
    assert seat.sees(BARE.with_tiles(HRAKI[:2])) == TurnDecision(is_resolved=False)
    assert words(seat.sees(ONE).updates) == ["HRAKI"]


def test_a_play_in_two_goes_is_one_play(seat: Seat) -> None:
    begun = BARE.with_tiles(tiles("HRAK", 7, 4))
    whole = BARE.with_tiles(tiles("HRAKI", 7, 4))
    (half,) = seat.sees(begun).updates
    assert words((half,)) == ["HRAK"]
    assert half.is_provisional
    assert half.replaces is None
    assert half.step is not None
    assert isinstance(half.step.event, PlayEvent)
    (again,) = seat.sees(whole, after_s=0.3).updates
    assert (again.kind, again.replaces, again.is_provisional) == (KIND.PLAY, half.step.event.play, True)
    assert words((again,)) == ["HRAKI"]
    assert len(seat.detector.game.events) == 1
    assert seat.detector.game.totals[1] == 0
    assert seat.detector.game.turn == 1


def test_the_same_tiles_later_are_the_next_players(seat: Seat) -> None:
    seat.sees(BARE.with_tiles(tiles("HRAK", 7, 4)))
    assert kinds(seat.sees(BARE.with_tiles(tiles("HRAKI", 7, 4)))) == [KIND.PLAY]
    assert seat.detector.game.turn == 0


HRAK, WHOLE = BARE.with_tiles(tiles("HRAK", 7, 4)), BARE.with_tiles(tiles("HRAKI", 7, 4))


def opposite(first: Board = HRAK) -> Seat:
    """A detector that knows Anna's side (0 degrees) from her first play."""
    seat = Seat()
    seat.sees(BARE)
    assert kinds(seat.sees(first, hand=5)) == [KIND.PLAY]
    return seat


def test_a_player_who_thinks_in_mid_play_goes_on_with_it() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    half = seat.detector.game
    assert half.totals[1] > 0
    (whole,) = seat.sees(TWO, after_s=12.0, hand=172).updates
    assert words((whole,)) == ["LOKI"]
    assert whole.replaces == half.state.plays[-1].play
    assert seat.detector.game.totals == (28, 15)


def test_a_player_who_exchanges_a_tile_and_goes_on_makes_one_play() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]).with_tiles(tiles("Á", 8, 6)), hand=180)
    seat.sees(TWO.with_tiles(tiles("A", 9, 6)), after_s=1.0, hand=172)
    first, second = seat.detector.game.state.plays
    assert [tile.token for tile in second.play] == ["L", "O", "I", "A"]
    assert (first.player, second.player) == (0, 1)


@pytest.mark.parametrize(("pause_s", "is_doubted"), [(12.0, False), (90.0, True)])
def test_a_play_that_goes_on_after_a_minute_may_be_another_one_after_a_pass(
    pause_s: float, *, is_doubted: bool
) -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    decision = seat.sees(TWO, after_s=pause_s, hand=180)
    assert [update.replaces is not None for update in decision.updates] == [True]
    doubts = [notice.message for notice in decision.notices if "Anna passed or exchanged" in notice.message]
    assert bool(doubts) is is_doubted


@pytest.mark.parametrize(
    ("pause_s", "message"),
    [
        (1.4, "the tiles count as a part of the play before; if they are another play, undo"),
        (2.9, "the tiles count as another play; if they belong to the play before, undo and correct"),
    ],
)
def test_the_doubt_of_a_single_players_pause_names_no_player(pause_s: float, message: str) -> None:
    seat = Seat(("Anna",))
    for board in (BARE, ONE, TWO.without([LOKI[2]])):
        seat.sees(board, rest_s=1.4)
    half = seat.detector.game
    decision = seat.sees(TWO, after_s=pause_s - 1.4)
    assert [notice.message.startswith(message) for notice in decision.notices] == [True]
    joined = apply_command(parse_command("correct G6 LOKI"), half)[-1].game
    is_joined = decision.updates[0].replaces is not None
    assert (seat.detector.game.totals == joined.totals) is is_joined


UNDER_HAND = TWO.without([LOKI[2]]).with_tiles([Placement(row=8, column=6, token=COVERED)])


def covering() -> Seat:
    """A detector of two plays; a hand hides the end of the second one's word, beyond a tile of the first one."""
    seat = opposite(ONE)
    assert not seat.sees(UNDER_HAND, hand=180).is_resolved
    (part,) = seat.sees(UNDER_HAND, rest_s=3.0, hand=180).updates
    assert part.confidence == 0.35
    return seat


@pytest.mark.parametrize("is_clock_pressed", [False, True])
def test_tiles_that_show_once_a_hand_is_gone_belong_to_the_play_whose_line_it_covered(
    *, is_clock_pressed: bool
) -> None:
    seat = covering()
    if is_clock_pressed:
        seat.detector.end_turn()
    (whole,) = seat.sees(TWO, after_s=12.0, hand=5).updates
    assert words((whole,)) == ["LOKI"]
    assert whole.replaces is not None
    assert seat.detector.game.totals == (28, 15)


def test_they_belong_to_it_also_where_the_next_play_is_seen_at_once() -> None:
    seat = covering()
    whole, following = seat.sees(TWO.with_tiles(tiles(".Á", 7, 3, down=True)), hand=5).updates
    assert words((whole, following)) == ["LOKI", "HÁ"]
    assert whole.replaces is not None
    assert [placed.player for placed in seat.detector.game.state.plays] == [0, 1, 0]


def test_whose_they_are_is_not_doubted_where_the_next_play_comes_after_a_minute() -> None:
    decision = covering().sees(TWO.with_tiles(tiles(".Á", 7, 3, down=True)), after_s=90.0, hand=5)
    assert words(decision.updates) == ["LOKI", "HÁ"]
    assert not [notice for notice in decision.notices if "passed or exchanged" in notice.message]


def test_they_belong_to_it_also_where_the_next_play_is_in_the_same_line() -> None:
    seat = covering()
    shown = np.zeros(BARE.size, bool)
    shown[8, 6] = True
    seat.detector.note_short_rest(shown, seat.time_s + 10.0)
    longer = TWO.with_tiles(tiles("....Ð", 5, 6, down=True))
    assert not seat.sees(longer, rest_s=EARLY_S, hand=5).is_resolved
    whole, following = seat.sees(longer, after_s=0.0, hand=5).updates
    assert words((whole, following)) == ["LOKI", "LOKIÐ"]
    assert [placed.player for placed in seat.detector.game.state.plays] == [0, 1, 0]


def test_a_tile_next_to_hidden_ones_is_no_stray_once_a_hand_is_gone(played: Seat) -> None:
    first, second, last = LOKI
    covered = [replace(tile, token=COVERED) for tile in (second, last)]
    assert played.sees(ONE.with_tiles([first, *covered]), rest_s=4.0).updates == ()
    both = TWO.with_tiles(tiles(".Á", 7, 3, down=True))
    assert words(played.sees(both).updates) == ["LOKI", "HÁ"]


def test_the_edge_of_a_thing_that_touches_no_tile_of_the_game_stops_no_play_though_it_looks_like_a_tile(
    played: Seat,
) -> None:
    thing = [Placement(row=12, column=column, token=token) for column, token in ((12, "?"), (13, COVERED))]
    assert played.sees(ONE.with_tiles(thing), rest_s=4.0).updates == ()
    assert words(played.sees(TWO.with_tiles(thing)).updates) == ["LOKI"]


def test_a_short_play_is_told_though_a_rack_was_pushed_over_the_edge_meanwhile(played: Seat) -> None:
    rack = tiles("NSTÚ", 14, 4)
    longer = ONE.with_tiles(tiles("Á", 7, 8))
    assert words(played.sees(longer.with_tiles(rack), rest_s=4.0).updates) == ["HRAKIÁ"]


@pytest.mark.parametrize("rest_s", [1.4, 4.5])
def test_what_is_no_tile_for_certain_stops_neither_a_withdrawal_nor_two_plays_however_long_it_stayed(
    played: Seat, rest_s: float
) -> None:
    rim = tiles("ABDE", 14, 10)
    unsure = {(t.row, t.column): {t.token: 0.4, "O": 0.3} for t in rim}
    both = TWO.with_tiles(tiles("MATS", 9, 3))
    assert words(played.sees(both.with_tiles(rim), rest_s=rest_s, doubts=unsure).updates) == ["LOKI", "MATS"]
    assert kinds(played.sees(TWO.with_tiles(rim), rest_s=rest_s, doubts=unsure)) == [KIND.WITHDRAWN]


def test_tiles_on_squares_that_were_seen_empty_meanwhile_are_the_next_players() -> None:
    seat = covering()
    assert seat.sees(TWO.without([LOKI[2]])) == TurnDecision(is_resolved=True)
    (play,) = seat.sees(TWO, after_s=12.0, hand=5).updates
    assert play.replaces is None


def test_a_board_that_is_turned_ends_the_turn_and_the_sides_are_learnt_anew() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    n_events = len(seat.detector.game.events)
    seat.detector.notice_rotation()
    (update,) = seat.sees(TWO, after_s=1.0, hand=180).updates
    assert update.replaces is None
    assert len(seat.detector.game.events) == n_events + 1
    assert seat.detector.game.events[-1].player == 0


def test_the_next_player_lengthens_a_word_soon_after_it() -> None:
    seat = opposite()
    seat.sees(HRAK.with_tiles(tiles("ÓL", 5, 7, down=True)), hand=180)
    assert seat.detector.game.turn == 0
    longer = HRAK.with_tiles(tiles("ÓL", 5, 7, down=True)).with_tiles(tiles("P", 4, 7))
    assert kinds(seat.sees(longer, after_s=1.0, hand=-10)) == [KIND.PLAY]
    assert len(seat.detector.game.events) == 3


def test_where_nothing_is_known_of_the_hand_the_pause_decides_and_a_close_call_is_told() -> None:
    for after_s, events, told in ((1.0, 1, True), (3.0, 2, True), (20.0, 2, False)):
        seat = Seat()
        seat.sees(BARE)
        seat.sees(HRAK, rest_s=1.0)
        decision = seat.sees(WHOLE, after_s=after_s - 1.0)
        assert len(seat.detector.game.events) == events
        assert bool(decision.notices) is told


def test_a_player_who_starts_the_others_clock_has_finished() -> None:
    seat = opposite()
    seat.detector.end_turn()
    assert kinds(seat.sees(WHOLE, after_s=0.5, hand=5)) == [KIND.PLAY]
    assert len(seat.detector.game.events) > 1


def test_a_full_rack_is_no_provisional_play(seat: Seat) -> None:
    (play,) = seat.sees(BARE.with_tiles(tiles("HRAKINA", 7, 3))).updates
    assert not play.is_provisional


def alternating(plays: int, players: tuple[str, ...] = ("Anna", "Jón")) -> Seat:
    """A detector that saw this number of plays of all players, each from a side of their own."""
    seat = Seat(players)
    seat.sees(BARE)
    board = BARE
    for number in range(plays):
        board = board.with_tiles(tiles("RA" if number else "RAR", 7 - number, 7 - number))
        hand = 360.0 / len(players) * (number % len(players))
        assert kinds(seat.sees(board, hand=hand)) == [KIND.PLAY]
    return seat


def test_a_hand_from_the_other_side_shows_that_a_turn_passed_unseen() -> None:
    seat = alternating(6)
    assert seat.detector.game.turn == 0
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    decision = seat.sees(board, hand=175)
    assert kinds(decision) == [KIND.NO_PLAY, KIND.PLAY]
    assert seat.detector.game.events[-1].player == 1
    assert "came from Jón's side" in decision.notices[0].message


@pytest.mark.parametrize(("hand", "names"), [(120.0, ["Ben"]), (240.0, [])])
def test_a_hand_alone_shows_that_one_turn_may_have_passed_unseen_and_not_two(
    hand: float, names: list[str]
) -> None:
    seat = alternating(6, ("Anna", "Ben", "Cyd"))
    assert seat.detector.game.turn == 0
    decision = seat.sees(seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True)), hand=hand)
    assert kinds(decision) == [KIND.PLAY]
    doubts = [notice.message for notice in decision.notices if notice.kind is not NoticeKind.SIDES]
    assert [doubt.partition("'s side")[0] for doubt in doubts] == [
        f"the hand seems to have come from {name}" for name in names
    ]


def test_the_sides_that_were_learnt_are_told_once_and_anew_after_the_board_was_turned() -> None:
    seat, told = alternating(3), []
    for row, hand in [(4, 180), (3, 180), (2, 0), (1, 180), (0, 0)]:
        board = seat.detector.game.board.with_tiles(tiles("IN", row, row))
        told.append([(notice.kind, notice.message) for notice in seat.sees(board, hand=hand).notices])
        if row == 4:
            seat.detector.notice_rotation()
    before = [(NoticeKind.SIDES, "hands seen so far: Anna's from the bottom, Jón's from the top")]
    after = [(NoticeKind.SIDES, "hands seen so far: Anna's from the top, Jón's from the bottom")]
    assert told == [before, [], [], [], after]


def state_command(seat: Seat, text: str) -> None:
    seat.detector.apply_external(apply_command(parse_command(text), seat.detector.game))


@pytest.mark.parametrize("plays", [4, 6])
def test_the_sides_are_learnt_anew_where_a_person_gives_plays_to_other_players(plays: int) -> None:
    seat = alternating(plays)
    state_command(seat, "insert 1 Anna pass")
    assert seat.detector.game.turn == 1
    decision = seat.sees(seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True)), hand=0)
    assert (kinds(decision), decision.notices) == ([KIND.PLAY], ())
    assert seat.detector.game.events[-1].player == 1


def test_the_sides_are_learnt_anew_where_a_person_enters_a_play_as_another_players() -> None:
    seat = alternating(6)
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(board, hand=175)) == [KIND.NO_PLAY, KIND.PLAY]
    for text in ("undo", "undo", "play J9 EL"):
        state_command(seat, text)
    assert seat.detector.game.events[-1].player == 0
    seat.sees(board)
    assert kinds(seat.sees(board.with_tiles(tiles("IN", 1, 1)), hand=0)) == [KIND.PLAY]
    assert seat.detector.game.events[-1].player == 1


def test_a_pass_that_a_person_states_leaves_the_sides_as_they_are() -> None:
    seat = alternating(6)
    state_command(seat, "pass")
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(board, hand=5)) == [KIND.NO_PLAY, KIND.PLAY]
    assert seat.detector.game.events[-1].player == 0


def test_a_hand_from_the_other_side_is_told_in_doubt_while_little_is_known() -> None:
    seat = alternating(2)
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    decision = seat.sees(board, hand=175)
    assert kinds(decision) == [KIND.PLAY]
    assert seat.detector.game.events[-1].player == 0
    assert "seems to have come from Jón's side" in decision.notices[0].message


@pytest.mark.parametrize("after_s", [3.0, 20.0])
@pytest.mark.parametrize(("hand", "player"), [(5, 0), (175, 1)])
def test_other_tiles_after_a_play_was_taken_back_are_those_of_the_hand(
    after_s: float, hand: float, player: int
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    assert kinds(seat.sees(before.with_tiles(tiles("EL", 8, 9, down=True)), hand=0)) == [KIND.PLAY]
    assert kinds(seat.sees(before, after_s=2.0, hand=0)) == [KIND.WITHDRAWN]
    other = before.with_tiles(tiles("ÁRU", 8, 9, down=True))
    assert words(seat.sees(other, after_s=after_s, hand=hand).updates) != []
    assert seat.detector.game.events[-1].player == player
    assert seat.detector.game.turn == 1 - player


@pytest.mark.parametrize(("hand", "player"), [(5, 0), (175, 1)])
def test_other_tiles_on_squares_of_a_play_that_was_taken_back_are_a_play_at_once(
    hand: float, player: int
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    assert kinds(seat.sees(before.with_tiles(tiles("ELS", 8, 9, down=True)), hand=0)) == [KIND.PLAY]
    decision = seat.sees(before.with_tiles(tiles("ÁR", 8, 9, down=True)), after_s=2.0, hand=hand)
    assert kinds(decision) == [KIND.WITHDRAWN, KIND.PLAY]
    assert seat.detector.game.events[-1].player == player


@pytest.mark.parametrize("hand", [None, 0, 180])
def test_a_play_that_was_shortened_keeps_its_player_though_the_next_one_follows_at_once(
    hand: float | None,
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    shorter = before.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(shorter.with_tiles(tiles("S", 10, 9)), hand=0)) == [KIND.PLAY]
    following = shorter.with_tiles(tiles("IN", 2, 4))
    decision = seat.sees(following, after_s=2.0, rest_s=4.5, hand=hand)
    assert kinds(decision) == [KIND.WITHDRAWN, KIND.PLAY, KIND.PLAY]
    first, second = (update.step.event for update in decision.updates[1:] if update.step is not None)
    assert isinstance(first, PlayEvent)
    assert isinstance(second, PlayEvent)
    assert (first.player, second.player) == (0, 1)
    assert {tile.token for tile in first.play.placements} == {"E", "L"}


def test_what_follows_at_once_elsewhere_is_another_play(played: Seat) -> None:
    assert kinds(played.sees(TWO, after_s=0.3)) == [KIND.PLAY]


def test_a_play_that_is_challenged_is_taken_back_and_the_turn_lost(played: Seat) -> None:
    assert kinds(played.sees(BARE)) == [KIND.WITHDRAWN]
    assert (played.detector.game.totals, played.detector.game.turn) == ((0, 0), 1)


def test_tiles_laid_again_are_their_players(played: Seat) -> None:
    played.sees(BARE, after_s=2.0)
    elsewhere = BARE.with_tiles(tiles("HRAKI", 7, 5))
    assert words(played.sees(elsewhere, after_s=3.0).updates) == ["HRAKI"]
    assert (played.detector.game.totals[1], played.detector.game.turn) == (0, 1)


def test_tiles_moved_between_two_looks_are_one_players(played: Seat) -> None:
    assert kinds(played.sees(BARE.with_tiles(tiles("KARHI", 7, 5)))) == [KIND.WITHDRAWN, KIND.PLAY]
    assert played.detector.game.turn == 1


def test_others_tiles_after_a_challenge_are_the_next_players(played: Seat) -> None:
    assert kinds(played.sees(BARE.with_tiles(tiles("BÓL", 7, 7)))) == [KIND.WITHDRAWN, KIND.PLAY]
    assert played.detector.game.totals[0] == 0
    assert played.detector.game.totals[1] > 0


def test_a_tile_taken_up_looked_at_and_put_back_is_no_event(played: Seat) -> None:
    played.sees(TWO)
    for lifted in (HRAKI[1], LOKI[0]):
        assert played.sees(TWO.without([lifted]), rest_s=3.0) == TurnDecision(is_resolved=False)
        assert played.sees(TWO.without([lifted]), after_s=0.0, rest_s=6.0) == TurnDecision(is_resolved=False)
        assert played.sees(TWO) == TurnDecision(is_resolved=True)
    assert kinds(played.sees(ONE)) == [KIND.WITHDRAWN]


def test_a_play_that_stays_shorter_is_its_players(played: Seat) -> None:
    whole = TWO.with_tiles(tiles("R", 9, 6))
    played.sees(whole)
    assert kinds(played.sees(TWO, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    assert (played.detector.game.totals, played.detector.game.turn) == ((28, 15), 0)


def shortened(played: Seat) -> Board:
    """The board before Jón's last tile was lifted for so long that his play counts without it."""
    whole = TWO.with_tiles(tiles("R", 9, 6))
    played.sees(whole)
    assert kinds(played.sees(TWO, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    return whole


def test_a_tile_that_was_lifted_for_long_and_comes_back_restores_the_play(played: Seat) -> None:
    whole = shortened(played)
    (back,) = played.sees(whole, hand=5).updates
    assert (back.kind, back.message) == (
        KIND.UNDONE,
        "lifted tiles are back, so the play counts as before",
    )
    assert [event.kind for event in played.detector.game.events] == ["play", "play"]
    assert (played.detector.game.board, played.detector.game.totals) == (whole, (28, 16))
    assert played.sees(whole) == TurnDecision(is_resolved=True)
    (play,) = played.sees(whole.with_tiles(tiles("ÓL", 9, 7))).updates
    assert (words((play,)), played.detector.game.events[-1].player) == (["RÓL"], 0)


def lifted() -> tuple[Seat, Board]:
    """A detector that knows both players' sides, and the board before a tile of Anna's last play was lifted."""
    seat = alternating(6)
    whole = seat.detector.game.board.with_tiles(tiles("ELI", 8, 9, down=True))
    assert kinds(seat.sees(whole, hand=0)) == [KIND.PLAY]
    shorter = whole.without(tiles("..I", 8, 9, down=True))
    assert kinds(seat.sees(shorter, hand=0, after_s=3.0, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    return seat, whole


@pytest.mark.parametrize(
    ("hand", "after_s", "is_put_back"),
    [(None, 20.0, True), (None, 90.0, True), (0.0, 90.0, True), (180.0, 20.0, False), (180.0, 90.0, False)],
)
def test_a_tile_like_the_one_that_was_lifted_is_the_next_players_by_the_hand(
    hand: float | None, after_s: float, is_put_back: bool
) -> None:
    seat, whole = lifted()
    decision = seat.sees(whole, hand=hand, after_s=after_s)
    assert kinds(decision) == [KIND.UNDONE if is_put_back else KIND.PLAY]
    assert seat.detector.game.events[-1].player == (0 if is_put_back else 1)
    messages = [notice.message for notice in decision.notices]
    assert messages == (
        []
        if is_put_back
        else [
            "the tiles count as Jón's play; if Anna went on with the play before, undo and correct it",
        ]
    )


def test_a_lifted_tile_that_comes_back_with_a_play_elsewhere_restores_the_play(played: Seat) -> None:
    board = shortened(played).with_tiles(tiles("ÓL", 8, 3, down=True))
    assert kinds(played.sees(board)) == [KIND.UNDONE, KIND.PLAY]
    assert [event.player for event in played.detector.game.events] == [0, 1, 0]


def test_a_lifted_tile_is_back_whoever_placed_the_play_that_was_seen_with_it() -> None:
    seat, whole = lifted()
    decision = seat.sees(whole.with_tiles(tiles("IN", 1, 1)), hand=180, after_s=90.0)
    assert kinds(decision) == [KIND.UNDONE, KIND.PLAY]
    assert (seat.detector.game.events[-1].player, decision.notices) == (1, ())


def test_a_lifted_square_is_free_for_the_next_player_once_the_turn_is_over(played: Seat) -> None:
    whole = shortened(played)
    played.detector.end_turn()
    assert kinds(played.sees(whole)) == [KIND.PLAY]
    assert [event.player for event in played.detector.game.events] == [0, 1, 1, 1, 0]


def test_plays_that_were_undone_while_a_tile_was_lifted_are_no_redo_when_it_is_back(played: Seat) -> None:
    three = TWO.with_tiles(tiles("ÓL", 8, 3, down=True))
    played.sees(TWO)
    played.sees(three)
    played.sees(three.without([LOKI[0]]), rest_s=3.0)
    undone = played.detector.game.with_events(played.detector.game.events[:1])
    played.detector.apply_external((GameUpdate(kind=KIND.UNDONE, game=undone, message="Jón: G6 LOKI"),))
    assert kinds(played.sees(three, rest_s=3.0)) == [KIND.PLAY, KIND.PLAY]


@pytest.mark.parametrize(("turn_lost", "player"), [(True, 0), (False, 0), (True, 1)])
def test_a_play_that_was_taken_back_does_not_count_again_by_the_tiles_of_others(
    turn_lost: bool, player: int
) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    longer = game.with_play(Play(placements=(*LOKI, *tiles("R", 9, 6))))
    withdrawn = longer.with_withdrawal(turn_lost=turn_lost)
    shorter = withdrawn.with_event(PlayEvent(player=player, play=Play(placements=tuple(LOKI))))
    seat = Seat(game=shorter)
    assert kinds(seat.sees(longer.board, rest_s=3.0)) == [KIND.PLAY]
    assert seat.detector.game.events[:-1] == shorter.events
    assert seat.detector.game.events[-1].player == shorter.turn


@pytest.mark.parametrize("word", ["S", "RÓL"])
def test_others_tiles_after_a_play_that_was_shortened_are_the_next_players(played: Seat, word: str) -> None:
    shortened(played)
    (play,) = played.sees(TWO.with_tiles(tiles(word, 9, 6))).updates
    assert (play.kind, played.detector.game.events[-1].player) == (KIND.PLAY, 0)
    assert len(played.detector.game.events) == 5


def test_second_thoughts_that_keep_both_tiles_are_one_players(played: Seat) -> None:
    pair = tiles("Ó.", 6, 3, down=True) + tiles("L", 8, 3)
    longer = [*tiles("TÓL", 5, 7, down=True)[:2], *tiles("LA", 8, 7, down=True)]
    played.sees(ONE.with_tiles(pair))
    played.sees(ONE.with_tiles(longer), rest_s=1.4)
    assert (played.detector.game.totals[0], played.detector.game.turn) == (28, 0)
    assert played.detector.game.totals[1] > 0


def test_the_hand_tells_whose_second_thoughts_they_are() -> None:
    for hand, turn in ((170.0, 0), (5.0, 1)):
        seat = alternating(2)
        board = seat.detector.game.board.without(seat.detector.game.state.plays[-1].play)
        assert kinds(seat.sees(board.with_tiles(tiles("EL", 8, 7, down=True)), hand=hand)) == [
            KIND.WITHDRAWN,
            KIND.PLAY,
        ]
        assert seat.detector.game.turn == turn


@pytest.mark.parametrize("word", ["R", "RÓ"])
def test_a_play_of_few_tiles_is_told_late_since_the_next_one_may_be_on_its_way(
    played: Seat, word: str
) -> None:
    begun = ONE.with_tiles(tiles(word, 8, 7))
    assert played.sees(begun, rest_s=EARLY_S) == TurnDecision(is_resolved=False)
    assert words(played.sees(begun).updates)


def test_a_play_of_three_tiles_is_told_early(played: Seat) -> None:
    assert words(played.sees(TWO, rest_s=EARLY_S).updates) == ["LOKI"]


def test_two_plays_at_once_are_told_late(seat: Seat) -> None:
    assert not seat.sees(TWO, rest_s=EARLY_S).is_resolved
    assert kinds(seat.sees(TWO, rest_s=1.4)) == [KIND.PLAY, KIND.PLAY]


def test_two_plays_are_in_doubt_where_the_board_was_out_of_sight(seat: Seat) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    board = TWO.with_tiles(tiles("RÓ", 8, 7))
    again = Seat(game=game)
    again.first = False  # the journal's picture shows the board as it was
    assert "2 plays were seen at once" in again.sees(board, rest_s=3.5).notices[0].message
    seat.sees(ONE)
    assert not seat.sees(board, rest_s=3.5).notices


def test_three_plays_that_were_missed_are_told_in_doubt_and_the_game_goes_on(played: Seat) -> None:
    board = TWO.with_tiles(tiles("RÓ", 8, 7)).with_tiles(tiles("AR", 5, 7))
    decision = played.sees(board, rest_s=1.4)
    assert kinds(decision) == [KIND.PLAY] * 3
    assert played.detector.game.board == board
    assert decision.updates[0].confidence < 0.6
    assert "3 plays were seen at once" in decision.notices[0].message
    assert kinds(played.sees(board.with_tiles(tiles("T", 5, 9)))) == [KIND.PLAY]


@pytest.mark.parametrize(("after_s", "n_plays"), [(2.5, 0), (2.7, 3)])
def test_three_plays_are_not_made_within_four_seconds(played: Seat, after_s: float, n_plays: int) -> None:
    board = TWO.with_tiles(tiles("RÓ", 8, 7)).with_tiles(tiles("AR", 5, 7))
    assert kinds(played.sees(board, after_s=after_s, rest_s=1.4)) == [KIND.PLAY] * n_plays


def test_plays_that_were_missed_are_in_doubt_where_the_rules_allow_one_order(played: Seat) -> None:
    board = TWO.with_tiles(tiles("ARARARA", 5, 7)).with_tiles(tiles("GINGINR", 6, 13, down=True))
    decision = played.sees(board, rest_s=1.4)
    assert kinds(decision) == [KIND.PLAY] * 3
    assert all(0.4 < update.confidence < 0.6 for update in decision.updates)


def test_the_number_of_possible_orders_does_not_hold_back_plays_that_were_missed(played: Seat) -> None:
    board = TWO.with_tiles(tiles("AR", 5, 7) + tiles("A", 8, 3) + tiles("R", 6, 4) + tiles("Ó", 8, 7))
    decision = played.sees(board, rest_s=1.4)
    assert played.detector.game.board == board
    assert decision.updates[0].confidence < 0.05


def test_plays_that_were_missed_are_told_in_the_order_in_which_their_tiles_were_seen(played: Seat) -> None:
    first, second = tiles("RÓ", 8, 7), LOKI
    for order in ((first, second), (second, first)):
        seat = Seat(game=played.detector.game)
        seat.first = False
        begun = ONE.with_tiles(order[0])
        assert not seat.sees(begun, rest_s=1.2, hidden={(0, 0)}).is_resolved
        decision = seat.sees(begun.with_tiles(order[1]), rest_s=3.5)
        assert [set(u.step.event.play.placements) for u in decision.updates] == [set(order[0]), set(order[1])]  # type: ignore[union-attr]


def test_a_rest_too_short_for_a_decision_tells_the_order_of_two_plays(played: Seat) -> None:
    first, second = tiles("RÓ", 8, 7), LOKI
    for order in ((first, second), (second, first)):
        seat = Seat(game=played.detector.game)
        seat.first = False
        filled = np.zeros(BARE.size, bool)
        for began_s, new in zip((10.0, 12.0), order, strict=True):
            filled[[tile.row for tile in new], [tile.column for tile in new]] = True
            seat.detector.note_short_rest(filled, began_s)
        decision = seat.sees(ONE.with_tiles([*first, *second]), rest_s=3.5)
        assert [set(u.step.event.play.placements) for u in decision.updates] == [set(order[0]), set(order[1])]  # type: ignore[union-attr]


@pytest.mark.parametrize("hides", ["decision", "short rest"])
def test_a_hand_over_waiting_tiles_leaves_the_order_of_two_plays(hides: str, played: Seat) -> None:
    first = tiles("ARA", 8, 3, down=True)
    begun, hidden = ONE.with_tiles(first), {(tile.row, tile.column) for tile in first}
    vague = {(tile.row, tile.column): {tile.token: 0.2, "Ú": 0.15} for tile in first}
    assert not played.sees(begun, doubts=vague, rest_s=1.4).is_resolved
    if hides == "decision":
        covered = [Placement(row=row, column=column, token=COVERED) for row, column in hidden]
        assert not played.sees(ONE.with_tiles(covered), hidden=hidden, rest_s=1.2).is_resolved
    else:
        filled = np.zeros(BARE.size, bool)
        played.detector.note_short_rest(filled, played.time_s + 10)
        filled[tuple(zip(*hidden, *((tile.row, tile.column) for tile in LOKI), strict=True))] = True
        played.detector.note_short_rest(filled, played.time_s + 20)
    decision = played.sees(begun.with_tiles(LOKI), rest_s=3.4)
    assert words(decision.updates) == ["HARA", "LOKI"]
    assert min(update.confidence for update in decision.updates) > 0.9


def test_a_board_that_nothing_explains_for_three_turns_is_taken_over(played: Seat) -> None:
    stairs = [(8 + n // 2, 7 + (n + 1) // 2) for n in range(14)]
    odd = [Placement(row=r, column=c, token=t) for (r, c), t in zip(stairs, "ARARARARAGIGIN", strict=True)]
    for extra in ([], tiles("E", 6, 3)):
        odd += extra
        assert not played.sees(ONE.with_tiles(odd), rest_s=3.0).updates
    odd += tiles("L", 6, 5)
    decision = played.sees(ONE.with_tiles(odd), rest_s=1.4)
    assert decision.is_taken_over
    assert "taken over without points" in decision.notices[0].message
    assert kinds(decision) == [KIND.PLAY] * 2  # the later tiles are a play each
    assert played.detector.game.totals == (33, 3)
    assert played.detector.game.board == ONE.with_tiles(odd)
    assert kinds(played.sees(ONE.with_tiles(odd).with_tiles(tiles("R", 14, 12)))) == [KIND.PLAY]


def test_after_more_tiles_than_two_plays_can_place_one_play_is_enough_to_go_on(played: Seat) -> None:
    stairs = [(8 + n // 2, 7 + (n + 1) // 2) for n in range(14)]
    odd = [Placement(row=r, column=c, token=t) for (r, c), t in zip(stairs, "ARARARARAGIGIN", strict=True)]
    odd += tiles("E", 6, 3)
    assert not played.sees(ONE.with_tiles(odd), rest_s=3.0).updates
    decision = played.sees(ONE.with_tiles([*odd, *tiles("L", 6, 5)]), rest_s=1.4)
    assert decision.is_taken_over
    assert kinds(decision) == [KIND.PLAY]
    assert "taken over without points" in decision.notices[0].message


def test_a_missing_tile_does_not_stop_the_game_for_ever(played: Seat) -> None:
    played.sees(TWO)
    board, gone = TWO, TWO.without([HRAKI[1]])
    for word in ("A", "R"):
        new = tiles(word, 5, 6 + 1 + (word == "R"))
        board, gone = board.with_tiles(new), gone.with_tiles(new)
        assert not played.sees(gone, rest_s=3.0).is_resolved
    new = tiles("T", 5, 9)
    decision = played.sees(gone.with_tiles(new), rest_s=3.0)
    assert decision.is_taken_over
    assert played.detector.game.board == board.with_tiles(new)
    assert "left out" in decision.notices[0].message
    played.detector.check_record(100.0, is_settled=True)
    notices = played.detector.check_record(104.0, is_settled=True)
    assert [notice.kind for notice in notices] == [NoticeKind.BOARD_DIFFERS]


def test_paper_that_looks_like_many_tiles_is_not_taken_over(played: Seat) -> None:
    for width in (2, 3, 4, 5):
        paper = [Placement(row=r, column=c, token="?") for r in range(5, 9) for c in range(8, 8 + width)]
        assert not played.sees(ONE.with_tiles(paper), rest_s=3.0).updates
    assert played.detector.game.board == ONE


def test_a_tile_moved_in_mid_turn_is_not_yet_two_plays(played: Seat) -> None:
    played.sees(TWO)
    moving = ONE.with_tiles(tiles("LO", 5, 6, down=True)).with_tiles(tiles("I", 8, 3))
    assert played.sees(moving, rest_s=1.4) == TurnDecision(is_resolved=False)
    told = kinds(played.sees(moving, after_s=0.0, rest_s=3.2))
    assert told == [KIND.WITHDRAWN, KIND.PLAY, KIND.PLAY]


def test_a_doubtful_play_waits_and_is_then_told_with_its_doubt(seat: Seat) -> None:
    doubt = {(7, 7): {"I": 0.6, "Í": 0.4}}
    assert not seat.sees(ONE, rest_s=EARLY_S, doubts=doubt).is_resolved
    (play,) = seat.sees(ONE, rest_s=1.4, doubts=doubt).updates
    assert play.confidence == pytest.approx(0.6 * 0.99**4)


def test_a_play_is_no_surer_than_that_it_is_complete(seat: Seat) -> None:
    perhaps = {(7, 8): {EMPTY: 0.7, "?": 0.3}}
    assert not seat.sees(ONE, rest_s=EARLY_S, doubts=perhaps).is_resolved
    (play,) = seat.sees(ONE, after_s=0.0, rest_s=1.4, doubts=perhaps).updates
    assert play.confidence == pytest.approx(0.7)


def test_what_changed_elsewhere_says_nothing_of_a_play(seat: Seat) -> None:
    (play,) = seat.sees(ONE, doubts={(2, 2): {EMPTY: 0.7, "?": 0.3}}).updates
    assert play.confidence == pytest.approx(0.99**5)


def test_a_hopeless_letter_is_told_in_the_end(seat: Seat) -> None:
    doubt = {(7, 7): {"I": 0.2, "Í": 0.15, "L": 0.15}}
    assert not seat.sees(ONE, rest_s=1.4, doubts=doubt).is_resolved
    (play,) = seat.sees(ONE, rest_s=3.5, doubts=doubt).updates
    assert play.confidence < 0.25


def test_another_reading_makes_a_play_legal(seat: Seat) -> None:
    gap = ONE.without([HRAKI[2]])
    doubt = {(7, 5): {".": 0.5, "A": 0.5}}
    assert not seat.sees(gap, rest_s=EARLY_S, doubts=doubt).is_resolved
    assert words(seat.sees(gap, rest_s=1.4, doubts=doubt).updates) == ["HRAKI"]


def test_what_did_not_change_is_what_it_was(played: Seat) -> None:
    stray = ONE.with_tiles(tiles("Ð", 8, 4))
    assert played.sees(stray, unchanged={(8, 4)}) == TurnDecision(is_resolved=True)
    gone = ONE.without([HRAKI[4]])
    assert played.sees(gone, unchanged={(7, 7)}) == TurnDecision(is_resolved=True)


def test_a_wrong_letter_is_corrected_when_it_is_nearly_certain(played: Seat) -> None:
    misread = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7))
    waited_for = played.sees(misread, doubts={(7, 7): {"Í": 0.95, "I": 0.05}})
    assert waited_for == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 7)}))
    (correction,) = played.sees(misread).updates
    assert correction.kind is KIND.CORRECTION
    assert played.detector.game.board[7, 7] == "Í"


def test_an_earlier_tile_that_is_knocked_askew_is_no_blank(played: Seat) -> None:
    played.sees(TWO)
    askew = TWO.without(HRAKI[:1]).with_tiles(tiles(BLANK, 7, 3))
    assert played.sees(askew) == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 3)}))
    assert words(played.sees(askew.with_tiles(tiles("ÓL", 8, 3, down=True))).updates) == ["HÓL"]


def test_an_earlier_tile_that_was_in_doubt_is_corrected_to_a_blank(seat: Seat) -> None:
    seat.sees(ONE, doubts={(7, 3): {"H": 0.6, BLANK: 0.4}})
    blank = TWO.without(HRAKI[:1]).with_tiles(tiles(BLANK, 7, 3))
    seat.sees(TWO, doubts={(7, 3): {"H": 0.5, BLANK: 0.5}})
    for _ in range(2):
        seat.sees(blank)
    assert seat.detector.game.board[7, 3] == BLANK
    assert len(seat.detector.game.state.plays) == 2


def test_a_board_that_nothing_explains_is_said_once(played: Seat) -> None:
    odd = ONE.with_tiles([*tiles("ÞÆ", 0, 0), *tiles("Ö", 12, 12)])
    assert played.sees(odd, rest_s=2.0) == TurnDecision(is_resolved=False)
    (said,) = played.sees(odd, rest_s=4.5).notices
    assert said.kind is NoticeKind.UNCLEAR
    assert "the game waits" in said.message
    assert "A1: nothing in the game, Þ seen; B1: nothing in the game, Æ seen" in said.message
    assert played.sees(odd, rest_s=5.0).notices == ()


@pytest.mark.parametrize("moved", [[], [HRAKI[0]]])
def test_a_tile_that_stays_on_a_wrong_square_delays_none_of_the_next_plays(
    played: Seat, moved: list[Placement]
) -> None:
    stray = tiles("H", 0, 0)
    played.sees(ONE.without(moved).with_tiles(stray), rest_s=4.5)
    board = ONE
    for play in (LOKI, tiles("RÓ", 8, 7)):
        board = board.with_tiles(play)
        assert kinds(played.sees(board.without(moved).with_tiles(stray))) == [KIND.PLAY]
    assert played.detector.game.board == board
    assert not played.sees(board).updates, "it is where it was"


def test_a_tile_that_was_lifted_for_long_and_put_down_elsewhere_is_no_play(played: Seat) -> None:
    played.sees(TWO)
    lifted = TWO.without(HRAKI[:1])
    assert not played.sees(lifted, rest_s=12.0).is_resolved
    moved = lifted.with_tiles(tiles("H", 8, 4))
    assert not played.sees(moved).updates
    assert "D8: H in the game, nothing seen" in played.sees(moved, after_s=0.0, rest_s=4.5).notices[0].message
    assert words(played.sees(moved.with_tiles(tiles("RÓ", 8, 7))).updates) == ["IRÓ"]


@pytest.mark.parametrize("rest_s", [EARLY_S, 6.0])
def test_an_earlier_tile_that_was_lifted_a_moment_ago_delays_no_play(played: Seat, rest_s: float) -> None:
    played.sees(TWO)
    lifted = TWO.without(HRAKI[:1])
    assert not played.sees(lifted, rest_s=rest_s).is_resolved
    assert words(played.sees(lifted.with_tiles(tiles("RÓ", 8, 7)), after_s=2.0).updates) == ["IRÓ"]
    assert not played.sees(TWO.with_tiles(tiles("RÓ", 8, 7)), after_s=2.0).updates, "it is back"


@pytest.mark.parametrize("square", [(6, 3), (8, 3), (7, 2)])
def test_a_tile_that_is_pushed_onto_the_next_square_stops_no_play(
    played: Seat, square: tuple[int, int]
) -> None:
    pushed = TWO.without(HRAKI[:1]).with_tiles(tiles("H", *square))
    decision = played.sees(pushed)
    assert words(decision.updates) == ["LOKI"]
    assert decision.unresolved_squares == {(7, 3), square}
    assert words(played.sees(pushed.with_tiles(tiles("RÓ", 8, 7))).updates) == ["IRÓ"]
    assert not played.sees(TWO.with_tiles(tiles("RÓ", 8, 7))).updates, "it is where it was"


@pytest.mark.parametrize(
    ("letter", "square", "doubts"),
    [("G", (6, 3), None), ("H", (8, 4), None), ("H", (6, 3), {(6, 3): {"H": 0.6, "K": 0.4}})],
    ids=["another letter", "farther", "unsure"],
)
def test_a_missing_tile_is_waited_for_where_the_next_square_does_not_surely_show_it(
    played: Seat,
    letter: str,
    square: tuple[int, int],
    doubts: Mapping[tuple[int, int], Mapping[str, float]] | None,
) -> None:
    gone = TWO.without(HRAKI[:1]).with_tiles(tiles(letter, *square))
    assert not played.sees(gone, doubts=doubts).is_resolved


def test_a_tile_that_is_pushed_without_a_play_is_waited_for(played: Seat) -> None:
    played.sees(TWO)
    pushed = TWO.without(HRAKI[:1]).with_tiles(tiles("H", 6, 3))
    assert played.sees(pushed) == TurnDecision(is_resolved=False)
    assert "D8: H in the game, nothing seen" in played.sees(pushed, rest_s=4.5).notices[0].message


def test_a_tile_at_the_edge_that_is_gone_is_waited_for() -> None:
    start = ONE.with_tiles(tiles("AKRANES", 8, 3, down=True))
    seat = Seat(game=Game(edition=EDITION, players=("Anna", "Jón"), start=start))
    seat.sees(start)
    assert not seat.sees(start.without([(14, 3)]).with_tiles(LOKI)).is_resolved


def test_a_word_that_is_put_right_after_the_next_play_stops_no_play_and_adds_none(played: Seat) -> None:
    wrong = TWO.with_tiles(tiles("REIÐA", 9, 4))
    later, last = tiles("AR", 5, 7), tiles("TÓ", 3, 8, down=True)
    for board in (TWO, wrong, wrong.with_tiles(later)):
        played.sees(board)
    right = TWO.with_tiles([*tiles("REIÐA", 9, 3), *later])
    assert played.sees(right, rest_s=4.5).updates == ()
    decision = played.sees(right.with_tiles(last))
    assert words(decision.updates) == ["TÓR"]
    assert decision.unresolved_squares == {(9, column) for column in range(3, 9)}
    assert played.detector.game.board == wrong.with_tiles([*later, *last])


def test_a_crumb_does_not_stop_the_game(played: Seat) -> None:
    crumb = tiles("?", 0, 0)
    crumbs = frozenset({(0, 0)})
    assert played.sees(ONE.with_tiles(crumb), rest_s=4.5) == TurnDecision(
        is_resolved=True, unresolved_squares=crumbs
    )
    assert words(played.sees(TWO.with_tiles(crumb), unchanged={(0, 0)}).updates) == ["LOKI"]


def test_what_looks_like_tiles_beside_a_play_does_not_stop_it(played: Seat) -> None:
    rim = tiles("I", 11, 1) + tiles("GJ", 12, 3, down=True)
    unsure = {(t.row, t.column): {t.token: 0.4, EMPTY: 0.35} for t in rim}
    seen = TWO.with_tiles(rim)
    assert not played.sees(seen, rest_s=EARLY_S, doubts=unsure).is_resolved
    assert words(played.sees(seen, after_s=0.0, rest_s=1.4, doubts=unsure).updates) == ["LOKI"]


def test_tiles_that_are_surely_read_beside_a_gap_are_waited_for(played: Seat) -> None:
    gap = ONE.with_tiles(tiles("L", 6, 6) + tiles("I", 4, 6))
    assert played.sees(gap, rest_s=1.4) == TurnDecision(is_resolved=False)


def test_print_that_looks_like_tiles_is_no_game() -> None:
    seat = Seat()
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    assert seat.sees(BARE.with_tiles(corners), rest_s=1.4) == TurnDecision(is_resolved=True)
    assert seat.detector.game.board == BARE


def test_a_game_that_was_begun_goes_on_from_its_board() -> None:
    seat = Seat()
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    (said,) = seat.sees(begun, rest_s=1.4).notices
    assert "are on the board already" in said.message
    assert "counts as Anna's; if another player is on turn, give the command turn NAME" in said.message
    assert seat.detector.game.board == begun
    assert seat.detector.game.totals == (0, 0)
    seat.detector.apply_external(apply_command(parse_command("turn Jón"), seat.detector.game))
    seat.sees(begun.with_tiles(tiles("AR", 5, 7)))
    assert [total > 0 for total in seat.detector.game.totals] == [False, True]


@pytest.mark.parametrize("dim", [(8, 6), (7, 7)])
def test_a_game_whose_connecting_tiles_a_hand_hides_begins_once_they_are_seen(dim: tuple[int, int]) -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    covered = Placement(row=8, column=9, token=COVERED)
    hidden, seat = begun.without([dim]).with_tiles([covered]), Seat()
    assert seat.sees(hidden) == TurnDecision(is_resolved=False)
    decision = seat.sees(hidden, after_s=0.0, rest_s=4.0)
    assert not decision.is_resolved
    assert "take it away, and the game goes on" in decision.notices[0].message
    assert "are on the board already" in seat.sees(begun).notices[0].message
    assert words(seat.sees(begun.with_tiles(tiles("AR", 5, 7))).updates) == ["LAR"]


def test_tiles_that_a_hand_hides_as_the_film_begins_are_no_play_once_it_has_left() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    hand = [Placement(row=9, column=7, token=COVERED), Placement(row=10, column=7, token=COVERED)]
    hidden, seat = begun.without([(9, 7)]).with_tiles(hand), Seat()
    assert seat.sees(hidden) == TurnDecision(is_resolved=False)
    decision = seat.sees(begun)
    assert (decision.updates, seat.detector.game.board) == ((), begun)
    stays = Seat()
    assert not stays.sees(hidden).is_resolved
    assert "are on the board already" in stays.sees(hidden, after_s=0.0, rest_s=4.0).notices[0].message


def test_a_cup_on_a_board_whose_print_looks_like_tiles_hides_no_game() -> None:
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    cup = Placement(row=8, column=9, token=COVERED)
    assert Seat().sees(BARE.with_tiles([*corners, cup])) == TurnDecision(is_resolved=True)
    assert words(Seat().sees(ONE.with_tiles([*corners, cup])).updates) == ["HRAKI"]


def test_a_misread_tile_of_the_first_board_is_corrected_and_stops_no_play() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    misread = begun.without([(9, 5)]).with_tiles(tiles("S", 9, 5))
    for first in (misread, begun):
        seat = Seat()
        seat.sees(first)
        decision = seat.sees(begun.with_tiles(tiles("AR", 5, 7)), rest_s=12.0)
        assert kinds(decision) == [KIND.CORRECTION] * (first is misread) + [KIND.PLAY]
        assert seat.detector.game.start == begun
        assert seat.detector.game.totals == (4, 0)
    seat = Seat()
    seat.sees(misread)
    assert kinds(seat.sees(begun)) == [KIND.CORRECTION]


def test_a_play_that_is_laid_as_the_film_begins_is_the_first_one() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    now = begun.with_tiles(tiles("AR", 5, 7))
    for look, plays in ((begun, 1), (now, 0), (BARE, 0), (begun.without([LOKI[1]]), 0)):
        seat = Seat()
        seat.first_reading = look
        decision = seat.sees(now, rest_s=1.4)
        assert kinds(decision) == [KIND.PLAY] * plays
        assert seat.detector.game.board == now
        assert "are on the board already" in decision.notices[0].message


def test_a_first_play_that_was_told_with_its_game_can_be_given_to_the_other_player() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    seat = Seat()
    seat.first_reading = begun
    (said,) = seat.sees(begun.with_tiles(tiles("AR", 5, 7)), rest_s=1.4).notices
    assert "counts as Anna's" in said.message
    assert "insert 1 pass after it" in said.message
    assert [total > 0 for total in seat.detector.game.totals] == [True, False]
    seat.detector.apply_external(apply_command(parse_command("insert 1 pass"), seat.detector.game))
    assert [total > 0 for total in seat.detector.game.totals] == [False, True]


def test_a_journalled_game_wants_certainty_at_first() -> None:
    before = Seat()
    before.sees(BARE)
    before.sees(ONE)
    seat = Seat(game=before.detector.game)
    doubt = {(5, 6): {"L": 0.7, "I": 0.3}}
    assert not seat.sees(TWO, rest_s=1.4, doubts=doubt).is_resolved
    assert words(seat.sees(TWO, rest_s=1.4).updates) == ["LOKI"]


def test_a_recording_that_is_shown_again_takes_nothing_back(played: Seat) -> None:
    played.sees(TWO)
    seat = Seat()
    seat.detector = TurnDetector(played.detector.game, may_replay=True)
    assert seat.sees(ONE, rest_s=EARLY_S) == TurnDecision(is_resolved=False)
    (said,) = seat.sees(ONE, rest_s=4.5).notices
    assert said.message == EARLIER
    assert seat.sees(TWO) == TurnDecision(is_resolved=True)
    assert kinds(seat.sees(ONE)) == [KIND.WITHDRAWN]


def test_printed_squares_that_look_like_tiles_do_not_stop_a_journalled_game() -> None:
    before = Seat()
    before.sees(BARE)
    before.sees(ONE)
    seat = Seat(game=before.detector.game)
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    assert words(seat.sees(TWO.with_tiles(corners), rest_s=1.4).updates) == ["LOKI"]


def test_tiles_in_doubt_on_the_first_board_of_a_journalled_game_are_reported_and_print_is_not() -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    printed = ONE.with_tiles([*tiles("T", 0, 0), *tiles("T", 0, 14)])
    assert Seat(game=game).sees(printed, rest_s=4.5) == TurnDecision(is_resolved=True)
    seat, waiting = Seat(game=game), ONE.with_tiles(tiles("SA", 8, 7, down=True))
    decision = seat.sees(waiting, doubts={(9, 7): {"A": 0.85, "Á": 0.15}}, rest_s=4.5)
    assert decision == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(8, 7), (9, 7)}))
    seat.detector.check_record(seat.time_s, is_settled=True)
    (notice,) = seat.detector.check_record(seat.time_s + 3.0, is_settled=True)
    assert notice.kind is NoticeKind.BOARD_DIFFERS
    assert "the record lacks: H9 H10;" in notice.message
    assert words(seat.sees(waiting, rest_s=2.0).updates) == ["ISA"]
    assert seat.detector.difference is None


def test_a_play_said_to_be_taken_back_is_not_seen_again_before_it_is_lifted(played: Seat) -> None:
    updates = apply_command(parse_command("challenge"), played.detector.game)
    played.detector.apply_external(updates)
    assert played.detector.game.board[7, 3] == EMPTY
    assert not played.sees(ONE).is_resolved
    assert played.sees(BARE) == TurnDecision(is_resolved=True)
    assert words(played.sees(ONE).updates) == ["HRAKI"]


def test_tiles_taken_back_before_a_restart_are_not_seen_again_before_they_are_lifted(played: Seat) -> None:
    game, laid = played.detector.game, tiles("HRAKI", 7, 3)
    again = Seat(game=apply_command(parse_command("challenge"), game)[-1].game)
    again.detector.expect_removal(laid)
    assert not again.sees(ONE).is_resolved
    assert again.sees(BARE) == TurnDecision(is_resolved=True)
    assert words(again.sees(ONE).updates) == ["HRAKI"]


def test_what_was_taken_back_is_locked_no_more(played: Seat) -> None:
    played.detector.apply_external(apply_command(parse_command("letter D8 K"), played.detector.game))
    played.detector.lock_squares([])
    told = played.sees(TWO, unchanged={(7, 3)}).updates
    assert [each.kind for each in told] == [KIND.CORRECTION, KIND.PLAY]


def test_no_look_corrects_what_people_said() -> None:
    for vouched in (False, True):
        seat = Seat()
        seat.sees(ONE)
        if vouched:
            seat.detector.apply_external(apply_command(parse_command("letter D8 K"), seat.detector.game))
        else:
            seat.detector = TurnDetector(
                apply_command(parse_command("letter D8 K"), seat.detector.game)[-1].game
            )
        decision = seat.sees(TWO, unchanged={(7, 3)})
        kinds = [update.kind for update in decision.updates]
        assert kinds == ([KIND.PLAY] if vouched else [KIND.CORRECTION, KIND.PLAY])


@pytest.mark.parametrize("text", ["letter D8 H", "correct 8D HRAKI"])
def test_no_read_corrects_what_a_command_confirmed(played: Seat, text: str) -> None:
    command = parse_command(text)
    played.detector.confirm(command, apply_command(command, played.detector.game))
    other = ONE.without([HRAKI[0]]).with_tiles(tiles("K", 7, 3))
    assert not played.sees(other).updates
    assert played.detector.game.board == ONE


def test_a_lone_tile_that_waits_is_part_of_the_play_that_follows(seat: Seat) -> None:
    lone = BARE.with_tiles([tiles("I", 7, 3)[0]])
    waited_for = seat.sees(lone, rest_s=4.5)
    assert waited_for == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 3)}))
    assert words(seat.sees(BARE.with_tiles(tiles("IRAKI", 7, 3))).updates) == ["IRAKI"]


def test_one_play_is_likelier_than_two_with_a_doubtful_tile(seat: Seat) -> None:
    smudge = (8, 3)
    board = BARE.with_tiles([*HRAKI, *tiles("Ð", *smudge)])
    doubts = {smudge: {"Ð": 0.5, ".": 0.4}}
    (play,) = seat.sees(board, rest_s=1.4, doubts=doubts).updates
    assert words((play,)) == ["HRAKI"]


def test_a_blank_that_looks_like_an_empty_square_is_no_change_once_its_play_is_reported(seat: Seat) -> None:
    square = (7, 5)
    without = ONE.without([Placement(row=7, column=5, token="A")])
    decision = seat.sees(without, rest_s=3.5, doubts={square: {".": 0.6, "?": 0.4}})
    assert [each.kind for each in decision.updates] == [KIND.PLAY]
    assert seat.detector.game.board[square] == "?"
    assert decision.unresolved_squares == frozenset()
    for passed_s in (0.0, 10.0):
        assert seat.detector.check_record(seat.time_s + passed_s, is_settled=True) == ()


def test_what_leans_on_a_doubtful_tile_is_in_doubt_until_it_is_read_surely(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    assert seat.detector.uncertain_squares[7, 6]
    assert seat.detector.certain_board[7, 6] == EMPTY
    (play,) = seat.sees(TWO, doubts={(7, 6): {"K": 0.7, "N": 0.3}}, unchanged={(7, 6)}).updates
    assert play.confidence == pytest.approx(0.708 * 0.99**3, abs=1e-3)
    for _ in range(2):
        seat.sees(TWO)
    assert not seat.detector.uncertain_squares.any()


@pytest.mark.parametrize("texts", [("letter H8 I",), ("letter H8 Í",), ("undo", "play 8D HRAKI"), ()])
def test_what_leans_on_a_doubtful_tile_is_certain_once_a_user_stated_it(
    texts: tuple[str, ...], seat: Seat
) -> None:
    seen, vague = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7)), {(7, 7): {"Í": 0.6, "I": 0.4}}
    seat.sees(seen, doubts=vague)
    seat.sees(seen, doubts=vague, rest_s=1.4)
    assert seat.detector.uncertain_squares[7, 7]
    for text in texts:
        command = parse_command(text)
        updates = apply_command(command, seat.detector.game)
        if updates:
            seat.detector.apply_external(updates)
        seat.detector.confirm(command, updates)
    if not texts:  # an operator confirmed it
        seat.detector.lock_squares({(7, 7)})
    assert not seat.detector.uncertain_squares.any()
    (play,) = seat.sees(seen.with_tiles(tiles("S", 8, 7)), doubts=vague, rest_s=1.4).updates
    assert play.confidence == pytest.approx(0.99)


def test_a_doubtful_tile_is_corrected_by_two_rests_that_agree(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    other = ONE.without([HRAKI[3]]).with_tiles(tiles("N", 7, 6))
    certain = {(7, 6): {"N": 0.95, "K": 0.05}}
    assert not seat.sees(other, doubts=certain).updates
    (correction,) = seat.sees(other, doubts=certain).updates
    assert correction.kind is KIND.CORRECTION


def test_a_play_is_as_certain_as_the_tile_that_is_corrected_with_it(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    other = TWO.without([HRAKI[3]]).with_tiles(tiles("N", 7, 6))
    certain = {(7, 6): {"N": 0.99, "K": 0.01}}
    correction, play = seat.sees(other, doubts=certain).updates
    assert (correction.kind, play.kind) == (KIND.CORRECTION, KIND.PLAY)
    assert play.confidence == pytest.approx(0.99**3)


def test_a_letter_does_not_flicker_between_two_reads(played: Seat) -> None:
    other = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7))
    corrections = [played.sees(board).updates for board in (other, ONE, other, ONE, other, ONE)]
    assert sum(map(len, corrections)) <= 2
    for _ in range(4):
        played.sees(ONE)
    assert played.detector.game.board == ONE


def test_a_tile_that_was_face_down_for_two_rests_is_put_right_at_once(played: Seat) -> None:
    for board in (ONE, TWO):
        played.sees(board.without([HRAKI[0]]).with_tiles(tiles(BLANK, 7, 3)))
        assert played.detector.game.board[7, 3] == BLANK
    assert kinds(played.sees(TWO)) == [KIND.CORRECTION]
    assert played.detector.game.board == TWO


def test_tiles_swept_off_the_board_are_the_end_and_no_withdrawal(played: Seat) -> None:
    played.sees(TWO)
    assert played.sees(BARE) == TurnDecision(is_resolved=False)
    (said,) = played.sees(BARE, rest_s=4.5).notices
    assert said.kind is NoticeKind.UNCLEAR
    assert "the tiles are off the board" in said.message
    assert len(played.detector.game.events) == 2


@pytest.mark.parametrize("is_swept_seen", [True, False])
def test_the_next_game_on_the_same_board_leaves_the_finished_one_as_it_was(
    played: Seat, *, is_swept_seen: bool
) -> None:
    played.sees(TWO)
    finished, board, said = played.detector.game, BARE, list[Notice]()
    if is_swept_seen:
        said += played.sees(BARE, rest_s=4.5).notices
    for word, row, column in (("ARA", 7, 6), ("GIN", 8, 8), ("LO", 9, 10), ("RÓ", 6, 6), ("ÁR", 10, 11)):
        board = board.with_tiles(tiles(word, row, column))
        decision = played.sees(board, rest_s=3.0)
        said += decision.notices
        assert not decision.updates
    assert played.detector.game is finished
    assert [notice.message[:27] for notice in said] == ["the tiles are off the board"]


def test_a_few_letters_alike_after_a_challenge_are_the_next_players(seat: Seat) -> None:
    seat.sees(BARE.with_tiles(tiles("AKA", 7, 6)))
    seat.sees(BARE, after_s=2.0)
    seat.sees(BARE.with_tiles(tiles("ÐAKIÓ", 7, 5)), after_s=6.0)
    assert seat.detector.game.totals[0] == 0
    assert seat.detector.game.totals[1] > 0


def test_a_play_after_a_settlement_names_the_command_that_takes_it_out(played: Seat) -> None:
    played.detector.apply_external(apply_command(parse_command("end Anna=AB Jón="), played.detector.game))
    (notice,) = played.sees(TWO).notices
    assert notice.message == "the settlement at move 2 still counts; the command delete 2 takes it out"


def test_a_film_that_ends_names_tiles_that_the_record_lacks_and_none_that_were_cleared_away(
    played: Seat,
) -> None:
    played.sees(TWO, rest_s=2.0)
    played.sees(TWO.without(TWO.tiles()), rest_s=2.0)
    assert played.detector.check_record(played.time_s, is_settled=True, is_last=True) == ()
    played.sees(TWO.with_tiles(tiles("TT", 0, 0)), rest_s=2.0)
    assert played.detector.check_record(played.time_s, is_settled=False, is_last=True) == ()
    (notice,) = played.detector.check_record(played.time_s, is_settled=True, is_last=True)
    assert "the record lacks: A1 B1;" in notice.message


def test_a_board_that_is_cleared_after_the_settlement_takes_no_play_back(played: Seat) -> None:
    assert kinds(played.sees(TWO)) == [KIND.PLAY]
    state_command(played, "end Anna=AB Jón=D")
    totals = played.detector.game.totals
    for left in (ONE, BARE.with_tiles(HRAKI[:4]), BARE):  # the last play first
        decision = played.sees(left)
        assert (kinds(decision), played.detector.game.totals) == ([], totals)
    (notice,) = played.sees(BARE, rest_s=5.0).notices
    assert "the tiles are off the board; the game is as it was" in notice.message
    played.sees(TWO)
    for _ in range(2):  # the settlement of each rack
        state_command(played, "undo")
    assert kinds(played.sees(ONE)) == [KIND.WITHDRAWN]
