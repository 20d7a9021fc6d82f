"""A game from its photos: the plays between them, and where they do not say enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import Edition, InferenceKind, infer
from scoring.game import Game
from scoring.gcg import GcgHeader, format_gcg
from vision.decoded import DecodedBoard
from vision.digitise.looks import Look, filled, held
from vision.digitise.orders import Orders, orders_of_play
from vision.digitise.records import play_record
from vision.follow import follow_turn
from vision.happenings import Happening, HappeningKind

__all__ = ["FoundGame", "game_of"]

LOOKS_AHEAD = 3
"""Later looks that may show a tile that was overlooked; one that is hard to see may be overlooked twice."""
GAP_STEPS = 3_000
"""Boards that are looked at to explain more than two plays between two photos: a second or two."""


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
    game = Game(edition=edition, players=tuple(players))
    shown: list[str] = []
    confidence: list[float] = []
    gaps: list[str] = []
    last = "an empty board"
    for number, look in enumerate(looks):
        name = look.photos[0]
        later = [each.decoded for each in looks[number + 1 : number + 1 + LOOKS_AHEAD]]
        seen = held(look.decoded, later, game)
        happenings = what_happened(game, seen, later)
        if happenings[-1].kind is HappeningKind.UNCLEAR:
            way = orders_of_play(game.board, seen.board, edition, most=2, steps=GAP_STEPS)
            if not way.ways:
                gaps.append(
                    f"{name}: no plays lead there from {last} ({why(happenings[-1], way)}); it is left out"
                )
                continue
            for play in way.ways[0].plays:
                game = game.play(play)
                confidence.append(way.ways[0].share)
                shown.append(name)
            many = len(way.ways[0].plays)
            gaps.append(f"{many} plays between {last} and {name}: the most plausible of several ways")
        else:
            game = happenings[-1].game
            for happening in happenings:
                if happening.step is not None and happening.kind is not HappeningKind.CORRECTION:
                    confidence.append(happening.confidence)
                    shown.append(name)
            if happenings[-1].kind is HappeningKind.NO_PLAY:  # a photo more of a position is no turn
                game = game.removed(len(game.events) - 1)
                del shown[-1], confidence[-1]
            gaps.extend(two_plays(happenings, last, name))
        last = name
    return FoundGame(game=game, shown=tuple(shown), confidence=tuple(confidence), gaps=tuple(gaps))


def what_happened(game: Game, seen: DecodedBoard, later: Sequence[DecodedBoard]) -> tuple[Happening, ...]:
    """What led to this look: if not just one play did, then one with tiles that were overlooked."""
    happenings = follow_turn(game, seen)
    plays = sum(happening.kind is HappeningKind.PLAY for happening in happenings)
    if plays == 1 or happenings[-1].kind is HappeningKind.WITHDRAWN:
        return happenings
    for mended in filled(seen, later, game):
        if infer(game.board, mended.board, game.edition).kind is InferenceKind.PLAY:
            return follow_turn(game, mended)
    return happenings


def two_plays(happenings: Sequence[Happening], last: str, name: str) -> list[str]:
    """The gap of two plays at one look."""
    plays = [happening for happening in happenings if happening.kind is HappeningKind.PLAY]
    if len(plays) < 2:
        return []
    others = sum(len(happening.alternatives) for happening in plays)
    order = f"in one of {others + 1} orders" if others else "in the only order that the rules allow"
    return [f"2 plays between {last} and {name}, {order}"]


def why(happening: Happening, way: Orders) -> str:
    """Why a look cannot be explained."""
    return happening.message.partition(";")[0] + ("" if way.complete else "; the search was cut short")
