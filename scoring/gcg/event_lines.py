"""Write the events of a game as lines of a GCG file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scoring.board import Placement
from scoring.coordinates import format_square
from scoring.edition import ChallengeRule
from scoring.editions import edition_names, load_edition
from scoring.errors import IllegalPlayError, NotationError
from scoring.game import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    Ending,
    EndRack,
    ExchangeEvent,
    Game,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    Step,
    WithdrawnEvent,
    played_tiles,
)
from scoring.gcg.notes import Fact, format_facts
from scoring.gcg.stand_ins import StandIns
from scoring.play import Play, format_play
from scoring.tiles import BLANK, EMPTY, as_blank, format_tokens

__all__ = ["EventWriter", "note_lines", "one_line"]


@dataclass(slots=True)
class _Line:
    """What is written with a step beyond its own event."""

    facts: dict[Fact, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class EventWriter:
    """Writes the lines of the events of a game."""

    def __init__(self, game: Game, nicks: Sequence[str]) -> None:
        self.game = game
        self.nicks = nicks
        self.letters = game.edition.tokens
        self.racks = StandIns(game)
        self.facts: dict[Fact, str] = {}

    def format_events(self) -> list[str]:
        """Return the lines of all events, each with its notes."""
        steps, lines = self.game.steps, []
        extras = self._find_extras()
        settlements = dict(_find_settlements(self.game))
        for step in steps:
            extra = extras.get(step.index, _Line())
            if step.index in settlements:
                lines += self._format_settlement(step, steps[settlements[step.index]])
            if extra is None or step.index in settlements or step.index in settlements.values():
                continue
            self.facts = dict(extra.facts)
            texts = self._format_step(step)
            notes = "\n".join(filter(None, (format_facts(self.facts), *extra.notes, step.event.note)))
            lines += [*texts, *note_lines(notes)]
        return lines

    def _find_extras(self) -> dict[int, _Line | None]:
        """Return what is written with other steps, by index; None for a step that has no line of its own.

        Other programs know neither a play that its player took back to play again, nor a challenge without any
        effect. Both become facts of the line next to them.
        """
        extras: dict[int, _Line | None] = {}
        for first, second, third in zip(
            self.game.steps, self.game.steps[1:], (*self.game.steps[2:], None), strict=False
        ):
            if third is not None and _is_replayed(first, second, third):
                line = extras.get(first.index) or _Line()
                tried = [line.facts.get(Fact.FIRST_TRIED, ""), self._format_word(first)]
                line.facts[Fact.FIRST_TRIED] = ", ".join(filter(None, tried))
                line.notes += filter(None, (first.event.note, second.event.note))
                extras |= {first.index: None, second.index: None, third.index: line}
            elif self._is_challenge_without_effect(first, second):
                line = extras.get(first.index) or _Line()
                line.facts |= self._failed_challenge_facts(second)
                line.notes += filter(None, (second.event.note,))
                extras |= {first.index: line, second.index: None}
        self._move_late_events(extras)
        return extras

    def _move_late_events(self, extras: dict[int, _Line | None]) -> None:
        """Make facts of passes and challenges in vain after the end: other programs refuse moves there."""
        for step in self.game.steps:
            if step.before.ending in (None, Ending.PASSES) or step.index in extras:
                continue
            host = self._find_host(step, extras)
            if host is None:
                continue
            line = extras.get(host.index) or _Line()
            if isinstance(step.event, ChallengeEvent):
                line.facts |= self._failed_challenge_facts(step)
            else:
                nicks = [line.facts.get(Fact.PASSED_AFTER_END, ""), self.nicks[step.event.player]]
                line.facts[Fact.PASSED_AFTER_END] = " ".join(filter(None, nicks))
            line.notes += filter(None, (step.event.note,))
            extras |= {host.index: line, step.index: None}

    def _find_host(self, step: Step, extras: Mapping[int, _Line | None]) -> Step | None:
        """Return the step with whose line a pass or challenge after the end is written; None if it has its own."""
        steps, event = self.game.steps, step.event
        if isinstance(event, ChallengeEvent):
            latest = step.before.latest_of(event.player)
            play = None if latest is None else steps[latest.index]
            if play is None or play.after.ending is None or play.index in extras:
                return None
            return play if self._is_challenge_without_effect(play, step) else None
        if isinstance(event, PassEvent | NoPlayEvent):
            return next((each for each in reversed(steps[: step.index]) if _has_line(each, extras)), None)
        return None

    def _is_challenge_without_effect(self, play: Step, step: Step) -> bool:
        """Return whether a step is a challenge of the play before it that changes no score and no turn."""
        event = step.event
        return (
            isinstance(play.event, PlayEvent)
            and isinstance(event, ChallengeEvent)
            and not event.upheld
            and event.player == play.event.player
            and play.scored is not None
            and not any(step.changes)
            and (not event.loses_turn(self.game.edition.challenge) or step.before.ending is not None)
        )

    def _failed_challenge_facts(self, step: Step) -> dict[Fact, str]:
        event = step.event
        assert isinstance(event, ChallengeEvent)
        facts = {Fact.CHALLENGE_FAILED: "" if event.challenger is None else self.nicks[event.challenger]}
        return facts | self._turn_facts(event)

    def _turn_facts(self, event: ChallengeEvent) -> dict[Fact, str]:
        """Return the fact that says whether the challenger loses a turn, if a reader may have another rule."""
        rule = self.game.edition.challenge
        lost = event.loses_turn(rule)
        is_known = self._rule_of_file() is not None and lost is rule.valid_turn
        if event.challenger is None or is_known:
            return {}
        return {Fact.TURN_LOST if lost else Fact.TURN_KEPT: ""}

    def _format_settlement(self, step: Step, other: Step) -> list[str]:
        """Return the settlement by each player's own tiles, in forms that other programs know.

        These know that the player who went out gets twice the tiles of the other. Time penalties of the value
        of the tiles then make both totals right.
        """
        out, loser = (step, other) if _is_gain(step) else (other, step)
        assert isinstance(loser.event, EndRack)
        value, tiles = out.score, self._format_tiles(loser.event.tiles)
        player, total = out.event.player, out.after.totals[out.event.player]
        lines = [
            (out, self._format_numbers(player, f"({tiles})", 2 * value, total + value)),
            (
                None,
                self._format_numbers(player, f"{self._placeholder(out)} (time)", value, total, minus=True),
            ),
            (loser, self._format_line(loser, loser.event.player, f"{tiles} (time)", value, minus=True)),
        ]
        fact = format_facts({Fact.SETTLED_EACH: ""})
        written = []
        for each, line in lines:
            notes = [fact, each.event.note] if each is not None else [fact]
            written += [line, *note_lines("\n".join(filter(None, notes)))]
        return written

    def _format_step(self, step: Step) -> list[str]:
        """Return the lines of one event, without its notes."""
        event, score = step.event, step.score
        player = event.player
        match event:
            case PlayEvent():
                text = self._format_play_event(step, event)
            case PassEvent():
                text = f"{self._format_rack(step)} -"
            case NoPlayEvent():
                self.facts[Fact.PASS_OR_EXCHANGE] = ""
                text = f"{self._format_rack(step)} -"
            case ExchangeEvent():
                text = self._format_exchange(step, event)
            case WithdrawnEvent():
                if not event.turn_lost:
                    self.facts[Fact.TURN_KEPT] = ""
                return [
                    self._format_line(step, player, f"{self._taken_back_rack(step)} --", score, minus=True)
                ]
            case ChallengeEvent():
                return self._format_challenge(step, event)
            case ClockPenalty():
                text = f"{self._placeholder(step)} (time)"
                return [self._format_line(step, player, text, score, minus=event.points >= 0)]
            case EndRack():
                tiles = self._format_tiles(event.tiles)
                text = f"({tiles})" if event.gained else f"{tiles} ({tiles})"
                return [self._format_line(step, player, text, score, minus=not event.gained)]
            case _:  # EndBonus, the last kind
                text = "()"
        return [self._format_line(step, player, text, score)]

    def _format_line(self, step: Step, player: int, text: str, score: int, *, minus: bool = False) -> str:
        return self._format_numbers(player, text, score, step.after.totals[player], minus=minus)

    def _format_numbers(self, player: int, text: str, score: int, total: int, *, minus: bool = False) -> str:
        sign = "-" if minus or score < 0 else "+"
        return f">{self.nicks[player]}: {text} {sign}{abs(score)} {total}"

    def _format_tiles(self, tiles: Sequence[str]) -> str:
        return format_tokens(tiles, self.letters, bracketed=True)

    def _placeholder(self, step: Step) -> str:
        """Return an unseen tile in place of an unknown rack: other programs require a rack from the bag."""
        return self._format_tiles(self.racks.unseen(step))

    def _format_rack(self, step: Step) -> str:
        rack = getattr(step.event, "rack", None)
        if rack:
            return self._format_tiles(rack)
        deduced = self.racks.known[step.index]
        self.facts[Fact.RACK_UNKNOWN if deduced is None else Fact.RACK_DEDUCED] = ""
        return self._format_tiles(
            deduced or self.racks.next_rack(step.index, step.event.player) or self.racks.unseen(step)
        )

    def _format_play_event(self, step: Step, event: PlayEvent) -> str:
        """Return rack, position and word, with dots for old tiles."""
        if not played_tiles(step):
            return self._format_unplayable(step, event)
        known = self._name_blanks(event)
        if step.scored is not None and step.scored.unvalued:
            self.facts[Fact.SCORE_INCOMPLETE] = _format_squares(step.scored.unvalued)
        try:
            return f"{self._play_rack(step)} {self._format_word(step, known)}"
        except IllegalPlayError:  # tiles off one line
            return self._format_unplayable(step, event)

    def _format_unplayable(self, step: Step, event: PlayEvent) -> str:
        """Return a pass for a play that GCG cannot express: off one line, on old tiles, of another edition."""
        for fact in (Fact.UNKNOWN_BLANKS, Fact.SCORE_INCOMPLETE):
            self.facts.pop(fact, None)
        try:
            tiles = [f"{_format_squares([each])} {self._format_tiles([each.token])}" for each in event.play]
            self.facts[Fact.UNPLAYABLE] = ", ".join(tiles)
        except NotationError:  # a tile of another edition
            self.facts[Fact.UNPLAYABLE] = _format_squares(event.play)
        return f"{self._format_rack(step)} -"

    def _format_word(self, step: Step, known: Mapping[tuple[int, int], Placement] | None = None) -> str:
        """Return position and word of a play, with dots for old tiles."""
        event = step.event
        assert isinstance(event, PlayEvent)
        if known is None:
            known = {(each.row, each.column): each for each in event.play}
        if step.scored is None:
            return format_play(Play(placements=tuple(known.values())), self.letters, bracketed=True)
        word = step.scored.main_word
        down, right = word.direction.value
        squares = ((word.row + down * i, word.column + right * i) for i in range(len(word.tokens)))
        tokens = [known[square].token if square in known else EMPTY for square in squares]
        return f"{word.position} {self._format_tiles(tokens)}"

    def _name_blanks(self, event: PlayEvent) -> dict[tuple[int, int], Placement]:
        """Return the tiles by square; unknown blanks get a letter, as other programs refuse ``?`` in a word."""
        unknown = [each for each in event.play if each.token == BLANK]
        if unknown:
            self.facts[Fact.UNKNOWN_BLANKS] = _format_squares(unknown)
        letter = as_blank(self.letters[0])
        return {
            (each.row, each.column): replace(each, token=letter) if each in unknown else each
            for each in event.play
        }

    def _format_exchange(self, step: Step, event: ExchangeEvent) -> str:
        if event.tiles:
            return f"{self._format_tiles(event.rack or event.tiles)} -{self._format_tiles(event.tiles)}"
        if event.count is None:
            self.facts[Fact.EXCHANGE] = ""
            return f"{self._format_rack(step)} -"
        self.facts[Fact.TILES_UNKNOWN] = ""
        rack = event.rack or self.racks.unseen(step, event.count)
        if event.rack is None:
            self.facts[Fact.RACK_UNKNOWN] = ""
        tiles = sorted(rack, key=lambda tile: tile == BLANK)[: event.count]
        return f"{self._format_tiles(rack)} -{self._format_tiles(tiles)}"

    def _taken_back_rack(self, step: Step) -> str:
        """Return the rack of the play that is taken back; other programs require it on this line too."""
        play = step.taken_back
        return (
            self._placeholder(step)
            if play is None
            else self._play_rack(self.game.steps[play.index], facts=False)
        )

    def _play_rack(self, step: Step, *, facts: bool = True) -> str:
        """Return the rack before a play, or the tiles played if it is not known."""
        event = step.event
        assert isinstance(event, PlayEvent)
        rack, played = self.racks.known[step.index], played_tiles(step)
        if event.rack is None and rack is not None:
            if Counter(rack) == Counter(played):
                rack = played  # in their order, as readers take another one for a rack that was known
            elif facts:
                self.facts[Fact.RACK_DEDUCED] = ""
        return self._format_tiles(rack or played)

    def _format_challenge(self, step: Step, event: ChallengeEvent) -> list[str]:
        player, challenger = event.player, event.challenger
        if event.upheld:
            self.facts[Fact.CHALLENGED if challenger is None else Fact.CHALLENGED_BY] = (
                "" if challenger is None else self.nicks[challenger]
            )
            return [
                self._format_line(step, player, f"{self._taken_back_rack(step)} --", step.score, minus=True)
            ]
        gained, lost = step.score, 0 if challenger is None else step.changes[challenger]
        won = self._format_line(step, player, f"{self._placeholder(step)} (challenge)", gained)
        if challenger is None:
            return [won]
        if event.loses_turn(self.game.edition.challenge) and not (lost or gained):
            self.facts |= {Fact.CHALLENGE_FAILED: "", Fact.RACK_UNKNOWN: ""}
            rack = self._format_tiles(self.racks.next_rack(step.index, challenger) or self.racks.unseen(step))
            return [self._format_line(step, challenger, f"{rack} -", 0)]
        self.facts |= self._turn_facts(event)
        if lost:
            rule = self._rule_of_file()
            if rule is None or rule.valid_points not in (0, -lost):
                self.facts[Fact.POINTS_AGREED] = ""
            line = self._format_line(step, challenger, f"{self._placeholder(step)} (challenge)", lost)
            return [won, line] if gained else [line]
        self.facts[Fact.CHALLENGED_BY] = self.nicks[challenger]
        return [won]

    def _rule_of_file(self) -> ChallengeRule | None:
        """Return the challenge rule of the edition that the file names, which is not that of an event.

        None for the edition of a user: only a reader has its file.
        """
        name = self.game.edition.name
        return load_edition(name).challenge if name in edition_names() else None


def _is_replayed(first: Step, second: Step, third: Step) -> bool:
    """Return whether a player took back the play just made, and then had the turn again."""
    return (
        isinstance(first.event, PlayEvent)
        and first.scored is not None
        and isinstance(second.event, WithdrawnEvent)
        and not second.event.turn_lost
        and second.taken_back is not None
        and second.taken_back.index == first.index
        and isinstance(third.event, PlayEvent | PassEvent | NoPlayEvent | ExchangeEvent)
        and third.event.player == first.event.player
    )


def _has_line(step: Step, extras: Mapping[int, _Line | None]) -> bool:
    """Return whether a step has a line of its own that is no settlement."""
    return not isinstance(step.event, EndRack | EndBonus) and extras.get(step.index, _Line()) is not None


def _find_settlements(game: Game) -> Iterator[tuple[int, int]]:
    """Generate the pairs of events by which two players settle the same tiles, one gaining and one losing them."""
    if len(game.players) != 2:
        return
    for first, second in itertools.pairwise(game.steps):
        events = (first.event, second.event)
        if all(isinstance(event, EndRack) and not event.doubled for event in events):
            tiles = [Counter(event.tiles) for event in events if isinstance(event, EndRack)]
            if tiles[0] == tiles[1] and _is_gain(first) is not _is_gain(second):
                yield first.index, second.index


def _is_gain(step: Step) -> bool:
    return isinstance(step.event, EndRack) and step.event.gained


def _format_squares(tiles: Iterable[Placement]) -> str:
    return " ".join(format_square(each.row, each.column) for each in tiles)


def one_line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def note_lines(note: str) -> list[str]:
    """Return a note as lines of the file, without blank lines: other programs require text after ``#note``."""
    return [f"#note {one_line(line)}" for line in note.splitlines() if line.strip()]
