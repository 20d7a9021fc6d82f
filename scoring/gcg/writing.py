"""Write a game as GCG that Macondo, MAGPIE, Quackle and Woogles can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scoring.atomic_file import write_atomically
from scoring.board import Placement, unseen_tiles
from scoring.coordinates import format_square
from scoring.errors import GameError, IllegalPlayError, NotationError
from scoring.game import (
    ChallengeEvent,
    ClockPenalty,
    EndRack,
    ExchangeEvent,
    Game,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    Step,
    WithdrawnEvent,
)
from scoring.gcg.notes import Fact, format_facts
from scoring.gcg.record import GcgHeader
from scoring.play import Play, format_play
from scoring.tiles import BLANK, EMPTY, as_blank, bag_tile, format_tokens

__all__ = ["format_gcg", "write_gcg"]


def write_gcg(path: str | Path, game: Game, header: GcgHeader | None = None) -> None:
    """Write a game to a GCG file, atomically.

    Parameters
    ----------
    path : str or Path
        The file.
    game, header
        As for `format_gcg`.

    Raises
    ------
    GameError
        If the game has no GCG form (see `format_gcg`).
    OSError
        If the file cannot be written.
    """
    write_atomically(Path(path), format_gcg(game, header).encode())


def format_gcg(game: Game, header: GcgHeader | None = None) -> str:
    """Return a game as GCG text.

    Parameters
    ----------
    game : Game
        Any game that started from an empty board.
    header : GcgHeader, optional
        The title, nicknames and so on. Without nicknames, these are made from the names of the players.

    Raises
    ------
    GameError
        If the game started from a board with tiles, or the nicknames do not fit the players.
    """
    if game.start is not None and not game.start.is_empty:
        raise GameError(
            "a game that went on from a board with tiles has no GCG form; write its position as CGP"
        )
    header = header or GcgHeader()
    nicks = header.nicks or _make_nicks(game.players)
    if len(nicks) != len(game.players) or len(set(nicks)) < len(nicks) or any(" " in nick for nick in nicks):
        raise GameError(
            f"nicknames {', '.join(nicks)}: give each of {len(game.players)} players one, without spaces"
        )
    lines = ["#character-encoding UTF-8"]
    lines += [
        f"#player{n} {nick} {_one_line(name)}"
        for n, (nick, name) in enumerate(zip(nicks, game.players, strict=True), 1)
    ]
    pragmas = [
        ("title", header.title),
        ("description", header.description),
        ("id", header.identifier),
        ("lexicon", header.lexicon),
        ("tile-distribution", game.edition.name),
    ]
    lines += [f"#{name} {_one_line(text)}" for name, text in pragmas if text]
    lines += [f"#{name} {_one_line(text)}".rstrip() for name, text in header.others]
    lines += _note_lines(header.note)
    for step in game.steps:
        lines += _StepWriter(game, step, nicks).format_step()
    letters = game.edition.tokens
    lines += [f"#rack{n} {format_tokens(rack, letters)}" for n, rack in enumerate(header.racks, 1) if rack]
    lines += ["#incomplete"] if header.incomplete else []
    return "\n".join(lines) + "\n"


class _StepWriter:
    """Writes the lines of one step of a game."""

    def __init__(self, game: Game, step: Step, nicks: Sequence[str]) -> None:
        self.game = game
        self.step = step
        self.nicks = nicks
        self.letters = game.edition.tokens
        self.facts: dict[Fact, str] = {}

    def format_step(self) -> list[str]:
        event, score = self.step.event, self.step.score
        player = event.player
        match event:
            case PlayEvent():
                line = self.format_line(player, self.format_play_event(event), score)
            case PassEvent():
                line = self.format_line(player, f"{self.format_rack(event.rack)} -", score)
            case NoPlayEvent():
                self.facts[Fact.PASS_OR_EXCHANGE] = ""
                line = self.format_line(player, f"{self.format_rack(event.rack)} -", score)
            case ExchangeEvent():
                line = self.format_line(player, self.format_exchange(event), score)
            case WithdrawnEvent():
                if not event.turn_lost:
                    self.facts[Fact.TURN_KEPT] = ""
                line = self.format_line(player, f"{self.taken_back_rack()} --", score, minus=True)
            case ChallengeEvent():
                line = "\n".join(self.format_challenge(event))
            case ClockPenalty():
                line = self.format_line(
                    player, f"{self.placeholder()} (time)", score, minus=event.points >= 0
                )
            case EndRack():
                tiles = self.format_tiles(event.tiles)
                text = f"({tiles})" if event.gained else f"{tiles} ({tiles})"
                line = self.format_line(player, text, score, minus=not event.gained)
            case _:  # EndBonus, the last kind
                line = self.format_line(player, "()", score)
        return [line, *_note_lines("\n".join(filter(None, (format_facts(self.facts), event.note))))]

    def format_line(self, player: int, text: str, score: int, *, minus: bool = False) -> str:
        sign = "-" if minus or score < 0 else "+"
        return f">{self.nicks[player]}: {text} {sign}{abs(score)} {self.step.after.totals[player]}"

    def format_tiles(self, tiles: Sequence[str]) -> str:
        return format_tokens(tiles, self.letters)

    def placeholder(self) -> str:
        """Return an unseen tile, in place of an unknown rack: other programs require a rack from the bag."""
        unseen = unseen_tiles(self.step.before.board, self.game.edition)
        return self.format_tiles((next(iter(unseen), BLANK) if unseen else BLANK,))

    def format_rack(self, rack: tuple[str, ...] | None) -> str:
        if rack:
            return self.format_tiles(rack)
        self.facts[Fact.RACK_UNKNOWN] = ""
        return self.placeholder()

    def format_play_event(self, event: PlayEvent) -> str:
        """Return rack, position and word, with dots for old tiles."""
        known = self._name_blanks(event)
        if self.step.scored is not None and self.step.scored.unvalued:
            blanks = self.step.scored.unvalued
            self.facts[Fact.SCORE_INCOMPLETE] = " ".join(format_square(p.row, p.column) for p in blanks)
        try:
            if self.step.scored is None:
                text = format_play(Play(placements=tuple(known.values())), self.letters)
            else:
                word = self.step.scored.main_word
                down, right = word.direction.value
                squares = ((word.row + down * i, word.column + right * i) for i in range(len(word.tokens)))
                tokens = [known[square].token if square in known else EMPTY for square in squares]
                text = f"{word.position} {self.format_tiles(tokens)}"
            return f"{self.play_rack(event)} {text}"
        except (IllegalPlayError, NotationError):
            # GCG cannot express tiles off one line, or a tile of another edition
            self.facts = {Fact.UNPLAYABLE: " ".join(format_square(p.row, p.column) for p in event.play)}
            return f"{self.placeholder()} -"

    def _name_blanks(self, event: PlayEvent) -> dict[tuple[int, int], Placement]:
        """Return the tiles by square; unknown blanks get a letter, as other programs refuse ``?`` in a word."""
        unknown = [each for each in event.play if each.token == BLANK]
        if unknown:
            self.facts[Fact.UNKNOWN_BLANKS] = " ".join(
                format_square(each.row, each.column) for each in unknown
            )
        letter = as_blank(self.letters[0])
        return {
            (each.row, each.column): replace(each, token=letter) if each in unknown else each
            for each in event.play
        }

    def format_exchange(self, event: ExchangeEvent) -> str:
        if event.tiles:
            return f"{self.format_tiles(event.rack or event.tiles)} -{self.format_tiles(event.tiles)}"
        if event.count:
            return f"{self.format_rack(event.rack)} -{event.count}"
        self.facts[Fact.EXCHANGE] = ""
        return f"{self.format_rack(event.rack)} -"

    def taken_back_rack(self) -> str:
        """Return the rack of the play that is taken back; other programs require it on this line too."""
        play = self.step.taken_back
        event = self.game.events[play.index] if play is not None else None
        if not isinstance(event, PlayEvent):
            return self.placeholder()
        return self.play_rack(event)

    def play_rack(self, event: PlayEvent) -> str:
        """Return the rack before a play, or the tiles played if it is not known."""
        tiles = tuple(bag_tile(each.token) for each in event.play)
        return self.format_tiles(event.rack or tiles)

    def format_challenge(self, event: ChallengeEvent) -> list[str]:
        player, challenger = event.player, event.challenger
        if event.upheld:
            self.facts[Fact.CHALLENGED if challenger is None else Fact.CHALLENGED_BY] = (
                "" if challenger is None else self.nicks[challenger]
            )
            return [self.format_line(player, f"{self.taken_back_rack()} --", self.step.score, minus=True)]
        gained, lost = self.step.score, 0 if challenger is None else self.step.changes[challenger]
        won = self.format_line(player, f"{self.placeholder()} (challenge)", gained)
        if challenger is None:
            return [won]
        rule = self.game.edition.challenge
        turn_lost = rule.valid_turn if event.turn_lost is None else event.turn_lost
        if turn_lost and not (lost or gained):
            self.facts[Fact.CHALLENGE_FAILED] = ""
            return [self.format_line(challenger, f"{self.format_rack(None)} -", 0)]
        if turn_lost is not rule.valid_turn:
            self.facts[Fact.TURN_LOST if turn_lost else Fact.TURN_KEPT] = ""
        if lost:
            line = self.format_line(challenger, f"{self.placeholder()} (challenge)", lost)
            return [won, line] if gained else [line]
        self.facts[Fact.CHALLENGED_BY] = self.nicks[challenger]
        return [won]


def _make_nicks(players: Sequence[str]) -> tuple[str, ...]:
    """Make nicknames: names with underscores for spaces, and a number to keep them different."""
    nicks: list[str] = []
    for number, name in enumerate(players, 1):
        nick = "_".join(name.split())
        while nick in nicks:
            nick = f"{nick}_{number}"
        nicks.append(nick)
    return tuple(nicks)


def _one_line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def _note_lines(note: str) -> list[str]:
    """Return a note as lines of the file, without blank lines: other programs require text after ``#note``."""
    return [f"#note {_one_line(line)}" for line in note.splitlines() if line.strip()]
