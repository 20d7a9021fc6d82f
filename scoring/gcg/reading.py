"""Read a game from GCG, whatever program wrote it.

The pragmas come first: they name the players and the edition. Then each event line is read on the board after
the events before it. A line that cannot be read becomes a problem with its number, and reading continues.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from scoring.coordinates import parse_square
from scoring.edition import Edition
from scoring.editions import edition_names, load_edition
from scoring.errors import NotationError
from scoring.game import (
    MAX_PLAYERS,
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    Game,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.gcg.notes import Fact
from scoring.gcg.plays import Rack, choose_rack, find_tile_readings, read_play
from scoring.gcg.record import GcgHeader, GcgLine, GcgRecord
from scoring.gcg.text import GcgEntry, GcgProblem, GcgScript, RawAction, decode_gcg, split_lines

__all__ = ["parse_gcg", "read_gcg"]

_MAX_BYTES = 4_000_000  # of a file; a game with long notes has a hundredth of that, a device file never ends
_FAILED_CHALLENGE = "#unsuccessful-challenge"  # Macondo's note on a pass that is a turn lost by a challenge
_DEFAULT = "english"

# By edition, the prefixes of the names of its word lists in Macondo, MAGPIE, Quackle and Woogles. The rest of
# a name is a year or version.
_LEXICA = {
    "english": ("CSW", "NWL", "NSWL", "TWL", "OTCWL", "OWL", "OSWI", "OSPD", "SOWPODS", "ECWL", "CEL"),
    "french": ("FRA", "ODS"),
    "german": ("RD", "DEUTSCH"),
    "norwegian": ("NSF",),
    "polish": ("OSPS",),
    "spanish": ("FILE", "FISE"),
    "swedish": ("SAOL",),
    "dutch": ("SWL",),
}
# Word lists of languages without a shipped edition.
_OTHER_LANGUAGES = {"DISC": "Catalan"}


def read_gcg(path: str | Path, edition: Edition | None = None) -> GcgRecord:
    """Read a game from a GCG file.

    Parameters
    ----------
    path : str or Path
        The file.
    edition : Edition, optional
        As for `parse_gcg`.

    Raises
    ------
    NotationError
        If the file is not GCG.
    OSError
        If the file cannot be read.
    """
    with Path(path).open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise NotationError(
            f"the file is larger than {_MAX_BYTES} bytes, so it is no GCG; give a game's file"
        )
    return parse_gcg(content, edition)


def parse_gcg(content: str | bytes, edition: Edition | None = None) -> GcgRecord:
    """Read a game from GCG text.

    Parameters
    ----------
    content : str or bytes
        The content of the file; bytes are decoded as the file says.
    edition : Edition, optional
        The tiles and rules. By default ``#tile-distribution``, then ``#lexicon`` decide, else English.

    Raises
    ------
    NotationError
        If the text has neither a pragma nor an event, or names no player.
    """
    lines, problems = (split_lines(content), ()) if isinstance(content, str) else decode_gcg(content)
    return _Reader(GcgScript.from_lines(lines, problems), edition).read()


class _Reader:
    """Reads a sorted file, event by event."""

    def __init__(self, script: GcgScript, edition: Edition | None) -> None:
        if not (script.entries or script.pragmas):
            raise NotationError(
                "no line is a GCG event or names a player; a GCG file has lines such as '#player1 a Ann'"
            )
        self.script = script
        self.problems = script.problems
        self.nicks, names = _read_players(script)
        self.edition = edition or self._load_edition()
        self.game = Game(edition=self.edition, players=names)
        self.lines: list[GcgLine] = []

    def read(self) -> GcgRecord:
        for entry in self.script.entries:
            try:
                self._add_event(entry)
            except NotationError as error:
                self._add_problem(entry.number, str(error))
        for problem in self.game.problems:
            self._add_problem(self.lines[problem.index].number, problem.message, lost=False)
        return GcgRecord(
            game=self.game,
            header=self._read_header(),
            lines=tuple(self.lines),
            problems=tuple(sorted(self.problems, key=lambda problem: problem.line)),
        )

    def _add_problem(self, line: int, message: str, *, lost: bool = True) -> None:
        self.problems.append(GcgProblem(line=line, message=message, lost=lost))

    # The head of the file

    def _load_edition(self) -> Edition:
        distribution_line, distribution = self.script.pragmas.get("tile-distribution", (0, ""))
        lexicon_line, lexicon = self.script.pragmas.get("lexicon", (0, ""))
        name, problem = _find_edition(distribution, self.script.notes, lexicon)
        if problem:
            self._add_problem(distribution_line or lexicon_line, problem, lost=False)
        return load_edition(name)

    def _read_header(self) -> GcgHeader:
        pragmas = self.script.pragmas
        racks: list[Rack | None] = [None] * len(self.nicks)
        for name, (number, text) in pragmas.items():
            player = int(name[4:]) - 1 if name.startswith("rack") else -1
            if name == "incomplete" and text:
                player = self.game.turn
            if 0 <= player < len(racks):
                racks[player] = choose_rack(self._racks(number, text), Counter())
            elif name.startswith("rack"):
                self._add_problem(number, f"'#{name}' is the rack of a player who does not play")
        text_of = {name: text for name, (_, text) in pragmas.items()}
        return GcgHeader(
            title=text_of.get("title", ""),
            description=text_of.get("description", ""),
            identifier=text_of.get("id", ""),
            lexicon=text_of.get("lexicon", ""),
            nicks=self.nicks,
            racks=tuple(racks) if any(racks) else (),
            incomplete="incomplete" in pragmas,
            note="\n".join(self.script.notes),
            others=tuple(self.script.others),
        )

    # Events

    def _add_event(self, entry: GcgEntry) -> None:
        raw = entry.raw
        if raw.nick not in self.nicks:
            raise NotationError(
                f"player {raw.nick!r} is not among {', '.join(self.nicks)}; this line is left out"
            )
        player = self.nicks.index(raw.nick)
        event = self._read_event(entry, player)
        self.game = self.game.with_event(event)
        self.lines.append(GcgLine(number=entry.number, player=player, score=raw.score, total=raw.total))

    def _read_event(self, entry: GcgEntry, player: int) -> Event:
        raw, facts, note = entry.raw, entry.facts, entry.note
        match raw.action:
            case RawAction.PLAY:
                return self._read_play(entry, player)
            case RawAction.PASS:
                return self._read_pass(entry, player)
            case RawAction.EXCHANGE:
                return self._read_exchange(entry, player)
            case RawAction.WITHDRAWN if Fact.CHALLENGED in facts or Fact.CHALLENGED_BY in facts:
                challenger = self._challenger(entry, player)
                return ChallengeEvent(player=player, upheld=True, challenger=challenger, note=note)
            case RawAction.WITHDRAWN:
                return WithdrawnEvent(player=player, turn_lost=Fact.TURN_KEPT not in facts, note=note)
            case RawAction.CHALLENGE:
                return self._read_challenge(entry, player)
            case RawAction.TIME:
                return ClockPenalty(player=player, points=-(raw.score or 0), note=note)
            case _:  # RawAction.END_RACK, the last one
                return self._read_end_rack(entry, player)

    def _read_play(self, entry: GcgEntry, player: int) -> PlayEvent:
        raw = entry.raw
        unknown = {parse_square(text) for text in entry.facts.get(Fact.UNKNOWN_BLANKS, "").split()}
        racks = self._racks(entry.number, raw.rack)
        found = read_play(raw, self.game.state, player, self.edition, racks=racks, unknown=unknown)
        if found.regrouped:
            message = (
                f"{raw.tiles!r} is read as {found.regrouped}; "
                "its longest tiles do not fit the board, the score or the rack"
            )
            self._add_problem(entry.number, message, lost=False)
        return PlayEvent(player=player, play=found.play, rack=found.rack, note=entry.note)

    def _read_pass(self, entry: GcgEntry, player: int) -> Event:
        facts, note = entry.facts, entry.note
        rack = self._read_rack(entry)
        if Fact.PASS_OR_EXCHANGE in facts:
            return NoPlayEvent(player=player, rack=rack, note=note)
        if Fact.EXCHANGE in facts:
            return ExchangeEvent(player=player, rack=rack, note=note)
        if Fact.CHALLENGE_FAILED in facts or _FAILED_CHALLENGE in note:
            challenged = self._challenged_by(player)
            rule = self.edition.challenge
            if challenged is not None:
                return ChallengeEvent(
                    player=challenged,
                    upheld=False,
                    challenger=player,
                    penalty=0 if rule.valid_points else None,
                    turn_lost=None if rule.valid_turn else True,
                    note=note,
                )
        return PassEvent(player=player, rack=rack, note=note)

    def _read_exchange(self, entry: GcgEntry, player: int) -> Event:
        text = entry.raw.tiles
        racks = () if Fact.RACK_UNKNOWN in entry.facts else self._racks(entry.number, entry.raw.rack)
        if text.isdecimal():
            rack = choose_rack(racks, Counter())
            if int(text) == 0:
                return PassEvent(player=player, rack=rack, note=entry.note)
            return ExchangeEvent(player=player, count=int(text), rack=rack, note=entry.note)
        readings = self._tile_readings(text)
        pairs = ((tiles, rack) for tiles in readings for rack in racks if not Counter(tiles) - Counter(rack))
        first = racks[0] if racks else None
        tiles, rack = next(pairs, (readings[0], first))
        known = None if rack is None or Counter(rack) == Counter(tiles) else rack
        return ExchangeEvent(player=player, tiles=tiles, rack=known, note=entry.note)

    def _read_challenge(self, entry: GcgEntry, player: int) -> ChallengeEvent:
        score, rule = entry.raw.score or 0, self.edition.challenge
        if score >= 0:
            challenger = self._challenger(entry, player)
            return ChallengeEvent(
                player=player,
                upheld=False,
                challenger=challenger,
                bonus=score or None,
                penalty=0 if challenger is not None and rule.valid_points else None,
                turn_lost=None if challenger is None else _turn_lost(entry.facts),
                note=entry.note,
            )
        challenged = self._challenged_by(player)
        if challenged is None:
            raise NotationError(
                "points are lost by a challenge, but no play stands that was challenged, the own ones aside"
            )
        return ChallengeEvent(
            player=challenged,
            upheld=False,
            challenger=player,
            penalty=None if rule.valid_points else -score,
            turn_lost=_turn_lost(entry.facts),
            note=entry.note,
        )

    def _challenged_by(self, player: int) -> int | None:
        """Return the player whose play `player` challenged: the latest on the board by somebody else."""
        return next((play.player for play in reversed(self.game.state.plays) if play.player != player), None)

    def _challenger(self, entry: GcgEntry, player: int) -> int | None:
        """Return the player who challenged `player`, None if it is not known."""
        nick = entry.facts.get(Fact.CHALLENGED_BY, "")
        challenger = self.nicks.index(nick) if nick in self.nicks else None
        if challenger == player:
            message = f"{nick} cannot have challenged the own play; read as a challenge by nobody known"
            self._add_problem(entry.number, message, lost=False)
            return None
        return challenger

    def _read_end_rack(self, entry: GcgEntry, player: int) -> Event:
        raw, note = entry.raw, entry.note
        score = raw.score or 0
        if not raw.tiles:
            return EndBonus(player=player, points=score, note=note)
        gained = score > 0 or (score == 0 and not raw.rack)
        values = {tiles: sum(map(self.edition.value_of, tiles)) for tiles in self._tile_readings(raw.tiles)}
        printed = {abs(score), abs(score) / 2} if gained else {abs(score)}
        tiles = next((each for each, value in values.items() if value in printed), next(iter(values)))
        doubled = gained and values[tiles] > 0 and score == 2 * values[tiles]
        return EndRack(player=player, tiles=tiles, gained=gained, doubled=doubled, note=note)

    def _read_rack(self, entry: GcgEntry) -> Rack | None:
        if Fact.RACK_UNKNOWN in entry.facts:
            return None
        return choose_rack(self._racks(entry.number, entry.raw.rack), Counter())

    def _racks(self, number: int, text: str) -> tuple[Rack, ...]:
        """Return the readings of a rack, those first that are not too long; empty without a readable rack."""
        try:
            readings = self._tile_readings(text) if text else ()
        except NotationError:
            message = f"the rack {text!r} is not of {self.edition.name} tiles and is left out"
            self._add_problem(number, message, lost=False)
            return ()
        return tuple(sorted(readings, key=lambda rack: len(rack) > self.edition.rack_size))

    def _tile_readings(self, text: str) -> tuple[Rack, ...]:
        """Return the readings of tiles that are not on the board, where a blank has no letter."""
        readings = find_tile_readings(text, self.edition.tokens)
        for token in readings[0]:
            if token not in self.edition.values:
                raise NotationError(f"{token!r} in {text!r} is no tile that a rack can hold")
        return readings


def _turn_lost(facts: dict[Fact, str]) -> bool | None:
    """Return whether the challenger loses a turn, None if the file does not say so."""
    if Fact.TURN_LOST in facts:
        return True
    return False if Fact.TURN_KEPT in facts else None


def _read_players(script: GcgScript) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the nicknames and the names, from the pragmas or, without these, from the events.

    A pragma that cannot be used is added to the problems of the script.

    Raises
    ------
    NotationError
        If no player is named.
    """
    found: dict[str, str] = {}
    pragmas = [pragma for pragma in script.pragmas.items() if pragma[0].startswith("player")]
    for name, (number, text) in sorted(pragmas, key=lambda pragma: int(pragma[0][6:])):
        nick, _, full = text.partition(" ")
        if not nick or nick in found or len(found) == MAX_PLAYERS:
            message = f"'#{name} {text}' is not used: expected a new nickname and a name, for at most 4"
            script.problems.append(GcgProblem(line=number, message=message))
            continue
        found[nick] = full.strip() or nick
    if not found:
        for entry in script.entries:
            if len(found) < MAX_PLAYERS:
                found.setdefault(entry.raw.nick, entry.raw.nick)
    if not found:
        raise NotationError("the file names no player; write '#player1 nick Name' before the first event")
    shared = {name for name, count in Counter(found.values()).items() if count > 1}
    names = tuple(f"{name} ({nick})" if name in shared else name for nick, name in found.items())
    return tuple(found), names


def _find_edition(distribution: str, notes: Iterable[str], lexicon: str) -> tuple[str, str]:
    """Return the name of a shipped edition, and why it is a guess; empty if it is not.

    Parameters
    ----------
    distribution, lexicon : str
        The pragmas ``#tile-distribution`` and ``#lexicon``, empty if missing.
    notes : iterable of str
        The notes before the first event. Macondo wrote ``LetterDistribution: name`` there before the pragma
        existed.
    """
    labels = (note.partition(":") for note in notes)
    named = [value for label, _, value in labels if label.strip() == "LetterDistribution"]
    for name in (distribution, *named):
        if name.strip().lower() in edition_names():
            return name.strip().lower(), ""
    guess = _edition_of_lexicon(lexicon)
    if distribution:
        return guess or _DEFAULT, _format_guess(f"#tile-distribution {distribution}", guess)
    if lexicon and guess is None:
        return _DEFAULT, _format_guess(f"#lexicon {lexicon}", guess)
    return guess or _DEFAULT, ""


def _edition_of_lexicon(lexicon: str) -> str | None:
    if lexicon.lower() in edition_names():
        return lexicon.lower()
    return next((tiles for tiles, starts in _LEXICA.items() if lexicon.upper().startswith(starts)), None)


def _format_guess(pragma: str, guess: str | None) -> str:
    name = pragma.partition(" ")[2].upper()
    language = next(
        (f"; it is {where}" for start, where in _OTHER_LANGUAGES.items() if name.startswith(start)), ""
    )
    return f"'{pragma}' is no edition known here{language}; {guess or _DEFAULT} is taken instead"
