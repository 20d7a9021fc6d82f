"""Checks of what a game is made of: its players, its start board, and its events."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import GameError
from scoring.game.events import ChallengeEvent, Event
from scoring.tiles import COVERED

__all__ = [
    "MAX_PLAYERS",
    "check_event",
    "check_player",
    "check_players",
    "check_start",
    "compose_text",
    "find_player",
    "name_key",
]

MAX_PLAYERS = 4
"""The rule sheets say two to four players, with four racks in the box; a single player may practise."""


def _fold_spaces(name: str) -> str:
    """Return a player's name with single spaces between its words."""
    return " ".join(name.split())


def compose_text(text: str) -> str:
    """Return a text with each letter and its accent as one character (NFC); some programs write two."""
    return unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Return a player's name as new names are compared: without regard to capitals, spaces and coding."""
    return compose_text(_fold_spaces(name).casefold())


def check_players(players: Sequence[str], key: Callable[[str], str] = _fold_spaces) -> None:
    """Check the names of the players.

    Parameters
    ----------
    players : sequence of str
        The names.
    key : callable
        As what names are compared. By default their capitals count, since game files of other programs may have names
        that differ in nothing else.

    Raises
    ------
    GameError
        If there are too few or too many, one is empty or no text, or two are equal.
    """
    if not 1 <= len(players) <= MAX_PLAYERS:
        raise GameError(f"a game has 1 to {MAX_PLAYERS} players, got {len(players)}")
    for name in players:
        if not isinstance(name, str):
            raise GameError(f"a player's name is {name!r}; give each player a name as text")
        if not name.strip():
            raise GameError("a player's name is empty; give each player a name")
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise GameError(
                f"a player's name, {name!a}, is not in the terminal's encoding; write it in UTF-8"
            )
    if len(set(map(key, players))) < len(players):
        raise GameError(f"two players have one name in {', '.join(players)}; give each a name of their own")


def check_start(board: Board, edition: Edition) -> None:
    """Check that a game of the edition can start from the board.

    Raises
    ------
    GameError
        If it has another size, or a covered square.
    """
    layout = edition.layout
    if board.size != layout.size:
        rows, columns = board.size
        raise GameError(
            f"the start board has {rows} rows and {columns} columns, "
            f"{edition.name} has {layout.rows} and {layout.columns}"
        )
    if any(COVERED in row for row in board.rows):
        raise GameError("the start board has covered squares; a game needs to know every square")


def check_player(player: int, players: Sequence[str]) -> None:
    """Check that the number is that of a player, from 0.

    Raises
    ------
    GameError
        If it is not.
    """
    if not 0 <= player < len(players):
        raise GameError(f"player {player} does not exist; this game has {len(players)}, counted from 0")


def find_player(player: int | str, players: Sequence[str]) -> int:
    """Return the number of a player who is given by number or name.

    Raises
    ------
    GameError
        If no player has the name.
    """
    if isinstance(player, int):
        return player
    if player not in players:
        raise GameError(f"{player!r} does not play here; the players are {', '.join(players)}")
    return list(players).index(player)


def check_event(event: Event, players: Sequence[str], edition: Edition) -> None:
    """Check that the event can belong to the game, independent of the events before it.

    Parameters
    ----------
    event : Event
        The event.
    players : sequence of str
        The names of the players.
    edition : Edition
        The edition.

    Raises
    ------
    GameError
        If it names a player who does not play, a tile that the edition does not have, or one player as both
        sides of a challenge.
    """
    check_player(event.player, players)
    if isinstance(event, ChallengeEvent) and event.challenger is not None:
        check_player(event.challenger, players)
        if event.challenger == event.player:
            name = players[event.player]
            raise GameError(f"{name} cannot challenge a play of {name}; name who did, or nobody")
    for tile in (*(getattr(event, "rack", None) or ()), *(getattr(event, "tiles", None) or ())):
        if tile not in edition.values:
            raise GameError(f"{tile!r} is no tile of {edition.name}, so no rack can hold it")
