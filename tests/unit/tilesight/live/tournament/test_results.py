"""The games of a match among the results of a table."""

from __future__ import annotations

from tilesight.live.tournament.results import GameResult, find_match, rank_results

NOW_S = 1_795_400_000.0
HOUR_S = 3600.0
TOTALS = {"Anna": 400, "Jón": 300}


def test_games_of_another_evening_are_of_another_match() -> None:
    results = [
        GameResult(totals=TOTALS, table="final", at_s=NOW_S + hours * HOUR_S) for hours in (-30, -14, -13, -2)
    ]

    def games(now_s: float) -> list[GameResult]:
        return find_match(results, place=("", "", "final"), players=TOTALS, now_s=now_s)

    assert games(NOW_S) == results[1:]
    assert games(NOW_S + 10 * HOUR_S) == results[1:]
    assert games(NOW_S + 10 * HOUR_S + 1) == []


def test_a_match_of_an_event_may_go_on_the_next_day() -> None:
    result = GameResult(totals=TOTALS, event="Cup", at_s=NOW_S)
    later_s = NOW_S + 30 * HOUR_S
    assert find_match([result], place=("Cup", "", ""), players=TOTALS, now_s=later_s) == [result]


def test_a_name_that_another_player_had_before_makes_no_two_players_one() -> None:
    first = GameResult(totals={"Eva": 400, "Anna": 380})
    assert first.rename(("Anna", "Jón"), [("Eva", "Anna")]).totals == first.totals
    assert first.rename(("Ida", "Jón"), [("Eva", "Ida")]).totals == {"Ida": 400, "Anna": 380}


def test_a_bye_is_no_player_and_its_opponent_keeps_the_result() -> None:
    results = [GameResult(totals=totals) for totals in ({"Eva": 50, "Bye": 0}, {"Ida": 300, "BYE ": 350})]
    lines = [(line.place, line.name, line.wins, line.spread) for line in rank_results(results)]
    assert lines == [(1, "Eva", 1.0, 50), (2, "Ida", 0.0, -50)]
