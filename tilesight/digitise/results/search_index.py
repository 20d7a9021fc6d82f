"""The index of a digitised folder, for `tilesight find`: words, plays, players, scores and dates in one SQLite file.

Words are kept by SQLite's full-text index, a line a photo; patterns are matched against its vocabulary, which has
each word once, however many photos show it. A bar ends each tile there, so that ``?`` is one tile, SZ as well as S.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import tempfile
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring import BLANK, COVERED, EMPTY, Direction, designated, format_position, parse_tokens
from vision.errors import InputError, SettingsError

__all__ = ["FoundPhoto", "FoundPlay", "Index", "Query", "open_index"]

FILE = "find.sqlite"
SCHEMA = 2
END = "|"
"""Ends a tile."""
ENDED, UNKNOWN = re.escape(END), re.escape(BLANK + END)
"""The same, and a blank whose letter nobody knows, in patterns."""
WORDS = (
    """fts5 (words, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'")"""
)
"""All signs are part of words, as in the Catalan tile ``L·L``; only spaces part them."""
TABLES = (
    """CREATE TABLE photo (id INTEGER PRIMARY KEY, image TEXT, status TEXT, edition TEXT, taken TEXT, game TEXT,
                           tiles INTEGER, doubt REAL, board TEXT)""",
    """CREATE TABLE play (game TEXT, number INTEGER, player TEXT, position TEXT, word TEXT, score INTEGER,
                          total INTEGER, photo TEXT, taken TEXT)""",
    "CREATE TABLE place (photo INTEGER, word TEXT, position TEXT)",
    "CREATE INDEX place_of ON place (photo, word)",
    f"CREATE VIRTUAL TABLE photo_words USING {WORDS}",
    "CREATE VIRTUAL TABLE photo_vocabulary USING fts5vocab (photo_words, row)",
    f"CREATE VIRTUAL TABLE play_words USING {WORDS}",
    "CREATE VIRTUAL TABLE play_vocabulary USING fts5vocab (play_words, row)",
)
MAX_TERMS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for; all that is given must hold.

    Parameters
    ----------
    pattern : str or None
        A word, ``?`` for one tile and ``*`` for any number of letters.
    player : str or None
        Who made the play: any names of the player, in any case.
    score : tuple of (int or None, int or None) or None
        The least and the most that the play scored.
    date : tuple of (str or None, str or None) or None
        The first and the last day, month or year, as ISO 8601 writes it: ``2014-10``.
    """

    pattern: str | None = None
    player: str | None = None
    score: tuple[int | None, int | None] | None = None
    date: tuple[str | None, str | None] | None = None

    @property
    def of_plays(self) -> bool:
        """Whether plays are looked for, and not photos."""
        return self.player is not None or self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPhoto:
    """A photo, and where the word lies on its board."""

    image: str
    taken: str | None
    edition: str | None
    game: str | None
    board: str | None
    places: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlay:
    """A play of a game that was found among photos."""

    game: str
    number: int
    player: str
    position: str
    word: str
    score: int
    total: int | None
    photo: str
    taken: str | None


class Index:
    """An index of a folder.

    Parameters
    ----------
    connection : sqlite3.Connection
        The open file.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._taken: dict[str, str | None] = {}

    @classmethod
    @contextlib.contextmanager
    def new(cls, path: Path) -> Iterator[Index]:
        """A new index, in its place when the block ends."""
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(handle)
        try:
            connection = sqlite3.connect(temporary, isolation_level=None)
            with contextlib.closing(connection):
                connection.execute("PRAGMA journal_mode = OFF")  # nobody sees the file until it is whole
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("BEGIN")
                for statement in TABLES:
                    connection.execute(statement)
                yield cls(connection)
                connection.execute(f"PRAGMA user_version = {SCHEMA}")
                connection.execute("COMMIT")
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def add_photo(self, record: Mapping[str, Any]) -> None:
        """A photo and the words on its board."""
        names = ("image", "status", "edition", "taken", "game", "tiles", "doubt", "board")
        cursor = self._connection.execute(
            "INSERT INTO photo (image, status, edition, taken, game, tiles, doubt, board) VALUES (?,?,?,?,?,?,?,?)",
            [record.get(name) for name in names],
        )
        self._taken[record["image"]] = record.get("taken")
        words = list(words_on(record.get("rows") or ()))
        if words:
            text = " ".join(term_of(word) for word, _ in words)
            self._connection.execute(
                "INSERT INTO photo_words (rowid, words) VALUES (?, ?)", (cursor.lastrowid, text)
            )
            places = [(cursor.lastrowid, term_of(word), position) for word, position in words]
            self._connection.executemany("INSERT INTO place VALUES (?, ?, ?)", places)

    def add_game(self, game: Mapping[str, Any], letters: Collection[str]) -> None:
        """The plays of a game, whose edition has these letters."""
        for number, play in enumerate(game["plays"], 1):
            if not play.get("word"):
                continue
            cursor = self._connection.execute(
                "INSERT INTO play VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    game["game"],
                    number,
                    play["player"],
                    play["position"],
                    play["word"],
                    play["score"],
                    play["total"],
                    play["photo"],
                    self._taken.get(play["photo"]),
                ),
            )
            words = " ".join(term_of(parse_tokens(word, letters)) for word in play["words"])
            self._connection.execute(
                "INSERT INTO play_words (rowid, words) VALUES (?, ?)", (cursor.lastrowid, words)
            )

    def photos(self, query: Query) -> list[FoundPhoto]:
        """The photos that suit, in the order of the sources."""
        where, values = conditions(query)
        terms = self._terms("photo_vocabulary", query.pattern)
        if terms is not None:
            where.append("id IN (SELECT rowid FROM photo_words WHERE photo_words MATCH ?)")
            values.append(any_of(terms))
        rows = self._connection.execute(
            f"SELECT id, image, taken, edition, game, board FROM photo WHERE {' AND '.join(where)} ORDER BY id",
            values,
        ).fetchall()
        return [
            FoundPhoto(
                image=image,
                taken=taken,
                edition=edition,
                game=game,
                board=board,
                places=self._places(photo, terms),
            )
            for photo, image, taken, edition, game, board in rows
        ]

    def plays(self, query: Query) -> list[FoundPlay]:
        """The plays that suit, game by game."""
        where, values = conditions(query)
        terms = self._terms("play_vocabulary", query.pattern)
        if terms is not None:
            where.append("rowid IN (SELECT rowid FROM play_words WHERE play_words MATCH ?)")
            values.append(any_of(terms))
        if query.player is not None:
            # SQLite itself knows no capitals but those of English
            self._connection.create_function("is_called", 2, is_called, deterministic=True)
            where.append("is_called(player, ?)")
            values.append(query.player)
        for bound, sign in zip(query.score or (), (">=", "<="), strict=False):
            if bound is not None:
                where.append(f"score {sign} ?")
                values.append(bound)
        names = ("game", "number", "player", "position", "word", "score", "total", "photo", "taken")
        rows = self._connection.execute(
            f"SELECT {', '.join(names)} FROM play WHERE {' AND '.join(where)} ORDER BY rowid", values
        )
        return [FoundPlay(**dict(zip(names, row, strict=True))) for row in rows]

    def _terms(self, vocabulary: str, pattern: str | None) -> list[str] | None:
        """The words of the index that suit the pattern; None without one."""
        if pattern is None:
            return None
        all_terms = [term for (term,) in self._connection.execute(f"SELECT term FROM {vocabulary}")]
        digraphs = {tile for term in all_terms for tile in term.split(END) if len(tile) > 1}
        suits = matcher(pattern, digraphs)
        terms = [term for term in all_terms if suits(term)]
        if len(terms) > MAX_TERMS:
            raise SettingsError(f"{pattern!r} suits {len(terms)} different words; name more of its letters")
        return terms

    def _places(self, photo: int, terms: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
        """Where these words lie on a photo's board."""
        rows = self._connection.execute(
            "SELECT word, position FROM place WHERE photo = ? ORDER BY rowid", (photo,)
        )
        wanted = set(terms or ())
        return tuple((word.replace(END, "").upper(), position) for word, position in rows if word in wanted)


@contextlib.contextmanager
def open_index(folder: Path) -> Iterator[Index]:
    """The index of a digitised folder.

    Raises
    ------
    InputError
        If there is none, or it is damaged.
    SettingsError
        If another version of Tilesight wrote it.
    """
    path = folder / FILE
    if not path.is_file():
        from tilesight.digitise.results.result_store import (
            WORK,  # brings all that reads pictures: slow to import
        )

        if (folder / WORK).is_dir():
            raise InputError(f"{folder}: its run was interrupted; run the same tilesight digitise again")
        raise InputError(f"{folder}: holds no {FILE}; name the folder that tilesight digitise wrote")
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            (schema,) = connection.execute("PRAGMA user_version").fetchone()
            if schema != SCHEMA:
                raise SettingsError(f"{path}: has schema {schema}, expected {SCHEMA}; digitise again")
            yield Index(connection)
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: is damaged ({error}); run tilesight digitise again") from error


def words_on(rows: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words on a board, tile by tile, and where each begins."""
    for direction, lines in ((Direction.ACROSS, rows), (Direction.DOWN, list(zip(*rows, strict=True)))):
        for number, line in enumerate(lines):
            word: list[str] = []
            for at, token in enumerate([*line, EMPTY]):
                if token not in (EMPTY, COVERED):
                    word.append(token)
                    continue
                if len(word) > 1:
                    begin = at - len(word)
                    square = (number, begin) if direction is Direction.ACROSS else (begin, number)
                    yield tuple(word), format_position(*square, direction)
                word = []


def term_of(word: Sequence[str]) -> str:
    """A word as the index keeps it: blanks as their letters, a bar behind each tile."""
    return "".join(folded(designated(token)) + END for token in word)


def matcher(pattern: str, digraphs: Collection[str] = ()) -> Callable[[str], object]:
    """Whether a word of the index suits; a blank whose letter nobody knows suits any tile.

    Parameters
    ----------
    pattern : str
        Letters in any case, ``?`` and ``*``.
    digraphs : collection of str
        The tiles of several letters, in lower case; such a blank may stand for one of these, too.
    """
    signs = folded(pattern)
    pieces = []
    for at, sign in enumerate(signs):
        if sign == "?":
            pieces.append(rf"(?<![^{ENDED}])[^{ENDED}]+{ENDED}")
        elif sign == "*":
            pieces.append(".*")
        else:
            ways = [f"{re.escape(sign)}{ENDED}?", UNKNOWN]
            if any(signs.endswith(each, 0, at + 1) for each in digraphs):
                ways.append(f"(?<={UNKNOWN})")  # the blank before it stands for this letter, too
            pieces.append(f"(?:{'|'.join(ways)})")
    return re.compile("".join(pieces)).fullmatch


def is_called(player: str, wanted: str) -> bool:
    """Whether a player has all of these names."""
    names = folded(wanted).split()
    return bool(names) and set(names) <= set(folded(player).split())


def folded(text: str) -> str:
    """The text as it is compared: systems write an accent in two ways, and people write in any case.

    Sign by sign, so that a final sigma is the one that is printed on tiles.
    """
    return unicodedata.normalize("NFC", text).casefold()


def any_of(terms: Sequence[str]) -> str:
    """The full-text query for any of these words; one that suits nothing if there is none."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms) or '"?no?word?"'


def conditions(query: Query) -> tuple[list[str], list[Any]]:
    """What photos and plays have in common."""
    where, values = ["1"], list[Any]()
    first, last = query.date or (None, None)
    for bound, sign in ((first, ">="), (last, "<=")):
        if bound is not None:
            where.append(f"substr(taken, 1, {len(bound)}) {sign} ?")
            values.append(bound)
    return where, values
