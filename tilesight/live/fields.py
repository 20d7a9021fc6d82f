"""The text fields that streams put on screen one by one.

Names and shapes are those of WatchGCG and of Woogles, so that a scene made for them shows Tilesight's games: ``score``
is ``%3d - %-3d``, unseen tiles are grouped ``A BB CCC ? ``, the last play begins ``LAST PLAY: ``, letters that a play
runs through stand in parentheses, and a blank's letter is in lower case. Clocks, racks, the turn and the title are
ours.

Writes every table's text fields to files, for scenes that read text from files; each is whole at every moment.
"""

from __future__ import annotations

import threading
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from scoring import BLANK, ExchangeEvent, Game, ScoredPlay, Step, is_blank
from tilesight.live.game import LiveGame
from tilesight.live.operator_state import format_clock
from tilesight.live.state import GameState
from vision.core import write_file
from vision.errors import InputError

__all__ = ["FIELDS", "MAX_PLAYERS_SHOWN", "FieldFiles", "text_of"]

LAST_PLAY = "LAST PLAY: "
MAX_PLAYERS_SHOWN = 4
VOWELS = frozenset("AEIOUÆØŒ")
Y_IS_A_VOWEL = frozenset({"is", "nb", "no", "da", "sv", "fi", "pl"})
"""Languages in which Y is always a vowel; elsewhere the tools of the field count it among the consonants."""


def text_of(field: str, state: GameState, now_s: float) -> str:
    """A field's text.

    Parameters
    ----------
    field : str
        One of `FIELDS`.
    state : TableState
        The table.
    now_s : float
        When, in seconds since 1970: clocks run, and racks wait for their delay.

    Raises
    ------
    KeyError
        If there is no such field.
    """
    return FIELDS[field](state, now_s)


def score(state: GameState, _: float) -> str:
    """Two players' points: ``" 45 - 32 "``; of more players all, of one alone."""
    totals = state.game.totals
    if len(totals) == 2:
        return f"{totals[0]:3d} - {totals[1]:<3d}"
    return " - ".join(f"{total:3d}" for total in totals)


def unseen_tiles(state: GameState, _: float) -> str:
    """Every tile that nobody has seen, in alphabetical order, each letter followed by a space; blanks last."""
    unseen = state.game.unseen()
    if unseen is None:
        return ""
    letters = [token for token in (*state.edition.tokens, BLANK) if unseen.get(token)]
    return "".join(token * unseen[token] + " " for token in letters)


def unseen_count(state: GameState, _: float) -> str:
    """How many tiles nobody has seen, with vowels and consonants on a second line."""
    unseen = state.game.unseen()
    if unseen is None:
        return ""
    total, blanks = sum(unseen.values()), unseen.get(BLANK, 0)
    language = state.edition.language
    vowels = sum(count for token, count in unseen.items() if is_vowel(token, language))
    consonants = total - vowels - blanks
    return (
        f"{counted(total, 'tile')}\n{vowels:2d} {named(vowels, 'vowel')} | "
        f"{consonants:2d} {named(consonants, 'consonant')}"
    )


def is_vowel(token: str, language: str) -> bool:
    """Whether a tile's letter is a vowel; accents change nothing, and digraphs begin as they begin."""
    base = unicodedata.normalize("NFD", token)[:1]
    return base in VOWELS or (base == "Y" and language in Y_IS_A_VOWEL)


def named(count: int, noun: str) -> str:
    """The noun as it goes with that number."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """The number and its noun."""
    return f"{count} {named(count, noun)}"


def last_play(state: GameState, _: float) -> str:
    """The last thing that somebody did, with its points and the player's total."""
    game = state.shown_game
    for step in reversed(game.steps):
        text = told(step, game)
        if text:
            return LAST_PLAY + text
    return LAST_PLAY + "(no play yet)"


def told(step: Step, game: Game) -> str:
    """One event as a line; empty for those that are no turn."""
    name = game.players[step.event.player]
    if step.taken_back is not None:
        scored = game.steps[step.taken_back.index].scored
        word = shown_word(scored) if scored is not None else "(unknown)"
        verb = "CHALLENGED OFF" if step.event.kind == "challenge" else "TAKEN BACK"
        return f"{name} {verb} {word}"
    if step.scored is not None:
        return f"{name} {step.scored.position} {shown_word(step.scored)} {step.score} {step.total}"
    if isinstance(step.event, ExchangeEvent):
        tiles = step.event.tiles
        what = "".join(tiles) if tiles else str(step.event.count or "(unknown)")
        return f"{name} exch {what} {step.score} {step.total}"
    if step.event.kind in ("pass", "no-play"):
        return f"{name} pass {step.score} {step.total}"
    return ""


def shown_word(scored: ScoredPlay) -> str:
    """The main word, with the letters that lay there in parentheses: ``HR(A)kI``."""
    laid = {(tile.row, tile.column) for tile in scored.play}
    text, inside = "", False
    word = scored.main_word
    down, right = word.direction.value
    for index, token in enumerate(word.tokens):
        through = (word.row + down * index, word.column + right * index) not in laid
        if through != inside:
            text += "(" if through else ")"
            inside = through
        text += token
    return text + ")" * inside


def blank_word(state: GameState, number: int) -> str:
    """The main word of the play that laid the game's `number`-th blank, or play with one, if it still stands."""
    words = []
    for laid in state.game.state.plays:
        scored = state.game.steps[laid.index].scored
        if scored is not None and any(is_blank(tile.token) for tile in laid.play):
            words.append("".join(scored.main_word.tokens))
    return words[number] if number < len(words) else ""


def turn(state: GameState, _: float) -> str:
    """Who is to play; empty once the game is over."""
    return "" if state.game.ending is not None else state.game.players[state.game.turn]


def _of_player(
    player: int, text: Callable[[GameState, float, int], str]
) -> Callable[[GameState, float], str]:
    """A field of one player; empty where fewer play."""
    return lambda state, now_s: text(state, now_s, player) if player < len(state.game.players) else ""


def _player_clock(state: GameState, now_s: float, player: int) -> str:
    clocks = state.clocks(now_s)
    return format_clock(clocks.left_s[player]) if clocks is not None else ""


FIELDS: Mapping[str, Callable[[GameState, float], str]] = MappingProxyType(
    {
        "score": score,
        "unseen_tiles": unseen_tiles,
        "unseen_count": unseen_count,
        "last_play": last_play,
        "blank1": lambda state, _: blank_word(state, 0),
        "blank2": lambda state, _: blank_word(state, 1),
        "turn": turn,
        "title": lambda state, _: state.title,
        **{
            f"p{player + 1}_{name}": _of_player(player, text)
            for player in range(MAX_PLAYERS_SHOWN)
            for name, text in (
                ("score", lambda state, _, player: f"{state.game.totals[player]:3d}"),
                ("name", lambda state, _, player: state.game.players[player]),
                ("clock", _player_clock),
                ("rack", lambda state, now_s, player: "".join(state.shown_racks(now_s)[player])),
            )
        },
    }
)
"""Each field's name, and what makes its text."""


EVERY_S = 0.5
"""Clocks show seconds; anything else is written at once."""


class FieldFiles:
    """Keeps ``FOLDER/<table>/<field>.txt`` as the fields are; use it in a ``with`` block.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    tables : sequence of Table
        Whose fields.
    notify : callable
        Gets one line where a file cannot be written.

    Raises
    ------
    InputError
        If the folders cannot be made, or nothing be written there.
    """

    def __init__(self, folder: Path, tables: Sequence[LiveGame], notify: Callable[[str], None]) -> None:
        self._folder = folder
        self._tables = tables
        self._notify = notify
        self._written: dict[Path, str] = {}
        self._changed = threading.Event()
        self._stopping = False
        self._complained = False
        self._thread = threading.Thread(target=self._run, name="field files", daemon=True)
        for table in tables:
            place = folder / table.state.name
            try:
                place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{place}: cannot be made ({error.strerror}); name another folder for the fields"
                ) from error
            table.listen(self._wake)
        self.write()

    def write(self) -> None:
        """Writes what has changed.

        Raises
        ------
        InputError
            If a file cannot be written.
        """
        now_s = time.time()
        for table in self._tables:
            state = table.state
            for field in FIELDS:
                path = self._folder / state.name / f"{field}.txt"
                text = text_of(field, state, now_s)
                if self._written.get(path) != text:
                    write_file(path, text.encode())
                    self._written[path] = text

    def _wake(self, _: GameState) -> None:
        self._changed.set()

    def _run(self) -> None:
        while not self._stopping:
            self._changed.wait(EVERY_S)
            self._changed.clear()
            try:
                self.write()
                self._complained = False
            except InputError as error:
                if not self._complained:
                    self._notify(str(error))
                self._complained = True

    def __enter__(self) -> FieldFiles:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._changed.set()
        self._thread.join(5.0)
