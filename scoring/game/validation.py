"""Who and what may take part in a game: its players, its first board, and the events that are its own."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import GameError
from scoring.game.events import ChallengeEvent, Event
from scoring.tiles import COVERED

__all__ = ["check_event", "check_player", "check_players", "check_start"]

_MAX_PLAYERS = 4  # the sheets: two to four players, four racks in the box; one player practises


def check_players(players: Sequence[str]) -> None:
    """Refuse names that make no game.

    Raises
    ------
    GameError
        If there are too few or too many, or two of one name.
    """
    if not 1 <= len(players) <= _MAX_PLAYERS:
        raise GameError(f"a game has one to {_MAX_PLAYERS} players, got {len(players)}")
    if not all(name.strip() for name in players):
        raise GameError("a player's name is empty; give each player a name")
    if len(set(players)) < len(players):
        raise GameError(f"two players have one name in {', '.join(players)}; give each a name of their own")


def check_start(board: Board, edition: Edition) -> None:
    """Refuse a board that no game of the edition can go on from.

    Raises
    ------
    GameError
        If it is of another size, or some square of it cannot be seen.
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
    """Refuse a number that is no player's.

    Raises
    ------
    GameError
        If it is none.
    """
    if not 0 <= player < len(players):
        raise GameError(f"player {player} does not exist; this game has {len(players)}, counted from 0")


def check_event(event: Event, players: Sequence[str], edition: Edition) -> None:
    """Refuse what cannot be an event of this game, whatever happened before it.

    Raises
    ------
    GameError
        If it names a player who does not play, a tile that the edition does not have, or one player as
        both sides of a challenge.
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
