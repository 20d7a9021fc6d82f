"""The text fields of a live game for streams, and the files that hold them.

Names and formats are those of WatchGCG and of Woogles, so that a scene made for them shows Tilesight's games:
``score`` is ``%3d - %-3d``, unseen tiles are grouped ``A BB CCC ? ``, the last play begins with ``LAST PLAY: ``,
letters that a play runs through are in parentheses, and a blank's letter is in lower case. The fields for clocks,
racks, the turn and the title are Tilesight's own.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from scoring import (
    BLANK,
    MAX_PLAYERS,
    Edition,
    ExchangeEvent,
    Game,
    ScoredPlay,
    Step,
    format_tokens,
    is_blank,
)
from tilesight.live.clocks import format_clock, format_countdown
from tilesight.live.delay import DelayedGame
from tilesight.live.game import LiveGame
from tilesight.live.state import GameState, isolate
from vision.core import write_file
from vision.errors import InputError

__all__ = ["FIELDS", "FieldFiles", "describe_step", "format_field"]

LAST_PLAY = "LAST PLAY: "
VOWELS = frozenset("AEIOUÆØŒΑΕΗΙΟΥΩАЕИОУЫЭЮЯІЄ")
BREVE_CONSONANTS = frozenset("ЙЎ")
"""Consonants that are written as a vowel with a breve."""
Y_VOWEL_LANGUAGES = frozenset({"is", "nb", "no", "da", "sv", "fi", "pl"})
"""Languages in which Y is always a vowel; for other languages WatchGCG and Woogles count it as a consonant."""
WRITE_EVERY_S = 0.5
"""Longest time in seconds between two writes of the files: clocks show seconds. Other changes are written at once."""


def format_field(field: str, state: GameState, now_s: float) -> str:
    """Format a field as text.

    Parameters
    ----------
    field : str
        One of `FIELDS`.
    state : GameState
        The game.
    now_s : float
        The time in seconds since 1970, for clocks and delayed racks.

    Raises
    ------
    KeyError
        If there is no such field.
    """
    return FIELDS[field](state, now_s)


def format_score(state: GameState, _: float) -> str:
    """Format the points: ``" 45 - 32 "`` for two players."""
    totals = state.game.totals
    if len(totals) == 2:
        return f"{totals[0]:3d} - {totals[1]:<3d}"
    return " - ".join(f"{total:3d}" for total in totals)


def format_unseen_tiles(state: GameState, _: float) -> str:
    """List every unseen tile in alphabetical order, with a space after each letter's tiles; blanks are last."""
    unseen = state.game.unseen()
    if unseen is None:
        return ""
    letters = [token for token in (*state.edition.tokens, BLANK) if unseen.get(token)]
    return "".join(token * unseen[token] + " " for token in letters)


def format_unseen_count(state: GameState, _: float) -> str:
    """Count the unseen tiles, with vowels and consonants on a second line."""
    unseen = state.game.unseen()
    if unseen is None:
        return ""
    total, blanks = sum(unseen.values()), unseen.get(BLANK, 0)
    language = state.edition.language
    vowels = sum(count for token, count in unseen.items() if is_vowel(token, language))
    consonants = total - vowels - blanks
    return (
        f"{total} {inflect('tile', total)}\n{vowels:2d} {inflect('vowel', vowels)} | "
        f"{consonants:2d} {inflect('consonant', consonants)}"
    )


def is_vowel(token: str, language: str) -> bool:
    """Check whether a token is a vowel, ignoring accents; a digraph counts by its first letter."""
    if token[0] in BREVE_CONSONANTS:
        return False
    base = unicodedata.normalize("NFD", token)[:1]
    return base in VOWELS or (base == "Y" and language in Y_VOWEL_LANGUAGES)


def inflect(noun: str, count: int) -> str:
    """Return the noun, in the plural unless the count is 1."""
    return noun if count == 1 else f"{noun}s"


def format_last_play(state: GameState, _: float) -> str:
    """Describe the last turn, with its points and the player's total."""
    game = state.shown_game
    for step in reversed(game.steps):
        text = describe_step(step, game)
        if text:
            return LAST_PLAY + text
    return LAST_PLAY + "(no play yet)"


def describe_step(step: Step, game: Game) -> str:
    """Describe one event in a line; empty for events that are not turns."""
    name = isolate(game.players[step.event.player])
    if step.taken_back is not None:
        scored = game.steps[step.taken_back.index].scored
        word = format_word(scored, game.edition) if scored is not None else "(unknown)"
        verb = "CHALLENGED OFF" if step.event.kind == "challenge" else "TAKEN BACK"
        return f"{name} {verb} {word}"
    if step.scored is not None:
        return f"{name} {step.scored.position} {format_word(step.scored, game.edition)} {step.score} {step.total}"
    if isinstance(step.event, ExchangeEvent):
        tiles = step.event.tiles
        what = "".join(tiles) if tiles else str(step.event.count or "(unknown)")
        return f"{name} exch {what} {step.score} {step.total}"
    if step.event.kind in ("pass", "no-play"):
        return f"{name} pass {step.score} {step.total}"
    return ""


def format_word(scored: ScoredPlay, edition: Edition) -> str:
    """Format the main word, with earlier letters in parentheses: ``HR(A)kI``."""
    new = {(tile.row, tile.column) for tile in scored.play}
    text, is_open = "", False
    word = scored.main_word
    down, right = word.direction.value
    for index, token in enumerate(word.tokens):
        is_earlier = (word.row + down * index, word.column + right * index) not in new
        if is_earlier != is_open:
            text += "(" if is_earlier else ")"
            is_open = is_earlier
        text += format_tokens([token], edition)
    return text + ")" * is_open


def find_blank_word(state: GameState, number: int) -> str:
    """Return the main word of the play number `number`, from 0, among those that used a blank; empty if none."""
    words = []
    for play in state.game.state.plays:
        scored = state.game.steps[play.index].scored
        if scored is not None and any(is_blank(tile.token) for tile in play.play):
            words.append("".join(format_tokens([token], state.edition) for token in scored.main_word.tokens))
    return words[number] if number < len(words) else ""


def format_turn(state: GameState, _: float) -> str:
    """Name the player on turn; empty once the game is over."""
    return "" if state.game.ending is not None else state.game.players[state.game.turn]


def _make_player_field(
    player: int, text: Callable[[GameState, float, int], str]
) -> Callable[[GameState, float], str]:
    """Make the field of one player; its text is empty if there are fewer players."""
    return lambda state, now_s: text(state, now_s, player) if player < len(state.game.players) else ""


def _format_player_clock(state: GameState, now_s: float, player: int) -> str:
    clocks = state.clocks(now_s)
    return format_clock(clocks.left_s[player]) if clocks is not None else ""


def _format_match(state: GameState, _: float) -> str:
    """Format the games won: ``1 - 0``; empty for a single game."""
    if state.match.best_of is None and state.match.number == 1:
        return ""
    return " - ".join(f"{won:g}" for won in state.match.games_won(state.game))


def _format_player_info(state: GameState, name: str, player: int) -> str:
    if player >= len(state.match.players):
        return ""
    value = getattr(state.match.players[player], name)
    return "" if value is None else str(value)


FIELDS: Mapping[str, Callable[[GameState, float], str]] = MappingProxyType(
    {
        "score": format_score,
        "unseen_tiles": format_unseen_tiles,
        "unseen_count": format_unseen_count,
        "last_play": format_last_play,
        "blank1": lambda state, _: find_blank_word(state, 0),
        "blank2": lambda state, _: find_blank_word(state, 1),
        "turn": format_turn,
        "title": lambda state, _: state.title,
        "event": lambda state, _: state.match.event,
        "round": lambda state, _: state.match.round,
        "match": _format_match,
        "countdown": lambda state, now_s: format_countdown(state.countdown_s, now_s),
        **{
            f"p{player + 1}_{name}": _make_player_field(player, text)
            for player in range(MAX_PLAYERS)
            for name, text in (
                ("score", lambda state, _, player: f"{state.game.totals[player]:3d}"),
                ("name", lambda state, _, player: state.game.players[player]),
                ("clock", _format_player_clock),
                ("rack", lambda state, now_s, player: "".join(state.shown_racks(now_s)[player])),
                ("club", lambda state, _, player: _format_player_info(state, "club", player)),
                ("rating", lambda state, _, player: _format_player_info(state, "rating", player)),
                ("flag", lambda state, _, player: _format_player_info(state, "flag", player)),
            )
        },
    }
)
"""The function that formats each field, by the field's name."""


class FieldFiles:
    """Keeps ``FOLDER/<game>/<field>.txt`` up to date in a thread; use it in a ``with`` block.

    Each file is replaced in one step, so that a reader never sees half of it.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    games : sequence of LiveGame
        The games.
    notify : callable
        Called with one line when the files of a game cannot be written; those of the others are.

    Raises
    ------
    InputError
        If a folder cannot be made, or a file not be written.
    """

    def __init__(self, folder: Path, games: Sequence[LiveGame], notify: Callable[[str], None]) -> None:
        self._folder = folder
        self._games = [DelayedGame(game) for game in games]
        self._notify = notify
        self._written: dict[Path, str] = {}
        self._changed = threading.Event()
        self._stopping = False
        self._failed: set[DelayedGame] = set()
        self._thread = threading.Thread(target=self._run, name="field files", daemon=True)
        for game, delayed in zip(games, self._games, strict=True):
            game.add_listener(self._wake)
            self._write(delayed)

    def _write(self, game: DelayedGame) -> None:
        """Write the fields of a game that have changed, or whose files were removed.

        Raises
        ------
        InputError
            If its folder cannot be made, or a file not be written.
        """
        state, now_s = game.state, game.now_s
        folder = self._folder / state.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            found = set(folder.iterdir())
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be made ({error.strerror}); name another folder for the fields"
            ) from error
        for field in FIELDS:
            path = folder / f"{field}.txt"
            text = format_field(field, state, now_s)
            if self._written.get(path) != text or path not in found:
                write_file(path, text.encode())
                self._written[path] = text

    def _wake(self, _: GameState) -> None:
        self._changed.set()

    def _run(self) -> None:
        while not self._stopping:
            self._changed.wait(WRITE_EVERY_S)
            self._changed.clear()
            for game in self._games:
                try:
                    self._write(game)
                    self._failed.discard(game)
                except InputError as error:
                    if game not in self._failed:
                        self._notify(str(error))
                    self._failed.add(game)

    def __enter__(self) -> FieldFiles:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._changed.set()
        self._thread.join(5.0)
