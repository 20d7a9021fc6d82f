"""The rule for challenges of an event: it replaces that of the edition."""

from __future__ import annotations

import pytest

from scoring import ChallengeRule, EditionError, Game, format_gcg, load_edition, parse_gcg


@pytest.mark.parametrize(
    ("rule", "totals", "turn"),
    [
        ("double", (28, 0), 0),
        ("single", (28, 0), 1),
        ("free", (28, 0), 1),
        ("5", (28, -5), 1),
        ("10", (28, -10), 1),
        ("gain-5", (33, 0), 1),
        ("gain-10", (38, 0), 1),
    ],
)
def test_a_challenge_in_vain_costs_what_the_event_says(rule: str, totals: tuple[int, int], turn: int) -> None:
    edition = load_edition(f"icelandic+challenge-{rule}")
    game = Game(edition, ("Anna", "Jón")).with_play("8D HRAKI")
    challenged = game.with_challenge(upheld=False)
    assert (challenged.totals, challenged.turn) == (totals, turn)
    upheld = game.with_challenge(upheld=True)
    assert (upheld.totals, upheld.turn) == ((0, 0), 1)
    assert parse_gcg(format_gcg(challenged), edition).game.totals == totals


def test_the_rule_and_the_settlement_of_tournaments_go_together() -> None:
    for name in ("english+tournament+challenge-double", "english+challenge-double+tournament"):
        edition = load_edition(name)
        assert (edition.name, edition.end.out_doubles, edition.challenge.valid_turn) == (
            "english",
            True,
            True,
        )


@pytest.mark.parametrize("name", ["", "triple", "0", "gain-", "100", "-5", "５"])
def test_other_names_are_refused_with_the_names_that_there_are(name: str) -> None:
    with pytest.raises(EditionError, match="write double, single, free, 5, 10, gain-5 or gain-10"):
        ChallengeRule.named(name)
