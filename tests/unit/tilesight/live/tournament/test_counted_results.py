"""Results that count: those of archived games, of present ones, and of other tables."""

from __future__ import annotations

import pytest

from tests.unit.tilesight.live.tournament.conftest import EVENT, GAME, Hall, games_played
from tilesight.live import DelayedGame
from tilesight.live.clocks import find_offset


def test_viewers_see_a_result_no_earlier_after_a_restart(hall: Hall) -> None:
    tournament = hall.start()
    hall.play(hall.open(tournament, delay_s=900.0), *GAME, "new-game").close()
    again = hall.open(hall.start(), delay_s=900.0)
    late = DelayedGame(again, lambda: hall.now_s)
    assert again.state.match.won == (1, 0) or again.state.match.won == (0, 1)
    assert late.state.match.won == ()
    hall.now_s += 901
    assert late.state.match.won == again.state.match.won


def test_standings_count_archived_games_present_ones_and_those_of_other_tables(hall: Hall) -> None:
    (hall.folder / "others.csv").write_text("player,points,opponent,opponent-points\nEva,400,Björn,400\n")
    tournament = hall.start(f'results = "others.csv"\n{EVENT}')
    game = hall.open(tournament)
    hall.play(game, *GAME, "new-game")
    late = hall.open(tournament, "late", players=("Ari", "Ida"), delay_s=300.0)
    hall.play(late, "play 8D HRAKI", "end Ari=AAAAAAA Ida=RRRRRRR")
    hall.play(game, "play 8D HRAKI", "end Jón=RRRRRRR Anna=AAAAAAA")
    lines = [(line.place, line.name, line.games, line.wins) for line in tournament.standings]
    assert lines[2:] == [(3, "Björn", 1, 0.5), (3, "Eva", 1, 0.5)]
    assert {line[1] for line in lines[:2]} == {"Anna", "Jón"}, "viewers do not see a delayed game yet"
    assert sum(line[3] for line in lines[:2]) == 2.0


def test_standings_keep_archived_games_when_the_clock_is_set_back(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    hall.play(hall.open(tournament), *GAME, "new-game")
    late = hall.open(tournament, "late", players=("Ari", "Ida"), delay_s=300.0)
    hall.play(late, "play 8D HRAKI", "end Ari=AAAAAAA Ida=RRRRRRR", "new-game")
    hall.now_s -= 3600.0
    assert games_played(tournament) == {"Anna": 1, "Jón": 1}
    hall.now_s += 3901.0
    assert games_played(tournament) == {"Anna": 1, "Ari": 1, "Ida": 1, "Jón": 1}


@pytest.mark.parametrize("step_s", [3600.0, -3600.0])
def test_a_delayed_result_comes_when_the_delay_is_over_though_the_clock_is_set(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, step_s: float
) -> None:
    tournament = hall.start(EVENT)
    late = hall.open(tournament, "late", players=("Ari", "Ida"), delay_s=300.0)
    hall.play(late, "play 8D HRAKI", "end Ari=AAAAAAA Ida=RRRRRRR", "new-game")
    offset_s = find_offset()
    monkeypatch.setattr("tilesight.live.clocks.find_offset", lambda: offset_s + step_s)
    hall.now_s += step_s
    assert games_played(tournament) == {}
    hall.now_s += 301.0
    assert games_played(tournament) == {"Ari": 1, "Ida": 1}


def test_a_result_of_a_clock_that_was_ahead_counts_after_a_restart(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    hall.play(hall.open(tournament, "late", delay_s=300.0), *GAME, "new-game").close()
    hall.now_s -= 3600.0
    again = hall.start(EVENT)
    hall.open(again, "late", delay_s=300.0)
    assert games_played(again) == {}
    hall.now_s += 301.0
    assert games_played(again) == {"Anna": 1, "Jón": 1}
