"""The analyst of a table: best plays by score, and chances to win, of the player on turn.

Its answers have a note where there is nothing to show. They are kept until the position changes. No question
waits for another one: while one is answered, the others get a note.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from scoring import CgpPosition, Game, ScoredPlay, ScoringError, best_plays, format_cgp
from tilesight.live.analysis.magpie import Magpie, MagpieBusyError, MagpieError, PlayChance
from tilesight.live.analysis.word_list import WordList
from tilesight.live.state import GameState

__all__ = ["Analyst", "PlayChoices", "WinChances"]

MAX_PLAYS = 15
"""Best plays that are shown; chosen."""
NO_LIST = "no word list is named for this table, so no plays are searched; start with --lexicon"
NO_MAGPIE = "MAGPIE is not used: it is not installed, or --magpie-lexicon does not name its word list"
SEARCHING = "the plays are being searched"
THINKING = "MAGPIE is at work"
NOT_TWO_PLAYERS = "MAGPIE knows games of two players on a board of 15 x 15 only"

Position = tuple[object, ...]
"""What an answer depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayChoices:
    """The best plays of a player by score, or a note why there are none; `is_busy` if another question is first."""

    player: int | None = None
    plays: tuple[ScoredPlay, ...] = ()
    count: int = 0
    note: str = ""
    is_busy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WinChances:
    """MAGPIE's plays of the player on turn with their chances to win, or a note why there are none."""

    player: int | None = None
    plays: tuple[PlayChance, ...] = ()
    note: str = ""
    is_busy: bool = False


class Analyst:
    """Answers questions about one table's game, in the thread that asks.

    Parameters
    ----------
    words : WordList, optional
        The table's word list.
    magpie : Magpie, optional
        MAGPIE with the table's word list.
    """

    def __init__(self, words: WordList | None = None, magpie: Magpie | None = None) -> None:
        self.words = words
        self.magpie = magpie
        self._play_lock = threading.Lock()
        self._chance_lock = threading.Lock()
        self._choices: tuple[Position, PlayChoices] = ((), PlayChoices())
        self._chances: tuple[Position, WinChances] = ((), WinChances())

    def find_plays(self, state: GameState, now_s: float) -> PlayChoices:
        """Return the best plays of the player on turn.

        Parameters
        ----------
        state : GameState
            The table.
        now_s : float
            Seconds since 1970.
        """
        rack, note = find_rack(state, now_s)
        game = state.game
        if note or self.words is None:
            return PlayChoices(player=game.turn, note=note or NO_LIST)
        position = (game.board.rows, rack, game.turn, game.state.rack_counts)
        if not self._play_lock.acquire(blocking=False):
            return PlayChoices(player=game.turn, note=SEARCHING, is_busy=True)
        try:
            if self._choices[0] != position:
                self._choices = position, self._find_plays(game, rack, self.words)
            return self._choices[1]
        finally:
            self._play_lock.release()

    def _find_plays(self, game: Game, rack: tuple[str, ...], words: WordList) -> PlayChoices:
        try:
            held = game.state.rack_counts[game.turn]
            plays = best_plays(game.board, rack, game.edition, words.index, rack_count=held)
        except ScoringError as error:
            return PlayChoices(player=game.turn, note=str(error))
        return PlayChoices(player=game.turn, plays=tuple(plays[:MAX_PLAYS]), count=len(plays))

    def find_chances(self, state: GameState, now_s: float) -> WinChances:
        """Return MAGPIE's chances to win of the player on turn; the parameters are those of `find_plays`."""
        rack, note = find_rack(state, now_s)
        game = state.game
        if self.magpie is None:
            return WinChances(player=game.turn, note=NO_MAGPIE)
        layout = game.edition.layout
        if len(game.players) != 2 or (layout.rows, layout.columns) != (15, 15):
            return WinChances(player=game.turn, note=NOT_TWO_PLAYERS)
        if note:
            return WinChances(player=game.turn, note=note)
        position = format_cgp_position(game, rack)
        if not self._chance_lock.acquire(blocking=False):
            return WinChances(player=game.turn, note=THINKING, is_busy=True)
        try:
            if self._chances[0] != (position,):
                self._chances = (position,), self._ask_magpie(game, position, self.magpie)
            return self._chances[1]
        except MagpieBusyError:
            return WinChances(player=game.turn, note=THINKING, is_busy=True)
        finally:
            self._chance_lock.release()

    def _ask_magpie(self, game: Game, position: str, magpie: Magpie) -> WinChances:
        try:
            return WinChances(player=game.turn, plays=magpie.ask(position))
        except MagpieBusyError:
            raise
        except MagpieError as error:
            return WinChances(player=game.turn, note=str(error))

    def close(self) -> None:
        """End MAGPIE's process if it runs."""
        if self.magpie is not None:
            self.magpie.stop()


def find_rack(state: GameState, now_s: float) -> tuple[tuple[str, ...], str]:
    """Return the rack of the player on turn, and a note if nothing can be searched."""
    game = state.game
    if game.ending is not None:
        return (), "the game is over"
    rack = state.known_racks(now_s)[game.turn]
    name = game.players[game.turn]
    return rack, "" if rack else f"the rack of {name} is not known"


def format_cgp_position(game: Game, rack: tuple[str, ...]) -> str:
    """Return the four fields of a position in CGP; only the rack of the player on turn is given."""
    order = [(game.turn + step) % len(game.players) for step in range(len(game.players))]
    position = CgpPosition(
        board=game.board,
        racks=(rack, *((),) * (len(order) - 1)),
        scores=tuple(game.totals[player] for player in order),
        scoreless_turns=game.state.scoreless_turns,
    )
    return format_cgp(position, game.edition)
