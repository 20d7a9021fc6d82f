"""A snapshot of a live game: the game, the operator's state, and the state of the camera."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace

from scoring import Board, Edition, ExchangeEvent, Game
from tilesight.languages import choose_language
from tilesight.live.clocks import Clocks
from tilesight.live.match import MatchInfo
from tilesight.live.operator import OperatorState
from tilesight.output import GameEvent
from vision.game_events import BoardDifference

__all__ = ["GameState", "isolate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameState:
    """A live game at one moment.

    Parameters
    ----------
    name : str
        The game's name in addresses.
    game : Game
        The game.
    operator : OperatorState
        What is known apart from the board.
    sequence : int
        Number of the journal's last entry; 0 before the first.
    events : tuple of GameEvent
        The events of that entry.
    rack_delay_s : float
        Seconds before viewers see a rack.
    delay_s : float
        Seconds by which viewers see everything late.
    language_option : str
        The language of the table's pages as it was chosen; empty for that of the edition.
    undoable, redoable : bool
        Whether there is something to undo or to redo.
    status : str
        What the camera does, in a few words.
    watching : bool
        Whether frames arrive.
    difference : BoardDifference or None
        Where the board and the record differ, if the operator is to see that.
    match : MatchInfo
        The match that the game belongs to.
    last_board : Board or None
        The board of the game before this one at the table; None if that is not known.
    renamed : tuple of (str, str)
        The former and the new name of each player who was renamed, in order.
    """

    name: str
    game: Game
    operator: OperatorState
    sequence: int = 0
    events: tuple[GameEvent, ...] = ()
    rack_delay_s: float = 0.0
    delay_s: float = 0.0
    language_option: str = ""
    undoable: bool = False
    redoable: bool = False
    status: str = ""
    watching: bool = False
    difference: BoardDifference | None = None
    match: MatchInfo = field(default_factory=MatchInfo)
    last_board: Board | None = None
    renamed: tuple[tuple[str, str], ...] = ()

    def begin(self, game: Game, match: MatchInfo) -> GameState:
        """Return the state before the first event of the table's next game; the title stays."""
        operator = OperatorState(racks=((),) * len(game.players), title=self.operator.title)
        return replace(
            self,
            game=game,
            operator=operator,
            match=match,
            undoable=False,
            redoable=False,
            difference=None,
            last_board=self.game.board,
            renamed=(),
        )

    @property
    def edition(self) -> Edition:
        """The edition of the game."""
        return self.game.edition

    @property
    def language(self) -> str:
        """The language of the table's pages."""
        return choose_language(self.language_option, self.edition.language)

    @property
    def title(self) -> str:
        """The line for viewers: the operator's title, otherwise the players' names."""
        return self.operator.title or " – ".join(map(isolate, self.game.players))

    @property
    def countdown_s(self) -> float | None:
        """The moment to which viewers' pages count down: the operator's, otherwise the start of the round."""
        return self.operator.countdown_s or self.match.starts_s

    @property
    def standing_game(self) -> Game:
        """The game without a play that its player may still go on with."""
        game = self.game
        if not self.operator.is_provisional:
            return game
        return game.with_events(game.events[:-1])

    @property
    def shown_game(self) -> Game:
        """The game as viewers may see it: while racks are delayed, an exchange shows the number of tiles only."""
        game = self.game
        if self.rack_delay_s:
            for index, event in enumerate(self.game.events):
                if isinstance(event, ExchangeEvent) and event.tiles is not None:
                    game = game.with_correction(index, replace(event, tiles=None, rack=None))
        return game

    def clocks(self, now_s: float) -> Clocks | None:
        """Return the clocks at a moment; None for a game without clocks."""
        return self.operator.clocks.at(now_s) if self.operator.clocks is not None else None

    def shown_racks(self, now_s: float) -> tuple[tuple[str, ...], ...]:
        """Return each player's rack as viewers may see it."""
        return self._racks(now_s, self.rack_delay_s)

    def known_racks(self, now_s: float) -> tuple[tuple[str, ...], ...]:
        """Return each player's rack as the operator sees it."""
        return self._racks(now_s, 0.0)

    def _racks(self, now_s: float, delay_s: float) -> tuple[tuple[str, ...], ...]:
        return tuple(self.operator.rack(player, now_s, delay_s) for player in range(len(self.game.players)))


def isolate(name: str) -> str:
    """Return a name that keeps its place in a line: one with right-to-left letters is set in isolates."""
    is_right_to_left = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if is_right_to_left else name
