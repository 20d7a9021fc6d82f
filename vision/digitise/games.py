"""A game from its photos: the plays between them, and where they do not say enough."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import Board, Edition
from scoring.game import Game
from scoring.gcg import GcgHeader, format_gcg
from scoring.tiles import COVERED, is_blank, is_tile
from vision.decoded import Candidate, DecodedBoard
from vision.digitise.orders import Orders, orders_of_play
from vision.digitise.records import play_record
from vision.follow import follow_turn
from vision.happenings import Happening, HappeningKind

__all__ = ["FoundGame", "Look", "game_of", "looks_of"]

GAP_STEPS = 3_000
"""Boards that are looked at to explain more than two plays between two photos: a second or two."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """One position of a game, and the photos that show it.

    Parameters
    ----------
    photos : tuple of str
        Their names.
    decoded : DecodedBoard
        The board, with what else its squares may hold.
    """

    photos: tuple[str, ...]
    decoded: DecodedBoard


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


def looks_of(photos: Sequence[tuple[str, DecodedBoard]]) -> list[Look]:
    """The positions that a game's photos show, in their order, each letter as most looks have it.

    Photos of one position are one look; the most certain of them speaks for it.
    """
    letters = letters_by_square([decoded for _, decoded in photos])
    looks: list[Look] = []
    for name, seen in photos:
        decoded = agreed(seen, letters)
        if looks and same_position(looks[-1].decoded.board, decoded.board):
            surer = max(looks[-1].decoded, decoded, key=lambda each: float(each.confidence.sum()))
            looks[-1] = Look(photos=(*looks[-1].photos, name), decoded=surer)
        else:
            looks.append(Look(photos=(name,), decoded=decoded))
    return looks


def letters_by_square(boards: Sequence[DecodedBoard]) -> dict[tuple[int, int], str]:
    """What the looks at a square say together: a tile that lies there does not change."""
    votes: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for decoded in boards:
        for tile in decoded.board.tiles():
            kind = "?" if is_blank(tile.token) else tile.token
            votes[tile.row, tile.column][kind] += float(decoded.confidence[tile.row, tile.column])  # type: ignore[assignment]
    return {square: max(sorted(counts), key=counts.__getitem__) for square, counts in votes.items()}


def agreed(seen: DecodedBoard, letters: Mapping[tuple[int, int], str]) -> DecodedBoard:
    """The board with each tile as the looks together say; what it was read as alone stays possible."""
    rows = [list(row) for row in seen.board.rows]
    alternatives = dict(seen.alternatives)
    for tile in seen.board.tiles():
        square = tile.row, tile.column
        kind = letters[square]
        if kind in (tile.token, "?" if is_blank(tile.token) else ""):
            continue
        rows[tile.row][tile.column] = kind
        others = [each for each in alternatives.get(square, ()) if each.token not in (kind, tile.token)]
        sure = float(seen.confidence[square])
        alternatives[square] = (
            Candidate(token=kind, probability=sure),
            Candidate(token=tile.token, probability=sure / 2),
            *others,
        )
    return replace(seen, board=Board.from_rows(rows), alternatives=alternatives)


def same_position(one: Board, other: Board) -> bool:
    """Whether two boards hold the same tiles, as far as they can be seen."""
    return all(
        a == b or COVERED in (a, b) or (is_tile(a) and is_tile(b) and is_blank(a) and is_blank(b))
        for row, other_row in zip(one.rows, other.rows, strict=True)
        for a, b in zip(row, other_row, strict=True)
    )


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
    for look in looks:
        name = look.photos[0]
        happenings = follow_turn(game, look.decoded)
        if happenings[-1].kind is HappeningKind.UNCLEAR:
            way = orders_of_play(game.board, look.decoded.board, edition, most=2, steps=GAP_STEPS)
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
