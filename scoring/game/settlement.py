"""The settlement: the tiles left on the racks at the end of a game, and what they do to the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from scoring.board import unseen_tiles
from scoring.edition import Edition
from scoring.errors import GameError
from scoring.game.events import EndBonus, EndRack
from scoring.game.state import State, Step

__all__ = ["complete_racks", "correct_racks", "find_new_settlement", "settle_racks"]

Racks = Mapping[int, tuple[str, ...]]


def settle_racks(racks: Racks, edition: Edition) -> tuple[EndRack | EndBonus, ...]:
    """Return the events that settle the tiles left on the racks.

    All players lose the value of their own tiles. A player without tiles gains the value of the others', or a
    fixed number of points, as the edition says. In tournaments of two players, a player without tiles gains twice
    the value of the other's instead.

    Parameters
    ----------
    racks : mapping of int to tuple of str
        The tiles left, by player.
    edition : Edition
        The rules.

    References
    ----------
    Icelandic sheet, rule 18; Norwegian sheet, rule 18; Hungarian sheet, "Mikor ér véget a játék?";
    Danish sheet, "Vinder af spillet".
    """
    events: list[EndRack | EndBonus] = []
    doubled = edition.end.out_doubles and len(racks) == 2 and not all(racks.values())
    for player, tiles in racks.items():
        if tiles and not doubled:
            events.append(EndRack(player=player, tiles=tiles))
        if tiles:
            continue
        others = tuple(tile for other, rack in racks.items() if other != player for tile in rack)
        if (edition.end.out_collects or doubled) and others:
            events.append(EndRack(player=player, tiles=others, gained=True, doubled=doubled))
        if edition.end.out_points:
            events.append(EndBonus(player=player, points=edition.end.out_points))
    return tuple(events)


def complete_racks(
    known: Mapping[int, Iterable[str]], state: State, edition: Edition, players: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """Return the tiles left on every rack, from those that are known.

    Once the bag is empty, a rack without tiles is known from the counts, and the last unknown rack has all
    unseen tiles.

    Parameters
    ----------
    known : mapping of int to iterable of str
        The known racks, by player.
    state : State
        The state at the end of the game.
    edition : Edition
        The edition, which defines the bag.
    players : sequence of str
        The names of the players, for the message.

    Raises
    ------
    GameError
        If a rack is neither known nor follows from the others.
    """
    racks = {player: tuple(tiles) for player, tiles in known.items()}
    if state.tiles_in_bag == 0:
        racks = {player: () for player, count in enumerate(state.rack_counts) if count == 0} | racks
    missing = [player for player in range(len(players)) if player not in racks]
    unseen = unseen_tiles(state.board, edition, racks.values())
    if len(missing) == 1 and state.tiles_in_bag == 0 and unseen is not None:
        racks[missing[0]] = tuple(Counter(unseen).elements())
    elif missing:
        names = ", ".join(players[player] for player in missing)
        raise GameError(
            f"the tiles left on the rack are not known for {names}; name them, or say there are none"
        )
    return dict(sorted(racks.items()))


def correct_racks(racks: Racks, state: State, edition: Edition) -> dict[int, tuple[str, ...]] | None:
    """Correct the tiles left on the racks after a correction has changed the tiles on the board.

    Parameters
    ----------
    racks : mapping of int to tuple of str
        The tiles left by which the game was settled.
    state : State
        The corrected state before the settlement.
    edition : Edition
        The edition, which defines the bag.

    Returns
    -------
    dict of int to tuple of str, or None
        The racks, with the tiles that are now on the board replaced by those that no longer are. None if it
        cannot be known which player has them.
    """
    unseen = unseen_tiles(state.board, edition)
    if unseen is None or state.tiles_in_bag != 0:
        return None
    left = Counter(tile for tiles in racks.values() for tile in tiles)
    gone, new = left - Counter(unseen), Counter(unseen) - left
    owners_known = all(
        left[tile] == count or sum(tile in tiles for tiles in racks.values()) == 1
        for tile, count in gone.items()
    )
    losers = [player for player, tiles in racks.items() if gone.keys() & set(tiles)]
    if gone.total() != new.total() or not owners_known or (len(losers) > 1 and len(new) > 1):
        return None
    replacements, corrected = new.elements(), {}
    for player, tiles in racks.items():
        rack = []
        for tile in tiles:
            rack.append(next(replacements) if gone[tile] else tile)
            gone[tile] -= bool(gone[tile])
        corrected[player] = tuple(rack)
    return corrected


def find_new_settlement(steps: Sequence[Step], edition: Edition) -> dict[int, EndRack | EndBonus]:
    """Return the settlement events that a correction of an earlier event changes, by their index.

    There are none if nothing was settled, or if the new racks do not follow from the board.

    Parameters
    ----------
    steps : sequence of Step
        All steps of the game, as corrected.
    edition : Edition
        The rules.
    """
    ends = {step.index: step.event for step in steps if isinstance(step.event, EndRack | EndBonus)}
    if not ends:
        return {}
    before = steps[min(ends)].before
    racks: dict[int, tuple[str, ...]] = dict.fromkeys(range(len(before.totals)), ())
    for event in ends.values():
        if isinstance(event, EndRack) and (event.doubled or not event.gained):
            racks[1 - event.player if event.doubled else event.player] = event.tiles
    holders = [player for player, tiles in racks.items() if tiles]
    now = [player for player, count in enumerate(before.rack_counts) if count]
    # With the plays, the only rack that has tiles may have become another player's.
    changed = len(holders) == len(now) == 1
    owned = {player: racks[holders[0]] if player in now else () for player in racks} if changed else racks
    corrected = correct_racks(owned, before, edition)
    if corrected is None or settle_racks(racks, edition) != tuple(ends.values()):
        return {}
    new = zip(ends, settle_racks(corrected, edition), strict=True)
    return {index: event for index, event in new if event != ends[index]}
