"""A table's match: sides are swapped, journals archived, results counted, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from scoring import load_edition
from tests.support.on_air import journal_of, send_commands
from tests.unit.tilesight.live.tournament.conftest import GAME, Hall
from tilesight.live import (
    DelayedGame,
    LiveGame,
    MatchInfo,
    StaleCommandError,
    Tournament,
    format_field,
    open_game,
)
from tilesight.live.clocks import find_offset
from tilesight.live.journal import Journal
from tilesight.live.tournament.archive import load_archive
from tilesight.live.tournament.event_file import EventSettings, load_event
from tilesight.web.serializers import serialize_for_operator, serialize_for_viewers
from vision.errors import InputError, SettingsError
from vision.game_events.record.commands import parse_command

EVENT = """
title = "Cup"
round = 4
best-of = 3
[table.final]
label = "Table 1"
"""


def archive_of(folder: Path) -> list[Path]:
    return sorted((folder / "archive").glob("*"))


def test_a_new_game_swaps_the_sides_keeps_the_names_and_archives_the_journal(hall: Hall) -> None:
    game = hall.open(hall.start())
    hall.play(game, "title The final", "countdown 10:00", "start", *GAME)
    first, totals = game.state, dict(zip(game.state.game.players, game.state.game.totals, strict=True))
    hall.play(game, "new-game")
    state = game.state
    assert state.game.players == ("Jón", "Anna")
    assert (state.game.events, state.undoable, state.title) == ((), False, "The final")
    assert state.operator.countdown_s == first.operator.countdown_s
    clocks = state.clocks(hall.now_s)
    assert clocks is not None
    assert (clocks.left_s, clocks.running) == ((1500.0, 1500.0), None)
    assert state.sequence == first.sequence + 2, "numbers go on, so that no page takes a game for another"
    assert (state.match.number, state.match.won, state.match.seats) == (2, (0.0, 1.0), (1, 0))
    (archived,) = archive_of(hall.folder)
    with Journal.open(archived, edition="icelandic", players=("?",)) as journal:
        kept = journal.game(load_edition("icelandic"))
        assert kept.events == first.game.events
        assert journal.events[-1]["totals"] == totals
    assert archived.with_name(f"{archived.name}-wal").exists() is False


def test_a_journal_that_begins_a_later_game_of_a_match_says_that_sides_are_swapped(hall: Hall) -> None:
    hall.play(hall.open(hall.start(), "final"), *GAME, "new-game").close()
    (hall.folder / "final.db").unlink()
    again = hall.open(hall.start(), "final")
    assert again.state.game.players == ("Jón", "Anna")
    assert any("the order of play is Jón – Anna" in note and "archive" in note for note in hall.notes)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_the_order_of_play_is_corrected_in_the_file_until_a_game_of_the_match_counts(
    hall: Hall, director: Callable[[str, str], Path], is_restarted: bool
) -> None:
    names = ("Anna", "Jón", "Eva")
    text = 'title = "Cup"\nround = 4\n[table.final]\nplayers = {}\n'
    corrected = text.format('["Jón", "Eva", "Anna"]')
    tournament = hall.start(text.format('["Anna", "Jón", "Eva"]'))
    game = hall.play(hall.open(tournament, players=names), "name Eva Eva Lind", "play 8D HRAKI")
    if is_restarted:
        game.close()
        tournament = hall.start(corrected)
        game = hall.open(tournament, players=names)
    director("event.toml", corrected)
    hall.play(game, "new-game void")
    assert game.state.game.players == ("Jón", "Eva Lind", "Anna")
    assert (game.state.match.number, tournament.standings) == (1, [])
    director("event.toml", text.format('["Anna", "Jón", "Eva"]') + " ")
    hall.play(game, "new-game")
    assert game.state.game.players == ("Anna", "Jón", "Eva Lind"), "a game without moves does not count"
    hall.play(game, "play 8D HRAKI", "new-game as-is", "pass")
    director("event.toml", corrected + "  ")
    hall.play(game, "new-game void")
    assert game.state.game.players == ("Jón", "Eva Lind", "Anna"), "the second game keeps its order of play"
    hall.play(game, "pass", "new-game as-is")
    assert game.state.game.players == ("Eva Lind", "Anna", "Jón")


def test_the_order_of_play_of_a_journal_is_corrected_by_the_command(hall: Hall) -> None:
    hall.play(hall.open(hall.start()), "pass").close()
    game = hall.open(hall.start(), players=("Jón", "Anna"))
    assert any(
        "Anna – Jón: that of the journal; until a game counts, new-game void" in note for note in hall.notes
    )
    hall.play(game, "new-game void")
    assert game.state.game.players == ("Jón", "Anna")


def test_the_match_goes_on_after_a_restart_and_a_decided_one_is_followed_by_another(hall: Hall) -> None:
    game = hall.open(hall.start(EVENT))
    hall.play(game, *GAME)
    hall.play(game, "new-game", "pass", *GAME)
    game.close()
    game = hall.open(hall.start(EVENT))
    view = serialize_for_viewers(game.state, hall.now_s)
    assert [(player.name, player.won) for player in view.players] == [("Jón", 0.0), ("Anna", 2.0)]
    assert (view.match.game, view.match.best_of, view.match.decided) == (2, 3, True)
    assert (view.match.event, view.match.round, view.match.table) == ("Cup", "4", "Table 1")
    hall.play(game, "new-game")
    assert (game.state.match.number, game.state.match.won) == (1, (0.0, 0.0))


def test_a_game_of_an_event_goes_on_with_another_rule_and_not_with_another_edition(hall: Hall) -> None:
    hall.play(hall.open(hall.start(EVENT)), "play 8D HRAKI").close()
    again = hall.open(hall.start(f'challenge = "double"\n{EVENT}'))
    assert again.state.game.board.rows[7][3] == "H"
    again.close()
    with pytest.raises(SettingsError, match=r"a journal of another game \(edition: icelandic\)"):
        hall.open(hall.start(EVENT), edition="english")


def test_a_game_of_an_event_without_moves_begins_again_with_another_edition(hall: Hall) -> None:
    hall.open(hall.start(EVENT), edition="english").close()
    assert hall.open(hall.start(EVENT)).state.edition.name == "icelandic"


def test_a_tables_first_game_keeps_its_round_after_a_restart(hall: Hall) -> None:
    hall.play(hall.open(hall.start(EVENT)), *GAME).close()
    tournament = hall.start(EVENT.replace("round = 4", "round = 5").replace("best-of = 3", ""))
    for _ in range(2):
        game = hall.open(tournament)
        assert (game.state.match.round, game.state.match.best_of) == ("4", 3)
        game.close()
    hall.play(hall.open(tournament), "new-game")
    assert [(each.round, each.best_of) for each in load_archive(hall.folder / "archive", print, 0.0)] == [
        ("4", 3)
    ]


def test_a_game_without_moves_takes_over_the_next_round_and_its_journal_records_that(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.play(hall.open(tournament), *GAME, "new-game")
    assert (game.state.match.round, game.state.match.number) == ("4", 2)
    text = EVENT.replace("round = 4", "round = 5")
    (hall.folder / "event.toml").write_text(text)
    tournament.refresh()
    tournament.refresh()
    assert (game.state.match.round, game.state.match.number, game.state.match.won) == ("5", 1, (0.0, 0.0))
    rounds = [event["round"] for event in journal_of(game).events if event["event"] == "new-game"]
    assert rounds == ["4", "5"]
    hall.play(game, "pass").close()
    again = hall.open(hall.start(text.replace("round = 5", "round = 6")))
    assert again.state.match.round == "5"


def test_a_game_whose_moves_are_undone_keeps_its_round(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.play(hall.open(tournament), "play 8D HRAKI")
    (hall.folder / "event.toml").write_text(EVENT.replace("round = 4", "round = 5"))
    hall.play(game, "undo")
    for _ in range(2):
        tournament.refresh()
        assert game.state.match.round == "4"
        hall.play(game, "redo", "undo").close()
        tournament = hall.start(EVENT.replace("round = 4", "round = 5"))
        game = hall.open(tournament)


def test_a_game_that_begins_while_the_event_is_read_keeps_its_own_match(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = hall.start(EVENT)
    game = hall.play(hall.open(tournament), *GAME)
    set_match = LiveGame.set_match

    def begin_first(self: LiveGame, match: MatchInfo, **options: Any) -> None:
        monkeypatch.setattr(LiveGame, "set_match", set_match)
        hall.play(game, "new-game")
        set_match(self, match, **options)

    monkeypatch.setattr(LiveGame, "set_match", begin_first)
    tournament.refresh()
    assert (game.state.match.number, game.state.match.won) == (2, (0.0, 1.0))


def test_an_archived_game_that_was_corrected_counts_as_corrected(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    hall.play(hall.open(tournament), *GAME, "new-game").close()
    (archived,) = archive_of(hall.folder)
    with open_game("again", archived) as game:
        send_commands(game, "undo")
        send_commands(game, "end Anna=AA Jón=RR")
        corrected = dict(zip(game.state.game.players, game.state.game.totals, strict=True))
        last = game.state.sequence
    (result,) = load_archive(archived.parent, hall.notes.append, 0.0)
    assert (result.totals, result.round, result.last_number) == (corrected, "4", last)
    edition = hall.folder / "gone.toml"
    with sqlite3.connect(archived) as connection:
        connection.execute("UPDATE game SET edition = ?", (str(edition),))
    assert load_archive(archived.parent, hall.notes.append, 0.0) == []
    assert ["its edition" in note for note in hall.notes] == [True], (
        "a result that cannot be read is reported"
    )


def test_viewers_who_connect_while_a_journal_is_archived_get_the_next_game(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = hall.play(hall.open(hall.start()), *GAME)
    close, reads = Journal.close, []
    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patch:

        def close_and_read(journal: Journal) -> None:
            close(journal)
            reads.append(pool.submit(game.events_after, 0))
            wait(reads, timeout=0.1)

        patch.setattr(Journal, "close", close_and_read)
        hall.play(game, "new-game")
    ((state, _),) = [read.result() for read in reads]
    assert (state.match.number, state.game.events) == (2, ())


def test_a_program_that_is_killed_at_any_moment_of_a_new_game_loses_nothing(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moments are the calls that change the disk: what follows them never happens."""
    plain = {name: getattr(os, name) for name in ("rename",)}
    for moment in range(3):
        folder = hall.folder / str(moment)
        folder.mkdir()
        own = Hall(folder)
        game = own.open(own.start())
        own.play(game, *GAME)
        events = game.state.game.events

        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            target = ("tilesight.live.journal.journal.Journal._seal", "pathlib.Path.rename")[min(moment, 1)]
            if moment == 2:
                renamed = Path.rename

                def rename_and_die(self: Path, to: Path, renamed: object = renamed) -> None:
                    plain["rename"](self, to)
                    os.sync()
                    # The process ends here; the fallback that moves the file back does not run.
                    patch.setattr("tilesight.live.journal.journal.Journal._reopen", die)
                    patch.setattr("pathlib.Path.rename", die)
                    raise KeyboardInterrupt

                patch.setattr("pathlib.Path.rename", rename_and_die)
            else:
                patch.setattr(target, die)
                patch.setattr("tilesight.live.journal.journal.Journal._reopen", die)
            with pytest.raises(KeyboardInterrupt):
                send_commands(game, "new-game")
        game.close()
        again = own.open(own.start())
        if moment == 2:
            assert again.state.game.players == ("Jón", "Anna"), "the archive tells who begins"
        else:
            assert again.state.game.events == events
            own.play(again, "new-game")
        assert len(archive_of(folder)) == 1
        assert again.state.match.number == 2
        assert again.state.match.won == (0.0, 1.0)
        again.close()


def test_a_journal_that_another_program_reads_is_not_archived_and_the_game_goes_on(hall: Hall) -> None:
    game = hall.open(hall.start())
    hall.play(game, *GAME)
    events = game.state.game.events
    reader = sqlite3.connect(hall.folder / "final.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    with pytest.raises(InputError, match=r"final\.db: another program reads this journal"):
        send_commands(game, "new-game")
    reader.close()
    assert game.state.game.events == events
    hall.play(game, "title Still here", "new-game")
    assert game.state.match.won == (0.0, 1.0)
    assert len(archive_of(hall.folder)) == 1


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (("play 8D HRAKI",), "the game is not over; end it first, or write new-game as-is"),
        (("pass",) * 4, "the tiles left are not settled"),
        (
            ("play 8D HRAKI", "end Anna=XX Jón="),
            "settle them again, accept them in the list of moves, or write",
        ),
        ((*GAME, "challenge"), "undo that, delete the settlement, accept that in the list of moves, or"),
        ((*GAME, "withdraw"), "the game went on after its settlement"),
        ((*GAME, "play G6 LO.I"), "the game went on after its settlement"),
        (
            ("time Anna -0:30", *GAME),
            "overtime is not taken off \\(Anna 10\\); write overtime first",
        ),
    ],
)
def test_a_game_whose_score_is_not_final_is_not_archived_by_mistake(
    hall: Hall, commands: tuple[str, ...], message: str
) -> None:
    game = hall.open(hall.start())
    hall.play(game, *commands)
    with pytest.raises(SettingsError, match=message):
        send_commands(game, "new-game")
    assert archive_of(hall.folder) == []
    hall.play(game, "new-game as-is")
    assert game.state.match.number == 2


def test_a_game_whose_tiles_left_do_not_add_up_is_not_counted_as_won_until_that_is_accepted(
    hall: Hall,
) -> None:
    game = hall.open(hall.start())
    hall.play(game, "play 8D HRAKI", "end Anna=XX Jón=")
    state = serialize_for_operator(game.state, hall.now_s)
    assert (state.final, game.state.match.games_won(game.state.game)) == (False, (0.0, 0.0))
    hall.play(game, f"accept {len(game.state.game.events)}")  # the settlement is accepted as one
    assert serialize_for_operator(game.state, hall.now_s).final
    assert sum(game.state.match.games_won(game.state.game)) == 1


def test_a_void_game_does_not_count_and_the_sides_stay(hall: Hall) -> None:
    tournament = hall.start()
    game = hall.open(tournament)
    hall.play(game, "play 8D HRAKI", "new-game void")
    assert (game.state.game.players, game.state.match.number) == (("Anna", "Jón"), 1)
    assert tournament.standings == []
    with pytest.raises(SettingsError, match="write new-game, new-game as-is or new-game void"):
        send_commands(game, "new-game please")


def test_overtime_is_computed_from_the_clocks_and_taken_off_once(hall: Hall) -> None:
    game = hall.open(hall.start())
    hall.play(game, "time Anna -1:01", "time Jón 0:00", "play 8D HRAKI")
    with pytest.raises(SettingsError, match="the game is not over"):
        send_commands(game, "overtime")
    hall.play(game, "end Anna=AAAAAAA Jón=RRRRRRR")
    before = game.state.game.totals
    assert serialize_for_operator(game.state, hall.now_s).overtime == [("Anna", 20)]
    hall.play(game, "overtime")
    assert game.state.game.totals == (before[0] - 20, before[1])
    with pytest.raises(SettingsError, match="no clock says"):
        send_commands(game, "overtime")
    hall.play(game, "undo")
    assert serialize_for_operator(game.state, hall.now_s).overtime == [("Anna", 20)]


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


def test_text_fields_for_scenes_of_other_programs(hall: Hall) -> None:
    game = hall.open(hall.start(f'{EVENT}[player."Anna"]\nclub = "Hugin"\nrating = 1873\n'))
    hall.play(game, "countdown 9:59", *GAME)

    def field(name: str, now_s: float = hall.now_s) -> str:
        return format_field(name, game.state, now_s)

    assert (field("event"), field("round"), field("match")) == ("Cup", "4", "1 - 0")
    assert (field("p1_club"), field("p1_rating"), field("p2_rating"), field("p3_club")) == (
        "Hugin",
        "1873",
        "",
        "",
    )
    assert (field("countdown"), field("countdown", hall.now_s + 3600)) == ("7:59", "")
    single = hall.open(hall.start(), "single")
    assert format_field("match", single.state, hall.now_s) == ""


def test_a_command_for_the_last_game_is_refused(hall: Hall) -> None:
    game = hall.open(hall.start())
    hall.play(game, *GAME)
    sequence = game.state.sequence
    hall.play(game, "new-game")
    with pytest.raises(StaleCommandError):
        game.apply_command(parse_command("pass"), sequence=sequence)


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


@pytest.mark.parametrize("event", [None, EVENT])
def test_a_renamed_player_keeps_the_games_won_and_the_name_in_the_next_game(
    hall: Hall, event: str | None
) -> None:
    """The settings go on to have the name of the beginning: the same command goes on with the game."""
    game = hall.open(hall.start(event), players=("Ana", "Jón"))
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Jón=RRRRRRR", "new-game")
    hall.play(game, "name Ana Anna", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game", "pass")
    for _ in range(2):
        view = serialize_for_viewers(game.state, hall.now_s)
        assert [(player.name, player.won) for player in view.players] == [("Anna", 1.0), ("Jón", 1.0)]
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament, players=("Ana", "Jón"))
        assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}
    hall.play(game, "new-game void")
    assert game.state.game.players == ("Anna", "Jón")
    game.close()
    assert hall.open(hall.start(event), players=("Anna", "Jón")).state.game.players == ("Anna", "Jón")


def test_a_new_name_is_at_once_that_of_the_match_and_keeps_what_is_known_of_the_player(hall: Hall) -> None:
    (hall.folder / "players.csv").write_text("name,flag\nAna,is\n", encoding="utf-8")
    tournament = hall.start(f'players = "players.csv"\n{EVENT}')
    game = hall.open(tournament, players=("Ana", "Jón"))
    hall.play(game, "name Ana Anna")
    for _ in range(2):
        assert [(player.name, player.flag) for player in game.state.match.players] == [
            ("Anna", "is"),
            ("Jón", ""),
        ]
        tournament.refresh()
    assert tournament.event.player("Anna").flag == "is"


@pytest.mark.parametrize("event", [None, EVENT])
def test_a_player_may_get_the_former_name_of_another_one(hall: Hall, event: str | None) -> None:
    game = hall.open(hall.start(event), players=("Ana", "Bea"))
    hall.play(
        game, "play 8D HRAKI", "end Ana=AAAAAAA Bea=RRRRRRR", "new-game", "name Ana Cid", "name Bea Ana"
    )
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Cid=RRRRRRR", "new-game", "pass")
    for _ in range(2):
        assert (game.state.game.players, game.state.match.won) == (("Cid", "Ana"), (1.0, 1.0))
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament, players=("Ana", "Bea"))
        assert {line.name: line.games for line in tournament.standings} == {"Cid": 2, "Ana": 2}


def test_results_follow_a_player_who_is_renamed_again(hall: Hall) -> None:
    game = hall.open(hall.start(EVENT), players=("Ana", "Jón"))
    hall.play(
        game, "name Ana Ann", "play 8D HRAKI", "end Ann=AAAAAAA Jón=RRRRRRR", "new-game", "name Ann Anna"
    )
    assert game.state.match.won == (0.0, 1.0)
    hall.play(game, "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game", "pass")
    game.close()
    tournament = hall.start(EVENT)
    assert hall.open(tournament, players=("Ana", "Jón")).state.match.number == 3
    assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}


def test_results_of_earlier_rounds_have_the_last_name_when_others_sit_at_the_table(hall: Hall) -> None:
    def event(players: str) -> str:
        return f"{EVENT}players = {players}\n"

    game = hall.open(hall.start(event('["Ana", "Jón"]')))
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Jón=RRRRRRR", "new-game", "name Ana Anna")
    hall.play(game, "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    game.close()
    tournament = hall.start(event('["Eva", "Karl"]'))
    game = hall.play(hall.open(tournament), "new-game")
    for _ in range(2):
        assert game.state.game.players == ("Eva", "Karl")
        assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}
        game.close()
        tournament = hall.start(event('["Eva", "Karl"]'))
        game = hall.open(tournament)


def test_a_player_who_was_renamed_at_one_table_is_one_player_in_all_results(hall: Hall) -> None:
    """The other results have the former name: those of a file, those of the other table, and the present game there."""

    def event(final: str, late: str) -> str:
        return f"""
            title = "Cup"
            results = "others.csv"
            player.Ana.rating = 1500
            [table.final]
            players = {final}
            [table.late]
            players = {late}
        """

    (hall.folder / "others.csv").write_text("player,points,opponent,opponent-points\nAna,400,Eva,390\n")
    first = event('["Ana", "Jón"]', '["Eva", "Karl"]')
    tournament = hall.start(first)
    final, late = hall.open(tournament), hall.open(tournament, "late")
    hall.play(final, "name Ana Anna", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    hall.play(late, "play 8D HRAKI", "end Eva=AAAAAAA Karl=RRRRRRR")
    (hall.folder / "event.toml").write_text(event('["Eva", "Jón"]', '["Ana", "Karl"]'))
    hall.play(final, "new-game", "play 8D HRAKI", "end Eva=AAAAAAA Jón=RRRRRRR")
    hall.play(late, "new-game", "play 8D HRAKI", "end Ana=AAAAAAA Karl=RRRRRRR")
    for _ in range(2):
        assert {line.name: line.games for line in tournament.standings} == {
            "Anna": 3,
            "Eva": 3,
            "Jón": 2,
            "Karl": 2,
        }
        assert [tournament.event.player(name).rating for name in ("Anna", "Eva")] == [1500, None]
        final.close()
        late.close()
        tournament = hall.start(event('["Eva", "Jón"]', '["Ana", "Karl"]'))
        final, late = hall.open(tournament), hall.open(tournament, "late")


SECOND_ROUND = """
    title = "Cup"
    results = "others.csv"
    [table.final]
    players = ["Anna", "Jón"]
    round = 2
"""


def games_played(tournament: Tournament) -> dict[str, int]:
    return {line.name: line.games for line in tournament.standings}


@pytest.mark.parametrize(
    ("listed", "others"),
    [
        ("", "1,Anna,400,Karl,390\n1,Bára,300,Eva,310\n"),
        ("", ",Anna,400,Karl,390\n,Bára,300,Eva,310\n"),
        ("", "1,Anna,400,Bára,390\n"),
        ("", "1,Bára,300,Eva,310\n2,Anna,400,Karl,390\n"),
        ('player.Anna.rating = 1\nplayer."Bára".rating = 2\n', "1,Anna,400,Karl,390\n"),
    ],
)
def test_a_player_who_takes_the_seat_of_another_one_gets_none_of_their_results(
    hall: Hall, listed: str, others: str
) -> None:
    """Both are in the list of players, or have results in one round: it is no other spelling of one name."""
    (hall.folder / "others.csv").write_text(f"round,player,points,opponent,opponent-points\n{others}")
    tournament = hall.start(listed + SECOND_ROUND)
    game = hall.open(tournament)
    before = games_played(tournament)
    hall.play(game, "name Anna Bára")
    assert games_played(tournament) == before
    hall.play(game, "play 8D HRAKI", "end Bára=AAAAAAA Jón=RRRRRRR", "new-game")
    for _ in range(2):
        assert games_played(tournament) == before | {"Bára": before.get("Bára", 0) + 1, "Jón": 1}
        game.close()
        tournament = hall.start(listed + SECOND_ROUND)
        game = hall.open(tournament)


@pytest.mark.parametrize(("was", "now"), [("Anna", "Bára"), ("Bye", "Bára"), ("Ana", "Anna")])
def test_who_gave_a_seat_to_another_player_may_sit_there_in_the_next_round(
    hall: Hall, was: str, now: str
) -> None:
    """A misspelt name, the last one, is that of the renamed player in every round."""
    (hall.folder / "others.csv").write_text(
        "round,player,points,opponent,opponent-points\n1,Anna,400,Karl,390\n1,Bára,300,Eva,310\n"
    )
    event = SECOND_ROUND.replace("Anna", was)
    tournament = hall.start(event)
    game = hall.open(tournament)
    hall.play(game, f"name {was} {now}", "play 8D HRAKI", f"end {now}=AAAAAAA Jón=RRRRRRR")
    tournament.refresh()
    for _ in range(2):
        assert game.state.match.seats == (0, 1)
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament)
    (hall.folder / "event.toml").write_text(event.replace("Jón", "Eva").replace("round = 2", "round = 33"))
    hall.play(game, "new-game")
    assert game.state.game.players == ("Anna" if was == "Ana" else was, "Eva")


@pytest.mark.parametrize(("was", "now"), [("Bye", "Karl"), ("Karl", "TBD")])
def test_a_player_and_a_placeholder_pass_on_no_results_with_a_seat(hall: Hall, was: str, now: str) -> None:
    (hall.folder / "others.csv").write_text(f"player,points,opponent,opponent-points\nEva,50,{was},0\n")
    event = SECOND_ROUND.replace("Jón", was)
    tournament = hall.start(event.replace("round = 2", "round = 1"))
    game = hall.open(tournament)
    hall.play(game, "play 8D HRAKI", f"end Anna=AAAAAAA {was}=RRRRRRR", "new-game")
    before = games_played(tournament)
    (hall.folder / "event.toml").write_text(event)
    tournament.refresh()
    hall.play(game, f"name {was} {now}")
    assert games_played(tournament) == before


TWO_CHARACTERS = "Jo\u0301n"
"""A name whose accent is a character of its own, as some programs write it."""


def test_a_table_and_the_file_of_results_may_write_accents_as_characters_of_their_own(hall: Hall) -> None:
    (hall.folder / "others.csv").write_text(
        f"round,player,points,opponent,opponent-points\n1,{TWO_CHARACTERS},400,Eva,390\n"
    )
    tournament = hall.start('title = "Cup"\nround = 2\nresults = "others.csv"\n')
    game = hall.open(tournament, players=("Ana", TWO_CHARACTERS))
    hall.play(game, "name Ana A\u0301sa", "play 8D HRAKI", "end Ása=AAAAAAA Jón=RRRRRRR")
    assert game.state.game.players == ("Ása", "Jón")
    assert games_played(tournament) == {"Ása": 1, "Eva": 1, "Jón": 2}


@pytest.mark.parametrize("event", [None, f'{EVENT}players = ["Anna", "{TWO_CHARACTERS}"]\n'])
def test_a_match_goes_on_whose_journal_has_accents_as_characters_of_their_own(
    hall: Hall, event: str | None
) -> None:
    """An earlier version began it."""
    begun = open_game(
        "final", hall.folder / "final.db", edition="icelandic", players=("Anna", TWO_CHARACTERS)
    )
    hall.play(begun, *GAME).close()
    tournament = hall.start(event)
    game = hall.open(tournament, players=("Anna", TWO_CHARACTERS))
    hall.play(game, "new-game", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game")
    for _ in range(2):
        assert (game.state.match.number, game.state.match.won) == (3, (1.0, 1.0))
        assert games_played(tournament) == {"Anna": 2, "Jón": 2}
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament)
    assert not hall.notes


def test_a_name_that_several_tables_give_is_that_of_several_players(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    one, other = hall.open(tournament, players=("A", "B")), hall.open(tournament, "other", players=("A", "B"))
    hall.play(one, "name A Anna", "play 8D HRAKI", "end Anna=AAAAAAA B=RRRRRRR")
    hall.play(other, "play 8D HRAKI", "end A=AAAAAAA B=RRRRRRR")
    assert {line.name for line in tournament.standings} == {"Anna", "A", "B"}


def test_a_game_is_won_once_its_tiles_left_are_settled(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    game = hall.open(tournament)
    hall.play(game, "play 8D HRAKI", *["pass"] * 4)
    assert game.state.game.ending is not None
    view = serialize_for_viewers(game.state, hall.now_s)
    assert (view.final, [player.won for player in view.players]) == (False, [0.0, 0.0])
    assert all(line.wins == 0 for line in tournament.standings)
    hall.play(game, "end Anna=AAAAAAA Jón=RRRRRRR")
    view = serialize_for_viewers(game.state, hall.now_s)
    assert (view.final, [player.won for player in view.players]) == (True, [1.0, 0.0])
    assert sum(line.wins for line in tournament.standings) == 1


@pytest.mark.parametrize("late", ["challenge", "withdraw", "play G6 LO.I"])
def test_a_game_that_goes_on_after_its_settlement_is_not_won(hall: Hall, late: str) -> None:
    tournament = hall.start(EVENT)
    game = hall.open(tournament)
    hall.play(game, *GAME, late)
    assert not serialize_for_viewers(game.state, hall.now_s).final
    assert all(line.wins == 0 for line in tournament.standings)
    hall.play(game, f"accept {len(game.state.game.events)}")
    assert serialize_for_viewers(game.state, hall.now_s).final
    hall.play(game, "undo", "undo", "new-game")
    assert game.state.match.number == 2


@pytest.mark.parametrize("event", [None, 'title = "Cup"\n'])
def test_the_last_board_is_known_after_a_restart_until_the_game_begins(hall: Hall, event: str | None) -> None:
    with hall.start(event) as tournament:
        for name, last in (("final", "KARHI"), ("final-2", "HARKI")):
            game = hall.play(hall.open(tournament, name), "play 8D HRAKI", "new-game as-is")
            hall.play(game, f"play 8D {last}", "new-game void")
            game.close()
    with hall.start(event) as tournament:
        again = hall.open(tournament)
        assert again.state.last_board is not None
        assert "".join(tile.token for tile in again.state.last_board.tiles()) == "KARHI"
        hall.play(again, "play 8D HRAKI")
        again.close()
    with hall.start(event) as tournament:
        assert hall.open(tournament).state.last_board is None
