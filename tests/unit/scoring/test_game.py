"""Games: turns, points, plays taken back, challenges, corrections, standings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import (
    ChallengeEvent,
    ChallengeRule,
    EndRack,
    ExchangeEvent,
    ExchangeRule,
    Game,
    GameError,
    GameProblemKind,
    IllegalPlayError,
    PassEvent,
    Play,
    PlayEvent,
    PlayRule,
    WithdrawnEvent,
    load_edition,
    name_key,
)
from tests.support.positions import game_of, play_of, problem_kinds

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")


def test_a_play_adds_its_points_and_passes_the_turn() -> None:
    game = game_of().with_play(play_of("8D HRAKI"))
    assert game.totals == (28, 0)
    assert game.turn == 1
    assert game.board[7, 3] == "H"
    step = game.steps[0]
    assert (step.score, step.total, step.changes) == (28, 28, (28, 0))
    assert step.scored is not None
    assert step.scored.main_word.text == "HRAKI"


def test_a_game_is_a_value_that_an_event_leaves_as_it_was() -> None:
    before = game_of()
    after = before.with_play(play_of("8D HRAKI"))
    assert before.totals == (0, 0)
    assert before.events == ()
    assert after == before.with_play(play_of("8D HRAKI"))
    assert hash(after.events[0]) == hash(before.with_play(play_of("8D HRAKI")).events[0])


def test_an_illegal_play_is_refused_but_can_be_recorded() -> None:
    with pytest.raises(IllegalPlayError) as caught:
        game_of().with_play(play_of("1A HRAKI"))
    assert caught.value.reason is PlayRule.START_NOT_COVERED
    game = game_of().with_event(PlayEvent(player=0, play=play_of("1A HRAKI")))
    assert game.totals[0] > 0
    (problem,) = game.problems
    assert (problem.index, problem.kind) == (0, GameProblemKind.ILLEGAL_PLAY)
    assert problem.reason is PlayRule.START_NOT_COVERED


@pytest.mark.parametrize(
    ("placements", "refusal"),
    [
        ([(7, 3, "A")], PlayRule.OCCUPIED),
        ([(7, 15, "A")], PlayRule.OFF_BOARD),
        ([(7, 3, "A"), (8, 4, "B")], PlayRule.OCCUPIED),
        ([(1, 15, "A"), (0, 0, "B")], PlayRule.OFF_BOARD),
        ([(0, 0, "Q"), (1, 1, "A")], PlayRule.UNKNOWN_TILE),
        ([(0, 0, "A"), (0, 0, "B"), (1, 1, "A")], PlayRule.SQUARE_TWICE),
        ([(0, 0, "A"), (0, 0, "B")], PlayRule.SQUARE_TWICE),
        ([(8, 3, "Q")], PlayRule.UNKNOWN_TILE),
        ([], PlayRule.NO_TILES),
    ],
)
def test_a_play_without_a_place_changes_nothing_but_the_turn(
    placements: list[tuple[int, int, str]], refusal: PlayRule
) -> None:
    before = game_of().with_play(play_of("8D HRAKI"))
    game = before.with_event(PlayEvent(player=1, play=Play.of(placements)))
    assert (game.board, game.totals, game.turn) == (before.board, before.totals, 0)
    assert game.steps[1].scored is None
    assert [problem.reason for problem in game.problems] == [refusal]


@pytest.mark.parametrize(
    ("placements", "refusal"),
    [
        ([(8, 3, "A"), (9, 4, "A")], PlayRule.NOT_ONE_LINE),
        ([(8, 3, "A"), (8, 6, "A")], PlayRule.GAP),
        ([(0, 0, "A")], PlayRule.NOT_TOUCHING),
    ],
)
def test_tiles_that_form_no_word_lie_on_the_board_and_score_nothing(
    placements: list[tuple[int, int, str]], refusal: PlayRule
) -> None:
    before = game_of().with_play(play_of("8D HRAKI"))
    game = before.with_event(PlayEvent(player=1, play=Play.of(placements)))
    assert all(game.board[row, column] == token for row, column, token in placements)
    assert game.totals == before.totals
    assert [problem.reason for problem in game.problems] == [refusal]


def test_who_plays_out_of_turn_is_scored_and_named() -> None:
    game = game_of("A", "B", "C").with_play(play_of("8D HRAKI"), player=2)
    assert game.totals == (0, 0, 28)
    assert game.turn == 0
    assert problem_kinds(game) == [GameProblemKind.OUT_OF_TURN]
    assert game.problems[0].message == "C had this play, but it was the turn of A"


def test_tiles_that_are_not_on_the_rack_are_named() -> None:
    game = game_of().with_play(play_of("8D HRAkI"), rack="HRAIXÞÆ")
    assert problem_kinds(game) == [GameProblemKind.NOT_ON_RACK]
    assert game.problems[0].message.startswith("? was played")
    assert not game_of().with_play(play_of("8D HRAkI"), rack="HRAI?XÞ").problems


def test_passes_exchanges_and_turns_that_nobody_could_tell() -> None:
    game = (
        game_of()
        .with_pass(rack="HRAKIAA")
        .with_exchange("AA")
        .with_exchange(count=3)
        .with_no_play()
        .with_exchange()
    )
    assert [event.kind for event in game.events] == ["pass", "exchange", "exchange", "no-play", "exchange"]
    assert game.turn == 1
    assert game.totals == (0, 0)
    assert isinstance(game.events[1], ExchangeEvent)
    assert game.events[1].count == 2
    assert game.state.scoreless_turns == 5
    assert not game.problems


@pytest.mark.parametrize(
    ("tiles", "count", "words"),
    [
        (("A", "B"), 3, "2 tiles are named but the count says 3"),
        (None, 0, "of 0 tiles; a turn in which no tile goes back is a pass"),
        (None, -2, "of -2 tiles"),
        ((), None, "of 0 tiles"),
    ],
)
def test_an_exchange_that_cannot_be(tiles: tuple[str, ...] | None, count: int | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ExchangeEvent(player=0, tiles=tiles, count=count)


def test_an_exchange_of_more_tiles_than_there_are() -> None:
    rack = game_of().with_exchange(count=8)
    assert problem_kinds(rack) == [GameProblemKind.NOT_ON_RACK]
    assert rack.problems[0].message == "Anna exchanged 8 tiles, but the rack held 7"
    small = replace(ICELANDIC, counts={token: 16 * (token == "A") for token in ICELANDIC.counts})
    bag = game_of(edition=small).with_exchange(count=3)
    assert problem_kinds(bag) == [GameProblemKind.EXCHANGE_NOT_ALLOWED]
    assert bag.problems[0].message == "Anna exchanged 3 tiles, but the bag held 2"
    assert not game_of(edition=small).with_exchange(count=2).problems
    assert not game_of(edition=small).with_exchange().problems
    empty = game_of("A", "B", "C", edition=small)
    for game in (empty.with_exchange(), empty.with_exchange(count=1)):
        assert problem_kinds(game) == [GameProblemKind.EXCHANGE_NOT_ALLOWED]
        assert game.problems[0].message == "the bag is empty, so nothing can be exchanged"
    unknown = game_of(edition=load_edition("romanian-rosian")).with_exchange(count=8)
    assert problem_kinds(unknown) == [GameProblemKind.NOT_ON_RACK]


def test_a_play_of_more_tiles_than_the_rack_holds() -> None:
    few = replace(ICELANDIC, counts={token: 18 * (token == "A") for token in ICELANDIC.counts})
    game = game_of(edition=few)
    for text in ("8H AA", "7H AA", "9H AAAAA"):
        game = game.with_play(play_of(text))
    game = game.with_pass()
    assert (game.state.tiles_in_bag, game.state.rack_counts, game.problems) == (0, (2, 7), ())
    assert not game.with_play(play_of("10G AA")).problems
    more = game.with_play(play_of("10G AAAAAA"))
    assert problem_kinds(more) == [GameProblemKind.NOT_ON_RACK]
    assert more.problems[0].message == "Anna played 6 tiles, but the rack held 2"
    assert more.state.rack_counts == (0, 7)
    for taken_back in (more.with_withdrawal(), more.with_challenge(upheld=True)):
        assert taken_back.state.rack_counts == (2, 7)
        assert taken_back.totals == game.totals


def test_a_rack_of_more_tiles_than_the_player_holds() -> None:
    game = game_of().with_play(play_of("8D HRAKI"), rack="HRAKIEFG")
    assert problem_kinds(game) == [GameProblemKind.NOT_ON_RACK]
    assert game.problems[0].message == "the rack H R A K I E F G has 8 tiles, but Anna held 7"
    assert not game_of().with_pass(rack="HRAKIEF").problems


def test_an_exchange_that_the_rules_do_not_know() -> None:
    krydsord = game_of(edition=load_edition("krydsord")).with_exchange(count=1)
    assert problem_kinds(krydsord) == [GameProblemKind.EXCHANGE_NOT_ALLOWED]
    late = replace(ICELANDIC, exchange=ExchangeRule(bag_minimum=91))
    assert problem_kinds(game_of(edition=late).with_exchange(count=1)) == [
        GameProblemKind.EXCHANGE_NOT_ALLOWED
    ]
    enough = replace(ICELANDIC, exchange=ExchangeRule(bag_minimum=90))
    assert not game_of(edition=enough).with_exchange(count=1).problems


def test_an_exchange_of_tiles_that_are_not_on_the_rack() -> None:
    assert problem_kinds(game_of().with_exchange("AB", rack="AEEFGHI")) == [GameProblemKind.NOT_ON_RACK]
    assert not game_of().with_exchange("AB", rack="ABEFGHI").problems


class TestTakingBack:
    def test_the_latest_play_goes_and_the_turn_is_lost(self) -> None:
        played = game_of().with_play(play_of("8D HRAKI"))
        game = played.with_play(play_of("G6 LO.I")).with_withdrawal()
        assert game.totals == (28, 0)
        assert game.board == played.board
        assert (game.turn, game.state.rack_counts, game.state.tiles_in_bag) == (
            0,
            (7, 7),
            played.state.tiles_in_bag,
        )
        assert game.steps[-1].score == -15
        assert game.steps[-1].taken_back is not None
        assert not game.problems

    def test_who_changes_the_mind_plays_again(self) -> None:
        game = (
            game_of()
            .with_play(play_of("8D HRAKI"))
            .with_withdrawal(turn_lost=False)
            .with_play(play_of("8H HRAKI"))
        )
        assert [event.player for event in game.events] == [0, 0, 0]
        assert not game.problems

    def test_a_player_may_take_back_a_play_under_a_later_one(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI")).with_play(play_of("H9 DA"))
        below = game.totals[1]
        game = game.with_withdrawal(player=0)
        assert game.totals == (0, below)
        assert "".join(tile.token for tile in game.board.tiles()) == "DA"
        assert [problem.message for problem in game.problems] == [
            "the play of Anna was taken back after a later turn"
        ]

    def test_tiles_left_hanging_are_named(self) -> None:
        game = (
            game_of().with_play(play_of("8D HRAKI")).with_play(play_of("H9 DA")).with_play(play_of("10H .R"))
        )
        assert problem_kinds(game.with_withdrawal(player=1)) == [
            GameProblemKind.TOO_LATE,
            GameProblemKind.LEAVES_FLOATING,
        ]

    def test_a_later_turn_of_any_kind_makes_it_too_late(self) -> None:
        played = game_of().with_play(play_of("8D HRAKI"))
        for later in (
            played.with_pass().with_exchange(count=2),
            played.with_no_play(),
            played.with_play(play_of("H9 DA")).with_withdrawal(turn_lost=False),
            played.with_play(play_of("H9 DA")).with_challenge(upheld=True),
        ):
            for event in (WithdrawnEvent(player=0), ChallengeEvent(player=0, upheld=True)):
                game = later.with_event(event)
                assert game.totals[0] == 0
                assert problem_kinds(game) == [GameProblemKind.TOO_LATE]

    def test_time_that_is_lost_makes_nothing_too_late(self) -> None:
        played = game_of().with_play(play_of("8D HRAKI")).with_clock_penalty(10, player=0)
        assert not played.with_withdrawal().problems
        assert not played.with_challenge(upheld=True).problems

    def test_an_earlier_play_is_too_late_once_the_later_one_was_challenged_off(self) -> None:
        played = game_of("Anna").with_play(play_of("8D HRAKI")).with_play(play_of("H9 DA"))
        game = played.with_event(ChallengeEvent(player=0, upheld=True))
        assert not game.problems
        assert problem_kinds(game.with_withdrawal()) == [GameProblemKind.TOO_LATE]

    def test_nothing_to_take_back(self) -> None:
        with pytest.raises(GameError, match="no play is on"):
            game_of().with_withdrawal()
        game = game_of().with_event(WithdrawnEvent(player=1))
        assert problem_kinds(game) == [GameProblemKind.NOTHING_TO_TAKE_BACK]
        assert game.problems[0].message == "Jón has no play on the board that could be taken back"
        assert game.totals == (0, 0)


class TestChallenges:
    def test_upheld_takes_the_play_back_with_its_points(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI")).with_challenge(upheld=True)
        assert game.totals == (0, 0)
        assert game.board.is_empty
        assert game.turn == 1
        assert game.events[-1] == ChallengeEvent(player=0, upheld=True, challenger=1)

    def test_a_play_that_was_found_valid_stays(self) -> None:
        valid = game_of().with_play(play_of("8D HRAKI")).with_challenge(upheld=False)
        assert not valid.with_challenge(upheld=False).problems  # points on two lines of a file
        for game in (valid.with_challenge(upheld=True), valid.with_withdrawal()):
            assert [problem.message for problem in game.problems] == [
                "the play of Anna was taken back after a challenge that found its words valid"
            ]

    def test_in_vain_costs_nothing_in_iceland(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI")).with_challenge(upheld=False)
        assert game.totals == (28, 0)
        assert game.turn == 1

    def test_in_vain_costs_the_hungarian_challenger_ten(self) -> None:
        game = game_of("A", "B", "C", edition=HUNGARIAN).with_play(play_of("8F ELADÓ", HUNGARIAN))
        points = game.totals[0]
        assert game.with_challenge(upheld=False).totals == (points, -10, 0)
        assert game.with_challenge(upheld=False, challenger=2).totals == (points, 0, -10)
        # the challenger is not known, so no player can lose points
        assert game.with_challenge(upheld=False, challenger=0).totals == (points, 0, 0)

    def test_points_agreed_for_the_tournament_override_the_edition(self) -> None:
        game = game_of(edition=HUNGARIAN).with_play(play_of("8F ELADÓ", HUNGARIAN))
        points = game.totals[0]
        event = ChallengeEvent(player=0, upheld=False, challenger=1, bonus=5, penalty=3)
        assert game.with_event(event).totals == (points + 5, -3)

    def test_in_vain_may_cost_the_turn(self) -> None:
        strict = replace(ICELANDIC, challenge=ChallengeRule(valid_turn=True))
        game = game_of("A", "B", "C", edition=strict).with_play(play_of("8D HRAKI"))
        assert game.with_challenge(upheld=False).turn == 2
        later = game.with_challenge(upheld=False, challenger=2)
        assert later.turn == 1
        assert later.with_pass().turn == 0
        assert later.with_pass().with_pass().with_pass().turn == 2
        assert game.with_event(ChallengeEvent(player=0, upheld=False)).turn == 1

    def test_nothing_to_challenge(self) -> None:
        with pytest.raises(GameError, match="no play is on"):
            game_of().with_challenge(upheld=True)
        game = game_of().with_event(ChallengeEvent(player=0, upheld=False, challenger=1))
        assert problem_kinds(game) == [GameProblemKind.NOTHING_TO_TAKE_BACK]
        assert game.problems[0].message == "Anna has no play on the board that could be challenged"

    def test_one_challenge_may_cost_the_turn_where_the_edition_says_nothing_of_it(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI"))
        for edition_says in (False, True):
            edition = replace(ICELANDIC, challenge=ChallengeRule(valid_turn=edition_says))
            for turn_lost, turn in ((None, 1 - edition_says), (True, 0), (False, 1)):
                event = ChallengeEvent(player=0, upheld=False, challenger=1, turn_lost=turn_lost)
                assert replace(game, edition=edition).with_event(event).turn == turn


class TestCorrections:
    def sheet_game(self) -> Game:
        game = game_of()
        for text in ("8D HRAKI", "G6 LO.I"):
            game = game.with_play(play_of(text))
        return game

    def test_a_corrected_play_changes_its_score_and_all_totals_after_it(self) -> None:
        game = self.sheet_game()
        event = game.events[0]
        assert isinstance(event, PlayEvent)
        better = game.with_correction(0, replace(event, play=play_of("8D NRAKI")))
        assert better.totals == (28 - 2 * 2 * (4 - 1), 15)
        assert better.with_correction(0, event).totals == game.totals
        assert not better.problems

    def test_a_later_event_that_no_longer_fits_is_named(self) -> None:
        game = self.sheet_game()
        moved = game.with_correction(0, PlayEvent(player=0, play=play_of("8H HRAKI")))
        assert [(problem.index, problem.reason) for problem in moved.problems] == [(1, PlayRule.GAP)]

    def test_an_event_put_in_and_taken_out_again(self) -> None:
        game = self.sheet_game()
        more = game.with_insertion(1, PassEvent(player=1))
        assert [event.kind for event in more.events] == ["play", "pass", "play"]
        assert problem_kinds(more) == [GameProblemKind.OUT_OF_TURN]
        assert more.without_event(1).events == game.events
        assert more.without_event(1).steps == game.steps

    @pytest.mark.parametrize("index", [-1, 2])
    def test_an_event_that_does_not_exist(self, index: int) -> None:
        game = self.sheet_game()
        with pytest.raises(GameError, match="counted from 0"):
            game.with_correction(index, PassEvent(player=0))
        with pytest.raises(GameError, match="counted from 0"):
            game.without_event(index)
        with pytest.raises(GameError, match="counted from 0"):
            game.with_insertion(index + (index > 0), PassEvent(player=0))


def test_a_turn_without_a_play_out_of_turn() -> None:
    game = game_of().with_no_play(player=1)
    assert [problem.message for problem in game.problems] == [
        "Jón had this turn without a play, but it was the turn of Anna"
    ]


def test_standings_with_shared_places() -> None:
    game = game_of("A", "B", "C").with_play(play_of("8D HRAKI"))
    assert [(each.place, each.name, each.total) for each in game.standings] == [
        (1, "A", 28),
        (2, "B", 0),
        (2, "C", 0),
    ]
    assert [each.place for each in game.standings_after(0)] == [1, 1, 1]
    with pytest.raises(GameError, match="counted from 0"):
        game.standings_after(2)


def test_unseen_tiles_are_the_bag_without_board_and_racks() -> None:
    game = game_of().with_play(play_of("8D HRaKI"))
    unseen = game.unseen(racks=["AA?"])
    assert unseen is not None
    assert sum(unseen.values()) == 104 - 5 - 3
    assert unseen["A"] == ICELANDIC.counts["A"] - 2  # type: ignore[operator]
    assert "?" not in unseen
    assert game_of(edition=load_edition("romanian-rosian")).unseen() is None


@pytest.mark.parametrize(
    ("players", "words"),
    [
        ((), "1 to 4 players, got 0"),
        (tuple("ABCDE"), "got 5"),
        (("A", " "), "empty"),
        (("A", 1), "a player's name is 1"),
        (("A", "A"), "one name"),
        (("Anna  B", "Anna B"), "one name"),
        (("Anna", " Anna "), "one name"),
    ],
)
def test_players_that_make_no_game(players: tuple[str, ...], words: str) -> None:
    with pytest.raises(GameError, match=words):
        Game(edition=ICELANDIC, players=players)


def test_names_are_compared_without_regard_to_capitals_and_spaces() -> None:
    assert name_key(" Anna  LIND ") == name_key("anna Lind") != name_key("annalind")
    assert name_key("Jo\u0301n") == name_key("JÓN")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (PassEvent(player=2), "player 2 does not exist"),
        (ChallengeEvent(player=0, upheld=False, challenger=7), "player 7"),
        (EndRack(player=0, tiles=("Q",)), "'Q' is no tile"),
        (PassEvent(player=0, rack=("a",)), "'a' is no tile"),
    ],
)
def test_events_of_another_game(event: PassEvent, words: str) -> None:
    with pytest.raises(GameError, match=words):
        game_of().with_event(event)


def test_a_play_that_is_taken_back_at_once_leaves_the_passes_before_it() -> None:
    game = game_of()
    for _ in range(3):
        game = game.with_pass()
    again = game.with_play(play_of("8D HRAKI")).with_withdrawal(turn_lost=False)
    assert (again.state.passes, again.state.scoreless_turns, again.turn) == (3, 3, game.turn)
    assert again.with_pass().ending is game.with_pass().ending is not None
    off = game.with_play(play_of("8D HRAKI")).with_challenge(upheld=True)
    assert off.state.scoreless_turns == 4


def test_who_had_to_sit_out_still_does_after_a_play_is_taken_back() -> None:
    edition = load_edition("icelandic+challenge-double")
    game = Game(edition=edition, players=("A", "B", "C")).with_play(play_of("8D HRAKI"))
    game = game.with_challenge(upheld=False, challenger="C")
    again = game.with_play(play_of("G6 LO.I")).with_withdrawal(turn_lost=False)
    assert again.turn == 1
    assert again.with_play(play_of("G6 LO.I")).turn == game.with_play(play_of("G6 LO.I")).turn == 0
