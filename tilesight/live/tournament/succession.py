"""What the command for a new game needs: a final score, and players who follow."""

from __future__ import annotations

from collections.abc import Sequence

from scoring import Game
from tilesight.live.match import has_late_move, has_wrong_settlement, is_final
from vision.errors import SettingsError

__all__ = ["check_complete", "check_number", "check_words", "rotate"]


def check_words(words: Sequence[str]) -> None:
    """Check the words of the command.

    Raises
    ------
    SettingsError
        If there are others than ``as-is`` and ``void``.
    """
    if list(words) not in ([], ["as-is"], ["void"]):
        raise SettingsError(f"{' '.join(words)}: write new-game, new-game as-is or new-game void")


def check_number(following: Sequence[str], players: Sequence[str], table: str) -> None:
    """Check that as many players follow as sit at a table.

    Parameters
    ----------
    following, players : sequence of str
        Who plays next, and who plays now.
    table : str
        Name of the table.

    Raises
    ------
    SettingsError
        If their numbers differ.
    """
    if len(following) != len(players):
        raise SettingsError(
            f"new-game: {len(following)} players are named for table {table}, and {len(players)} sit there; start the "
            "program again for another number of players"
        )


def rotate(players: tuple[str, ...]) -> tuple[str, ...]:
    """Return the order of play of the next game: who began is last.

    >>> rotate(("Anna", "Jón"))
    ('Jón', 'Anna')
    """
    return (*players[1:], players[0])


def check_complete(game: Game, overtime: dict[int, int]) -> None:
    """Check that the score of a game is final.

    Parameters
    ----------
    game : Game
        The game; one without events need not be over.
    overtime : dict of int to int
        Points for overtime that were not taken off, by the player's number.

    Raises
    ------
    SettingsError
        If it is not; the message says what to do.
    """
    anyway = "or write new-game as-is to count the score as it is, new-game void not to count it"
    if not game.events:
        return
    if game.ending is None:
        raise SettingsError(f"new-game: the game is not over; end it first, {anyway}")
    if has_late_move(game):
        raise SettingsError(
            "new-game: the game went on after its settlement; undo that, delete the settlement, accept that in the "
            f"list of moves, {anyway}"
        )
    if has_wrong_settlement(game):
        raise SettingsError(
            f"new-game: the tiles left do not add up; settle them again, accept them in the list of moves, {anyway}"
        )
    if not is_final(game):
        raise SettingsError(
            f"new-game: the tiles left are not settled; end the game with them first, {anyway}"
        )
    if overtime:
        owed = ", ".join(f"{game.players[player]} {points}" for player, points in overtime.items())
        raise SettingsError(f"new-game: overtime is not taken off ({owed}); write overtime first, {anyway}")
