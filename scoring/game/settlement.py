"""Tiles that nobody sees, and what those that are left on the racks do to the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from scoring.board import unseen_tiles
from scoring.edition import Edition
from scoring.errors import GameError
from scoring.game.events import EndBonus, EndRack, Event
from scoring.game.state import State

__all__ = ["settlement", "tiles_left", "tiles_left_anew"]


def tiles_left(
    state: State, edition: Edition, players: Sequence[str], named: Mapping[int, Iterable[str]]
) -> dict[int, tuple[str, ...]]:
    """The tiles left on every player's rack when the game is over.

    Parameters
    ----------
    state : State
        Where the game stands.
    edition : Edition
        Whose bag.
    players : sequence of str
        Their names, for the error's sake.
    named : mapping of int to iterable of str
        The racks that somebody named. Once the bag is empty, a player whose tiles are all on the board has
        none left, and the last player who is not named has what nobody has seen.

    Raises
    ------
    GameError
        If a player's tiles are neither named nor follow from the others.
    """
    left = {player: tuple(tiles) for player, tiles in named.items()}
    if state.tiles_in_bag == 0:
        left = {player: () for player, held in enumerate(state.rack_counts) if held == 0} | left
    missing = [player for player in range(len(players)) if player not in left]
    unseen = unseen_tiles(state.board, edition, left.values())
    if len(missing) == 1 and state.tiles_in_bag == 0 and unseen is not None:
        left[missing[0]] = tuple(tile for tile, count in unseen.items() for _ in range(count))
    elif missing:
        names = ", ".join(players[player] for player in missing)
        raise GameError(
            f"the tiles left on the rack are not known for {names}; name them, or say there are none"
        )
    return dict(sorted(left.items()))


def tiles_left_anew(
    left: Mapping[int, tuple[str, ...]], state: State, edition: Edition
) -> dict[int, tuple[str, ...]] | None:
    """The racks at the end, once a correction has shown other tiles on the board.

    Parameters
    ----------
    left : mapping of int to tuple of str
        The tiles left that the game was settled by.
    state : State
        Where it stands before that, corrected.
    edition : Edition
        Whose bag.

    Returns
    -------
    dict of int to tuple of str, or None
        The same racks with the tiles that lie on the board after all replaced by those that do not; None where it
        does not follow whose they are.
    """
    unseen = unseen_tiles(state.board, edition)
    if unseen is None or state.tiles_in_bag != 0:
        return None
    held = Counter(tile for tiles in left.values() for tile in tiles)
    gone, come = held - Counter(unseen), Counter(unseen) - held
    known = all(held[tile] == count or _holders(tile, left) == 1 for tile, count in gone.items())
    losers = [player for player, tiles in left.items() if gone.keys() & set(tiles)]
    if gone.total() != come.total() or not known or (len(losers) > 1 and len(come) > 1):
        return None
    fresh, racks = come.elements(), {}
    for player, tiles in left.items():
        rack = []
        for tile in tiles:
            rack.append(next(fresh) if gone[tile] else tile)
            gone[tile] -= bool(gone[tile])
        racks[player] = tuple(rack)
    return racks


def _holders(tile: str, left: Mapping[int, tuple[str, ...]]) -> int:
    return sum(tile in tiles for tiles in left.values())


def settlement(left: Mapping[int, tuple[str, ...]], edition: Edition) -> tuple[Event, ...]:
    """What happens to the scores when these tiles are left on the racks.

    Parameters
    ----------
    left : mapping of int to tuple of str
        The tiles left, by player.
    edition : Edition
        Whose rule: all subtract their own tiles, and who has none adds the others', or a fixed number.

    References
    ----------
    Icelandic sheet, rule 18; Norwegian sheet, rule 18; Hungarian sheet, "Mikor ér véget a játék?";
    Danish sheet, "Vinder af spillet".
    """
    events: list[Event] = []
    for player, tiles in left.items():
        others = tuple(tile for other, held in left.items() if other != player for tile in held)
        if tiles:
            events.append(EndRack(player=player, tiles=tiles))
            continue
        if edition.end.out_collects and others:
            events.append(EndRack(player=player, tiles=others, gained=True))
        if edition.end.out_points:
            events.append(EndBonus(player=player, points=edition.end.out_points))
    return tuple(events)
