"""Changes of the director's file while tables play."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.on_air import send_commands
from tests.unit.tilesight.live.tournament.conftest import EVENT, GAME, Hall, games_played
from tilesight.live.tournament.event_file import EventSettings, load_event
from tilesight.web.serializers import serialize_for_operator
from vision.errors import SettingsError


def test_the_director_sets_what_overtime_and_challenges_cost(hall: Hall) -> None:
    game = hall.open(hall.start('challenge = "gain-5"\novertime = 5\novertime-every = 30\n'))
    hall.play(game, "time Jón -0:31", "play 8D HRAKI", "challenge lost")
    assert game.state.game.totals == (33, 0)
    hall.play(game, "end Anna=AAAAAAA Jón=RRRRRRR", "overtime")
    assert game.state.game.totals[1] == game.state.game.steps[-2].after.totals[1] - 10
    totals = game.state.game.totals
    game.close()
    again = hall.open(hall.start('challenge = "double"\n'))
    assert again.state.game.totals == totals, "the journal knows the rule of its game"


def test_the_next_round_brings_the_players_that_the_director_names(hall: Hall) -> None:
    tournament = hall.start('round = "1"\n[table.final]\nplayers = ["Anna", "Jón"]\n')
    game = hall.open(tournament, players=("A", "B"))
    hall.play(game, *GAME)
    text = 'round = "2"\n[table.final]\nplayers = ["Eva", "Jón"]\n[player.Eva]\nclub = "Hugin"\n'
    (hall.folder / "event.toml").write_text(text)
    os.utime(hall.folder / "event.toml", (1, 1))
    tournament.refresh()
    assert (game.state.match.round, game.state.game.players) == ("1", ("Anna", "Jón"))
    hall.play(game, "new-game")
    assert game.state.game.players == ("Eva", "Jón")
    assert (game.state.match.round, game.state.match.number) == ("2", 1)
    assert game.state.match.players[0].club == "Hugin"
    (line, *_) = tournament.standings
    assert (line.name, line.games, line.wins) == ("Anna", 1, 1.0)


def test_a_faulty_file_keeps_the_event_as_it_was_and_is_reported_once(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.open(tournament)
    (hall.folder / "event.toml").write_text("title = 3\n")
    os.utime(hall.folder / "event.toml", (1, 1))
    tournament.refresh()
    tournament.refresh()
    assert len(hall.notes) == 1
    assert "line 1: title is 3; write a text" in hall.notes[0]
    assert game.state.match.event == "Cup"
    assert "write a text" in serialize_for_operator(game.state, hall.now_s).problems[-1]
    (hall.folder / "event.toml").write_text(EVENT.replace("Cup", "Cup 2026"))
    os.utime(hall.folder / "event.toml", (2, 2))
    tournament.refresh()
    assert (game.state.match.event, game.state.match.problem) == ("Cup 2026", "")


def test_a_misspelt_table_keeps_the_event_as_it_was_and_one_of_the_start_does_not(hall: Hall) -> None:
    event = f'{EVENT}[table.elsewhere]\nlabel = "Table 9"\n'
    tournament = hall.start(event)
    game = hall.open(tournament)
    path = hall.folder / "event.toml"
    path.write_text(event.replace("table.final", "table.finl").replace("Cup", "Cup 2026"))
    os.utime(path, (1, 1))
    tournament.refresh()
    unknown = f"{path}: there is no table finl here; the tables are final"
    assert hall.notes == [f"{unknown}; the event goes on as it was read before"]
    assert (game.state.match.event, game.state.match.problem) == ("Cup", unknown)
    path.write_text(event.replace("Cup", "Cup 2026"))
    os.utime(path, (2, 2))
    tournament.refresh()
    assert (game.state.match.event, game.state.match.problem) == ("Cup 2026", "")


def test_a_file_that_only_a_refused_event_names_is_read_once_it_is_right(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    hall.open(tournament)
    others = hall.folder / "others.csv"
    others.write_text("player,points,opponent,opponent-points\nEva,4x0,Björn,400\n")
    (hall.folder / "event.toml").write_text(f'results = "others.csv"\n{EVENT}')
    os.utime(hall.folder / "event.toml", (1, 1))
    tournament.refresh()
    tournament.refresh()
    assert ["4x0" in note for note in hall.notes] == [True]
    others.write_text("player,points,opponent,opponent-points\nEva,410,Björn,400\n")
    os.utime(others, (2, 2))
    tournament.refresh()
    assert [line.name for line in tournament.standings] == ["Eva", "Björn"]
    assert len(hall.notes) == 1


def test_a_refused_event_is_read_again_only_after_a_change(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[Path]()

    def load(path: Path) -> EventSettings:
        read.append(path)
        return load_event(path)

    monkeypatch.setattr("tilesight.live.tournament.tournament.load_event", load)
    tournament = hall.start(EVENT)
    path = hall.folder / "event.toml"
    path.write_text("title = 3\n")
    for _ in range(3):
        tournament.refresh()
    assert len(read) == 2, "at the start and once when it changed"
    path.write_text(f'results = "others.csv"\n{EVENT}')
    tournament.refresh()
    tournament.refresh()
    assert len(read) == 4, "a file that cannot be read is tried again"
    (hall.folder / "others.csv").write_text("player,points,opponent,opponent-points\nEva,410,Björn,400\n")
    for _ in range(3):
        tournament.refresh()
    assert (len(read), len(hall.notes), tournament.standings[0].name) == (5, 2, "Eva")


def test_a_file_name_with_a_null_character_is_refused_and_the_event_goes_on(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.open(tournament)
    path = hall.folder / "event.toml"
    path.write_text(f'players = "a\\u0000.csv"\n{EVENT}')
    os.utime(path, (1, 1))
    for _ in range(2):
        tournament.refresh()
    assert len(hall.notes) == 1
    assert "the event goes on as it was read before" in hall.notes[0]
    path.write_text(EVENT.replace("Cup", "Cup 2026"))
    os.utime(path, (2, 2))
    tournament.refresh()
    assert game.state.match.event == "Cup 2026"


def test_games_of_the_old_title_are_reported_when_the_title_is_changed(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.play(hall.open(tournament), *GAME, "new-game")
    path = hall.folder / "event.toml"
    notice = f'{path}: the title is "Cup 2026" now; 1 game of "Cup" no longer counts; '
    notice += "write the old title to have it back"
    for title in ("Cup 2026", "Cup"):
        path.write_text(EVENT.replace('"Cup"', f'"{title}"'))
        tournament.refresh()
        assert hall.notes == [notice]
        assert game.state.match.problem == (notice if title != "Cup" else "")
    assert games_played(tournament) == {"Anna": 1, "Jón": 1}


def test_what_does_not_fit_the_served_tables_is_reported(hall: Hall) -> None:
    tournament = hall.start('[table.finl]\nplayers = ["Anna", "Jón"]\n')
    hall.open(tournament)
    with tournament:
        pass
    assert hall.notes == [f"{hall.folder / 'event.toml'}: there is no table finl here; the tables are final"]
    wide = hall.start('[table.racks]\nplayers = ["Anna", "Jón", "Eva"]\n')
    corners = ((0.0, 0.0), (9.0, 0.0), (9.0, 3.0), (0.0, 3.0))
    with pytest.raises(SettingsError, match="table racks: racks names 2 places for 3 players; give one each"):
        hall.open(wide, "racks", racks_px=(corners, None))


def test_the_number_of_players_stays(hall: Hall) -> None:
    game = hall.open(hall.start(EVENT))
    hall.play(game, *GAME)
    (hall.folder / "event.toml").write_text(f'{EVENT}players = ["Anna", "Jón", "Eva"]\n')
    os.utime(hall.folder / "event.toml", (1, 1))
    with pytest.raises(SettingsError, match="3 players are named for table final, and 2 sit there"):
        send_commands(game, "new-game")
    assert game.state.game.players == ("Anna", "Jón")
