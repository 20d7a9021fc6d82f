"""A game from its photos: the plays between them, and where they do not say enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import Board, Edition, Game, GcgHeader, format_gcg, format_square
from tilesight.digitise.reading.photo_record import play_record
from tilesight.digitise.reconstruction.pipeline import Look
from tilesight.digitise.retrograde.solver import Orders, orders_of_play
from vision.game_events import GameUpdate, UpdateKind, follow_turn

__all__ = ["FoundGame", "game_of"]

MAX_GAPS = 2
"""With more, it is tried whether the first look was misread."""
MAX_GAP_TILES = 25
"""Beyond some five plays an order would be a guess."""
GAP_STEPS = 300
"""Boards that are looked at to explain more than two plays between two photos: about a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGame:
    """A game that was found among photos.

    Parameters
    ----------
    game : Game
        What was played.
    shown : tuple of str
        For each event of the game, the photo that shows it.
    confidence : tuple of float
        For each event, how sure it is.
    gaps : tuple of str
        What the photos do not tell, one line each.
    """

    game: Game
    shown: tuple[str, ...]
    confidence: tuple[float, ...]
    gaps: tuple[str, ...]

    @property
    def gcg(self) -> str:
        """The game file, its gaps and photos in notes."""
        events = [
            replace(event, note="\n".join(filter(None, (event.note, f"photo: {photo}"))))
            for event, photo in zip(self.game.events, self.shown, strict=True)
        ]
        noted = replace(self.game, events=tuple(events), known=())
        note = "\n".join(["read from photos; racks are not known", *(f"gap: {gap}" for gap in self.gaps)])
        return format_gcg(noted, GcgHeader(note=note, incomplete=bool(self.gaps)))

    def record(self, name: str, photos: Sequence[str]) -> dict[str, Any]:
        """The game as a JSON object."""
        game = self.game
        plays = []
        for step, photo, confidence in zip(game.steps, self.shown, self.confidence, strict=True):
            player = game.players[step.event.player]
            fields = play_record(step.scored, player, game.edition) if step.scored else {"player": player}
            plays.append(
                {
                    "event": step.event.kind,
                    **fields,
                    "score": step.score,
                    "total": step.after.totals[step.event.player],
                    "photo": photo,
                    "confidence": round(confidence, 4),
                }
            )
        return {
            "game": name,
            "edition": game.edition.name,
            "players": list(game.players),
            "totals": list(game.totals),
            "photos": list(photos),
            "plays": plays,
            "gaps": list(self.gaps),
        }


def game_of(looks: Sequence[Look], edition: Edition, players: Sequence[str]) -> FoundGame:
    """The plays that lead from look to look.

    Parameters
    ----------
    looks : sequence of Look
        In the order of play.
    edition : Edition
        Whose rules.
    players : sequence of str
        Who plays, in turn; photos do not tell that, and passes leave no trace.
    """
    found = followed(looks, edition, players)
    if len(found.gaps) <= MAX_GAPS or len(looks) < 3:
        return found
    # A game that is misread at its first look is lost from there on: it may begin with the second.
    name = looks[0].photos[0]
    later = followed(looks[1:], edition, players)
    if len(later.gaps) + 1 >= len(found.gaps):
        return found
    return replace(later, gaps=(f"{name}: what follows does not grow from it; it is left out", *later.gaps))


def followed(looks: Sequence[Look], edition: Edition, players: Sequence[str]) -> FoundGame:
    """The plays that lead from look to look, beginning with an empty board."""
    game = Game(edition=edition, players=tuple(players))
    shown: list[str] = []
    confidence: list[float] = []
    gaps: list[str] = []
    last = "an empty board"
    for look in looks:
        name = look.photos[0]
        if look.left_out:
            squares = " ".join(format_square(*square) for square in look.left_out)
            gaps.append(f"{name}: what is seen on {squares} fits no play and is left out")
        for photo, square in look.overruled:
            gaps.append(
                f"{photo}: what was corrected on {format_square(*square)} fits no play and is left out"
            )
        updates = follow_turn(game, look.decoded)
        if updates[-1].kind is UpdateKind.UNCLEAR:
            way = ways_to(game, look.decoded.board)
            if not way.ways:
                gaps.append(
                    f"{name}: no plays lead there from {last} ({why(updates[-1], way)}); it is left out"
                )
                continue
            for play in way.ways[0].plays:
                game = game.play(play)
                confidence.append(way.ways[0].share)
                shown.append(name)
            many = len(way.ways[0].plays)
            gaps.append(f"{many} plays between {last} and {name}: the most plausible of several ways")
        else:
            game = updates[-1].game
            for update in updates:
                if update.step is not None and update.kind is not UpdateKind.CORRECTION:
                    confidence.append(update.confidence)
                    shown.append(name)
            if updates[-1].kind is UpdateKind.NO_PLAY:  # a photo more of a position is no turn
                game = game.removed(len(game.events) - 1)
                del shown[-1], confidence[-1]
            gaps.extend(two_plays(updates, last, name))
        last = name
    return FoundGame(game=game, shown=tuple(shown), confidence=tuple(confidence), gaps=tuple(gaps))


def ways_to(game: Game, board: Board) -> Orders:
    """The plays that may lead from a game's board to this one, if they are few."""
    new = sum(1 for _ in board.tiles()) - sum(1 for _ in game.board.tiles())
    if new > MAX_GAP_TILES:
        return Orders(ways=(), found=0, complete=False)
    return orders_of_play(game.board, board, game.edition, most=2, steps=GAP_STEPS)


def two_plays(updates: Sequence[GameUpdate], last: str, name: str) -> list[str]:
    """The gap of two plays at one look."""
    plays = [update for update in updates if update.kind is UpdateKind.PLAY]
    if len(plays) < 2:
        return []
    others = sum(len(update.alternatives) for update in plays)
    order = f"in one of {others + 1} orders" if others else "in the only order that the rules allow"
    return [f"2 plays between {last} and {name}, {order}"]


def why(update: GameUpdate, way: Orders) -> str:
    """Why a look cannot be explained."""
    return update.message.partition(";")[0] + (
        "" if way.complete else f"; {way.why or 'the search was cut short'}"
    )
