"""The events of a game as typed values, and the JSON objects that other programs rely on.

`to_json` writes an event and `parse_event` reads it back; the order of the keys is part of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring import Game, GameProblem, Play, ScoredPlay, Square, format_square
from tilesight.output.plain_events import PlainEvent, parse_plain_event
from vision.game_events import STATED, GameUpdate, UpdateKind, is_accepted

__all__ = [
    "AlternativePlays",
    "GameEvent",
    "PlayRecord",
    "UncertainTile",
    "UpdateEvent",
    "list_placements",
    "list_problems",
    "list_renamed",
    "list_totals",
    "list_unvalued_squares",
    "name_ending",
    "parse_event",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRecord:
    """A scored play: its square, its tiles and its words.

    Parameters
    ----------
    position : str
        The main word's first square, such as ``8D``.
    word : tuple of str
        Tokens of the main word.
    placed : tuple of (row, column, token)
        The new tiles.
    words : mapping of str to int
        Each formed word with its points.
    bonus : int
        Points for using the full rack.
    incomplete : tuple of str
        Squares of blanks whose unknown letters would score; the score is too low by these.
    """

    position: str
    word: tuple[str, ...]
    placed: tuple[tuple[int, int, str], ...]
    words: Mapping[str, int]
    bonus: int
    incomplete: tuple[str, ...]

    @classmethod
    def of(cls, scored: ScoredPlay) -> PlayRecord:
        """Build the record of a scored play."""
        words: dict[str, int] = {}
        for word in scored.words:
            # One play can form the same word twice; the entry is the sum.
            words[word.text] = words.get(word.text, 0) + word.score
        return cls(
            position=scored.position,
            word=scored.main_word.tokens,
            placed=list_placements(scored.play),
            words=words,
            bonus=scored.bonus,
            incomplete=tuple(list_unvalued_squares(scored)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields of a JSON object."""
        return {
            "position": self.position,
            "word": list(self.word),
            "placed": [list(tile) for tile in self.placed],
            "words": dict(self.words),
            "bonus": self.bonus,
            "incomplete": list(self.incomplete),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativePlays:
    """Another way in which two plays that were seen together may have been made.

    Parameters
    ----------
    plays : tuple of (position, word, score)
        The plays in their order.
    totals : mapping of str to int
        Each player's points after them.
    """

    plays: tuple[tuple[str, tuple[str, ...], int], ...]
    totals: Mapping[str, int]

    @classmethod
    def of(cls, game: Game) -> AlternativePlays:
        """Take the last two plays of a game."""
        scored = [step.scored for step in game.steps[-2:] if step.scored is not None]
        return cls(
            plays=tuple((each.position, each.main_word.tokens, each.total) for each in scored),
            totals=list_totals(game),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        plays = [
            {"position": position, "word": list(word), "score": score} for position, word, score in self.plays
        ]
        return {"plays": plays, "totals": dict(self.totals)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AlternativePlays:
        """Read what `to_json` wrote."""
        plays = tuple((play["position"], tuple(play["word"]), play["score"]) for play in record["plays"])
        return cls(plays=plays, totals=record.get("totals", {}))


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainTile:
    """A tile that may have been misread.

    Parameters
    ----------
    row, column : int
        Its square.
    token : str
        The token that was read.
    confidence : float
        Probability of that token.
    others : tuple of (str, float)
        Other tokens with their probabilities, the most likely first.
    """

    row: int
    column: int
    token: str
    confidence: float
    others: tuple[tuple[str, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object; probabilities have four decimals."""
        return {
            "square": [self.row, self.column],
            "token": self.token,
            "confidence": round(self.confidence, 4),
            "others": [[token, round(probability, 4)] for token, probability in self.others],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> UncertainTile:
        """Read what `to_json` wrote."""
        row, column = record["square"]
        others = tuple((token, probability) for token, probability in record["others"])
        return cls(
            row=row, column=column, token=record["token"], confidence=record["confidence"], others=others
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateEvent:
    """A game update or a notice, as it is printed, recorded and sent.

    Parameters
    ----------
    kind : str
        The kind of the update.
    player : str or None
        Name of the player; None for a notice.
    square : (row, column) or None
        The corrected square.
    was, now : str or None
        The token on it as first read and as read now; of a renamed player, both names.
    play : PlayRecord or None
        The scored play.
    score, total : int or None
        Points of the event, and the player's total after it.
    totals : mapping of str to int, optional
        Everybody's points, where the event may change more than one player's.
    alternatives : tuple of AlternativePlays
        Other explanations of two plays that were seen together.
    problems : tuple of str
        Rules that the game breaks since a correction.
    message : str
        What a person should know.
    source : str
        File name of the picture or video; empty for a command.
    frame : int
        Index of the frame, from 0; -1 for a command.
    time_s : float or None
        Seconds since the start of the video; None where pictures carry no time.
    confidence : float
        Probability of the update.
    by : str
        ``"desk"`` for an operator's command, otherwise empty.
    uncertain_tiles : tuple of UncertainTile
        Tiles of a play that may have been misread.
    is_provisional : bool
        Whether the player of a play may still go on with it.
    replaced : tuple of (row, column, token)
        For a play that went on: the tiles of the event that it replaces, which was reported as a play before.
    """

    kind: str
    player: str | None = None
    square: Square | None = None
    was: str | None = None
    now: str | None = None
    play: PlayRecord | None = None
    score: int | None = None
    total: int | None = None
    totals: Mapping[str, int] | None = None
    alternatives: tuple[AlternativePlays, ...] = ()
    problems: tuple[str, ...] = ()
    message: str = ""
    source: str = ""
    frame: int = -1
    time_s: float | None = None
    confidence: float = 1.0
    by: str = ""
    uncertain_tiles: tuple[UncertainTile, ...] = ()
    is_provisional: bool = False
    replaced: tuple[tuple[int, int, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object; fields that do not apply are left out."""
        event: dict[str, Any] = {"event": self.kind}
        if self.player is not None:
            event["player"] = self.player
        if self.square is not None:
            event["square"] = list(self.square)
        if self.was is not None:
            event |= {"was": self.was, "now": self.now}
        if self.play is not None:
            event |= self.play.to_json()
        for name, value in (("score", self.score), ("total", self.total)):
            if value is not None:
                event[name] = value
        if self.totals is not None:
            event["totals"] = dict(self.totals)
        if self.alternatives:
            event["alternatives"] = [each.to_json() for each in self.alternatives]
        if self.problems:
            event["problems"] = list(self.problems)
        if self.message:
            event["message"] = self.message
        event |= {
            "source": self.source,
            "frame": self.frame,
            "time_s": self.time_s,
            "confidence": self.confidence,
        }
        optional: dict[str, Any] = {
            "provisional": self.is_provisional,
            "replaces": [list(tile) for tile in self.replaced],
            "doubts": [tile.to_json() for tile in self.uncertain_tiles],
        }
        return event | {name: value for name, value in optional.items() if value} | _author(self.by)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> UpdateEvent:
        """Read what `to_json` wrote; a missing field has its default."""
        square = record.get("square")
        alternatives = record.get("alternatives", ())
        return cls(
            kind=record["event"],
            player=record.get("player"),
            square=None if square is None else (square[0], square[1]),
            was=record.get("was"),
            now=record.get("now"),
            play=_parse_play(record) if "placed" in record else None,
            score=record.get("score"),
            total=record.get("total"),
            totals=record.get("totals"),
            alternatives=tuple(AlternativePlays.from_json(each) for each in alternatives),
            problems=tuple(record.get("problems", ())),
            message=record.get("message", ""),
            source=record.get("source", ""),
            frame=record.get("frame", -1),
            time_s=record.get("time_s"),
            confidence=record.get("confidence", 1.0),
            by=record.get("by", ""),
            uncertain_tiles=tuple(UncertainTile.from_json(each) for each in record.get("doubts", ())),
            is_provisional=record.get("provisional", False),
            replaced=tuple((row, column, token) for row, column, token in record.get("replaces", ())),
        )


GameEvent = UpdateEvent | PlainEvent


def parse_event(record: Mapping[str, Any]) -> GameEvent:
    """Read the JSON object of an event; KeyError if a field is missing that the event cannot do without."""
    return parse_plain_event(record) or UpdateEvent.from_json(record)


def list_renamed(events: Iterable[GameEvent]) -> list[tuple[str, str]]:
    """List the former and the new name of each player who was renamed."""
    return [
        (str(event.was), str(event.now))
        for event in events
        if isinstance(event, UpdateEvent) and event.kind == UpdateKind.RENAMED
    ]


def list_problems(update: GameUpdate) -> list[GameProblem]:
    """List the rules that an update's move breaks, or the record after an update that changes more than one move."""
    game, step = update.game, update.step
    problems = game.problems if update.kind in STATED else step.problems if step is not None else ()
    return [problem for problem in problems if not is_accepted(game.events[problem.index])]


def list_unvalued_squares(scored: ScoredPlay) -> list[str]:
    """List the squares of blanks whose unknown letters would score; the score is too low by these."""
    return [format_square(tile.row, tile.column) for tile in scored.unvalued]


def list_placements(play: Play) -> tuple[tuple[int, int, str], ...]:
    """List the tiles of a play as (row, column, token)."""
    return tuple((tile.row, tile.column, tile.token) for tile in play)


def _parse_play(record: Mapping[str, Any]) -> PlayRecord:
    return PlayRecord(
        position=record.get("position", ""),
        word=tuple(record.get("word", ())),
        placed=tuple((row, column, token) for row, column, token in record["placed"]),
        words=record.get("words", {}),
        bonus=record.get("bonus", 0),
        incomplete=tuple(record.get("incomplete", ())),
    )


def list_totals(game: Game) -> dict[str, int]:
    """Return each player's points, in the order of play."""
    return dict(zip(game.players, game.totals, strict=True))


def name_ending(game: Game) -> str | None:
    """Return why a game is over, such as ``bag-empty``; None if it is not."""
    return None if game.ending is None else game.ending.name.lower().replace("_", "-")


def _author(by: str) -> dict[str, str]:
    return {"by": by} if by else {}
