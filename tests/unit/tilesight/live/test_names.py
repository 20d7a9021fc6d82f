"""Players who are renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring import format_gcg
from tests.support.live_games import PLAYS, again
from tests.support.on_air import journal_of, send_commands
from tilesight.live import GameSettings, LiveGame
from tilesight.live.fields import format_field
from tilesight.web.serializers import serialize_for_viewers
from vision.errors import SettingsError


def test_a_renamed_player_has_the_new_name_everywhere_and_after_a_restart(
    table: LiveGame, tmp_path: Path
) -> None:
    send_commands(table, "rack Anna ABÐ", *PLAYS, "name Anna Anna Lind", "name jón Jón Á.", "pass", "undo")
    (renamed, _) = [event for event in journal_of(table).events if event["event"] == "renamed"]
    assert (renamed["player"], renamed["was"], renamed["now"]) == ("Anna Lind", "Anna", "Anna Lind")
    for state in (table.state, again(table, tmp_path)):
        assert state.game.players == ("Anna Lind", "Jón Á.")
        assert (state.title, len(state.game.events)) == ("Anna Lind – Jón Á.", 2)
        assert "#player1 Anna_Lind Anna Lind" in format_gcg(state.game)
        assert [player.name for player in serialize_for_viewers(state, 1000.0).players] == [
            "Anna Lind",
            "Jón Á.",
        ]
        assert format_field("p2_name", state, 1000.0) == "Jón Á."
        assert state.operator == table.state.operator


@pytest.mark.parametrize("name", ["علی\u200cرضا", "👩\u200d🚀"])
def test_a_name_may_have_signs_that_join_letters_or_emoji(table: LiveGame, name: str) -> None:
    assert GameSettings(name="a", players=(name, "Ben"), title=name).players[0] == name
    send_commands(table, f"name Anna {name}", f"title {name}")
    assert table.state.game.players == (name, "Jón")


def test_undo_and_redo_leave_a_new_name_as_it_is(table: LiveGame) -> None:
    send_commands(table, *PLAYS, "undo", "name Anna Eva", "redo", "undo", "undo", "redo")
    assert (table.state.game.players, len(table.state.game.events)) == (("Eva", "Jón"), 1)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("name Anna jón", "jón is the name of another player"),
        ("name Anna", "a player's name is empty"),
        ("name Eva Anna", "'Eva' does not play"),
        (f"name Anna {'x' * 61}", "name: a player's name has 61 characters; write at most 60"),
        ("name Anna Lind, Anna", "cannot have a comma"),
        ("name Anna J\u202en", "with characters that cannot be shown"),
    ],
)
def test_a_name_that_cannot_be_a_players_is_refused(table: LiveGame, command: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        send_commands(table, command)
    assert table.state.game.players == ("Anna", "Jón")
