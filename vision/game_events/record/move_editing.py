"""Edit the list of moves: insert, change, delete and accept; everything after it is computed again.

The commands::

    insert 5 [Anna] pass            before move 5; without a name: the player who was on turn then
    insert 5 [Anna] exchange 3
    insert 5 [Anna] play 8D HRAKI   with the word stood at the end: an illegal play that was let stand
    insert 5 [Anna] challenge       Anna challenged the play before it off; with the word lost at the end: in vain
    change 5 Jón                    another player made move 5
    change 5 [Jón] play 8D HRAKI    move 5 was this
    delete 5                        move 5 did not happen
    accept 5                        move 5 is not allowed by the rules, but stood

Later moves that followed the turn go on to follow it, so a forgotten pass moves them to the right players.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from scoring import (
    ChallengeEvent,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    Game,
    GameProblemKind,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    Step,
    WithdrawnEvent,
    check_play,
)
from vision.errors import SettingsError
from vision.game_events.record.arguments import parse_exchange, parse_typed_play, split_player

__all__ = [
    "ACCEPTED",
    "accept_move",
    "caution_settled",
    "change_move",
    "check_challenge_lost",
    "check_later_moves",
    "delete_move",
    "find_settlement",
    "follow_turn_order",
    "insert_move",
    "is_accepted",
    "with_named_challenger",
]

ACCEPTED = "stood"
"""Note of a move that the rules do not allow and that stood."""
MAX_NUMBER_LENGTH = 4
"""Digits of a move's number."""
Settlement = EndRack | EndBonus
FIXED = WithdrawnEvent | ChallengeEvent | Settlement
"""Moves that say something of another player's move or of all players, so that a new owner makes no sense."""
Turn = PlayEvent | PassEvent | ExchangeEvent | NoPlayEvent


def insert_move(words: tuple[str, ...], game: Game) -> tuple[Game, str]:
    """Return the game with a move more, and what was done.

    Parameters
    ----------
    words : tuple of str
        The words after ``insert``.
    game : Game
        The game.

    Raises
    ------
    SettingsError
        If the words describe no move.
    """
    index = _parse_index("insert", words, len(game.events) + 1, " pass")
    before = game.with_events(game.events[:index])
    player, rest = split_player(words[1:], game)
    event = _parse_move(rest, before, before.turn if player is None else player, words)
    event = with_named_challenger(event, player)
    _check_challenge(f"insert {' '.join(words)}", event, before, game.events[index:])
    after = follow_turn_order(before.with_event(event), game.steps[index:])
    return after.with_new_settlement(), f"inserted before move {index + 1}: {_describe(after, index)}"


def change_move(words: tuple[str, ...], game: Game) -> tuple[Game, str]:
    """Return the game with a move changed, and what was done.

    Parameters
    ----------
    words : tuple of str
        The words after ``change``.
    game : Game
        The game.

    Raises
    ------
    SettingsError
        If the words describe no move.
    """
    index = _parse_index("change", words, len(game.events), " pass")
    old, before = game.events[index], game.with_events(game.events[:index])
    if isinstance(old, FIXED):
        raise SettingsError(
            f"change {words[0]}: a challenge, a withdrawal and tiles left are not changed; delete the move, and give "
            "the right command"
        )
    player, rest = split_player(words[1:], game)
    if player is None and not rest:
        raise SettingsError(
            f"change {words[0]}: write a player, or what the move was, such as change {words[0]} pass"
        )
    owner = old.player if player is None else player
    event = _parse_move(rest, before, owner, words) if rest else replace(old, player=owner)
    event = with_named_challenger(event, player)
    _check_challenge(f"change {' '.join(words)}", event, before, game.events[index + 1 :])
    after = follow_turn_order(before.with_event(event), game.steps[index + 1 :])
    return after.with_new_settlement(), f"changed move {index + 1}: {_describe(after, index)}"


def delete_move(words: tuple[str, ...], game: Game) -> tuple[Game, str]:
    """Return the game without a move, and what was done.

    Parameters
    ----------
    words : tuple of str
        The words after ``delete``.
    game : Game
        The game.

    Raises
    ------
    SettingsError
        If there is no such move.
    """
    index = _parse_index("delete", words, len(game.events))
    if len(words) > 1:
        raise SettingsError(f"delete {' '.join(words)}: write the number alone")
    if isinstance(game.events[index], Settlement):  # a part of it would leave wrong totals
        after = game.with_events(tuple(event for event in game.events if not isinstance(event, Settlement)))
        return after, "deleted the settlement: all points for tiles left"
    before = game.with_events(game.events[:index])
    after = follow_turn_order(before, game.steps[index + 1 :])
    return after.with_new_settlement(), f"deleted move {index + 1}: {_describe(game, index)}"


def find_settlement(events: Iterable[Event]) -> int | None:
    """Return the index of the first event that settles the tiles left; None if none does."""
    return next((index for index, event in enumerate(events) if isinstance(event, Settlement)), None)


def caution_settled(events: tuple[Event, ...]) -> str:
    """Return what to check where the game goes on after these events: tiles left were settled; empty if nothing."""
    first = find_settlement(events)
    if first is None or any(isinstance(event, PlayEvent) for event in events[first:]):
        return ""
    return f"the settlement at move {first + 1} still counts; the command delete {first + 1} takes it out"


def is_accepted(event: Event) -> bool:
    """Whether people accepted a move that the rules do not allow."""
    return ACCEPTED in event.note.split("\n")


def accept_move(words: tuple[str, ...], game: Game) -> tuple[Game, str]:
    """Return the game with a move accepted that the rules do not allow, and what was done; a settlement as one.

    Parameters
    ----------
    words : tuple of str
        The words after ``accept``.
    game : Game
        The game.

    Raises
    ------
    SettingsError
        If there is no such move, or if the rules allow it.
    """
    index = _parse_index("accept", words, len(game.events))
    settled = {at for at, event in enumerate(game.events) if isinstance(event, Settlement)}
    accepted = settled if index in settled else {index}
    if accepted.isdisjoint(problem.index for problem in game.problems):
        raise SettingsError(f"accept {words[0]}: the rules allow this move")
    after = game.with_events(
        tuple(_accept(event) if at in accepted else event for at, event in enumerate(game.events))
    )
    if index in settled:
        return after, "accepted the settlement: all points for tiles left"
    return after, f"accepted move {index + 1}: {_describe(after, index)}"


def _accept(event: Event) -> Event:
    return event if is_accepted(event) else replace(event, note=f"{event.note}\n{ACCEPTED}".strip())


def follow_turn_order(game: Game, steps: Iterable[Step]) -> Game:
    """Return a game with later moves, where those that followed the turn follow it again.

    Parameters
    ----------
    game : Game
        The game up to them.
    steps : iterable of Step
        The later moves, as they were.
    """
    steps = tuple(steps)
    n_kept = min(steps[0].index, len(game.events)) if steps else 0
    moved = {index: index for index in range(n_kept)}
    for step in steps:
        event = step.event
        if isinstance(event, Turn) and event.player == step.before.turn:
            event = replace(event, player=game.turn)
        elif isinstance(event, WithdrawnEvent | ChallengeEvent) and step.before.plays:
            play = step.taken_back or step.before.latest_of(event.player) or step.before.plays[-1]
            kept = game.events[moved[play.index]] if play.index in moved else None
            if not isinstance(kept, PlayEvent):
                continue  # the play that it takes back was deleted, or changed into another move
            event = _with_owner(event, kept.player)
        moved[step.index] = len(game.events)
        game = game.with_event(event)
    return game


def check_challenge_lost(command: str, game: Game, challenger: int | None = None) -> None:
    """Check that since the last play nobody has had a turn, and this player has not challenged it in vain.

    A challenge in vain is inserted after its play where somebody has had a turn.

    Parameters
    ----------
    command : str
        The command, for the message.
    game : Game
        The game.
    challenger : int or None
        The player who challenged; None, and the player of the play, for the one who was on turn after it.

    Raises
    ------
    SettingsError
        If somebody has.
    """
    owner, last = game.state.plays[-1].player, game.state.plays[-1].index
    since = game.events[last + 1 :]
    challenger = game.steps[last].after.turn if challenger in (None, owner) else challenger
    if any(isinstance(event, Turn) for event in since):
        raise SettingsError(
            f"{command}: there was another turn after the last play; if that play was challenged, give the command "
            f"insert {last + 2} {game.players[challenger]} challenge lost"
        )
    _check_first_challenge(command, challenger, since, game)


def _check_first_challenge(command: str, challenger: int, since: Iterable[Event], game: Game) -> None:
    if any(isinstance(event, ChallengeEvent) and event.challenger == challenger for event in since):
        raise SettingsError(
            f"{command}: {game.players[challenger]} challenged this play in vain already; if another player did, too, "
            "name that player"
        )


def _check_challenge(command: str, event: Event, before: Game, later: Iterable[Event]) -> None:
    """Check that a challenge in vain, put between moves, is the first one of its play by this player."""
    if isinstance(event, ChallengeEvent) and not event.upheld and event.challenger is not None:
        until = takewhile(lambda each: not isinstance(each, Turn), later)
        since = (*before.events[before.state.plays[-1].index + 1 :], *until)
        _check_first_challenge(command, event.challenger, since, before)


def with_named_challenger(event: Event, named: int | None) -> Event:
    """Return a lost challenge by the player who is named, so that the rules refuse the player of the play."""
    if named is None or not isinstance(event, ChallengeEvent) or event.upheld:
        return event
    return replace(event, challenger=named)


def check_later_moves(before: Game, after: Game, index: int, command: str) -> None:
    """Check that a changed move leaves the later ones legal: an illegal play has no points and lays no tiles.

    Raises
    ------
    SettingsError
        If one of them is illegal now that was not.
    """
    known = {problem.index for problem in before.problems if problem.kind is GameProblemKind.ILLEGAL_PLAY}
    for problem in after.problems:
        if problem.kind is GameProblemKind.ILLEGAL_PLAY and problem.index not in known | {index}:
            raise SettingsError(
                f"{command}: move {problem.index + 1} would be illegal ({problem.message}); correct or delete that "
                "move first"
            )


def _with_owner(event: WithdrawnEvent | ChallengeEvent, owner: int) -> Event:
    """Return a withdrawal or a challenge for the player whose play it is."""
    if isinstance(event, ChallengeEvent) and event.challenger == owner:
        return replace(event, player=owner, challenger=event.player)
    return replace(event, player=owner)


def _parse_index(verb: str, words: tuple[str, ...], count: int, rest: str = "") -> int:
    number = words[0] if words else ""
    is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_NUMBER_LENGTH
    if not count:
        raise SettingsError(f"{verb}: there is no move yet")
    if not is_number or not 1 <= int(number) <= count:
        example = f"{verb} {count}{rest}"
        raise SettingsError(f"{verb}: give the number of a move from 1 to {count}, such as {example!r}")
    return int(number) - 1


def _parse_move(rest: tuple[str, ...], before: Game, player: int, words: tuple[str, ...]) -> Event:
    kind = rest[0].casefold() if rest else ""
    match (kind, *rest[1:]):
        case ("pass",):
            return PassEvent(player=player)
        case ("turn",):
            return NoPlayEvent(player=player)
        case ("exchange", *tiles):
            return parse_exchange(tuple(tiles), before.edition, player)
        case ("challenge", *lost) if [word.casefold() for word in lost] in ([], ["lost"]):
            return before.with_challenge(upheld=not lost, challenger=player).events[-1]
        case ("play", square, word):
            play = parse_typed_play(f"{square} {word}", before.board, before.edition)
            check_play(before.board, play, before.edition)
            return PlayEvent(player=player, play=play)
        case ("play", square, word, note) if note.casefold() == ACCEPTED:
            play = parse_typed_play(f"{square} {word}", before.board, before.edition)
            return PlayEvent(player=player, play=play, note=ACCEPTED)
    raise SettingsError(
        f"{' '.join(words)!r}: after the number, write a player ({', '.join(before.players)}) or nothing, and then a "
        "move: pass, exchange 3, challenge, challenge lost, play 8D WORD, or play 8D WORD stood for an illegal play "
        "that stood"
    )


def _describe(game: Game, index: int) -> str:
    step = game.steps[index]
    event, name = step.event, game.players[step.event.player]
    if isinstance(event, ChallengeEvent):
        if event.challenger is None:
            return (
                f"{name}'s play was challenged off"
                if event.upheld
                else f"{name}'s play was challenged in vain"
            )
        by = game.players[event.challenger]
        return (
            f"{by} challenged {name}'s play off" if event.upheld else f"{by} challenged {name}'s play in vain"
        )
    what = f"{step.scored.position} {step.scored.main_word.text}" if step.scored else event.kind
    return f"{name} {what}"
