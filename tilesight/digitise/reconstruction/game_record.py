"""Turn the positions of a game into its plays, its JSON record and its game file, with the gaps of the photos."""

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
    ScoredPlay,
    check_play,
    format_gcg,
    format_square,
    format_tokens,
    is_tile,
)
from tilesight.digitise.reconstruction.positions import Position
from tilesight.output import list_unvalued_squares
from vision.game_events import GameUpdate, Notice, UpdateKind, follow_turn

__all__ = ["FoundGame", "build_game", "single_board_record"]

MAX_GAPS = 2
"""With more gaps, the game is also tried without its first position, which may be misread; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGame:
    """A game reconstructed from photos.

    Parameters
    ----------
    game : Game
        What was played.
    shown : tuple of str
        For each event of the game, the photo that shows it.
    confidence : tuple of float
        For each event, its probability.
    gaps : tuple of str
        What the photos do not show, one line each.
    alternatives : tuple of tuple of Play
        For each event, the plays that a score sheet fits as well; none if no score sheet was used.
    """

    game: Game
    shown: tuple[str, ...]
    confidence: tuple[float, ...]
    gaps: tuple[str, ...]
    alternatives: tuple[tuple[Play, ...], ...] = ()

    @property
    def gcg(self) -> str:
        """The game file as text, with gaps and photos in its notes."""
        events = [
            replace(event, note="\n".join(filter(None, (event.note, f"photo: {photo}"))))
            for event, photo in zip(self.game.events, self.shown, strict=True)
        ]
        noted = self.game.with_events(events)
        note = "\n".join(["read from photos; racks are not known", *(f"gap: {gap}" for gap in self.gaps)])
        return format_gcg(noted, GcgHeader(note=note, incomplete=bool(self.gaps)))

    def record(self, name: str, photos: Sequence[str]) -> dict[str, Any]:
        """Return the game as a JSON object.

        Parameters
        ----------
        name : str
            The game's name.
        photos : sequence of str
            All its photos, in the order of play.
        """
        game = self.game
        plays = []
        alternatives = self.alternatives or ((),) * len(self.shown)
        for step, photo, confidence, others in zip(
            game.steps, self.shown, self.confidence, alternatives, strict=True
        ):
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
                    **({"alternatives": [placed_tiles(other) for other in others]} if others else {}),
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


def single_board_record(name: str, photo: str, edition: str, players: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object of a game of which one photo and its players are all that is known."""
    return {
        "game": name,
        "edition": edition,
        "players": list(players),
        "totals": None,
        "photos": [photo],
        "plays": [],
        "gaps": ["one photo of a board does not show its plays"],
        "gcg": None,
    }


def build_game(positions: Sequence[Position], edition: Edition, players: Sequence[str]) -> FoundGame:
    """Find the plays that lead from position to position.

    Parameters
    ----------
    positions : sequence of Position
        The positions in the order of play.
    edition : Edition
        The rules.
    players : sequence of str
        The players in turn. Photos do not show who plays, and passes leave no trace.
    """
    found = follow_positions(positions, edition, players)
    if len(found.gaps) <= MAX_GAPS or len(positions) < 3:
        return found
    # If the first position is misread, nothing follows from it: the game may begin with the second one.
    name = positions[0].photos[0]
    later = follow_positions(positions[1:], edition, players)
    if len(later.gaps) + 1 >= len(found.gaps):
        return found
    return replace(later, gaps=(f"{name}: what follows does not grow from it; it is left out", *later.gaps))


def follow_positions(positions: Sequence[Position], edition: Edition, players: Sequence[str]) -> FoundGame:
    """Find the plays that lead from position to position, beginning with an empty board."""
    game = Game(edition=edition, players=tuple(players))
    shown: list[str] = []
    confidence: list[float] = []
    gaps: list[str] = []
    last = "an empty board"
    for position in positions:
        name = position.photos[0]
        gaps += unexplained_squares(position)
        step = follow_position(game, position)
        gaps += [gap.format(last=last, name=name) for gap in step.gaps]
        if step.game is None:
            continue
        game, last = step.game, name
        confidence += step.confidence
        shown += [name] * len(step.confidence)
    return FoundGame(game=game, shown=tuple(shown), confidence=tuple(confidence), gaps=tuple(gaps))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What leads from one position to the next.

    Parameters
    ----------
    game : Game or None
        The game after it; None if no plays lead there.
    confidence : tuple of float
        For each new event, its probability.
    gaps : tuple of str
        Gaps, with ``{last}`` and ``{name}`` for the photos before and after them.
    """

    game: Game | None
    confidence: tuple[float, ...] = ()
    gaps: tuple[str, ...] = ()


def follow_position(game: Game, position: Position) -> Step:
    """Find the plays from a game's board to a position: by inference, otherwise those of the joint search."""
    updates = follow_turn(game, position.decoded)
    if not isinstance(updates, Notice):
        confidence = [
            update.confidence
            for update in updates
            if update.step is not None and update.kind is not UpdateKind.CORRECTION
        ]
        after = updates[-1].game
        if updates[-1].kind is UpdateKind.NO_PLAY:  # one more photo of a position is no turn
            after = after.without_event(len(after.events) - 1)
            del confidence[-1]
        return Step(game=after, confidence=tuple(confidence), gaps=gaps_of_two_plays(updates))
    plays = find_searched_plays(game, position)
    if not plays:
        why = updates.message.partition(";")[0].replace("{", "{{").replace("}", "}}")
        return Step(game=None, gaps=(f"{{name}}: no plays lead there from {{last}} ({why}); it is left out",))
    after = game
    for play in plays:
        after = after.with_play(play)
    count = f"{len(plays)} play" + "s" * (len(plays) > 1)
    return Step(
        game=after,
        confidence=tuple(
            min(float(position.decoded.confidence[tile.row, tile.column]) for tile in play) for play in plays
        ),
        gaps=(f"{count} between {{last}} and {{name}}: the most plausible of several ways",),
    )


def unexplained_squares(position: Position) -> list[str]:
    """List the gaps of squares that no play explains."""
    gaps = []
    if position.left_out:
        squares = " ".join(format_square(*square) for square in position.left_out)
        gaps.append(f"{position.photos[0]}: what is seen on {squares} fits no play and is left out")
    gaps += [
        f"{photo}: what was corrected on {format_square(*square)} fits no play and is left out"
        for photo, square in position.overruled
    ]
    return gaps


def find_searched_plays(game: Game, position: Position) -> list[Play]:
    """Return the plays of the joint search from a game's board to a position; none if the rules forbid them."""
    reached, board = game.board, position.decoded.board
    plays = []
    try:
        for squares in position.plays:
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


def gaps_of_two_plays(updates: Sequence[GameUpdate]) -> tuple[str, ...]:
    """Return the gap of a position that shows two plays at once."""
    plays = [update for update in updates if update.kind is UpdateKind.PLAY]
    if len(plays) < 2:
        return ()
    others = sum(len(update.alternatives) for update in plays)
    order = f"in one of {others + 1} orders" if others else "in the only order that the rules allow"
    return (f"2 plays between {{last}} and {{name}}, {order}",)


def play_record(scored: ScoredPlay, player: str, edition: Edition) -> dict[str, Any]:
    """Return the JSON fields of a play: player, position, words, tiles and score."""
    return {
        "player": player,
        "position": scored.position,
        "word": format_tokens(scored.main_word.tokens, edition.tokens),
        "words": [format_tokens(word.tokens, edition.tokens) for word in scored.words],
        "placed": placed_tiles(scored.play),
        "score": scored.total,
        "incomplete": list_unvalued_squares(scored),
    }


def placed_tiles(play: Play) -> list[list[int | str]]:
    """Return the JSON value of the tiles of a play."""
    return [[tile.row, tile.column, tile.token] for tile in play]
