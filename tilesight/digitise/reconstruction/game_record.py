"""Turn the positions of a game into its plays, its JSON record and its game file, with the gaps of the photos."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import (
    Board,
    Edition,
    Game,
    GcgHeader,
    IllegalPlayError,
    Play,
    PlayEvent,
    ScoringError,
    Square,
    format_gcg,
    format_square,
    format_tokens,
)
from tilesight.digitise.folder import OWN_NOTE
from tilesight.digitise.reconstruction.positions import Position
from tilesight.output import list_placements, list_unvalued_squares

__all__ = ["FoundGame", "build_game"]

MAX_SURPLUS_TILES = 3
"""Tiles by which a board may have more than the bag because letters are misread; chosen."""
SPLIT_CONFIDENCE = 0.84
"""Factor of the confidence of plays between two photos, for each but the first. Of 1,067 such plays of 36 rendered
games (seeds 8761 to 8796) 81, 72, 57 and 47 percent are right where two, three, four and five are between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGame:
    """A game reconstructed from photos."""

    game: Game
    shown: tuple[str, ...] = ()
    """For each event of the game, the photo that shows it."""
    confidence: tuple[float, ...] = ()
    """For each event, its probability."""
    gaps: tuple[str, ...]
    """What the photos do not show, one line each."""
    alternatives: tuple[tuple[Play, ...], ...] = ()
    """For each event, the plays that a score sheet fits as well; none if no score sheet was used."""
    doubts: tuple[str, ...] = ()
    """Where the game has another tile than a photo surely shows, one line each."""

    @property
    def gcg(self) -> str:
        """The game file as text, with gaps and photos in its notes."""
        events = [
            replace(event, note="\n".join(filter(None, (event.note, f"photo: {photo}"))))
            for event, photo in zip(self.game.events, self.shown, strict=True)
        ]
        noted = self.game.with_events(events)
        lines = (*(f"gap: {gap}" for gap in self.gaps), *(f"doubt: {doubt}" for doubt in self.doubts))
        note = "\n".join([OWN_NOTE, *lines])
        return format_gcg(noted, GcgHeader(note=note, incomplete=bool(self.gaps)))

    def record(self, name: str, photos: Sequence[str]) -> dict[str, Any]:
        """Return the game as a JSON object; `photos` are all its photos, in the order of play."""
        game = self.game
        alternatives = self.alternatives or ((),) * len(self.shown)
        events = zip(game.steps, self.shown, self.confidence, alternatives, strict=True)
        plays, letters = [], game.edition.tokens
        for step, photo, confidence, others in events:
            play: dict[str, Any] = {"event": step.event.kind, "player": game.players[step.event.player]}
            if (scored := step.scored) is not None:
                play |= {
                    "position": scored.position,
                    "word": format_tokens(scored.main_word.tokens, letters),
                    "words": [format_tokens(word.tokens, letters) for word in scored.words],
                    "placed": list_placements(scored.play),
                    "score": scored.total,
                    "incomplete": list_unvalued_squares(scored),
                }
            play |= {"score": step.score, "total": step.after.totals[step.event.player]}
            play |= {"photo": photo, "confidence": round(confidence, 4)}
            if others:
                play["alternatives"] = [list_placements(other) for other in others]
            plays.append(play)
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


def build_game(positions: Sequence[Position], edition: Edition, players: Sequence[str]) -> FoundGame:
    """Put the turns of a game's positions together.

    Photos do not show which of the players plays, and passes leave no trace.
    """
    game = Game(edition=edition, players=tuple(players))
    shown: list[str] = []
    confidence: list[float] = []
    gaps: list[str] = []
    last = "an empty board"
    turns: list[tuple[Square, ...]] = []
    for position in positions:
        name, board = position.photos[0], position.board
        turns += position.turns
        try:
            after, problems = follow_turns(game, turns, board)
        except ScoringError as error:
            gaps.append(f"{name}: no plays lead there from {last} ({error}); it is left out")
            continue
        if not game.steps and after.steps[0].scored is None:
            problems = [f"the game starts from this board of {sum(1 for _ in board.tiles())} tiles"]
            after = Game(edition=edition, players=game.players, start=board)
            turns.clear()
        gaps += [*(f"{name}: {problem}" for problem in problems), *unexplained_squares(position)]
        count = sum(map(bool, turns))
        if count > 1:
            gaps.append(f"{count} plays between {last} and {name}: the most plausible ones")
        chances, of_split = position.confidence, SPLIT_CONFIDENCE ** max(0, count - 1)
        confidence += [of_split * math.prod(float(chances[square]) for square in turn) for turn in turns]
        shown += [name] * len(turns)
        game, last = after, name
        turns.clear()
    return FoundGame(game=game, shown=tuple(shown), confidence=tuple(confidence), gaps=tuple(gaps))


def follow_turns(game: Game, turns: Sequence[tuple[Square, ...]], board: Board) -> tuple[Game, list[str]]:
    """Return a game after these turns, with the tiles of a board, and what the rules forbid.

    Plays that they forbid are kept, since the later ones build on them. Raises GameError if there is no play to
    retract, IllegalPlayError if a play is forbidden and the board has many more tiles of a letter than the bag.
    """
    problems = []
    for turn in turns:
        if not turn:
            game = game.with_withdrawal()
            continue
        play = Play.of((*square, board[square]) for square in turn)
        try:
            game = game.with_play(play)
        except IllegalPlayError as error:
            counts, bag = Counter(tile.token for tile in board.tiles()), game.edition.counts
            surplus = sum(max(0, count - (bag.get(token) or count)) for token, count in counts.items())
            if surplus > MAX_SURPLUS_TILES:
                raise
            game = game.with_event(PlayEvent(player=game.turn, play=play))
            is_scored = game.steps[-1].scored is not None
            problems.append(f"{error}; {'a tile may be misread' if is_scored else 'no points are counted'}")
    return game, problems


def unexplained_squares(position: Position) -> Iterator[str]:
    """Yield the gaps of squares that no play explains."""
    for photo in position.photos:
        seen = [format_square(*square) for square, name in sorted(position.left_out.items()) if name == photo]
        if seen:
            yield f"{photo}: what is seen on {' '.join(seen)} fits no play and is left out"
    for photo, square, other in position.overruled:
        fault = f"contradicts the correction of {other}; correct one of them"
        fault = fault if other is not None else "fits no play and is left out"
        yield f"{photo}: what was corrected on {format_square(*square)} {fault}"
