"""The earlier states of a game, for undo and redo."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from scoring import Game, count_common_events
from tilesight.output import name_event
from vision.errors import SettingsError
from vision.game_events import Command, GameUpdate, UpdateKind, Verb, follow_turn_order

__all__ = ["ChangeNumbers", "History", "StaleCommandError", "describe_change"]


class StaleCommandError(SettingsError):
    """A command that was meant for an earlier state of the game."""


class Undone(NamedTuple):
    """A state that was undone, and the state after the undo."""

    game: Game
    base: Game


class History:
    """The states that undo and redo lead to."""

    def __init__(self) -> None:
        self._past: list[Game] = []
        self._future: list[Undone] = []

    @property
    def is_undoable(self) -> bool:
        """Whether there is a state to undo."""
        return bool(self._past)

    @property
    def is_redoable(self) -> bool:
        """Whether there is a state to redo."""
        return bool(self._future)

    def add(self, before: Game, after: Game, kinds: Collection[str], *, by_operator: bool) -> None:
        """Take in a change of the game.

        Parameters
        ----------
        before, after : Game
            The game before and after it.
        kinds : collection of str
            The kinds of its events.
        by_operator : bool
            Whether an operator made it. What a camera reports leaves alone what can be redone.
        """
        if by_operator and UpdateKind.UNDONE in kinds and self._past:
            self._future.append(Undone(before, after))
            self._past.pop()
            return
        if by_operator and UpdateKind.REDONE in kinds and self._future:
            self._past.append(before)
            self._future.pop()
            return
        if after.events == before.events and after.start == before.start:
            return
        self._past.append(before)
        if by_operator:
            self._future.clear()

    def step(self, command: Command, game: Game) -> GameUpdate:
        """Return the update of undo or redo.

        Parameters
        ----------
        command : Command
            Undo or redo.
        game : Game
            The game now.

        Raises
        ------
        SettingsError
            If there is nothing to undo or to redo, or if it does not fit what happened since.
        """
        if command.words:
            raise SettingsError(f"{command}: write {command.verb} alone")
        if not (self._past if command.verb is Verb.UNDO else self._future):
            raise SettingsError(f"{command.verb}: nothing is there to {command.verb}")
        if command.verb is Verb.UNDO:
            then = replace(self._past[-1], players=game.players)
            return GameUpdate(kind=UpdateKind.UNDONE, game=then, message=describe_change(game, then))
        undone = self._future[-1]
        undone = undone._replace(game=replace(undone.game, players=game.players))
        what = describe_change(undone.base, undone.game)
        return GameUpdate(kind=UpdateKind.REDONE, game=_redo(undone, game, what), message=what)


class ChangeNumbers:
    """Which commands are out of date: those that were meant for a game before its last change."""

    def __init__(self) -> None:
        self._last = 0
        self._before = 0

    def add(self, number: int) -> None:
        """Take in the number of an entry that changed the game."""
        self._before, self._last = self._last, number

    def is_current(self, sequence: int | None, newest: int, *, ignores_last: bool) -> bool:
        """Check whether a command is meant for the game as it is.

        Parameters
        ----------
        sequence : int or None
            Number of the state that it was meant for; None for any.
        newest : int
            Number of the newest state.
        ignores_last : bool
            Whether the last change does not matter to the command.
        """
        oldest = self._before if ignores_last else self._last
        return sequence is None or oldest <= sequence <= newest


def _redo(undone: Undone, game: Game, what: str) -> Game:
    """Return the game with what was undone and with what happened since."""
    if game.events == undone.base.events and game.start == undone.base.start:
        return undone.game
    how = "put it into the list of moves instead"
    if game.events[: len(undone.game.events)] == undone.game.events:
        raise SettingsError(f"redo: {what} is in the record already")
    if game.events[: len(undone.base.events)] != undone.base.events or game.start != undone.base.start:
        raise SettingsError(f"redo: {what} does not fit what was changed since; {how}")
    since = game.steps[len(undone.base.events) :]
    merged = follow_turn_order(undone.game, since)
    known = {(problem.kind, problem.message) for problem in (*game.problems, *undone.game.problems)}
    new = [problem for problem in merged.problems if (problem.kind, problem.message) not in known]
    if new:
        raise SettingsError(f"redo: {what} does not fit what happened since ({new[0].message}); {how}")
    return merged


def describe_change(now: Game, then: Game) -> str:
    """Describe the difference of two games in a few words."""
    index = count_common_events(now.events, then.events)
    if len(now.events) == len(then.events):
        return f"a correction of move {index + 1}" if index < len(now.events) else "a correction"
    longer = max(now, then, key=lambda game: len(game.events))
    step = longer.steps[index]
    scored = step.scored
    what = f"{scored.position} {scored.main_word.text}" if scored else name_event(step.event)
    return f"{longer.players[step.event.player]}: {what}"
