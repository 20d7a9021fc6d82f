"""A game: who plays, what happened, and all that follows from it.

A game is a value. `game.play(...)` gives a new game with one event more and leaves the old one as it
was, so undoing is keeping the old one. All scores follow from the events: correcting one event
recomputes everything after it, and whatever no longer fits then is among `problems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field, replace

from scoring.board import Board, unseen_tiles
from scoring.edition import Edition
from scoring.errors import GameError
from scoring.game.advance import advance, initial_state
from scoring.game.events import (
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
from scoring.game.settlement import settlement, tiles_left, tiles_left_anew
from scoring.game.state import Ending, GameProblem, Standing, State, Step, ranked
from scoring.game.validation import check_event, check_player, check_players, check_start
from scoring.play import Play, check_play

__all__ = ["Correction", "Game"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An earlier event that was corrected: `was` or `now` is None where one was put in or taken out."""

    index: int
    was: Event | None
    now: Event | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game as the fold of its events.

    Parameters
    ----------
    edition : Edition
        Whose rules.
    players : tuple of str
        One to four names, each different, in the order of play.
    events : tuple of Event
        What happened.
    corrections : tuple of Correction
        What was corrected by hand, in the order of the corrections.
    start : Board or None
        A board that play went on from; None for an empty one.

    Raises
    ------
    GameError
        If there are too few or too many players, two of one name, an event of a player who does not
        play, or a start board that does not fit the edition.

    Examples
    --------
    >>> from scoring import load_edition, parse_play
    >>> edition = load_edition("icelandic")
    >>> game = Game(edition=edition, players=("Anna", "Jón"))
    >>> game = game.play(parse_play("8D HRAKI", edition.tokens)).passed()
    >>> game.totals, game.turn
    ((28, 0), 0)
    """

    edition: Edition = field(repr=False)
    players: tuple[str, ...]
    events: tuple[Event, ...] = ()
    corrections: tuple[Correction, ...] = ()
    start: Board | None = None
    steps: tuple[Step, ...] = field(init=False, compare=False, repr=False)
    known: InitVar[tuple[Step, ...]] = ()

    def __post_init__(self, known: tuple[Step, ...]) -> None:
        check_players(self.players)
        if self.start is not None:
            check_start(self.start, self.edition)
        steps = list(known)
        state = steps[-1].after if steps else self.opening
        for index in range(len(steps), len(self.events)):
            event = self.events[index]
            check_event(event, self.players, self.edition)
            steps.append(advance(state, event, index, self.edition, self.players))
            state = steps[-1].after
        object.__setattr__(self, "steps", tuple(steps))

    # What happens

    def with_event(self, event: Event) -> Game:
        """The game and one more event, whatever the rules say of it; see `problems`.

        Raises
        ------
        GameError
            If it is no event of this game's players.
        """
        return replace(self, events=(*self.events, event), known=self.steps)

    def play(
        self,
        play: Play,
        *,
        player: int | None = None,
        rack: Iterable[str] | None = None,
        note: str = "",
    ) -> Game:
        """The game and one more play, by the player on turn unless another is named.

        Raises
        ------
        IllegalPlayError
            If the rules do not allow the play; `with_event` takes it all the same.
        """
        check_play(self.board, play, self.edition)
        return self.with_event(
            PlayEvent(player=self._who(player), play=play, rack=_maybe_tuple(rack), note=note)
        )

    def passed(self, *, player: int | None = None, rack: Iterable[str] | None = None, note: str = "") -> Game:
        """The game and one more pass."""
        return self.with_event(PassEvent(player=self._who(player), rack=_maybe_tuple(rack), note=note))

    def exchanged(
        self,
        tiles: Iterable[str] | None = None,
        *,
        count: int | None = None,
        player: int | None = None,
        rack: Iterable[str] | None = None,
        note: str = "",
    ) -> Game:
        """The game and one more exchange, of these tiles or of so many, if that is known."""
        return self.with_event(
            ExchangeEvent(
                player=self._who(player),
                tiles=_maybe_tuple(tiles),
                count=count,
                rack=_maybe_tuple(rack),
                note=note,
            )
        )

    def no_play(self, *, player: int | None = None, note: str = "") -> Game:
        """The game and a turn without new tiles, which was a pass or an exchange."""
        return self.with_event(NoPlayEvent(player=self._who(player), note=note))

    def withdrawn(self, *, player: int | None = None, turn_lost: bool = True, note: str = "") -> Game:
        """The game with the latest play that stands taken back, or the latest of one player.

        Raises
        ------
        GameError
            If no play stands on the board.
        """
        player = self._latest_player() if player is None else player
        return self.with_event(WithdrawnEvent(player=player, turn_lost=turn_lost, note=note))

    def challenged(self, *, upheld: bool, challenger: int | None = None, note: str = "") -> Game:
        """The game with its latest play challenged, and what the edition says follows from that.

        Parameters
        ----------
        upheld : bool
            Whether a word was not valid, so that the play is taken back.
        challenger : int, optional
            Who challenged: the player on turn unless another is named; a name that is the challenged
            player's own means that nobody knows.

        Raises
        ------
        GameError
            If no play stands on the board.
        """
        player, challenger = self._latest_player(), self._who(challenger)
        event = ChallengeEvent(
            player=player,
            upheld=upheld,
            challenger=None if challenger == player else challenger,
            note=note,
        )
        return self.with_event(event)

    def clock_penalty(self, points: int, *, player: int, note: str = "") -> Game:
        """The game with so many points taken off a player for the time used."""
        return self.with_event(ClockPenalty(player=player, points=points, note=note))

    def settled(self, racks: Mapping[int, Iterable[str]] | None = None) -> Game:
        """The game with the tiles left on the racks settled as the edition says.

        Parameters
        ----------
        racks : mapping of int to iterable of str, optional
            The tiles left, by player. A player who is not named has none if the count of tiles says so,
            and the last player whose tiles are not named has those that nobody has seen.

        Raises
        ------
        GameError
            If a player's tiles are neither named nor follow from the others, or the tiles left were settled
            before.
        """
        if self.state.settled:
            raise GameError("the tiles left were settled before; remove those events to settle them again")
        for player in racks or {}:
            check_player(player, self.players)
        left = tiles_left(self.state, self.edition, self.players, racks or {})
        game = self
        for event in settlement(left, self.edition):
            game = game.with_event(event)
        return game

    # Corrections

    def corrected(self, index: int, event: Event) -> Game:
        """The game as it stands if its `index`-th event was another; everything after it is recomputed.

        Raises
        ------
        GameError
            If there is no such event, or the new one is not of this game's players.
        """
        self._check_index(index, len(self.events) - 1)
        return self._rewritten(index, self.events[index], event)

    def inserted(self, index: int, event: Event) -> Game:
        """The game with an event that was overlooked put in before its `index`-th.

        Raises
        ------
        GameError
            If the place is beyond the game's end, or the event is not of this game's players.
        """
        self._check_index(index, len(self.events))
        return self._rewritten(index, None, event)

    def removed(self, index: int) -> Game:
        """The game without its `index`-th event, which did not happen.

        Raises
        ------
        GameError
            If there is no such event.
        """
        self._check_index(index, len(self.events) - 1)
        return self._rewritten(index, self.events[index], None)

    def settled_anew(self) -> Game:
        """The game with the tiles left that are out of sight now, after a correction of an earlier event.

        The same game where nothing was settled, or where it does not follow which tiles are whose: `problems` then
        say what does not add up.
        """
        ends = {step.index: step.event for step in self.steps if isinstance(step.event, EndRack | EndBonus)}
        if not ends:
            return self
        racks = dict.fromkeys(range(len(self.players)), ()) | {
            event.player: event.tiles
            for event in ends.values()
            if isinstance(event, EndRack) and not event.gained
        }
        left = tiles_left_anew(racks, self.steps[min(ends)].before, self.edition)
        if left is None or settlement(racks, self.edition) != tuple(ends.values()):
            return self
        game = self
        for index, event in zip(ends, settlement(left, self.edition), strict=True):
            game = game if event == ends[index] else game.corrected(index, event)
        return game

    # Where it stands

    @property
    def opening(self) -> State:
        """Where the game stood before its first event."""
        return initial_state(self.edition, len(self.players), self.start)

    @property
    def state(self) -> State:
        """Where the game stands."""
        return self.steps[-1].after if self.steps else self.opening

    @property
    def board(self) -> Board:
        """What lies on the board."""
        return self.state.board

    @property
    def totals(self) -> tuple[int, ...]:
        """Each player's points."""
        return self.state.totals

    @property
    def turn(self) -> int:
        """Who is to play."""
        return self.state.turn

    @property
    def ending(self) -> Ending | None:
        """Why the game is over, None while it is not."""
        return self.state.ending

    @property
    def problems(self) -> tuple[GameProblem, ...]:
        """All that the rules do not allow in this game, in the order of its events."""
        return tuple(problem for step in self.steps for problem in step.problems)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The players with their places, the best first."""
        return self.standings_after(len(self.events))

    def standings_after(self, events: int) -> tuple[Standing, ...]:
        """The players with their places after so many events.

        Raises
        ------
        GameError
            If the game has fewer events.
        """
        self._check_index(events, len(self.events))
        return ranked(self.players, (self.steps[events - 1].after if events else self.opening).totals)

    def unseen(self, racks: Iterable[Iterable[str]] = ()) -> Mapping[str, int] | None:
        """How many of each tile are neither on the board nor on these racks; None if the bag is not known.

        Parameters
        ----------
        racks : iterable of racks
            Racks that can be seen; an edition's tile that is out of sight is in the bag or on another.
        """
        return unseen_tiles(self.board, self.edition, racks)

    def _who(self, player: int | None) -> int:
        return self.turn if player is None else player

    def _latest_player(self) -> int:
        laid = self.state.plays
        if not laid:
            raise GameError("no play stands on the board, so none can be taken back or challenged")
        return laid[-1].player

    def _rewritten(self, index: int, was: Event | None, now: Event | None) -> Game:
        kept = self.events[index + (was is not None) :]
        return replace(
            self,
            events=(*self.events[:index], *((now,) if now is not None else ()), *kept),
            corrections=(*self.corrections, Correction(index=index, was=was, now=now)),
            known=self.steps[:index],
        )

    def _check_index(self, index: int, last: int) -> None:
        if not 0 <= index <= last:
            raise GameError(f"event {index} does not exist; this game has {len(self.events)}, counted from 0")


def _maybe_tuple(tokens: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(tokens)
