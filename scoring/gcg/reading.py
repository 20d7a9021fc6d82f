"""Who plays in a GCG file: nicknames and names.

Which edition a GCG file is of: what it says of its tiles, else the name of its word list.

GCG text to a game, whatever program wrote it.

Two passes: the pragmas say who plays and with which tiles, then each event's line is understood on the
board as it stands by then. A line that makes no sense is a problem with its number, and reading goes on.
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
from scoring.gcg.plays import covering, play_of_line, tile_readings
from scoring.gcg.record import GcgHeader, GcgLine, GcgRecord
from scoring.gcg.text import GcgEntry, GcgProblem, GcgScript, RawAction, decode_gcg, split_lines

__all__ = ["edition_of", "parse_gcg", "players_of", "read_gcg"]

_MAX_PLAYERS = 4


def players_of(script: GcgScript) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Nicknames and names, from the pragmas or, where there is none, from the events.

    A pragma that cannot be used is added to the script's problems.

    Raises
    ------
    NotationError
        If nobody is named.
    """
    found: dict[str, str] = {}
    pragmas = [pragma for pragma in script.pragmas.items() if pragma[0].startswith("player")]
    for name, (number, text) in sorted(pragmas, key=lambda pragma: int(pragma[0][6:])):
        nick, _, full = text.partition(" ")
        if not nick or nick in found or len(found) == _MAX_PLAYERS:
            message = f"'#{name} {text}' is not used: expected a new nickname and a name, for at most 4"
            script.problems.append(GcgProblem(line=number, message=message))
            continue
        found[nick] = full.strip() or nick
    if not found:
        for entry in script.entries:
            if len(found) < _MAX_PLAYERS:
                found.setdefault(entry.raw.nick, entry.raw.nick)
    if not found:
        raise NotationError("the file names no player; write '#player1 nick Name' before the first event")
    alike = {name for name, count in Counter(found.values()).items() if count > 1}
    names = tuple(f"{name} ({nick})" if name in alike else name for nick, name in found.items())
    return tuple(found), names


_DEFAULT = "english"

# Beginnings of word lists' names and the edition whose tiles go with them, as Macondo, MAGPIE, Quackle and
# Woogles name them; digits are years or versions.
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
# Word lists whose tiles no shipped edition has.
_ELSEWHERE = {"DISC": "Catalan"}


def edition_of(distribution: str, notes: Iterable[str], lexicon: str) -> tuple[str, str]:
    """The name of a shipped edition, and one line on why it is a guess, empty where it is none.

    Parameters
    ----------
    distribution, lexicon : str
        The pragmas ``#tile-distribution`` and ``#lexicon``, empty where there is none.
    notes : iterable of str
        The notes before the first event, where Macondo wrote ``LetterDistribution: name`` before there was
        the pragma.
    """
    labels = (note.partition(":") for note in notes)
    named = [value for label, _, value in labels if label.strip() == "LetterDistribution"]
    for name in (distribution, *named):
        if name.strip().lower() in edition_names():
            return name.strip().lower(), ""
    guess = _edition_of_lexicon(lexicon)
    if distribution:
        return guess or _DEFAULT, _unknown(f"#tile-distribution {distribution}", guess)
    if lexicon and guess is None:
        return _DEFAULT, _unknown(f"#lexicon {lexicon}", guess)
    return guess or _DEFAULT, ""


def _edition_of_lexicon(lexicon: str) -> str | None:
    if lexicon.lower() in edition_names():
        return lexicon.lower()
    return next((tiles for tiles, starts in _LEXICA.items() if lexicon.upper().startswith(starts)), None)


def _unknown(pragma: str, guess: str | None) -> str:
    name = pragma.partition(" ")[2].upper()
    language = next((f"; it is {where}" for start, where in _ELSEWHERE.items() if name.startswith(start)), "")
    return f"'{pragma}' is no edition known here{language}; {guess or _DEFAULT} is taken instead"


_LARGEST_FILE = 4_000_000  # a game with long notes is a hundredth of that; a device never ends
# Macondo's note beside a pass that is a turn lost by a challenge in vain.
_FAILED_CHALLENGE = "#unsuccessful-challenge"


def read_gcg(path: str | Path, edition: Edition | None = None) -> GcgRecord:
    """The game that a GCG file records.

    Raises
    ------
    NotationError
        If the file is no GCG.
    OSError
        If the file cannot be read.
    """
    with Path(path).open("rb") as file:
        content = file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise NotationError(
            f"the file is larger than {_LARGEST_FILE} bytes, so it is no GCG; give a game's file"
        )
    return parse_gcg(content, edition)


def parse_gcg(content: str | bytes, edition: Edition | None = None) -> GcgRecord:
    """The game that a GCG text records.

    Parameters
    ----------
    content : str or bytes
        The file's content; bytes are decoded as the file says.
    edition : Edition, optional
        Whose tiles and rules. Without it ``#tile-distribution``, then ``#lexicon`` decide, else English.

    Raises
    ------
    NotationError
        If the text holds neither a pragma nor an event, or names no player.
    """
    lines, problems = (split_lines(content), ()) if isinstance(content, str) else decode_gcg(content)
    return _Reading(GcgScript.of(lines, problems), edition).record()


class _Reading:
    """A script being understood, event by event."""

    def __init__(self, script: GcgScript, edition: Edition | None) -> None:
        if not (script.entries or script.pragmas):
            raise NotationError(
                "no line is a GCG event or names a player; a GCG file has lines such as '#player1 a Ann'"
            )
        self.script = script
        self.problems = script.problems
        self.nicks, names = players_of(script)
        self.edition = edition or self._edition()
        self.game = Game(edition=self.edition, players=names)
        self.lines: list[GcgLine] = []

    def record(self) -> GcgRecord:
        for entry in self.script.entries:
            try:
                self._take(entry)
            except NotationError as error:
                self._problem(entry.number, str(error))
        for problem in self.game.problems:
            self._problem(self.lines[problem.index].number, problem.message, lost=False)
        return GcgRecord(
            game=self.game,
            header=self._header(),
            lines=tuple(self.lines),
            problems=tuple(sorted(self.problems, key=lambda problem: problem.line)),
        )

    def _problem(self, line: int, message: str, *, lost: bool = True) -> None:
        self.problems.append(GcgProblem(line=line, message=message, lost=lost))

    # The head of the file

    def _edition(self) -> Edition:
        distribution_line, distribution = self.script.pragmas.get("tile-distribution", (0, ""))
        lexicon_line, lexicon = self.script.pragmas.get("lexicon", (0, ""))
        name, problem = edition_of(distribution, self.script.notes, lexicon)
        if problem:
            self._problem(distribution_line or lexicon_line, problem, lost=False)
        return load_edition(name)

    def _header(self) -> GcgHeader:
        pragmas = self.script.pragmas
        racks: list[tuple[str, ...] | None] = [None] * len(self.nicks)
        for name, (number, text) in pragmas.items():
            player = int(name[4:]) - 1 if name.startswith("rack") else -1
            if name == "incomplete" and text:
                player = self.game.turn
            if 0 <= player < len(racks):
                racks[player] = covering(self._racks(number, text), Counter())
            elif name.startswith("rack"):
                self._problem(number, f"'#{name}' is the rack of a player who does not play")
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

    def _take(self, entry: GcgEntry) -> None:
        raw = entry.raw
        if raw.nick not in self.nicks:
            raise NotationError(
                f"player {raw.nick!r} is not among {', '.join(self.nicks)}; this line is left out"
            )
        player = self.nicks.index(raw.nick)
        event = self._event(entry, player)
        self.game = self.game.with_event(event)
        self.lines.append(GcgLine(number=entry.number, player=player, score=raw.score, total=raw.total))

    def _event(self, entry: GcgEntry, player: int) -> Event:
        raw, facts, note = entry.raw, entry.facts, entry.note
        match raw.action:
            case RawAction.PLAY:
                return self._play(entry, player)
            case RawAction.PASS:
                return self._pass(entry, player)
            case RawAction.EXCHANGE:
                return self._exchange(entry, player)
            case RawAction.WITHDRAWN if Fact.CHALLENGED in facts or Fact.CHALLENGED_BY in facts:
                challenger = self._challenger(entry, player)
                return ChallengeEvent(player=player, upheld=True, challenger=challenger, note=note)
            case RawAction.WITHDRAWN:
                return WithdrawnEvent(player=player, turn_lost=Fact.TURN_KEPT not in facts, note=note)
            case RawAction.CHALLENGE:
                return self._challenge(entry, player)
            case RawAction.TIME:
                return ClockPenalty(player=player, points=-(raw.score or 0), note=note)
            case _:  # RawAction.END_RACK, the last one
                return self._end_rack(entry, player)

    def _play(self, entry: GcgEntry, player: int) -> PlayEvent:
        raw = entry.raw
        unknown = {parse_square(text) for text in entry.facts.get(Fact.UNKNOWN_BLANKS, "").split()}
        racks = self._racks(entry.number, raw.rack)
        found = play_of_line(raw, self.game.state, player, self.edition, racks=racks, unknown=unknown)
        if found.regrouped:
            message = (
                f"{raw.tiles!r} is read as {found.regrouped}; "
                "its longest tiles do not fit the board, the score or the rack"
            )
            self._problem(entry.number, message, lost=False)
        return PlayEvent(player=player, play=found.play, rack=found.rack, note=entry.note)

    def _pass(self, entry: GcgEntry, player: int) -> Event:
        facts, note = entry.facts, entry.note
        rack = self._known_rack(entry)
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

    def _exchange(self, entry: GcgEntry, player: int) -> Event:
        text = entry.raw.tiles
        racks = () if Fact.RACK_UNKNOWN in entry.facts else self._racks(entry.number, entry.raw.rack)
        if text.isdecimal():
            rack = covering(racks, Counter())
            if int(text) == 0:
                return PassEvent(player=player, rack=rack, note=entry.note)
            return ExchangeEvent(player=player, count=int(text), rack=rack, note=entry.note)
        readings = self._tile_readings(text)
        pairs = ((tiles, rack) for tiles in readings for rack in racks if not Counter(tiles) - Counter(rack))
        first = racks[0] if racks else None
        tiles, rack = next(pairs, (readings[0], first))
        known = None if rack is None or Counter(rack) == Counter(tiles) else rack
        return ExchangeEvent(player=player, tiles=tiles, rack=known, note=entry.note)

    def _challenge(self, entry: GcgEntry, player: int) -> ChallengeEvent:
        score, rule = entry.raw.score or 0, self.edition.challenge
        if score >= 0:
            challenger = self._challenger(entry, player)
            return ChallengeEvent(
                player=player,
                upheld=False,
                challenger=challenger,
                bonus=score or None,
                penalty=0 if challenger is not None and rule.valid_points else None,
                turn_lost=None if challenger is None else self._turn_lost(entry.facts),
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
            turn_lost=self._turn_lost(entry.facts),
            note=entry.note,
        )

    def _challenged_by(self, player: int) -> int | None:
        """Whose play a player can have challenged: the latest that stands and is of somebody else."""
        return next((laid.player for laid in reversed(self.game.state.plays) if laid.player != player), None)

    def _challenger(self, entry: GcgEntry, player: int) -> int | None:
        nick = entry.facts.get(Fact.CHALLENGED_BY, "")
        challenger = self.nicks.index(nick) if nick in self.nicks else None
        if challenger == player:
            message = f"{nick} cannot have challenged the own play; read as a challenge by nobody known"
            self._problem(entry.number, message, lost=False)
            return None
        return challenger

    def _turn_lost(self, facts: dict[Fact, str]) -> bool | None:
        if Fact.TURN_LOST in facts:
            return True
        return False if Fact.TURN_KEPT in facts else None

    def _end_rack(self, entry: GcgEntry, player: int) -> Event:
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

    def _known_rack(self, entry: GcgEntry) -> tuple[str, ...] | None:
        if Fact.RACK_UNKNOWN in entry.facts:
            return None
        return covering(self._racks(entry.number, entry.raw.rack), Counter())

    def _racks(self, number: int, text: str) -> tuple[tuple[str, ...], ...]:
        """The ways to read a rack, those first that a rack can hold; none where there is none or no sense."""
        try:
            readings = self._tile_readings(text) if text else ()
        except NotationError:
            message = f"the rack {text!r} is not of {self.edition.name} tiles and is left out"
            self._problem(number, message, lost=False)
            return ()
        return tuple(sorted(readings, key=lambda rack: len(rack) > self.edition.rack_size))

    def _tile_readings(self, text: str) -> tuple[tuple[str, ...], ...]:
        """The ways to read tiles off the board, where a blank has no letter."""
        readings = tile_readings(text, self.edition.tokens)
        for token in readings[0]:
            if token not in self.edition.values:
                raise NotationError(f"{token!r} in {text!r} is no tile that a rack can hold")
        return readings
