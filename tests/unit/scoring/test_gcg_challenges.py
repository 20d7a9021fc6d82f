"""GCG: challenges, challengers and penalties."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scoring import (
    ChallengeEvent,
    ChallengeRule,
    Edition,
    Game,
    GameError,
    format_gcg,
    load_edition,
    parse_gcg,
    parse_play,
)

ENGLISH = load_edition("english")
HUNGARIAN = load_edition("hungarian")
HEAD = "#player1 a Ann\n#player2 b Bo\n"
FIRST = ">a: CAT 8G CAT +10 10\n"
UNSUCCESSFUL = "#note #unsuccessful-challenge\n"
RULES = ("double", "single", "free", "5", "10", "gain-5", "gain-10")


def one(line: str, edition: Edition | None = None) -> object:
    """Return the event of a line after a first play by player a."""
    record = parse_gcg(HEAD + FIRST + line, edition)
    assert not record.problems
    return record.game.events[1]


def test_challenges() -> None:
    assert one(">a: ABC (challenge) +5 15") == ChallengeEvent(player=0, upheld=False, bonus=5)
    assert one(">b: ABC (challenge) -5 -5") == ChallengeEvent(player=0, upheld=False, challenger=1, penalty=5)


def test_a_hungarian_challenger_loses_ten_whatever_is_printed() -> None:
    lines = HEAD + ">a: ELADÓ 8F ELADÓ +18 18\n>b: A (challenge) -5 -5\n"
    record = parse_gcg(lines, HUNGARIAN)
    assert record.game.events[1] == ChallengeEvent(player=0, upheld=False, challenger=1)
    assert [(each.line, each.player, each.score) for each in record.differences if each.line == 4] == [
        (4, 1, -10)
    ]
    bonus = parse_gcg(
        HEAD + ">a: ELADÓ 8F ELADÓ +18 18\n>a: A (challenge) +0 18\n#note [tilesight] challenged-by b",
        HUNGARIAN,
    )
    assert bonus.game.totals[1] == 0


def test_nobody_challenges_the_own_play() -> None:
    game = Game(edition=HUNGARIAN, players=("Ann", "Bo")).with_play(parse_play("8F ELADÓ", HUNGARIAN.tokens))
    for upheld in (False, True):
        with pytest.raises(GameError, match="Ann cannot challenge a play of Ann"):
            game.with_event(ChallengeEvent(player=0, upheld=upheld, challenger=0))
    with pytest.raises(GameError, match="cannot challenge"):
        game.with_pass().with_correction(1, ChallengeEvent(player=0, upheld=False, challenger=0))


def test_points_lost_are_for_a_challenge_of_another_players_play() -> None:
    """A file may record the challenge only after the next play, by the challenger."""
    record = parse_gcg(HEAD + FIRST + ">b: S 8J S +6 6\n>b: ABC (challenge) -5 1\n")
    assert record.game.events[2] == ChallengeEvent(player=0, upheld=False, challenger=1, penalty=5)
    assert record.differences == ()
    assert format_gcg(record.game).count("(challenge)") == 1
    own = parse_gcg(HEAD + FIRST + ">a: ABC (challenge) -5 5\n")
    assert [(problem.line, problem.lost) for problem in own.problems] == [(4, True)]
    assert "the own ones aside" in own.problems[0].message


def test_a_note_that_names_the_player_as_the_own_challenger() -> None:
    record = parse_gcg(HEAD + FIRST + ">a: CAT -- -10 0\n#note [tilesight] challenged-by a\n")
    assert record.game.events[1] == ChallengeEvent(player=0, upheld=True)
    assert [(problem.line, problem.lost) for problem in record.problems] == [(4, False)]


def test_a_turn_lost_by_a_challenge_in_vain_is_lost_in_any_edition() -> None:
    record = parse_gcg(HEAD + FIRST + ">b: ? - +0 0\n" + UNSUCCESSFUL + ">a: S 8J S +6 16\n", ENGLISH)
    assert record.problems == ()
    assert record.differences == ()
    assert [event.player for event in record.game.events] == [0, 0, 0]
    assert record.game.turn == 1
    text = format_gcg(record.game)
    assert (
        ">Bo: E - +0 0\n#note [tilesight] challenge-failed; rack-unknown\n#note #unsuccessful-challenge"
        in text
    )
    assert parse_gcg(text, ENGLISH).game == record.game


def test_a_turn_lost_costs_the_hungarian_challenger_no_other_points() -> None:
    lines = HEAD + ">a: ELADÓ 8F ELADÓ +14 14\n>b: ? - +0 0\n" + UNSUCCESSFUL
    record = parse_gcg(lines, HUNGARIAN)
    assert record.game.events[1] == ChallengeEvent(
        player=0, upheld=False, challenger=1, penalty=0, turn_lost=True, note="#unsuccessful-challenge"
    )
    assert (record.differences, record.game.turn) == ((), 0)
    assert parse_gcg(format_gcg(record.game), HUNGARIAN).game == record.game


@pytest.mark.parametrize("valid_turn", [False, True])
@pytest.mark.parametrize("valid_points", [0, 10])
@pytest.mark.parametrize("bonus", [None, 5])
@pytest.mark.parametrize("turn_lost", [None, False, True])
def test_what_a_challenge_in_vain_costs_survives_a_file(
    valid_turn: bool, valid_points: int, bonus: int | None, turn_lost: bool | None
) -> None:
    edition = replace(ENGLISH, challenge=ChallengeRule(valid_points=valid_points, valid_turn=valid_turn))
    game = Game(edition=edition, players=("Ann", "Bo")).with_play(parse_play("8G CAT", edition.tokens))
    event = ChallengeEvent(player=0, upheld=False, challenger=1, bonus=bonus, turn_lost=turn_lost)
    game = game.with_event(event)
    record = parse_gcg(format_gcg(game), edition)
    assert record.problems == ()
    assert record.differences == ()
    assert (record.game.totals, record.game.turn) == (game.totals, game.turn)
    assert game.turn == (0 if (valid_turn if turn_lost is None else turn_lost) else 1)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "play"), [("hungarian", "8F ELADÓ"), ("icelandic", "8D HRAKI")])
def test_the_rule_of_an_event_survives_a_file_that_names_the_edition_only(
    name: str, play: str, rule: str
) -> None:
    game = Game(f"{name}+challenge-{rule}", ("Ann", "Bo")).with_play(play).with_challenge(upheld=False)
    text = format_gcg(game)
    record = parse_gcg(text)
    assert (record.problems, record.differences) == ((), ())
    assert (record.game.totals, record.game.turn) == (game.totals, game.turn)
    assert ("points-agreed" in text) is ((name, rule) == ("hungarian", "5"))


@pytest.mark.parametrize("rule", ["", *(f"+challenge-{name}" for name in RULES)])
@pytest.mark.parametrize("challenge", ["", "[challenge]\nvalid-points = 0\nvalid-turn = true\n"])
def test_the_rule_of_an_event_survives_a_file_of_an_edition_of_ones_own(
    tmp_path: Path, challenge: str, rule: str
) -> None:
    path = tmp_path / "club.toml"
    path.write_text(f'base = "hungarian"\ntitle = "Club"\n{challenge}', encoding="utf-8")
    of_event = load_edition(f"{path}{rule}")
    game = Game(of_event, ("Ann", "Bo")).with_play("8F ELADÓ").with_challenge(upheld=False)
    text = format_gcg(game)
    record = parse_gcg(text, path)
    assert (record.problems, record.differences) == ((), ())
    assert (record.game.totals, record.game.turn) == (game.totals, game.turn)
    assert parse_gcg(text, of_event).game == game


def test_points_agreed_in_an_edition_of_ones_own_survive_a_file() -> None:
    edition = replace(HUNGARIAN, name="own")
    game = Game(edition, ("Ann", "Bo")).with_play("8F ELADÓ")
    game = game.with_event(ChallengeEvent(player=0, upheld=False, challenger=1, penalty=3))
    assert parse_gcg(format_gcg(game), edition).game == game
