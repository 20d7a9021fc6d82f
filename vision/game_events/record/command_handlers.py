"""Apply the commands of `commands` to a game: each gives the updates that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
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
from vision.game_events.record.commands import Command, Verb
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
    "apply_command",
    "label_withdrawal",
    "named_squares",
    "unchanged_message",
    "undo_all",
]

MAX_PENALTY = 1000
"""Points that a clock may take off at once; more is a typing error. Chosen."""


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


def named_squares(command: Command, game: Game) -> frozenset[Square]:
    """Return the squares of the tiles that ``letter`` or ``correct`` names in a game; none for other commands."""
    if command.verb is Verb.LETTER:
        return frozenset({parse_square(command.words[0])})
    placed = find_play_at(command.words[0], game) if command.verb is Verb.CORRECT else None
    return frozenset(tile.square for tile in placed.play) if placed is not None else frozenset()


def unchanged_message(command: Command, updates: tuple[GameUpdate, ...]) -> str:
    """Return the answer to an applied command that changes nothing; empty where there are updates, or none is due."""
    if updates or command.words == ("wait",):
        return ""
    return "nothing changes: the record has this already"


def undo_all(game: Game) -> tuple[GameUpdate, ...]:
    """Undo all events of a game, the last one first."""
    updates = list[GameUpdate]()
    while game.events:
        updates += _undo((), game)
        game = updates[-1].game
    return tuple(updates)


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


def _edit(
    edit: Callable[[tuple[str, ...], Game], tuple[Game, str]], words: tuple[str, ...], game: Game
) -> tuple[GameUpdate, ...]:
    after, message = edit(words, game)
    return (GameUpdate(kind=UpdateKind.EDITED, game=after, message=message),)


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
