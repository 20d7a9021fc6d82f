"""The arguments of commands that several commands take: players, numbers of words and exchanged tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring import (
    BLANK,
    Board,
    Direction,
    Edition,
    ExchangeEvent,
    Game,
    GameError,
    IllegalPlayError,
    Play,
    PlayOnBoard,
    Step,
    capitalize,
    check_play,
    check_players,
    format_position,
    name_key,
    parse_play,
    parse_tokens,
)
from vision.errors import SettingsError

__all__ = [
    "MAX_NAME",
    "expect_words",
    "find_name_problem",
    "find_play_at",
    "find_player",
    "find_players_problem",
    "is_printable",
    "parse_exchange",
    "parse_number",
    "parse_player",
    "parse_typed_play",
    "split_player",
]


MAX_NAME = 60
"""Characters of a player's name; chosen."""
JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Signs without a width, which names in Persian and in Indian scripts have, and joined emoji."""
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven")
"""Numbers of tiles as English words; in capitals they are tiles."""
USUAL_BLANKS = 2
"""Blanks of an edition that does not say how many it has, where a word is typed in lower case; most have two."""


def is_printable(text: str) -> bool:
    """Return whether a text has no characters that cannot be shown."""
    shown = text.translate(JOINERS)
    return shown.isprintable() and bool(shown or not text)


def find_name_problem(name: str) -> str:
    """Return what is wrong with a player's name; empty if nothing is."""
    if len(name) > MAX_NAME:
        return f"a player's name has {len(name)} characters; write at most {MAX_NAME}"
    if not is_printable(name):
        return f"a player's name is {name!r}, with characters that cannot be shown; leave them out"
    return ""


def find_players_problem(players: Sequence[str]) -> str:
    """Return what is wrong with the names of the players of a new game; empty if nothing is."""
    try:
        check_players(players, name_key)
    except GameError as error:
        return str(error)
    return next(filter(None, map(find_name_problem, players)), "")


def expect_words(words: tuple[str, ...], count: int, example: str) -> None:
    """Refuse a command with more or fewer words than it takes.

    Raises
    ------
    SettingsError
        If the number of words differs.
    """
    if len(words) < count:
        raise SettingsError(f"more must follow this command; write {example!r}")
    if len(words) > count:
        raise SettingsError(f"{' '.join(words)!r} does not follow this command; write {example!r}")


def parse_number(text: str, most: int, example: str) -> int:
    """Parse a number from 1 to `most`.

    Raises
    ------
    SettingsError
        If the number is out of range.
    """
    # Nothing longer than the bound is converted: the time for it grows with the square of the length.
    number = int(text) if text.isdecimal() and len(text) <= len(str(most)) else 0
    if not 1 <= number <= most:
        raise SettingsError(f"{text:.20}: give a number from 1 to {most}, such as {example!r}")
    return number


def parse_exchange(words: tuple[str, ...], edition: Edition, player: int) -> ExchangeEvent:
    """Parse what follows ``exchange``: nothing, how many tiles, or which.

    Raises
    ------
    SettingsError
        If it is neither, or if no rack holds as many tiles.
    """
    if not words:
        return ExchangeEvent(player=player)
    expect_words(words, 1, "exchange 3")
    if words[0].isdecimal():
        return ExchangeEvent(player=player, count=parse_number(words[0], edition.rack_size, "exchange 3"))
    if words[0].lower() in NUMBER_WORDS and not words[0].isupper():
        number = NUMBER_WORDS.index(words[0].lower()) + 1
        raise SettingsError(
            f"exchange {words[0]}: write exchange {number}, or exchange {words[0].upper()} if these are the tiles"
        )
    tiles = parse_tokens(capitalize(words[0], edition), edition.tokens)
    if not 1 <= len(tiles) <= edition.rack_size or any(tile not in edition.values for tile in tiles):
        raise SettingsError(
            f"exchange {words[0]}: a turn exchanges 1 to {edition.rack_size} tiles of {edition.name}; "
            "write how many, or which"
        )
    return ExchangeEvent(player=player, tiles=tuple(tiles))


def parse_typed_play(text: str, board: Board, edition: Edition) -> Play:
    """Parse a play as people type it: a word without capitals is laid with blanks only if the rules allow that.

    Raises
    ------
    NotationError
        If the square or a tile cannot be read.
    """
    play = parse_play(text, edition.tokens, board)
    if edition.counts[BLANK] is None:
        edition = replace(edition, counts={**edition.counts, BLANK: USUAL_BLANKS})
    try:
        check_play(board, play, edition)
    except IllegalPlayError:
        square, word = text.split()
        if word == word.lower():
            return parse_play(f"{square} {capitalize(word, edition)}", edition.tokens, board)
    return play


def find_player(name: str, game: Game, example: str) -> int:
    """Find a player by name, without regard to case, commas and the number of spaces; `example` is a command.

    Returns
    -------
    int
        The player's number, from 0.

    Raises
    ------
    SettingsError
        If there is no such player.
    """
    player = _match_player(name, game)
    if player is None:
        raise SettingsError(
            f"{name!r} does not play; the players are {', '.join(game.players)}; write {example!r}"
        )
    return player


def _match_player(name: str, game: Game) -> int | None:
    for form in (str, str.casefold, _simplify):  # names may differ in a comma only
        names = [form(player) for player in game.players]
        if form(name) in names:
            return names.index(form(name))
    return None


def parse_player(words: tuple[str, ...], game: Game, example: str) -> tuple[int, tuple[str, ...]]:
    """Parse a player's name, which may have several words, and return what follows it.

    Raises
    ------
    SettingsError
        If the words begin with no player's name.
    """
    player, rest = split_player(words, game)
    if player is not None:
        return player, rest
    expect_words(words[:1], 1, example)
    return find_player(words[0], game, example), words[1:]


def split_player(words: tuple[str, ...], game: Game) -> tuple[int | None, tuple[str, ...]]:
    """Split off a player's name, which may have several words; None if the words begin with no name."""
    for count in range(len(words), 0, -1):
        player = _match_player(" ".join(words[:count]), game)
        if player is not None:
            return player, words[count:]
    return None, words


def _simplify(name: str) -> str:
    """Return a name as it is compared: commas separate players, and spaces separate words."""
    return name_key(name.replace(",", " "))


def find_play_at(position: str, game: Game) -> PlayOnBoard | None:
    """Return the last play on the board that begins there; None if none does."""
    return next(
        (
            placed
            for placed in reversed(game.state.plays)
            if position.upper() in _positions_of(placed.play, game.steps[placed.index])
        ),
        None,
    )


def _positions_of(play: Play, step: Step) -> tuple[str, ...]:
    """Return the position of a play; of one that forms no word, those that begin on its first tile."""
    if step.scored is not None:
        return (step.scored.position,)
    first = play.placements[0]
    return tuple(format_position(first.row, first.column, direction) for direction in Direction)
