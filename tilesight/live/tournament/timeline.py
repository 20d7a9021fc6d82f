"""When each move of a game happened, so that a recording can be cut: subtitles, a table of moves, chapter marks.

References
----------
SubRip (.srt): numbered cues with ``HH:MM:SS,mmm --> HH:MM:SS,mmm``. Chapters of YouTube: lines ``H:MM:SS title``, the
first of them at 0:00, each at least ten seconds long. RFC 4180 for CSV.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from pathlib import PurePath
from types import MappingProxyType
from typing import NamedTuple

from scoring import ChallengeEvent, EndBonus, EndRack, Event, Game, format_tokens
from tilesight.live.fields import describe_step
from tilesight.live.journal import Entry, FrameRef
from tilesight.live.tournament.moments import Moment, MomentKind, find_moments
from vision.capture import IMAGE_SUFFIXES
from vision.errors import SettingsError
from vision.game_events import UpdateKind

__all__ = ["TIMELINE_FORMATS", "Timeline", "TimelineSettings", "check_recording", "read_timeline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSettings:
    """How long subtitles and chapters are; all numbers are chosen.

    Parameters
    ----------
    max_cue_s : float
        Seconds for which a subtitle is shown at most.
    min_cue_s : float
        Seconds for which one is shown at least, if the next one leaves them.
    min_chapter_s : float
        Seconds of a chapter at least; YouTube asks for ten.
    """

    max_cue_s: float = 6.0
    min_cue_s: float = 1.0
    min_chapter_s: float = 10.0


SETTINGS = TimelineSettings()
_STEPS = frozenset(kind.value for kind in (UpdateKind.UNDONE, UpdateKind.REDONE, UpdateKind.BOARD_TAKEN))
"""The kinds of journalled events that bring back what left the record; undo brings back a deleted move."""


class _Instant(NamedTuple):
    """Seconds since the recording began and since 1970, and the frame that has the first time."""

    time_s: float
    at_s: float
    ref: FrameRef = FrameRef()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedMove:
    """A move with its time.

    Parameters
    ----------
    index : int
        Index of the event in the game.
    time_s : float
        Seconds since the recording began.
    at_s : float
        Seconds since 1970; 0 if that is not known.
    ref : FrameRef
        The frame whose time it is.
    """

    index: int
    time_s: float
    at_s: float
    ref: FrameRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedMoment:
    """A chapter mark: seconds since the recording began, and its title."""

    time_s: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The moves and the chapter marks of a game.

    Parameters
    ----------
    game : Game
        The game.
    moves : tuple of TimedMove
        Its moves with their times.
    marks : tuple of TimedMoment
        The chapter marks.
    """

    game: Game
    moves: tuple[TimedMove, ...]
    marks: tuple[TimedMoment, ...]


def read_timeline(entries: Sequence[Entry], begin_s: float | None) -> Timeline:
    """Find when each move of a game happened.

    A correction of an earlier move leaves its time; a move that was put in later has the time of the move after it.
    Moves after one that was put in or deleted keep their times, though their players change. A move that left the
    record, and that undo or redo brings back after the same moves, keeps its earlier time; one that is made anew has a
    new time.

    Parameters
    ----------
    entries : sequence of Entry
        The entries of the game's journal.
    begin_s : float or None
        When the recording began, in seconds since 1970; None where the game was followed on the recording itself.

    Raises
    ------
    SettingsError
        If the journal has no such times, or no moves.
    """
    before: tuple[Hashable, ...] = ()
    times: list[_Instant] = []
    removed: dict[tuple[Hashable, ...], _Instant] = {}
    for entry, moment in zip(entries, _times_of(entries, begin_s), strict=True):
        after = tuple(_key_of(event) for event in entry.game.events)
        if after == before:  # most entries are of clocks and racks
            continue
        is_step = any(event.get("event") in _STEPS for event in entry.events)
        times = _align(before, after, times, moment, removed, is_step=is_step)
        before = after
    if not times:
        raise SettingsError("the journal has no moves yet; name that of a game that was played")
    game = entries[-1].game
    moves = tuple(TimedMove(index=index, **instant._asdict()) for index, instant in enumerate(times))
    first = TimedMoment(time_s=times[0].time_s, title=" – ".join(game.players))
    return Timeline(game=game, moves=moves, marks=(first, *_find_marks(game, times)))


def _find_marks(game: Game, times: Sequence[_Instant]) -> Iterator[TimedMoment]:
    """Yield the chapter marks of the final record, in which no undone move is left."""
    before = game.with_events(())
    for moment, group in groupby(enumerate(game.events), key=lambda numbered: times[numbered[0]]):
        after = before.with_events((*before.events, *(event for _, event in group)))
        for found in find_moments(before, after, ()):
            yield TimedMoment(time_s=moment.time_s, title=_title(found, after))
        before = after


def _times_of(entries: Sequence[Entry], begin_s: float | None) -> list[_Instant]:
    """Return the time of each entry in the recording, and since 1970."""
    if begin_s is not None:
        if any(not entry.at_s for entry in entries):
            raise SettingsError(
                "the journal is of an older program and has no times of the day; leave --start out for a game that "
                "was followed on the recording itself"
            )
        return [_Instant(entry.at_s - begin_s, entry.at_s) for entry in entries]
    ref = next((entry.ref for entry in entries if entry.ref.frame >= 0), None)
    if ref is None:
        raise SettingsError(
            "no camera followed this game, so its times in a recording are not known; say when the recording began, "
            'such as --start "2026-11-23 19:58:10"'
        )
    known = []
    for entry in entries:
        ref = entry.ref if entry.ref.frame >= 0 else ref
        known.append(_Instant(ref.time_s, entry.at_s, ref))
    return known


def check_recording(timelines: Iterable[Timeline]) -> None:
    """Check that the times of all moves are those of one recording.

    Raises
    ------
    SettingsError
        If a move has the time of another film than the move before it, or of a camera that was started again.
    """
    moves = [(number, move) for number, timeline in enumerate(timelines, 1) for move in timeline.moves]
    for (_, before), (number, move) in pairwise(moves):
        if not _is_same_recording(before.ref, move.ref):
            raise SettingsError(
                f"move {move.index + 1} of game {number} has the time of another film than the move before it, or of a "
                'camera that was started again; say when the recording began, such as --start "2026-11-23 19:58:10", '
                "or join films to one and watch that"
            )


def _is_same_recording(before: FrameRef, after: FrameRef) -> bool:
    """Whether the times of two frames may be those of one film, folder of pictures, or run of a camera."""
    if before.fingerprint and after.fingerprint == before.fingerprint:
        return True
    names = {name for name in (before.file, after.file) if name}
    are_pictures = all(PurePath(name).suffix.lower() in IMAGE_SUFFIXES for name in names)
    is_other_film = bool(before.fingerprint and after.fingerprint) or len(names) > 1
    return after.time_s >= before.time_s and (are_pictures or not is_other_film)


def _align(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    times: list[_Instant],
    moment: _Instant,
    removed: dict[tuple[Hashable, ...], _Instant],
    *,
    is_step: bool,
) -> list[_Instant]:
    """Return the times of the events after a change: those that stay keep theirs, and `removed` gets what goes.

    A step through the record by undo or redo gives events their times in `removed`.
    """
    earlier = removed if is_step else {}
    aligned: list[_Instant] = []
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for tag, begin, end, new_begin, new_end in changes:
        old = times[begin:end][: new_end - new_begin]
        if tag != "equal":
            removed.update((tuple(before[: index + 1]), times[index]) for index in range(begin, end))
        filler = times[end] if end < len(times) else moment
        added = [
            earlier.get(tuple(after[: index + 1]), filler) for index in range(new_begin + len(old), new_end)
        ]
        aligned += [*old, *added]
    return aligned


def _key_of(event: Event) -> Hashable:
    """Return what stays of an event when others are put in or deleted: players follow the turn, tiles left change."""
    match event:
        case EndRack() | EndBonus():
            return event.kind
        case ChallengeEvent():
            return replace(event, player=0, challenger=None)
        case _:
            return replace(event, player=0)


def _title(moment: Moment, game: Game) -> str:
    score = " – ".join(str(total) for total in game.totals)
    name = game.players[moment.player] if moment.player is not None else ""
    match moment.kind:
        case MomentKind.BINGO:
            return f"Bingo: {name} {moment.word} {moment.points} ({score})"
        case MomentKind.CHALLENGE:
            what = moment.word or f"{name}'s play"
            return f"Challenge: {what} {'stays' if moment.valid else 'comes off'} ({score})"
        case MomentKind.LEAD:
            return f"{name} takes the lead ({score})"
        case _:
            return f"Game over ({score})"


def format_srt(timelines: Iterable[Timeline]) -> str:
    """Format moves as subtitles."""
    cues: list[tuple[float, str]] = []
    for timeline in timelines:
        game = timeline.game
        for move in timeline.moves:
            text = describe_step(game.steps[move.index], game)
            if text and move.time_s >= 0:
                cues.append((move.time_s, text))
    cues.sort(key=lambda cue: cue[0])
    lines = []
    for number, (start_s, text) in enumerate(cues):
        next_s = cues[number + 1][0] if number + 1 < len(cues) else float("inf")
        end_s = min(start_s + SETTINGS.max_cue_s, max(next_s, start_s + SETTINGS.min_cue_s))
        lines.append(f"{number + 1}\n{_srt_time(start_s)} --> {_srt_time(end_s)}\n{text}\n")
    return "\n".join(lines)


def format_csv(timelines: Iterable[Timeline]) -> str:
    """Format moves as a table; times before the recording are negative."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        ("game", "move", "time", "seconds", "clock", "player", "kind", "position", "word", "score", "total")
    )
    for number, timeline in enumerate(timelines, 1):
        game = timeline.game
        for move in timeline.moves:
            step = game.steps[move.index]
            scored, player = step.scored, step.event.player
            if not step.score:  # a challenge may cost the challenger points, whose play it is not
                player = next((other for other, change in enumerate(step.changes) if change), player)
            word = format_tokens(scored.main_word.tokens, game.edition.tokens) if scored is not None else ""
            clock = datetime.fromtimestamp(move.at_s).isoformat(" ", "seconds") if move.at_s else ""
            writer.writerow(
                (
                    number,
                    move.index + 1,
                    _mark_time(move.time_s),
                    f"{move.time_s:.3f}",
                    clock,
                    _safe(game.players[player]),
                    step.event.kind,
                    scored.position if scored is not None else "",
                    _safe(word),
                    step.changes[player],
                    step.after.totals[player],
                )
            )
    return out.getvalue()


def format_chapters(timelines: Iterable[Timeline]) -> str:
    """Format chapter marks as lines ``H:MM:SS title``; marks that follow at once are left out."""
    marks = sorted((mark for timeline in timelines for mark in timeline.marks), key=lambda mark: mark.time_s)
    kept = [TimedMoment(time_s=0.0, title="Before the game")]
    for mark in marks:
        time_s = max(0.0, mark.time_s)
        if time_s - kept[-1].time_s >= SETTINGS.min_chapter_s:
            kept.append(TimedMoment(time_s=time_s, title=mark.title))
        elif len(kept) == 1 and time_s < SETTINGS.min_chapter_s:
            kept[0] = TimedMoment(time_s=0.0, title=mark.title)
    return "".join(f"{_mark_time(mark.time_s)} {mark.title}\n" for mark in kept)


TIMELINE_FORMATS: Mapping[str, Callable[[Iterable[Timeline]], str]] = MappingProxyType(
    {"srt": format_srt, "csv": format_csv, "chapters": format_chapters}
)
"""The function that formats timelines, by the format's name."""


def _safe(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def _srt_time(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, rest = divmod(whole, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d},{thousandths:03d}"


def _mark_time(seconds: float) -> str:
    whole = int(abs(seconds))
    minutes, rest = divmod(whole, 60)
    sign = "-" if seconds < 0 and whole else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
