"""GCG text to a game, whatever program wrote it.

Two passes: the pragmas say who plays and with which tiles, then each event's line is understood on the
board as it stands by then. A line that makes no sense is a problem with its number, and reading goes on.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from scoring.coordinates import format_square, parse_position, parse_square
from scoring.edition import Edition, edition_names, load_edition
from scoring.errors import IllegalPlayError, NotationError
from scoring.events import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.game import Game
from scoring.gcg_lines import GcgProblem, RawAction, decode_gcg, split_lines
from scoring.gcg_record import Fact, GcgHeader, GcgLine, GcgRecord
from scoring.gcg_script import GcgEntry, GcgScript
from scoring.gcg_words import Word, word_readings
from scoring.play import Play
from scoring.score import score_play
from scoring.tiles import BLANK, EMPTY, designated, format_tokens, is_blank, parse_tokens

__all__ = ["parse_gcg", "read_gcg"]

_MOST_PLAYERS = 4
_LARGEST_FILE = 4_000_000  # a game with long notes is a hundredth of that; a device never ends
_DEFAULT_EDITION = "english"
# Beginnings of lexicon names, as Macondo and Woogles use them to find the tiles.
_LEXICA = {
    "CSW": "english",
    "NWL": "english",
    "TWL": "english",
    "OWL": "english",
    "OSPD": "english",
    "ECWL": "english",
    "CEL": "english",
    "FRA": "french",
    "RD": "german",
    "NSF": "norwegian",
    "OSPS": "polish",
    "FILE": "spanish",
    "FISE": "spanish",
}
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
        self.nicks, names = self._players()
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

    def _players(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nicknames and names, from the pragmas or, where there is none, from the events."""
        found: dict[str, str] = {}
        pragmas = [pragma for pragma in self.script.pragmas.items() if pragma[0].startswith("player")]
        for name, (number, text) in sorted(pragmas, key=lambda pragma: int(pragma[0][6:])):
            nick, _, full = text.partition(" ")
            if not nick or nick in found or len(found) == _MOST_PLAYERS:
                self._problem(
                    number, f"'#{name} {text}' is not used: expected a new nickname and a name, for at most 4"
                )
                continue
            found[nick] = full.strip() or nick
        if not found:
            for entry in self.script.entries:
                if len(found) < _MOST_PLAYERS:
                    found.setdefault(entry.raw.nick, entry.raw.nick)
        if not found:
            raise NotationError("the file names no player; write '#player1 nick Name' before the first event")
        alike = {name for name, count in Counter(found.values()).items() if count > 1}
        names = tuple(f"{name} ({nick})" if name in alike else name for nick, name in found.items())
        return tuple(found), names

    def _edition(self) -> Edition:
        number, name = self.script.pragmas.get("tile-distribution", (0, ""))
        if name.lower() in edition_names():
            return load_edition(name.lower())
        for note in self.script.notes:  # Macondo's form before there was the pragma
            label, _, value = note.partition(":")
            if label.strip() == "LetterDistribution" and value.strip().lower() in edition_names():
                return load_edition(value.strip().lower())
        lexicon_number, lexicon = self.script.pragmas.get("lexicon", (0, ""))
        guess = next((tiles for start, tiles in _LEXICA.items() if lexicon.upper().startswith(start)), None)
        guess = lexicon.lower() if lexicon.lower() in edition_names() else guess
        if name or (lexicon and guess is None):
            pragma = f"#tile-distribution {name}" if name else f"#lexicon {lexicon}"
            self._problem(
                number or lexicon_number,
                f"'{pragma}' is no edition known here; {guess or _DEFAULT_EDITION} is taken instead",
                lost=False,
            )
        return load_edition(guess or _DEFAULT_EDITION)

    def _header(self) -> GcgHeader:
        pragmas = self.script.pragmas
        racks: list[tuple[str, ...] | None] = [None] * len(self.nicks)
        for name, (number, text) in pragmas.items():
            player = int(name[4:]) - 1 if name.startswith("rack") else -1
            if name == "incomplete" and text:
                player = self.game.turn
            if 0 <= player < len(racks):
                racks[player] = self._rack(number, text)
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
                challenger = self._challenger(facts)
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
        """The first reading of the line's word that is legal and scores what is printed, else the first at all."""
        raw, letters = entry.raw, self.edition.tokens
        rack = self._rack(entry.number, raw.rack)
        first: tuple[int, Word, PlayEvent] | None = None
        refusals: list[NotationError] = []
        for number, word in enumerate(word_readings(raw.tiles, letters)):
            try:
                event = self._play_of(word, entry, player, rack)
            except NotationError as error:
                refusals.append(error)
                continue
            if self._fits(event, entry):
                first = number, word, event
                break
            first = first or (number, word, event)
        if first is None:
            raise refusals[0]
        number, word, event = first
        if number:
            tiles = format_tokens([token for token, _ in word], letters)
            message = f"{raw.tiles!r} is read as {tiles}; its longest tiles do not fit the board or the score"
            self._problem(entry.number, message, lost=False)
        return event

    def _fits(self, event: PlayEvent, entry: GcgEntry) -> bool:
        try:
            scored = score_play(self.game.board, event.play, self.edition)
        except IllegalPlayError:
            return False
        return entry.raw.score in (None, scored.total)

    def _play_of(self, word: Word, entry: GcgEntry, player: int, rack: tuple[str, ...] | None) -> PlayEvent:
        raw, board = entry.raw, self.game.board
        row, column, direction = parse_position(raw.position)
        down, right = direction.value
        play = []
        for index, (token, old) in enumerate(word):
            square = row + down * index, column + right * index
            there = board[square] if board.holds(*square) else EMPTY
            if old and (there == EMPTY or token not in (EMPTY, there, designated(there))):
                what = "where no tile lies" if there == EMPTY else f"where {there} lies"
                raise NotationError(f"{raw.tiles!r} has an old tile on {format_square(*square)}, {what}")
            if not old and there != token:
                play.append((*square, token))
        if not play:
            raise NotationError(f"{raw.position} {raw.tiles} lays no tile; write the new tiles as letters")
        unknown = {parse_square(text) for text in entry.facts.get(Fact.UNKNOWN_BLANKS, "").split()}
        play = [(r, c, BLANK if (r, c) in unknown else token) for r, c, token in play]
        tiles = Counter(BLANK if is_blank(token) else token for _, _, token in play)
        # a rack of just the tiles played is what writers put who know no more
        rack = None if rack is not None and Counter(rack) == tiles else rack
        return PlayEvent(player=player, play=Play.of(play), rack=rack, note=entry.note)

    def _pass(self, entry: GcgEntry, player: int) -> Event:
        facts, note = entry.facts, entry.note
        rack = self._known_rack(entry)
        if Fact.PASS_OR_EXCHANGE in facts:
            return NoPlayEvent(player=player, rack=rack, note=note)
        if Fact.EXCHANGE in facts:
            return ExchangeEvent(player=player, rack=rack, note=note)
        laid = self.game.state.laid
        if (Fact.CHALLENGE_FAILED in facts or _FAILED_CHALLENGE in note) and laid:
            return ChallengeEvent(player=laid[-1].player, upheld=False, challenger=player, note=note)
        return PassEvent(player=player, rack=rack, note=note)

    def _exchange(self, entry: GcgEntry, player: int) -> Event:
        rack, tiles = self._known_rack(entry), entry.raw.tiles
        if not tiles.isdecimal():
            exchanged = self._tiles(tiles)
            rack = None if rack is not None and Counter(rack) == Counter(exchanged) else rack
            return ExchangeEvent(player=player, tiles=exchanged, rack=rack, note=entry.note)
        if int(tiles) == 0:
            return PassEvent(player=player, rack=rack, note=entry.note)
        return ExchangeEvent(player=player, count=int(tiles), rack=rack, note=entry.note)

    def _challenge(self, entry: GcgEntry, player: int) -> ChallengeEvent:
        score, rule = entry.raw.score or 0, self.edition.challenge
        if score >= 0:
            challenger = self._challenger(entry.facts)
            return ChallengeEvent(
                player=player,
                upheld=False,
                challenger=challenger,
                bonus=score or None,
                penalty=0 if challenger is not None and rule.valid_points else None,
                note=entry.note,
            )
        laid = self.game.state.laid
        if not laid:
            raise NotationError("points are lost by a challenge, but no play stands that was challenged")
        return ChallengeEvent(
            player=laid[-1].player,
            upheld=False,
            challenger=player,
            penalty=None if rule.valid_points else -score,
            note=entry.note,
        )

    def _challenger(self, facts: dict[Fact, str]) -> int | None:
        nick = facts.get(Fact.CHALLENGED_BY, "")
        return self.nicks.index(nick) if nick in self.nicks else None

    def _end_rack(self, entry: GcgEntry, player: int) -> Event:
        raw, note = entry.raw, entry.note
        tiles = self._tiles(raw.tiles)
        score = raw.score or 0
        if not tiles:
            return EndBonus(player=player, points=score, note=note)
        gained = score > 0 or (score == 0 and not raw.rack)
        value = sum(map(self.edition.value_of, tiles))
        doubled = gained and value > 0 and score == 2 * value
        return EndRack(player=player, tiles=tiles, gained=gained, doubled=doubled, note=note)

    def _known_rack(self, entry: GcgEntry) -> tuple[str, ...] | None:
        return None if Fact.RACK_UNKNOWN in entry.facts else self._rack(entry.number, entry.raw.rack)

    def _rack(self, number: int, text: str) -> tuple[str, ...] | None:
        if not text:
            return None
        try:
            return self._tiles(text)
        except NotationError:
            message = f"the rack {text!r} is not of {self.edition.name} tiles and is left out"
            self._problem(number, message, lost=False)
            return None

    def _tiles(self, text: str) -> tuple[str, ...]:
        """Tiles as they are on a rack, where a blank has no letter."""
        tokens = parse_tokens(text, self.edition.tokens)
        for token in tokens:
            if token not in self.edition.values:
                raise NotationError(f"{token!r} in {text!r} is no tile that a rack can hold")
        return tokens
