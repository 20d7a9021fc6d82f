"""A game: its players, its events, and the states, scores and problems that follow from them.

A game is a value: `game.with_play(...)` returns a new game with one more event, so keep the old game to undo. All
scores follow from the events; what no longer fits after a correction is in `problems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.board import Board, unseen_tiles
from scoring.edition import Edition
from scoring.editions import load_edition
from scoring.errors import GameError
from scoring.game.advance import advance, initial_state
from scoring.game.events import (
    ChallengeEvent,
    ClockPenalty,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
    count_common_events,
)
from scoring.game.settlement import complete_racks, find_new_settlement, settle_racks
from scoring.game.state import Ending, GameProblem, Standing, State, Step, rank_players
from scoring.game.validation import check_event, check_player, check_players, check_start, find_player
from scoring.play import Play, check_play, parse_play

__all__ = ["Game"]


@dataclass(frozen=True, slots=True)
class Game:
    """A game as the fold of its events.

    Parameters
    ----------
    edition : Edition, str or Path
        The rules, or the name or file of their edition.
    players : sequence of str
        One to four different names, in the order of play.
    events : sequence of Event
        The events.
    start : Board or None
        The board that the game started from; None for an empty one.

    Raises
    ------
    GameError
        If the players, the start board or an event are impossible (see `scoring.game.validation`). So do all methods
        that take an index, where the game has no such event.

    Examples
    --------
    >>> game = Game("icelandic", ["Anna", "Jón"]).with_play("8D HRAKI").with_pass()
    >>> game.totals, game.turn
    ((28, 0), 0)
    """

    edition: Edition
    players: tuple[str, ...]
    events: tuple[Event, ...] = field(default=(), kw_only=True)
    start: Board | None = field(default=None, kw_only=True)
    steps: tuple[Step, ...] = field(init=False, compare=False, repr=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            edition: Edition | str | Path,
            players: Sequence[str],
            *,
            events: Iterable[Event] = (),
            start: Board | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "edition", load_edition(self.edition))
        if isinstance(self.players, str):
            raise GameError(f"players is the text {self.players!r}; give a list of names")
        for name in ("players", "events"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        check_players(self.players)
        if self.start is not None:
            check_start(self.start, self.edition)
        self._add_steps(())

    def _add_steps(self, known: Sequence[Step]) -> None:
        """Compute the steps; `known` are those of the first events."""
        steps = list(known)
        state = steps[-1].after if steps else self.opening
        for index in range(len(steps), len(self.events)):
            event = self.events[index]
            check_event(event, self.players, self.edition)
            steps.append(advance(state, event, index, self.edition, self.players))
            state = steps[-1].after
        object.__setattr__(self, "steps", tuple(steps))

    @classmethod
    def of_steps(cls, edition: Edition, players: Sequence[str], steps: Sequence[Step]) -> Game:
        """Return the game of steps that are known.

        Parameters
        ----------
        edition, players
            As for the class.
        steps : sequence of Step
            The steps, which `advance` made one after the other.
        """
        return cls(edition, tuple(players))._continued([step.event for step in steps], steps)

    def _continued(self, events: Iterable[Event], steps: Sequence[Step]) -> Game:
        """Return the game with other events; `steps` are those of the first of them."""
        game = object.__new__(Game)
        object.__setattr__(game, "edition", self.edition)
        object.__setattr__(game, "players", self.players)
        object.__setattr__(game, "events", tuple(events))
        object.__setattr__(game, "start", self.start)
        game._add_steps(steps)
        return game

    def with_events(self, events: Iterable[Event]) -> Game:
        """Return the game with these events instead; the steps of equal first events are not computed again.

        Raises
        ------
        GameError
            If an event cannot belong to this game.
        """
        events = tuple(events)
        return self._continued(events, self.steps[: count_common_events(self.events, events)])

    # New events

    def with_event(self, event: Event) -> Game:
        """Return the game with one more event, legal or not; see `problems`.

        Raises
        ------
        GameError
            If the event cannot belong to this game.
        """
        return self._continued((*self.events, event), self.steps)

    def with_play(
        self,
        play: Play | str,
        *,
        player: int | str | None = None,
        rack: Iterable[str] | None = None,
        note: str = "",
    ) -> Game:
        """Return the game with one more play.

        Parameters
        ----------
        play : Play or str
            The play, or its text such as ``8D HRAKI``.
        player : int or str, optional
            The player, by number from 0 or by name; by default the one on turn.
        rack : iterable of str, optional
            The rack before the play, if it is known.
        note : str
            Free text.

        Raises
        ------
        IllegalPlayError
            If the rules do not allow the play; `with_event` also adds illegal plays.
        NotationError
            If the text is no play.
        GameError
            If there is no such player.
        """
        if isinstance(play, str):
            play = parse_play(play, self.edition, self.board)
        check_play(self.board, play, self.edition)
        return self.with_event(
            PlayEvent(player=self._player_or_turn(player), play=play, rack=_optional_tuple(rack), note=note)
        )

    def with_pass(
        self, *, player: int | str | None = None, rack: Iterable[str] | None = None, note: str = ""
    ) -> Game:
        """Return the game with one more pass; parameters as for `with_play`."""
        return self.with_event(
            PassEvent(player=self._player_or_turn(player), rack=_optional_tuple(rack), note=note)
        )

    def with_exchange(
        self,
        tiles: Iterable[str] | None = None,
        *,
        count: int | None = None,
        player: int | str | None = None,
        rack: Iterable[str] | None = None,
        note: str = "",
    ) -> Game:
        """Return the game with one more exchange.

        Parameters
        ----------
        tiles : iterable of str, optional
            The tiles that went back, if they are known.
        count : int, optional
            Their number, if only that is known.
        player, rack, note
            As for `with_play`.

        Raises
        ------
        GameError
            If `tiles` and `count` disagree, the number is below 1, or the event cannot belong to this game.
        """
        return self.with_event(
            ExchangeEvent(
                player=self._player_or_turn(player),
                tiles=_optional_tuple(tiles),
                count=count,
                rack=_optional_tuple(rack),
                note=note,
            )
        )

    def with_no_play(self, *, player: int | str | None = None, note: str = "") -> Game:
        """Return the game with one more turn that was a pass or an exchange; parameters as for `with_play`."""
        return self.with_event(NoPlayEvent(player=self._player_or_turn(player), note=note))

    def with_withdrawal(
        self, *, player: int | str | None = None, turn_lost: bool = True, note: str = ""
    ) -> Game:
        """Return the game with a play taken back.

        Parameters
        ----------
        player : int or str, optional
            The player whose latest play is taken back, by default the player of the latest play.
        turn_lost : bool
            Whether the turn is over; otherwise the player plays again.
        note : str
            Free text.

        Raises
        ------
        GameError
            If no play is on the board.
        """
        player = self._latest_player() if player is None else self._player_or_turn(player)
        return self.with_event(WithdrawnEvent(player=player, turn_lost=turn_lost, note=note))

    def with_challenge(self, *, upheld: bool, challenger: int | str | None = None, note: str = "") -> Game:
        """Return the game with its latest play challenged, by the rule of the edition.

        Parameters
        ----------
        upheld : bool
            Whether a word was invalid, so that the play is taken back.
        challenger : int or str, optional
            The player who challenged, by default the one on turn. The challenged player's own number means
            that the challenger is not known.
        note : str
            Free text.

        Raises
        ------
        GameError
            If no play is on the board.
        """
        player, challenger = self._latest_player(), self._player_or_turn(challenger)
        event = ChallengeEvent(
            player=player,
            upheld=upheld,
            challenger=None if challenger == player else challenger,
            bonus=None if upheld else self.edition.challenge.valid_gain or None,
            note=note,
        )
        return self.with_event(event)

    def with_clock_penalty(self, points: int, *, player: int | str, note: str = "") -> Game:
        """Return the game with points taken off a player for exceeding the time.

        Parameters
        ----------
        points : int
            The points, positive.
        player, note
            As for `with_play`.

        Raises
        ------
        GameError
            If the points are fewer than 1.
        """
        if points < 1:
            raise GameError(f"a clock penalty of {points} points is no loss; give 1 or more")
        return self.with_event(ClockPenalty(player=self._player_or_turn(player), points=points, note=note))

    def with_settlement(
        self, racks: Mapping[int, Iterable[str]] | Mapping[str, Iterable[str]] | None = None
    ) -> Game:
        """Return the game with the tiles left on the racks settled by the rule of the edition.

        Parameters
        ----------
        racks : mapping of int or str to iterable of str, optional
            The tiles left, by number or name of the player. Racks that follow from the counts and the unseen tiles may
            be left out.

        Raises
        ------
        GameError
            If a rack is neither given nor follows from the others, a player does not play, or the tiles were settled
            before.
        """
        if self.state.settled:
            raise GameError("the tiles left were settled before; remove those events to settle them again")
        known = {find_player(player, self.players): tiles for player, tiles in (racks or {}).items()}
        for player in known:
            check_player(player, self.players)
        complete = complete_racks(known, self.state, self.edition, self.players)
        game = self
        for event in settle_racks(complete, self.edition):
            game = game.with_event(event)
        return game

    # Corrections

    def with_correction(self, index: int, event: Event) -> Game:
        """Return the game with its `index`-th event replaced and everything after it recomputed.

        Parameters
        ----------
        index : int
            Index of the event, from 0.
        event : Event
            The new event.
        """
        self._check_index(index, len(self.events) - 1)
        return self._with_events_at(index, (event,), replaced=1)

    def with_insertion(self, index: int, event: Event) -> Game:
        """Return the game with an event inserted before its `index`-th.

        Parameters
        ----------
        index : int
            Index of the new event, from 0 up to the number of events.
        event : Event
            The new event.
        """
        self._check_index(index, len(self.events))
        return self._with_events_at(index, (event,), replaced=0)

    def without_event(self, index: int) -> Game:
        """Return the game without its `index`-th event."""
        self._check_index(index, len(self.events) - 1)
        return self._with_events_at(index, (), replaced=1)

    def with_new_settlement(self) -> Game:
        """Return the game settled again after a correction of an earlier event.

        The game is returned unchanged if nothing was settled, or if the new racks do not follow from the board;
        `problems` then says what does not add up.
        """
        game = self
        for index, event in find_new_settlement(self.steps, self.edition).items():
            game = game.with_correction(index, event)
        return game

    # States and results

    @property
    def opening(self) -> State:
        """The state before the first event."""
        return initial_state(self.edition, len(self.players), self.start)

    @property
    def state(self) -> State:
        """The state after the last event."""
        return self.steps[-1].after if self.steps else self.opening

    @property
    def board(self) -> Board:
        """The board after the last event."""
        return self.state.board

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of each player."""
        return self.state.totals

    @property
    def turn(self) -> int:
        """The player on turn."""
        return self.state.turn

    @property
    def ending(self) -> Ending | None:
        """Why the game is over; None if it is not."""
        return self.state.ending

    @property
    def problems(self) -> tuple[GameProblem, ...]:
        """The problems of all events, in their order."""
        return tuple(problem for step in self.steps for problem in step.problems)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The places of the players, the best first."""
        return self.standings_after(len(self.events))

    def standings_after(self, events: int) -> tuple[Standing, ...]:
        """Return the places of the players after the first `events` events."""
        self._check_index(events, len(self.events))
        return rank_players(self.players, (self.steps[events - 1].after if events else self.opening).totals)

    def unseen(self, racks: Iterable[Iterable[str]] = ()) -> Mapping[str, int] | None:
        """Return how many of each tile are neither on the board nor on these racks; see `unseen_tiles`."""
        return unseen_tiles(self.board, self.edition, racks)

    def _player_or_turn(self, player: int | str | None) -> int:
        return self.turn if player is None else find_player(player, self.players)

    def _latest_player(self) -> int:
        plays = self.state.plays
        if not plays:
            raise GameError("no play is on the board, so none can be taken back or challenged")
        return plays[-1].player

    def _with_events_at(self, index: int, events: Sequence[Event], replaced: int) -> Game:
        """Return the game with some events from its `index`-th on in place of others."""
        kept = self.events[index + replaced :]
        return self._continued((*self.events[:index], *events, *kept), self.steps[:index])

    def _check_index(self, index: int, last: int) -> None:
        if not 0 <= index <= last:
            raise GameError(f"event {index} does not exist; this game has {len(self.events)}, counted from 0")


def _optional_tuple(tokens: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(tokens)
