"""A table's match: sides are swapped, games won are counted, and it goes on after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring import load_edition
from tests.support.on_air import journal_of, send_commands
from tests.unit.tilesight.live.tournament.conftest import EVENT, GAME, Hall, archive_of
from tilesight.live import LiveGame, MatchInfo, StaleCommandError, format_field
from tilesight.live.journal import Journal
from tilesight.live.tournament.archive import load_archive
from tilesight.web.serializers import serialize_for_operator, serialize_for_viewers
from vision.errors import SettingsError
from vision.game_events.record.commands import parse_command


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
