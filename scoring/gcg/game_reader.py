"""Read the events of a sorted GCG file on the board after the events before them.

A line that cannot be read becomes a problem with its number, and reading continues.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from scoring.coordinates import parse_square
from scoring.edition import Edition
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
    Step,
    WithdrawnEvent,
    advance,
    check_event,
    initial_state,
    missing_tiles,
)
from scoring.gcg.notes import Fact
from scoring.gcg.plays import (
    Rack,
    choose_rack,
    find_known_rack,
    find_tile_readings,
    read_play,
    read_unplayable,
)
from scoring.gcg.record import GcgHeader, GcgLine, GcgRecord, make_nicks
from scoring.gcg.text import GcgEntry, GcgProblem, GcgScript, RawAction, RawEvent
from scoring.play import parse_play

__all__ = ["GameReader"]

_MAX_EVENTS = 2_000  # of one game; the longest ones have some hundred
_FAILED_CHALLENGE = "#unsuccessful-challenge"  # Macondo's note on a pass that is a turn lost by a challenge


class GameReader:
    """Reads a sorted file, event by event.

    Parameters
    ----------
    script : GcgScript
        The lines of the file.
    edition : Edition
        The tiles and rules.
    """

    def __init__(self, script: GcgScript, edition: Edition) -> None:
        self.script = script
        self.problems = list(script.problems)
        self.edition = edition
        self.bracketed = not edition.has_digraphs or script.is_bracketed(edition)
        self.file_nicks, self.nicks, self.names = _read_players(script, self.problems)
        self.state = initial_state(edition, len(self.names))
        self.steps: list[Step] = []
        self.lines: list[GcgLine] = []

    def read(self) -> GcgRecord:
        """Read all events, and return the record of the file."""
        for entry in self.script.entries:
            try:
                self._add_entry(entry)
            except NotationError as error:
                self._add_problem(entry.number, str(error))
            if len(self.steps) > _MAX_EVENTS:
                message = (
                    f"more than {_MAX_EVENTS:,} events; no line after it is read; write a file for each game"
                )
                self._add_problem(entry.number, message)
                break
        for step in self.steps:
            for problem in step.problems:
                self._add_problem(self.lines[problem.index].number, problem.message, lost=False)
        game = Game.of_steps(self.edition, self.names, self.steps)
        return GcgRecord(
            game=game,
            header=self._read_header(),
            lines=tuple(self.lines),
            problems=tuple(sorted(self.problems, key=lambda problem: problem.line)),
        )

    def _add_problem(self, line: int, message: str, *, lost: bool = True) -> None:
        self.problems.append(GcgProblem(line=line, message=message, lost=lost))

    # The head of the file

    def _read_header(self) -> GcgHeader:
        pragmas = self.script.pragmas
        racks: list[Rack | None] = [None] * len(self.nicks)
        for name, (number, text) in pragmas.items():
            player = int(name[4:]) - 1 if name.startswith("rack") else -1
            if name == "incomplete" and text:
                player = self.state.turn
            if 0 <= player < len(racks):
                racks[player] = self._read_last_rack(number, text)
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
            incomplete="incomplete" in pragmas
            or any(Fact.INCOMPLETE in e.facts for e in self.script.entries),
            note="\n".join(self.script.notes),
            others=tuple(self.script.others),
        )

    def _read_last_rack(self, number: int, text: str) -> Rack | None:
        rack = choose_rack(self._racks(number, text), Counter())
        if missing := missing_tiles(rack or (), self.state.board, self.edition):
            tiles = " ".join(sorted(missing.elements()))
            self._add_problem(number, f"the rack {text} is not in the bag: {tiles} is too much", lost=False)
        return rack

    # Events

    def _add_entry(self, entry: GcgEntry) -> None:
        """Add the events of a line: its own, and those that its notes name."""
        facts, player = entry.facts, self._find_player(entry.raw)
        for text in filter(None, facts.get(Fact.FIRST_TRIED, "").split(", ")):
            play = parse_play(text, self.edition, self.state.board, bracketed=True)
            self._add_event(PlayEvent(player=player, play=play), entry)
            self._add_event(WithdrawnEvent(player=player, turn_lost=False), entry)
        if Fact.SETTLED_EACH in facts and entry.raw.action is RawAction.TIME and self._is_after_gain():
            self._read_settlement(entry, player)
            return
        event = self._read_event(entry, player)
        self._add_event(event, entry, player, entry.raw.score, entry.raw.total)
        if isinstance(event, PlayEvent) and Fact.CHALLENGE_FAILED in facts:
            self._add_event(self._make_failed_challenge(entry, player, Fact.CHALLENGE_FAILED), entry)
        for nick in facts.get(Fact.PASSED_AFTER_END, "").split():
            if nick in self.nicks:
                self._add_event(PassEvent(player=self.nicks.index(nick)), entry)

    def _add_event(
        self,
        event: Event,
        entry: GcgEntry,
        player: int | None = None,
        score: int | None = None,
        total: int | None = None,
    ) -> None:
        check_event(event, self.names, self.edition)
        step = advance(self.state, event, len(self.steps), self.edition, self.names)
        self.steps.append(step)
        self.state = step.after
        player = event.player if player is None else player
        self.lines.append(GcgLine(number=entry.number, player=player, score=score, total=total))

    def _find_player(self, raw: RawEvent) -> int:
        """Return the player of a line; players of one nickname are distinguished by their totals and the turn."""
        players = [player for player, nick in enumerate(self.file_nicks) if nick == raw.nick]
        if not players:
            raise NotationError(
                f"player {raw.nick!r} is not among {', '.join(self.nicks)}; this line is left out"
            )
        if len(players) == 1:
            return players[0]
        totals = self.state.totals
        fitting = [player for player in players if totals[player] + (raw.score or 0) == raw.total]
        if len(fitting) == 1:
            return fitting[0]
        plays = self.state.plays
        likely = plays[-1].player if plays and raw.action is RawAction.WITHDRAWN else self.state.turn
        return likely if likely in players else players[0]

    def _is_after_gain(self) -> bool:
        """Return whether the event before is a gain of the other's tiles."""
        event = self.steps[-1].event if self.steps else None
        return isinstance(event, EndRack) and event.gained

    def _read_settlement(self, entry: GcgEntry, player: int) -> None:
        """Read a time penalty that stands for the settlement of the own tiles of each player.

        The penalty of the player who went out completes the gain of twice the tiles on the line before.
        """
        raw, last = entry.raw, self.lines[-1]
        if last.player == player:
            score = None if last.score is None or raw.score is None else last.score + raw.score
            penalty = GcgLine(number=entry.number, player=player, score=raw.score, total=raw.total)
            self.lines[-1] = replace(last, score=score, total=raw.total, parts=(last, penalty))
            return
        tiles = choose_rack(self._racks(entry.number, raw.rack), Counter()) or ()
        event = EndRack(player=player, tiles=tiles, note=entry.note)
        if player > last.player:
            self._add_event(event, entry, player, raw.score, raw.total)
            return
        # settlements are in the order of the players, but other programs want the gain first
        gain = self.steps.pop()
        self.lines.pop()
        self.state = gain.before
        self._add_event(event, entry, player, raw.score, raw.total)
        self._add_event(gain.event, entry)
        self.lines[-1] = last

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
        found = read_play(
            raw, self.state, player, self.edition, racks=racks, unknown=unknown, bracketed=self.bracketed
        )
        if found.regrouped:
            message = (
                f"{raw.tiles!r} is read as {found.regrouped}; "
                "its longest tiles do not fit the board, the score or the rack"
            )
            self._add_problem(entry.number, message, lost=False)
        rack = None if Fact.RACK_DEDUCED in entry.facts else found.rack
        return PlayEvent(player=player, play=found.play, rack=rack, note=entry.note)

    def _read_pass(self, entry: GcgEntry, player: int) -> Event:
        facts, note = entry.facts, entry.note
        rack = self._read_rack(entry)
        play = read_unplayable(facts.get(Fact.UNPLAYABLE, ""), self.edition)
        if play is not None:
            return PlayEvent(player=player, play=play, rack=rack, note=note)
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
        if text.isdecimal() and len(text) < 10:  # longer ones are no number of tiles
            rack = choose_rack(racks, Counter())
            if int(text) == 0:
                return PassEvent(player=player, rack=rack, note=entry.note)
            return ExchangeEvent(player=player, count=int(text), rack=rack, note=entry.note)
        readings = self._tile_readings(text)
        if Fact.TILES_UNKNOWN in entry.facts:
            rack = choose_rack(racks, Counter())
            return ExchangeEvent(player=player, count=len(readings[0]), rack=rack, note=entry.note)
        pairs = ((tiles, rack) for tiles in readings for rack in racks if not Counter(tiles) - Counter(rack))
        first = racks[0] if racks else None
        tiles, rack = next(pairs, (readings[0], first))
        known = find_known_rack(rack, tiles, self.state.rack_counts[player])
        return ExchangeEvent(player=player, tiles=tiles, rack=known, note=entry.note)

    def _read_challenge(self, entry: GcgEntry, player: int) -> ChallengeEvent:
        score = entry.raw.score or 0
        if score >= 0:
            event = self._make_failed_challenge(entry, player, Fact.CHALLENGED_BY)
            return replace(event, bonus=score or None, note=entry.note)
        challenged = self._challenged_by(player)
        if challenged is None:
            raise NotationError(
                "points are lost by a challenge, but no play stands that was challenged, the own ones aside"
            )
        points = self.edition.challenge.valid_points
        by_rule = points == -score or (points and Fact.POINTS_AGREED not in entry.facts)
        return ChallengeEvent(
            player=challenged,
            upheld=False,
            challenger=player,
            penalty=None if by_rule else -score,
            turn_lost=self._turn_lost(entry.facts),
            note=entry.note,
        )

    def _make_failed_challenge(self, entry: GcgEntry, player: int, fact: Fact) -> ChallengeEvent:
        """Return the failed challenge of a player's play that a note names, without points."""
        challenger = self._challenger(entry, player, fact)
        return ChallengeEvent(
            player=player,
            upheld=False,
            challenger=challenger,
            penalty=0 if challenger is not None and self.edition.challenge.valid_points else None,
            turn_lost=None if challenger is None else self._turn_lost(entry.facts),
        )

    def _turn_lost(self, facts: dict[Fact, str]) -> bool | None:
        """Return whether the challenger loses a turn, None if the file does not say otherwise than the edition."""
        by_rule = self.edition.challenge.valid_turn
        otherwise = Fact.TURN_KEPT if by_rule else Fact.TURN_LOST
        return not by_rule if otherwise in facts else None

    def _challenged_by(self, player: int) -> int | None:
        """Return the player whose play `player` challenged: the latest on the board by somebody else."""
        return next((play.player for play in reversed(self.state.plays) if play.player != player), None)

    def _challenger(self, entry: GcgEntry, player: int, fact: Fact = Fact.CHALLENGED_BY) -> int | None:
        """Return the player who challenged `player`, None if it is not known."""
        nick = entry.facts.get(fact, "")
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
        if raw.rack and sorted(raw.rack) != sorted(raw.tiles):
            message = f"the rack {raw.rack} and the tiles left ({raw.tiles}) differ; the latter count"
            self._add_problem(entry.number, message, lost=False)
        values = {tiles: sum(map(self.edition.value_of, tiles)) for tiles in self._tile_readings(raw.tiles)}
        printed = {abs(score), abs(score) / 2} if gained else {abs(score)}
        tiles = next((each for each, value in values.items() if value in printed), next(iter(values)))
        doubled = gained and values[tiles] > 0 and score == 2 * values[tiles]
        doubled = doubled and Fact.SETTLED_EACH not in entry.facts
        return EndRack(player=player, tiles=tiles, gained=gained, doubled=doubled, note=note)

    def _read_rack(self, entry: GcgEntry) -> Rack | None:
        if Fact.RACK_UNKNOWN in entry.facts or Fact.RACK_DEDUCED in entry.facts:
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
        readings = find_tile_readings(text, self.edition.tokens, bracketed=self.bracketed)
        for token in readings[0]:
            if token not in self.edition.values:
                raise NotationError(f"{token!r} in {text!r} is no tile that a rack can hold")
        return readings


def _named_players(script: GcgScript, problems: list[GcgProblem]) -> list[tuple[str, str]]:
    """Return the nicknames and names of the pragmas; one that cannot be used is added to the problems."""
    found: list[tuple[str, str]] = []
    pragmas = [pragma for pragma in script.pragmas.items() if pragma[0].startswith("player")]
    for name, (number, text) in sorted(pragmas, key=lambda pragma: int(pragma[0][6:])):
        nick, full = [*text.split(maxsplit=1), "", ""][:2]
        if nick and len(found) < MAX_PLAYERS:
            found.append((nick, " ".join(full.split()) or nick))
        else:
            message = f"'#{name} {text}' is not used: expected a nickname and a name, for at most 4"
            problems.append(GcgProblem(line=number, message=message))
    return found


def _read_players(
    script: GcgScript, problems: list[GcgProblem]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the nicknames as the file writes them, the same made different, and the names.

    They come from the pragmas or, without these, from the events. A pragma that cannot be used is added to the
    problems.

    Raises
    ------
    NotationError
        If no player is named.
    """
    found = _named_players(script, problems)
    if not found:
        nicks = dict.fromkeys(entry.raw.nick for entry in script.entries)
        found = [(nick, nick) for nick in list(nicks)[:MAX_PLAYERS]]
    if not found:
        raise NotationError("the file names no player; write '#player1 nick Name' before the first event")
    unique = make_nicks([nick for nick, _ in found])
    shared = {name for name, count in Counter(name for _, name in found).items() if count > 1}
    names = tuple(
        f"{name} ({nick})" if name in shared else name for (_, name), nick in zip(found, unique, strict=True)
    )
    return tuple(nick for nick, _ in found), unique, names
