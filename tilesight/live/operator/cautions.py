"""What an operator should know of a command that was applied: it may come at a wrong moment, or change nothing."""

from __future__ import annotations

from scoring import EndBonus, EndRack, Game, PlayEvent, as_blank, format_square, is_blank
from vision.game_events import Command, GameUpdate, UpdateKind, Verb, caution_settled, unchanged_message

__all__ = ["find_caution"]


def find_caution(command: Command, updates: tuple[GameUpdate, ...]) -> str:
    """Return what to check after a command was applied, or that it changed nothing; empty if there is nothing to say.

    Parameters
    ----------
    command : Command
        The command.
    updates : tuple of GameUpdate
        What it changed.
    """
    if not updates:
        return unchanged_message(command, updates)
    game = updates[-1].game
    if command.verb is Verb.END:
        return _caution_end(game)
    if command.verb in (Verb.LETTER, Verb.CORRECT):
        return next(filter(None, map(_caution_blank, updates)), "")
    if command.verb is Verb.PLAY:
        return caution_settled(game.events[:-1])
    if command.verb not in (Verb.CHALLENGE, Verb.WITHDRAW):
        return ""
    # An edit names the play that has just come off the board, so no other was meant.
    is_late = command.verb is Verb.CHALLENGE and updates[-1].kind is not UpdateKind.EDITED
    settled = caution_settled(game.events) if game.steps[-1].taken_back is not None else ""
    return settled or _caution_older(game) or (_caution_challenge(game) if is_late else "")


def _caution_blank(update: GameUpdate) -> str:
    """Return that a blank has become a tile, which has points."""
    correction = update.correction
    if correction is None or not is_blank(correction.was.token) or is_blank(correction.now.token):
        return ""
    square, letter = format_square(*correction.now.square), as_blank(correction.now.token)
    return f"{square} is a tile and no blank now; a blank's letter is in lower case, as in letter {square} {letter}"


def _caution_end(game: Game) -> str:
    settled = [step for step in game.steps if isinstance(step.event, EndRack | EndBonus)]
    before = settled[0].before if settled else None
    if before is None or before.ending is not None or not before.tiles_in_bag:
        return ""
    if any(step.problems for step in settled):
        return (
            f"the game was ended with {before.tiles_in_bag} tiles in the bag; undo that if it goes on, or accept move "
            f"{settled[0].index + 1} if the tiles left are right"
        )
    return f"the game was ended with {before.tiles_in_bag} tiles in the bag; undo that if it goes on"


def _caution_older(game: Game) -> str:
    """Return that a play was taken off which other plays followed, be they on the board or not."""
    step = game.steps[-1]
    taken = step.taken_back
    since = game.events[taken.index + 1 : step.index] if taken is not None else ()
    scored = game.steps[taken.index].scored if taken is not None else None
    if scored is None or not any(isinstance(event, PlayEvent) for event in since):
        return ""
    return f"{scored.main_word.text} was not the last move; undo this if it was given twice, or meant another play"


def _caution_challenge(game: Game) -> str:
    """Return that a challenge may have been meant for the play before the last one."""
    step = game.steps[-1]
    challenged = step.taken_back or step.before.latest_of(step.event.player)
    if challenged is None or challenged.index == 0:
        return ""
    last, earlier = (game.steps[index].scored for index in (challenged.index, challenged.index - 1))
    if last is None or earlier is None:
        return ""
    return (
        f"{last.main_word.text} was challenged; if {earlier.main_word.text} was meant, undo that, and insert the "
        f"challenge before move {challenged.index + 1}"
    )
