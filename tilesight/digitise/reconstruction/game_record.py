"""A game from its photos: the plays between them, and where they do not say enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import (
    Edition,
    Game,
    GcgHeader,
    IllegalPlayError,
    Placement,
    Play,
    check_play,
    format_gcg,
    format_square,
    is_tile,
)
from tilesight.digitise.reading.photo_record import play_record
from tilesight.digitise.reconstruction.pipeline import Position
from vision.game_events import GameUpdate, UpdateKind, follow_turn

__all__ = ["FoundGame", "build_game", "single_board_record"]

MAX_GAPS = 2
"""With more, it is tried whether the first look was misread."""


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


def single_board_record(
    name: str, photo: str, edition: str, players: Sequence[str], totals: Sequence[int] | None
) -> dict[str, Any]:
    """Return the JSON object of a game of which one photo and a score sheet are all that is known."""
    return {
        "game": name,
        "edition": edition,
        "players": list(players),
        "totals": list(totals) if totals is not None else None,
        "photos": [photo],
        "plays": [],
        "gaps": ["one photo of a board does not show its plays"],
        "gcg": None,
    }


def build_game(looks: Sequence[Position], edition: Edition, players: Sequence[str]) -> FoundGame:
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


def followed(looks: Sequence[Position], edition: Edition, players: Sequence[str]) -> FoundGame:
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
            plays = plays_to(look, game)
            if not plays:
                why = updates[-1].message.partition(";")[0]
                gaps.append(f"{name}: no plays lead there from {last} ({why}); it is left out")
                continue
            for play in plays:
                game = game.play(play)
                confidence.append(min(float(look.decoded.confidence[tile.row, tile.column]) for tile in play))
                shown.append(name)
            many = f"{len(plays)} play" + "s" * (len(plays) > 1)
            gaps.append(f"{many} between {last} and {name}: the most plausible of several ways")
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


def plays_to(look: Position, game: Game) -> list[Play]:
    """Return the plays of the search that lead from a game's board to a look; none if the rules forbid them."""
    board, plays = look.decoded.board, []
    reached = game.board
    try:
        for squares in look.plays:
            if any(is_tile(reached[square]) for square in squares):
                continue
            play = Play(
                placements=tuple(
                    Placement(row=row, column=column, token=board[row, column]) for row, column in squares
                )
            )
            check_play(reached, play, game.edition)
            reached = reached.with_tiles(play)
            plays.append(play)
    except IllegalPlayError:
        return []
    return plays if reached == board else []


def two_plays(updates: Sequence[GameUpdate], last: str, name: str) -> list[str]:
    """The gap of two plays at one look."""
    plays = [update for update in updates if update.kind is UpdateKind.PLAY]
    if len(plays) < 2:
        return []
    others = sum(len(update.alternatives) for update in plays)
    order = f"in one of {others + 1} orders" if others else "in the only order that the rules allow"
    return [f"2 plays between {last} and {name}, {order}"]
