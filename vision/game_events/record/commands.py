"""The commands by which people state what happened: one grammar for keys, standard input and other programs.

Commands that change a game; `apply_command` applies them, and `tilesight.live` `redo`::

    play 8D HRAKI           the player on turn placed this, though no camera saw it
    pass                    the player on turn passes
    exchange [3|ABC]        exchanges this number of tiles, or these
    challenge               the last play's words are not valid, and it is withdrawn
    challenge lost [Anna]   they are valid, and this player challenged them; without a name: the player on turn
    withdraw                the last play is withdrawn by its player, who plays again
    correct 8D HRAKI        the last play that began there was this one
    letter H8 n             the tile there is this one; lower case for a blank's letter
    clock Anna 10           takes points off a player for overtime
    name Ana Anna Lind      the player Ana is called Anna Lind, in earlier moves too
    insert 5 Anna pass      puts a move before move 5; change 5, delete 5 and accept 5: see `move_editing`
    turn Anna               it is this player's turn: the turns before were passes
    undo                    takes back the last change
    redo                    puts back what undo took back last
    board [wait]            the record gets the tiles that are on the board; wait: they are being taken off
    end [Anna=AB Jón=]      the game is over; tiles left on the racks, where they are known

Commands for the operator's state, which `tilesight.live` applies::

    start [Anna]            starts the clock of the player on turn, or this player's
    stop                    stops the clocks
    time Anna 12:30         sets the time that is left
    rack Anna [AÐRSX?E]     sets the tiles on a rack; none: not known
    confirm [H8]            the uncertain tile there was read correctly; without a square: all, and the question
    confirm question        the question was seen; uncertain tiles stay uncertain
    title [TEXT]            sets the line for viewers
    overtime                takes off the points that the clocks of the game say
    countdown [10:00]       what the start and the break page count down: minutes and seconds, or "at 19:30"
    new-game [as-is|void]   archives the game, and begins the next one; as-is: not settled, void: it does not count
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from scoring import (
    EMPTY,
    ChallengeEvent,
    Event,
    Game,
    GameError,
    Placement,
    Play,
    PlayEvent,
    ScoringError,
    Square,
    WithdrawnEvent,
    capitalize,
    check_play,
    compose_text,
    is_tile,
    name_key,
    parse_square,
    parse_tokens,
)
from vision.errors import SettingsError
from vision.game_events.inference import correct_play, correct_tile
from vision.game_events.record.arguments import (
    expect_words,
    find_name_problem,
    find_play_at,
    find_player,
    parse_exchange,
    parse_number,
    parse_player,
    parse_typed_play,
)
from vision.game_events.record.move_editing import (
    accept_move,
    change_move,
    check_challenge_lost,
    check_later_moves,
    delete_move,
    find_settlement,
    insert_move,
    with_named_challenger,
)
from vision.game_events.updates import Correction, GameUpdate, UpdateKind

__all__ = [
    "Command",
    "Verb",
    "apply_command",
    "label_withdrawal",
    "named_squares",
    "parse_command",
    "unchanged_message",
    "undo_all",
]


MAX_PENALTY = 1000
"""Points that a clock may take off at once; more is a typing error. Chosen."""


class Verb(enum.StrEnum):
    """What a command does."""

    PLAY = "play"
    PASS = "pass"
    EXCHANGE = "exchange"
    CHALLENGE = "challenge"
    WITHDRAW = "withdraw"
    CORRECT = "correct"
    LETTER = "letter"
    CLOCK = "clock"
    NAME = "name"
    TURN = "turn"
    UNDO = "undo"
    BOARD = "board"
    INSERT = "insert"
    CHANGE = "change"
    DELETE = "delete"
    ACCEPT = "accept"
    END = "end"
    START = "start"
    STOP = "stop"
    TIME = "time"
    RACK = "rack"
    CONFIRM = "confirm"
    TITLE = "title"
    REDO = "redo"
    OVERTIME = "overtime"
    COUNTDOWN = "countdown"
    NEW_GAME = "new-game"


@dataclass(frozen=True, slots=True)
class Command:
    """A verb and its arguments."""

    verb: Verb
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb.value, *self.words))


def parse_command(text: str) -> Command:
    """Parse a line; a refusal advises one of the verbs of a game without clocks, racks and matches.

    Raises
    ------
    SettingsError
        If the line does not begin with a verb.
    """
    words, known = text.split(), list(_RECORD_VERBS)
    if not words:
        raise SettingsError(f"an empty line is not a command; write one of {', '.join(known)}")
    try:
        return Command(verb=Verb(words[0].casefold()), words=tuple(words[1:]))
    except ValueError:
        near = difflib.get_close_matches(words[0].casefold(), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join(known)}"
        raise SettingsError(f"{words[0][:20]!r} is no command; {hint}") from None


def apply_command(command: Command, game: Game) -> tuple[GameUpdate, ...]:
    """Apply a command to a game.

    Returns
    -------
    tuple of GameUpdate
        What happened; the last one's `game` is the game now. Empty where the command changes nothing.

    Raises
    ------
    SettingsError
        If the command is not possible in this game.
    """
    if command.verb is Verb.BOARD:
        raise SettingsError("board: no camera follows this game, so there is no board to take")
    if command.verb not in _HANDLERS:
        raise SettingsError(
            f"{command.verb}: clocks, racks, titles and matches are kept by tilesight serve; give the command there"
        )
    try:
        return _HANDLERS[command.verb](command.words, game)
    except ScoringError as error:
        raise SettingsError(f"{command}: {error}") from error


def _with_last_step(kind: UpdateKind, game: Game) -> tuple[GameUpdate, ...]:
    return (GameUpdate.of_last_step(kind, game),)


def _play(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 2, "play 8D WORD")
    return _with_last_step(
        UpdateKind.PLAY, game.with_play(parse_typed_play(" ".join(words), game.board, game.edition))
    )


def _pass(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 0, "pass")
    return _with_last_step(UpdateKind.PASS, game.with_pass())


def _exchange(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    event = parse_exchange(words, game.edition, game.turn)
    return _with_last_step(UpdateKind.EXCHANGE, game.with_event(event))


def _challenge(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    if words and words[0].casefold() != "lost":
        raise SettingsError(
            f"challenge {' '.join(words)}: write challenge, challenge lost or challenge lost NAME"
        )
    challenger = find_player(" ".join(words[1:]), game, "challenge lost NAME") if len(words) > 1 else None
    event = game.with_challenge(upheld=not words, challenger=challenger).events[-1]
    if words:
        check_challenge_lost(f"challenge {' '.join(words)}", game, challenger)
    # A play that is challenged off the board is reported as withdrawn, as a camera would see it.
    kind = UpdateKind.CHALLENGE if words else UpdateKind.WITHDRAWN
    return _with_last_step(kind, game.with_event(with_named_challenger(event, challenger)))


def _withdraw(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 0, "withdraw")
    return _with_last_step(UpdateKind.WITHDRAWN, game.with_withdrawal(turn_lost=False))


def _correct(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 2, "correct 8D WORD")
    placed = find_play_at(words[0], game)
    if placed is None:
        raise SettingsError(f"correct {' '.join(words)}: no play on the board begins at {words[0]}")
    before = game.steps[placed.index].before.board
    play = parse_typed_play(" ".join(words), before, game.edition)
    check_play(before, play, game.edition)
    updates = _corrected(game, placed.index, play)
    if updates:
        check_later_moves(game, updates[-1].game, placed.index, f"correct {' '.join(words)}")
    return updates


def unchanged_message(command: Command, updates: tuple[GameUpdate, ...]) -> str:
    """Return the answer to an applied command that changes nothing; empty where there are updates, or none is due."""
    if updates or command.words == ("wait",):
        return ""
    return "nothing changes: the record has this already"


def named_squares(command: Command, game: Game) -> frozenset[Square]:
    """Return the squares of the tiles that ``letter`` or ``correct`` names in a game; none for other commands."""
    if command.verb is Verb.LETTER:
        return frozenset({parse_square(command.words[0])})
    placed = find_play_at(command.words[0], game) if command.verb is Verb.CORRECT else None
    return frozenset(tile.square for tile in placed.play) if placed is not None else frozenset()


def _letter(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 2, "letter H8 N")
    row, column = parse_square(words[0])
    tokens = parse_tokens(words[1], game.edition.tokens)
    if len(tokens) != 1 or not is_tile(tokens[0]):
        raise SettingsError(
            f"letter {' '.join(words)}: name one letter, in lower case if the tile is a blank"
        )
    if not game.board.holds(row, column) or not is_tile(game.board[row, column]):
        raise SettingsError(f"letter {' '.join(words)}: no play laid a tile on {words[0]}")
    was = Placement(row=row, column=column, token=game.board[row, column])
    correction = Correction(was=was, now=replace(was, token=tokens[0]))
    if correction.now == was:
        return ()
    after, index = correct_tile(game, correction)
    step = None if index is None else after.steps[index]
    return (GameUpdate(kind=UpdateKind.CORRECTION, game=after, step=step, correction=correction),)


def _corrected(game: Game, index: int, play: Play) -> tuple[GameUpdate, ...]:
    event = game.events[index]
    assert isinstance(event, PlayEvent)
    was = {tile.square: tile for tile in event.play}
    now = {tile.square: tile for tile in play}
    changed = [square for square in sorted(was.keys() | now.keys()) if was.get(square) != now.get(square)]
    game = correct_play(game, index, play)
    empty = {square: Placement(row=square[0], column=square[1], token=EMPTY) for square in changed}
    return tuple(
        GameUpdate(
            kind=UpdateKind.CORRECTION,
            game=game,
            step=game.steps[index],
            correction=Correction(was=was.get(square, empty[square]), now=now.get(square, empty[square])),
        )
        for square in changed
    )


def _clock(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    example = f"clock {game.players[0]} 10"
    player, rest = parse_player(words, game, example)
    expect_words(rest, 1, example)
    points = parse_number(rest[0], MAX_PENALTY, example)
    return _with_last_step(UpdateKind.CLOCK, game.with_clock_penalty(points, player=player))


def _name(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    player, rest = parse_player(words, game, f"name {game.players[0]} Anna Lind")
    was, now = game.players[player], compose_text(" ".join(" ".join(rest).split()))
    if problem := find_name_problem(now):
        raise SettingsError(f"name: {problem}")
    if "," in now:
        raise SettingsError("name: a player's name cannot have a comma; leave it out")
    others = [name for name in game.players if name != was]
    if name_key(now) in map(name_key, others):
        raise SettingsError(
            f"name {was} {now}: {now} is the name of another player; give each a name of their own"
        )
    if now == was:
        return ()
    after = replace(game, players=tuple(now if name == was else name for name in game.players))
    return (
        GameUpdate(
            kind=UpdateKind.RENAMED, game=after, renamed=(was, now), message=f"{was} is called {now} now"
        ),
    )


def _turn(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    example, updates = f"turn {game.players[0]}", []
    player, rest = parse_player(words, game, example)
    expect_words(rest, 0, example)
    for _ in game.players:
        if game.turn == player:
            break
        game = game.with_pass()
        updates.append(GameUpdate.of_last_step(UpdateKind.PASS, game))
    return tuple(updates)


def _undo(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect_words(words, 0, "undo")
    if not game.events:
        raise SettingsError("undo: nothing has happened yet")
    step = game.steps[-1]
    game = game.without_event(len(game.events) - 1)
    return (GameUpdate(kind=UpdateKind.UNDONE, game=game, step=step),)


def undo_all(game: Game) -> tuple[GameUpdate, ...]:
    """Undo all events of a game, the last one first."""
    updates = list[GameUpdate]()
    while game.events:
        updates += _undo((), game)
        game = updates[-1].game
    return tuple(updates)


def _edit(
    edit: Callable[[tuple[str, ...], Game], tuple[Game, str]], words: tuple[str, ...], game: Game
) -> tuple[GameUpdate, ...]:
    after, message = edit(words, game)
    return (GameUpdate(kind=UpdateKind.EDITED, game=after, message=message),)


def label_withdrawal(command: Command, game: Game) -> tuple[GameUpdate, ...]:
    """Say why the play was taken off that a camera has just reported as withdrawn.

    Parameters
    ----------
    command : Command
        The command ``challenge`` or ``withdraw``; others label nothing.
    game : Game
        The game, whose last event is the withdrawal.

    Returns
    -------
    tuple of GameUpdate
        The update; none where the command is for something else.
    """
    event = game.events[-1] if game.events else None
    if not isinstance(event, WithdrawnEvent) or command.words:
        return ()
    label: Event
    if command.verb is Verb.CHALLENGE:
        challenger = game.steps[-1].before.turn
        label = ChallengeEvent(
            player=event.player,
            upheld=True,
            challenger=None if challenger == event.player else challenger,
            note=event.note,
        )
        message = f"the play that {game.players[event.player]} took off was challenged off"
    elif command.verb is Verb.WITHDRAW:
        label = replace(event, turn_lost=False)
        message = f"{game.players[event.player]} took the play back and plays again"
    else:
        return ()
    after = game.with_events((*game.events[:-1], label))
    return (GameUpdate(kind=UpdateKind.EDITED, game=after, message=message),)


def _end(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    racks, name = {}, list[str]()
    example = f"end {game.players[0]}=AB {' '.join(f'{player}=' for player in game.players[1:])}".strip()
    for word in " ".join(words).replace(",", " ").split():
        part, equals, tiles = word.rpartition("=")
        name.append(part if equals else word)
        if equals:
            player = find_player(" ".join(name).strip(), game, example)
            racks[player] = parse_tokens(capitalize(tiles, game.edition), game.edition.tokens)
            name = []
    if name:
        raise SettingsError(f"end {' '.join(name)}: write a player and the tiles left, such as {example!r}")
    settled = find_settlement(game.events)  # it is settled again
    removed = () if settled is None else _edit(delete_move, (str(settled + 1),), game)
    game = removed[-1].game if removed else game
    try:
        after = game.with_settlement(racks)
    except GameError as error:
        raise SettingsError(f"end: {error}; an example is {example!r}") from error
    if after is game:
        raise SettingsError(
            "end: nobody has tiles left, so nothing is to be settled; name the tiles, or write "
            "new-game as-is in serve"
        )
    new = after.steps[len(game.events) :]
    return (*removed, *(GameUpdate(kind=UpdateKind.SETTLED, game=after, step=step) for step in new))


_HANDLERS: Mapping[Verb, Callable[[tuple[str, ...], Game], tuple[GameUpdate, ...]]] = {
    Verb.PLAY: _play,
    Verb.PASS: _pass,
    Verb.EXCHANGE: _exchange,
    Verb.CHALLENGE: _challenge,
    Verb.WITHDRAW: _withdraw,
    Verb.CORRECT: _correct,
    Verb.LETTER: _letter,
    Verb.CLOCK: _clock,
    Verb.NAME: _name,
    Verb.TURN: _turn,
    Verb.UNDO: _undo,
    Verb.END: _end,
    Verb.INSERT: partial(_edit, insert_move),
    Verb.CHANGE: partial(_edit, change_move),
    Verb.DELETE: partial(_edit, delete_move),
    Verb.ACCEPT: partial(_edit, accept_move),
}
_RECORD_VERBS = tuple(verb for verb in Verb if verb in _HANDLERS or verb in (Verb.BOARD, Verb.REDO))
"""The verbs for a game without an operator's state, as `tilesight watch` follows it."""
