"""The moments of a game: what viewers get a line of its own for."""

from __future__ import annotations

from dataclasses import replace

from scoring import ChallengeRule, Game, load_edition
from tilesight.live.tournament import Moment, MomentKind, find_moments
from tilesight.live.tournament.results import GameResult, rank_results

EDITION = load_edition("english")
RACKS = {0: tuple("QAAAAEE"), 1: tuple("EEEEEEE")}


def game(*plays: str, rule: str = "double") -> Game:
    made = Game(replace(EDITION, challenge=ChallengeRule.named(rule)), ("Anna", "Jón"))
    for play in plays:
        made = made.with_pass() if play == "pass" else made.with_play(play)
    return made


def kinds(moments: tuple[Moment, ...]) -> list[MomentKind]:
    return [moment.kind for moment in moments]


def test_a_bingo_and_the_lead_that_it_takes() -> None:
    full = game().with_play("8D TRAINED")
    first = find_moments(game(), full, ["play"])
    assert first == (Moment(kind=MomentKind.BINGO, player=0, word="TRAINED", points=full.totals[0]),)
    before = game("8G CAT")
    after = before.with_play("I8 .AXING")
    lead = after.totals[1] - after.totals[0]
    assert find_moments(before, after, ["play"]) == (Moment(kind=MomentKind.LEAD, player=1, points=lead),)
    assert kinds(find_moments(before, after, ["redone"])) == [], "what is brought back was shown before"


def test_the_first_lead_and_a_kept_one_are_none() -> None:
    assert find_moments(game(), game("8G CAT"), ["play"]) == ()
    assert find_moments(game("8G CAT"), game("8G CAT", "pass"), ["pass"]) == ()


def test_a_tie_in_between_does_not_hide_a_change_of_the_lead() -> None:
    tied = game("8G CAT").with_clock_penalty(10, player=0)
    assert tied.totals == (0, 0)
    after = tied.with_play("I8 .IN")
    assert kinds(find_moments(tied, after, ["play"])) == [MomentKind.LEAD]


def test_a_challenge_with_its_ruling() -> None:
    before = game("8G CAT")
    (off,) = find_moments(before, before.with_challenge(upheld=True), ["withdrawn"])
    assert (off.player, off.word, off.valid, off.points, off.challenger) == (0, "CAT", False, 10, 1)
    for rule, points, gained, turn_lost in (
        ("double", 0, 0, True),
        ("5", 5, 0, False),
        ("gain-5", 0, 5, False),
    ):
        before = game("8G CAT", rule=rule)
        (stays,) = find_moments(before, before.with_challenge(upheld=False), ["challenge"])
        assert (stays.valid, stays.word, stays.points, stays.gained, stays.turn_lost) == (
            True,
            "CAT",
            points,
            gained,
            turn_lost,
        ), rule


def test_a_withdrawal_that_is_labelled_as_a_challenge_later() -> None:
    withdrawn = game("8G CAT").with_withdrawal()
    labelled = game("8G CAT").with_challenge(upheld=True)
    assert find_moments(game("8G CAT"), withdrawn, ["withdrawn"]) == ()
    assert kinds(find_moments(withdrawn, labelled, ["edited"])) == [MomentKind.CHALLENGE]


def test_the_end_is_reported_when_it_comes_and_when_the_tiles_are_settled() -> None:
    before = game("8G CAT", "pass", "pass", "pass")
    over = before.with_pass()
    (end,) = find_moments(before, over, ["pass"])
    assert (end.kind, end.player, end.points, end.final) == (MomentKind.GAME_OVER, 0, 10, False)
    settled = over.with_settlement(RACKS)
    (final,) = find_moments(over, settled, ["settled"])
    assert (final.player, final.points, final.final) == (0, 1, True)
    assert find_moments(over, over, []) == ()
    other = Game(EDITION, ("Jón", "Anna"))
    assert find_moments(over, other, ["new-game"]) == ()


def test_nobody_is_reported_to_have_won_while_the_tiles_left_do_not_add_up() -> None:
    over = game("8G CAT", "pass", "pass", "pass", "pass")
    wrong = over.with_settlement({**RACKS, 1: ["Z"]})
    (end,) = find_moments(over, wrong, ["settled"])
    assert not end.final
    (final,) = find_moments(wrong, over.with_settlement(RACKS), ["settled"])
    assert (final.kind, final.player, final.final) == (MomentKind.GAME_OVER, 0, True)


def test_standings_of_equal_players_share_a_place() -> None:
    results = [
        GameResult(totals={"Anna": 400, "Jón": 350}),
        GameResult(totals={"Jón": 400, "Anna": 350}),
        GameResult(totals={"Eva": 300, "Ida": 300, "Ari": 100}),
    ]
    lines = {line.name: line for line in rank_results(results)}
    assert (lines["Anna"].place, lines["Jón"].place) == (1, 1)
    assert (lines["Eva"].wins, lines["Ida"].wins, lines["Ari"].wins) == (0.5, 0.5, 0.0)
    assert lines["Ari"].place == 5
    assert (lines["Anna"].games, lines["Anna"].spread, lines["Anna"].points) == (2, 0, 750)
