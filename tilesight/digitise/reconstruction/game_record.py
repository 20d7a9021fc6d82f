"""Turn the positions of a game into its plays, its JSON record and its game file, with the gaps of the photos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import (
    Board,
    Edition,
    Game,
    GcgHeader,
    Placement,
    Play,
    ScoredPlay,
    ScoringError,
    format_gcg,
    format_square,
    format_tokens,
    infer,
)
from tilesight.digitise.reconstruction.positions import Position, Turn
from tilesight.output import list_unvalued_squares

__all__ = ["FoundGame", "build_game", "single_board_record"]


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
    doubts : tuple of str
        Where the game has another tile than a photo surely shows, one line each.
    """

    game: Game
    shown: tuple[str, ...]
    confidence: tuple[float, ...]
    gaps: tuple[str, ...]
    alternatives: tuple[tuple[Play, ...], ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def gcg(self) -> str:
        """The game file as text, with gaps and photos in its notes."""
        events = [
            replace(event, note="\n".join(filter(None, (event.note, f"photo: {photo}"))))
            for event, photo in zip(self.game.events, self.shown, strict=True)
        ]
        noted = self.game.with_events(events)
        lines = (*(f"gap: {gap}" for gap in self.gaps), *(f"doubt: {doubt}" for doubt in self.doubts))
        note = "\n".join(["read from photos; racks are not known", *lines])
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
            **({"doubts": list(self.doubts)} if self.doubts else {}),
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
    """Put the turns of a game's positions together.

    Parameters
    ----------
    positions : sequence of Position
        The positions in the order of play.
    edition : Edition
        The rules.
    players : sequence of str
        The players in turn. Photos do not show who plays, and passes leave no trace.
    """
    game = Game(edition=edition, players=tuple(players))
    shown: list[str] = []
    confidence: list[float] = []
    gaps: list[str] = []
    last = "an empty board"
    turns: list[Turn] = []
    for position in positions:
        name = position.photos[0]
        turns += position.turns
        try:
            after = follow_turns(game, turns, position.decoded.board)
        except ScoringError as error:
            gaps.append(f"{name}: no plays lead there from {last} ({error}); it is left out")
            continue
        gaps += unexplained_squares(position)
        orders = 1
        plays = [turn for turn in turns if not turn.is_retraction]
        if len(plays) == 2:
            orders = max(1, len(infer(game.board, position.decoded.board, edition).splits))
            order = f"in one of {orders} orders" if orders > 1 else "in the only order that the rules allow"
            gaps.append(f"2 plays between {last} and {name}, {order}")
        elif len(plays) > 2:
            gaps.append(f"{len(plays)} plays between {last} and {name}: the most plausible of several ways")
        chances = position.decoded.confidence
        confidence += [
            math.prod(float(chances[square]) for square in turn.squares) / orders for turn in turns
        ]
        shown += [name] * len(turns)
        game, last = after, name
        turns.clear()
    return FoundGame(game=game, shown=tuple(shown), confidence=tuple(confidence), gaps=tuple(gaps))


def follow_turns(game: Game, turns: Sequence[Turn], board: Board) -> Game:
    """Return a game after these turns, with the tiles of a board.

    Raises
    ------
    ScoringError
        If the rules forbid one.
    """
    for turn in turns:
        if turn.is_retraction:
            game = game.with_withdrawal()
        else:
            game = game.with_play(
                Play(
                    placements=tuple(
                        Placement(row=row, column=column, token=board[row, column])
                        for row, column in turn.squares
                    )
                )
            )
    return game


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
