"""Moves as the command `change` takes them: sent back unchanged, they change nothing."""

from __future__ import annotations

import pytest

from scoring import Game, load_edition
from tilesight.live import format_change
from vision.game_events import apply_command, parse_command

LETTERS = "play 8F [S][Z]ÓL"
"""Two tiles, S and Z, though the edition has a tile SZ."""
MOVES = {
    LETTERS: "Anna play 8F [S]ZÓL",
    "play 8F [sz]ÓL": "Anna play 8F szÓL",
    "play 8F SZÓ?": "Anna play 8F SZÓ?",
    "exchange ABC": "Anna exchange ABC",
    "exchange [S][Z]": "Anna exchange [S]Z",
    "exchange 3": "Anna exchange 3",
    "exchange": "Anna exchange",
    "pass": "Anna pass",
    "turn Ben Elek": "Anna pass",
    "insert 1 Anna turn": "Anna turn",
    "insert 1 Anna play A1 SZÓL stood": "Anna play A1 SZÓL stood",
    "clock Anna 10": "Anna",
}


def play_commands(*commands: str) -> Game:
    """Play commands on a Hungarian board."""
    game = Game(edition=load_edition("hungarian"), players=("Anna", "Ben Elek"))
    for text in commands:
        game = apply_command(parse_command(text), game)[-1].game
    return game


@pytest.mark.parametrize("command", MOVES)
def test_a_move_is_shown_as_it_was_recorded(command: str) -> None:
    game = play_commands(command)
    assert format_change(game, 0) == MOVES[command]
    changed = apply_command(parse_command(f"change 1 {MOVES[command]}"), game)[-1].game
    assert changed.events == game.events


def test_another_player_keeps_the_tiles_of_the_play() -> None:
    game = play_commands(LETTERS)
    text = format_change(game, 0).replace("Anna", "Ben Elek")
    changed = apply_command(parse_command(f"change 1 {text}"), game)[-1].game
    assert sum(changed.totals) == sum(game.totals) == 16


@pytest.mark.parametrize("command", ["challenge", "challenge lost", "withdraw", "end Anna=A Ben Elek=B"])
def test_rulings_and_settlements_are_not_changed_by_a_text(command: str) -> None:
    game = play_commands(LETTERS, command)
    assert format_change(game, len(game.events) - 1) == ""
