"""Deduce racks: once the bag is empty, every rack follows from the later plays and the tiles left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scoring.board import unseen_tiles
from scoring.edition import Edition
from scoring.game.events import EndRack, ExchangeEvent, NoPlayEvent, PassEvent, PlayEvent
from scoring.game.state import State, Step
from scoring.tiles import BLANK, bag_tile

__all__ = ["Rack", "deduce_racks", "played_tiles"]

Rack = tuple[str, ...]


def deduce_racks(steps: Sequence[Step], edition: Edition) -> tuple[Rack | None, ...]:
    """Return for each event the rack of its player before it, as far as it is known or follows.

    Parameters
    ----------
    steps : sequence of Step
        All steps of a game.
    edition : Edition
        The edition, which defines the bag.
    """
    racks: list[Rack | None] = [getattr(step.event, "rack", None) for step in steps]
    phase = _end_phase(steps)
    if not phase:
        return tuple(racks)
    held, order = _find_tiles_left(phase, racks, edition), [*edition.tokens, BLANK]
    for step in reversed(phase):
        _apply(held, step, sign=-1)
        player = step.event.player
        rack = held.get(player)
        is_turn = isinstance(step.event, PlayEvent | PassEvent | NoPlayEvent | ExchangeEvent)
        if is_turn and racks[step.index] is None and rack is not None:
            fits = rack.total() == step.before.rack_counts[player] and min(rack.values(), default=0) >= 0
            racks[step.index] = (tuple(sorted(rack.elements(), key=order.index)) or None) if fits else None
    return tuple(racks)


def played_tiles(step: Step) -> Rack:
    """Return the tiles that a step put on the board, as they are in the bag."""
    placed = len(step.after.plays) > len(step.before.plays)
    return tuple(bag_tile(tile.token) for tile in step.after.plays[-1].play) if placed else ()


def _end_phase(steps: Sequence[Step]) -> list[Step]:
    """Return the steps from the one on after which the bag remains empty."""
    phase: list[Step] = []
    for step in reversed(steps):
        if step.before.tiles_in_bag != 0:
            break
        phase.append(step)
    return phase[::-1]


def _find_tiles_left(
    phase: Sequence[Step], racks: Sequence[Rack | None], edition: Edition
) -> dict[int, Counter[str]]:
    """Return the tiles left at the end, by player, as far as they are known or follow."""
    end = phase[-1].after
    left = _settled_tiles(phase, end)
    for player, count in enumerate(end.rack_counts):
        if player not in left and (tiles := _follow_rack(phase, racks, player)) is not None:
            left[player] = tiles
        if count == 0:
            left[player] = Counter()
    missing = [player for player in range(len(end.totals)) if player not in left]
    unseen = unseen_tiles(end.board, edition, (tiles.elements() for tiles in left.values()))
    if len(missing) == 1 and unseen is not None:
        left[missing[0]] = Counter(unseen)
    return {player: tiles for player, tiles in left.items() if tiles.total() == end.rack_counts[player]}


def _settled_tiles(phase: Sequence[Step], end: State) -> dict[int, Counter[str]]:
    """Return the tiles left by which the game was settled."""
    left = {}
    for step in phase:
        event = step.event
        if isinstance(event, EndRack) and not event.gained:
            left[event.player] = Counter(event.tiles)
        elif isinstance(event, EndRack) and len(end.totals) == 2:
            left[1 - event.player] = Counter(event.tiles)
    return left


def _follow_rack(phase: Sequence[Step], racks: Sequence[Rack | None], player: int) -> Counter[str] | None:
    """Return the tiles left of a player, from the last known rack and the plays after it."""
    held: dict[int, Counter[str]] = {}
    for step in phase:
        rack = racks[step.index]
        if step.event.player == player and rack is not None:
            held[player] = Counter(rack)
        _apply(held, step, sign=1)
    return held.get(player)


def _apply(held: dict[int, Counter[str]], step: Step, *, sign: int) -> None:
    """Change the racks as the step does, or undo it with the sign -1."""
    player, played = step.event.player, played_tiles(step)
    if player in held and played:
        held[player].subtract({tile: sign * count for tile, count in Counter(played).items()})
    if step.taken_back is not None and step.taken_back.player in held:
        tiles = step.taken_back.play.tile_counts
        held[step.taken_back.player].update({tile: sign * count for tile, count in tiles.items()})
