"""What people at the table tell the program: one form for keys, lines on standard input, and other programs.

::

    play 8D HRAKI           the player on turn laid this, though no camera saw it
    pass                    the player on turn passes
    exchange [3|ABC]        exchanges tiles, so many or these
    challenge [lost]        the last play's words are not valid: it is taken back; `lost`: they are valid
    withdraw                the last play is taken back by its player, who plays again
    correct 8D HRAKI        the last play that began there was this one
    letter H8 n             the tile there is this one; lower case for a blank's letter
    clock Anna 10           takes points off a player for the time used
    turn Anna               it is this player's turn: the turns before were passes
    undo                    takes the last event out
    end [Anna=AB Jón=]      the game is over; tiles left on the racks, where they are known

What a desk beside the table keeps, and `tilesight.live.operator_state` obeys::

    start [Anna]            the clock of the player on turn runs, or this one's
    stop                    the clocks stand
    time Anna 12:30         so much time is left
    rack Anna [AÐRSX?E]     these tiles are on the rack; none: not known
    confirm [H8]            the doubtful tile there is read rightly; without a square: all that is asked
    title [TEXT]            the line for viewers
    undo, redo              back and forth through the record, event by event or correction by correction
"""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass

from scoring import (
    Game,
    Placement,
    Play,
    PlayEvent,
    ScoringError,
    is_tile,
    parse_play,
    parse_square,
    parse_tokens,
)
from vision.errors import SettingsError
from vision.game_events.updates import Correction, GameUpdate, UpdateKind

__all__ = ["Command", "Verb", "apply_command", "expect", "parse_command", "player_named"]


MAX_PENALTY = 1000
"""Points that a clock may take off at once; more is a slip of the finger."""


class Verb(enum.StrEnum):
    """What can be told."""

    PLAY = "play"
    PASS = "pass"
    EXCHANGE = "exchange"
    CHALLENGE = "challenge"
    WITHDRAW = "withdraw"
    CORRECT = "correct"
    LETTER = "letter"
    CLOCK = "clock"
    TURN = "turn"
    UNDO = "undo"
    END = "end"
    START = "start"
    STOP = "stop"
    TIME = "time"
    RACK = "rack"
    CONFIRM = "confirm"
    TITLE = "title"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Command:
    """Something told: what, and about what."""

    verb: Verb
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb.value, *self.words))


def parse_command(text: str) -> Command:
    """The command that a line stands for.

    Raises
    ------
    SettingsError
        If the line begins with no command.
    """
    words = text.split()
    if not words:
        raise SettingsError(f"an empty line is no command; write one of {', '.join(Verb)}")
    try:
        return Command(verb=Verb(words[0].casefold()), words=tuple(words[1:]))
    except ValueError:
        near = difflib.get_close_matches(words[0].casefold(), list(Verb), n=1)
        hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join(Verb)}"
        raise SettingsError(f"{words[0]!r} is no command; {hint}") from None


def apply_command(command: Command, game: Game) -> tuple[GameUpdate, ...]:
    """What happens by a command; the last update's `game` is where the game stands.

    Raises
    ------
    SettingsError
        If it makes no sense in this game.
    """
    if command.verb not in _OBEY:
        raise SettingsError(
            f"{command.verb}: clocks, racks and titles are kept by tilesight serve; tell it there"
        )
    try:
        return _OBEY[command.verb](command.words, game)
    except ScoringError as error:
        raise SettingsError(f"{command}: {error}") from error


def _added(kind: UpdateKind, game: Game) -> tuple[GameUpdate, ...]:
    return (GameUpdate(kind=kind, game=game, step=game.steps[-1]),)


def _play(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 2, "play 8D WORD")
    return _added(UpdateKind.PLAY, game.play(parse_play(" ".join(words), game.edition.tokens, game.board)))


def _pass(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 0, "pass")
    return _added(UpdateKind.PASS, game.passed())


def _exchange(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    if not words:
        return _added(UpdateKind.EXCHANGE, game.exchanged())
    expect(words, 1, "exchange 3")
    if words[0].isdecimal():
        count = number_within(words[0], game.edition.rack_size, "exchange 3")
        return _added(UpdateKind.EXCHANGE, game.exchanged(count=count))
    tiles = parse_tokens(words[0].upper(), game.edition.tokens)
    if not 1 <= len(tiles) <= game.edition.rack_size or any(t not in game.edition.values for t in tiles):
        raise SettingsError(
            f"exchange {words[0]}: a turn exchanges 1 to {game.edition.rack_size} tiles of {game.edition.name}; "
            "write how many, or which"
        )
    return _added(UpdateKind.EXCHANGE, game.exchanged(tiles))


def _challenge(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    if words not in ((), ("lost",)):
        raise SettingsError(f"challenge {' '.join(words)}: write challenge, or challenge lost")
    # A play that is challenged off the board is told as one taken back, as a camera would see it.
    kind = UpdateKind.CHALLENGE if words else UpdateKind.WITHDRAWN
    return _added(kind, game.challenged(upheld=not words))


def _withdraw(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 0, "withdraw")
    return _added(UpdateKind.WITHDRAWN, game.withdrawn(turn_lost=False))


def _correct(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 2, "correct 8D WORD")
    for laid in reversed(game.state.plays):
        step = game.steps[laid.index]
        if step.scored is not None and step.scored.position == words[0].upper():
            play = parse_play(" ".join(words), game.edition.tokens, step.before.board)
            return _corrected(game, laid.index, play)
    raise SettingsError(f"correct {' '.join(words)}: no play on the board begins at {words[0]}")


def _letter(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 2, "letter H8 N")
    row, column = parse_square(words[0])
    tokens = parse_tokens(words[1], game.edition.tokens)
    if len(tokens) != 1 or not is_tile(tokens[0]):
        raise SettingsError(
            f"letter {' '.join(words)}: name one letter, in lower case if the tile is a blank"
        )
    now = Placement(row=row, column=column, token=tokens[0])
    for laid in reversed(game.state.plays):
        tiles = {(tile.row, tile.column): tile for tile in laid.play}
        if (row, column) in tiles:
            tiles[row, column] = now
            return _corrected(game, laid.index, Play(placements=tuple(tiles.values())))
    raise SettingsError(f"letter {' '.join(words)}: no play laid a tile on {words[0]}")


def _corrected(game: Game, index: int, play: Play) -> tuple[GameUpdate, ...]:
    event = game.events[index]
    assert isinstance(event, PlayEvent)
    was = {(tile.row, tile.column): tile for tile in event.play}
    now = {(tile.row, tile.column): tile for tile in play}
    changed = [square for square in sorted(was.keys() | now.keys()) if was.get(square) != now.get(square)]
    corrected = PlayEvent(player=event.player, play=play, note=event.note)
    game = game.corrected(index, corrected).settled_anew()
    empty = {square: Placement(row=square[0], column=square[1], token=".") for square in changed}
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
    expect(words, 2, f"clock {game.players[0]} 10")
    if not words[1].isdecimal():
        raise SettingsError(f"clock {' '.join(words)}: {words[1]!r} is no number of points")
    points = number_within(words[1], MAX_PENALTY, f"clock {game.players[0]} 10")
    return _added(UpdateKind.CLOCK, game.clock_penalty(points, player=player_named(words[0], game)))


def _turn(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 1, f"turn {game.players[0]}")
    player, updates = player_named(words[0], game), []
    for _ in game.players:
        if game.turn == player:
            break
        game = game.no_play()
        updates.append(GameUpdate(kind=UpdateKind.NO_PLAY, game=game, step=game.steps[-1]))
    return tuple(updates)


def _undo(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    expect(words, 0, "undo")
    if not game.events:
        raise SettingsError("undo: nothing has happened yet")
    step = game.steps[-1]
    game = game.removed(len(game.events) - 1)
    return (GameUpdate(kind=UpdateKind.UNDONE, game=game, step=step),)


def _end(words: tuple[str, ...], game: Game) -> tuple[GameUpdate, ...]:
    racks = {}
    for word in words:
        name, equals, tiles = word.partition("=")
        if not equals:
            raise SettingsError(
                f"end {word}: write a player and the tiles left, such as {game.players[0]}=AB"
            )
        racks[player_named(name, game)] = parse_tokens(tiles, game.edition.tokens) if tiles else ()
    first = len(game.events)
    game = game.settled(racks)
    return tuple(GameUpdate(kind=UpdateKind.SETTLED, game=game, step=step) for step in game.steps[first:])


def expect(words: tuple[str, ...], count: int, example: str) -> None:
    """Refuse a command with more or fewer words than it takes.

    Raises
    ------
    SettingsError
        If they are not so many.
    """
    if len(words) != count:
        raise SettingsError(
            f"{' '.join(words) or 'nothing'!r} does not follow this command; write {example!r}"
        )


def number_within(text: str, most: int, example: str) -> int:
    """The number from 1 to `most` that digits stand for.

    Raises
    ------
    SettingsError
        If it is another.
    """
    # Nothing longer than the bound is converted: the time for that grows with the square of the length.
    number = int(text) if len(text) <= len(str(most)) else 0
    if not 1 <= number <= most:
        raise SettingsError(f"{text:.20}: give a number from 1 to {most}, such as {example!r}")
    return number


def player_named(name: str, game: Game) -> int:
    """The number of the player of that name.

    Raises
    ------
    SettingsError
        If nobody of that name plays.
    """
    names = [player.casefold() for player in game.players]
    if name.casefold() not in names:
        raise SettingsError(f"{name!r} does not play; the players are {', '.join(game.players)}")
    return names.index(name.casefold())


_OBEY = {
    Verb.PLAY: _play,
    Verb.PASS: _pass,
    Verb.EXCHANGE: _exchange,
    Verb.CHALLENGE: _challenge,
    Verb.WITHDRAW: _withdraw,
    Verb.CORRECT: _correct,
    Verb.LETTER: _letter,
    Verb.CLOCK: _clock,
    Verb.TURN: _turn,
    Verb.UNDO: _undo,
    Verb.END: _end,
}
