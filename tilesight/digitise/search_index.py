"""The search index of a digitised folder, for ``tilesight find``: words, plays, players, scores and dates in SQLite.

A pattern is matched against each different word once, however many photos show it. In the index a bar ends each tile,
so that ``?`` is one tile, SZ as well as S.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import (
    BLANK,
    COVERED,
    EMPTY,
    Direction,
    designated,
    format_position,
    open_atomically,
    parse_tokens,
)
from tilesight.digitise.folder import WORK
from vision.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tilesight.digitise.reading import PhotoRecord

__all__ = ["INDEX_FILE", "FoundPhoto", "FoundPlay", "Index", "Query", "open_index"]

INDEX_FILE = "find.sqlite"
SCHEMA = 3
FTS_SCHEMA = 2
"""Earlier versions kept the words of plays in a full-text table, which is read as it is."""
END = "|"
"""Ends a tile."""
END_PATTERN, UNKNOWN_BLANK = re.escape(END), re.escape(BLANK + END)
"""The end of a tile, and a blank without a letter, in regular expressions."""
TABLES = (
    """CREATE TABLE photo (id INTEGER PRIMARY KEY, image TEXT, status TEXT, edition TEXT, taken TEXT, game TEXT,
                           tiles INTEGER, doubt REAL, board TEXT)""",
    """CREATE TABLE play (game TEXT, number INTEGER, player TEXT, position TEXT, word TEXT, score INTEGER,
                          total INTEGER, photo TEXT, taken TEXT)""",
    "CREATE TABLE place (photo INTEGER, word TEXT, position TEXT)",
    "CREATE INDEX place_of ON place (photo, word)",
    "CREATE INDEX place_word ON place (word, photo)",
    "CREATE TABLE play_word (word TEXT, play INTEGER, PRIMARY KEY (word, play)) WITHOUT ROWID",
)
FTS_UPGRADE = (
    "CREATE VIRTUAL TABLE temp.play_vocabulary USING fts5vocab (main, play_words, instance)",
    "CREATE TEMP TABLE play_word AS SELECT DISTINCT term AS word, doc AS play FROM temp.play_vocabulary",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search; all that is given must hold."""

    pattern: str | None = None
    """A word, with ``?`` for one tile and ``*`` for any number of letters."""
    player: str | None = None
    """Names of the player of a play, in any case."""
    score: tuple[int | None, int | None] | None = None
    """The lowest and the highest score of a play."""
    date: tuple[str | None, str | None] | None = None
    """The first and the last day, month or year, in ISO 8601: ``2014-10``."""

    @property
    def is_for_plays(self) -> bool:
        """Whether plays are searched, and not photos."""
        return self.player is not None or self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPhoto:
    """A photo; `places` holds the matching words on its board and their positions."""

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
    """The index of a folder."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._taken: dict[str, str | None] = {}

    @classmethod
    @contextlib.contextmanager
    def create(cls, path: Path) -> Iterator[Index]:
        """Create an index, which appears when the block ends."""
        with (
            open_atomically(path) as file,
            contextlib.closing(sqlite3.connect(file.name, isolation_level=None)) as connection,
        ):
            connection.execute("PRAGMA journal_mode = OFF")  # nobody sees the file until it is complete
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            for statement in TABLES:
                connection.execute(statement)
            yield cls(connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute("COMMIT")

    def add_photo(self, record: PhotoRecord) -> None:
        """Add a photo and the words on its board."""
        board, output = record.board, record.output
        cursor = self._connection.execute(
            "INSERT INTO photo VALUES (NULL,?,?,?,?,?,?,?,?)",
            (
                record.name,
                str(record.status),
                board.known_edition if board is not None else None,
                record.taken,
                output.game if output is not None else None,
                board.tiles if board is not None else None,
                board.misread_squares if board is not None else None,
                output.board if output is not None else None,
            ),
        )
        self._taken[record.name] = record.taken
        if board is not None:
            places = [
                (cursor.lastrowid, index_word(word), position) for word, position in words_on(board.rows)
            ]
            self._connection.executemany("INSERT INTO place VALUES (?, ?, ?)", places)

    def add_game(self, game: Mapping[str, Any], letters: Collection[str]) -> None:
        """Add the plays of a game, given as its JSON object with the letters of its edition."""
        for number, play in enumerate(game["plays"], 1):
            if not play.get("word"):
                continue
            names = ("player", "position", "word", "score", "total", "photo")
            cursor = self._connection.execute(
                "INSERT INTO play VALUES (?,?,?,?,?,?,?,?,?)",
                (game["game"], number, *(play[name] for name in names), self._taken.get(play["photo"])),
            )
            words = {index_word(parse_tokens(word, letters)) for word in play["words"]}
            self._connection.executemany(
                "INSERT INTO play_word VALUES (?, ?)", [(word, cursor.lastrowid) for word in sorted(words)]
            )

    def photos(self, query: Query) -> list[FoundPhoto]:
        """Return the matching photos in the order of the sources."""
        where, values = date_conditions(query)
        words = self._matching_words("place", query.pattern)
        if words is not None:
            where.append("id IN (SELECT photo FROM place WHERE word IN (SELECT value FROM json_each(?)))")
            values.append(json.dumps(words))
        names = ("image", "taken", "edition", "game", "board")
        rows = self._connection.execute(
            f"SELECT id, {', '.join(names)} FROM photo WHERE {' AND '.join(where)} ORDER BY id", values
        ).fetchall()
        wanted = set(words or ())
        return [
            FoundPhoto(**dict(zip(names, row, strict=True)), places=self._places(photo, wanted))
            for photo, *row in rows
        ]

    def plays(self, query: Query) -> list[FoundPlay]:
        """Return the matching plays, game by game."""
        where, values = date_conditions(query)
        words = self._matching_words("play_word", query.pattern)
        if words is not None:
            where.append(
                "rowid IN (SELECT play FROM play_word WHERE word IN (SELECT value FROM json_each(?)))"
            )
            values.append(json.dumps(words))
        if query.player is not None:
            # SQLite itself folds the case of English letters only
            self._connection.create_function("has_names", 2, has_names, deterministic=True)
            where.append("has_names(player, ?)")
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

    def _matching_words(self, table: str, pattern: str | None) -> list[str] | None:
        """Return the words of a table that match the pattern; None without one."""
        if pattern is None:
            return None
        words = [word for (word,) in self._connection.execute(f"SELECT DISTINCT word FROM {table}")]
        digraphs = {tile for word in words for tile in word.split(END) if len(tile) > 1}
        matches = make_matcher(pattern, digraphs)
        return [word for word in words if matches(word)]

    def _places(self, photo: int, words: Collection[str]) -> tuple[tuple[str, str], ...]:
        """Return the positions of these words on a photo's board."""
        rows = self._connection.execute(
            "SELECT word, position FROM place WHERE photo = ? ORDER BY rowid", (photo,)
        )
        return tuple((word.replace(END, "").upper(), position) for word, position in rows if word in words)


@contextlib.contextmanager
def open_index(folder: Path) -> Iterator[Index]:
    """Open the index of a digitised folder.

    Raises InputError if there is none or it is damaged, SettingsError if another version of Tilesight wrote it.
    """
    path = folder / INDEX_FILE
    if not path.is_file():
        if (folder / WORK).is_dir():
            raise InputError(f"{folder}: its run was interrupted; run the same tilesight digitise again")
        raise InputError(f"{folder}: holds no {INDEX_FILE}; name the folder that tilesight digitise wrote")
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            (schema,) = connection.execute("PRAGMA user_version").fetchone()
            if schema == FTS_SCHEMA:
                for statement in FTS_UPGRADE:
                    connection.execute(statement)
            elif schema != SCHEMA:
                raise SettingsError(f"{path}: has schema {schema}, expected {SCHEMA}; digitise again")
            yield Index(connection)
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: is damaged ({error}); run tilesight digitise again") from error


def words_on(rows: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words on a board, tile by tile, and the position of each."""
    for direction, lines in ((Direction.ACROSS, rows), (Direction.DOWN, list(zip(*rows, strict=True)))):
        for number, line in enumerate(lines):
            word: list[str] = []
            for end, token in enumerate([*line, EMPTY]):
                if token not in (EMPTY, COVERED):
                    word.append(token)
                    continue
                if len(word) > 1:
                    begin = end - len(word)
                    square = (number, begin) if direction is Direction.ACROSS else (begin, number)
                    yield tuple(word), format_position(*square, direction)
                word = []


def index_word(word: Sequence[str]) -> str:
    """Return a word as it is indexed: blanks as their letters, a bar after each tile."""
    return "".join(fold(designated(token)) + END for token in word)


def make_matcher(pattern: str, digraphs: Collection[str] = ()) -> Callable[[str], bool]:
    """Make a function that says whether an indexed word matches letters in any case, ``?`` and ``*``.

    A blank without a letter matches any tile, also one of `digraphs`, the tiles of several letters in lower case. A
    word of which most tiles are such blanks matches no pattern with letters.
    """
    signs = fold(pattern)
    pieces = []
    for index, sign in enumerate(signs):
        if sign == "?":
            pieces.append(rf"(?<![^{END_PATTERN}])[^{END_PATTERN}]+{END_PATTERN}")
        elif sign == "*":
            pieces.append(".*")
        else:
            options = [f"{re.escape(sign)}{END_PATTERN}?", UNKNOWN_BLANK]
            if any(signs.endswith(digraph, 0, index + 1) for digraph in digraphs):
                options.append(f"(?<={UNKNOWN_BLANK})")  # the blank before stands for this letter, too
            pieces.append(f"(?:{'|'.join(options)})")
    is_match, has_letters = re.compile("".join(pieces)).fullmatch, bool(set(signs) - set("?*"))

    def matches(word: str) -> bool:
        # A word of which most letters are unknown would match any pattern.
        unknown = word.count(BLANK + END)
        return not (has_letters and 2 * unknown > word.count(END)) and is_match(word) is not None

    return matches


def has_names(player: str, wanted: str) -> bool:
    """Whether a player has all of these names."""
    names = fold(wanted).split()
    return bool(names) and set(names) <= set(fold(player).split())


def fold(text: str) -> str:
    """Fold case and accents for comparison: systems encode an accent in two ways, and people type in any case.

    Every character is folded by itself, so that a final sigma becomes the one that is printed on tiles.
    """
    return unicodedata.normalize("NFC", text).casefold()


def date_conditions(query: Query) -> tuple[list[str], list[Any]]:
    """Return the conditions that photos and plays have in common, as SQL and its values."""
    where, values = ["1"], list[Any]()
    first, last = query.date or (None, None)
    for bound, sign in ((first, ">="), (last, "<=")):
        if bound is not None:
            where.append(f"substr(taken, 1, {len(bound)}) {sign} ?")
            values.append(bound)
    return where, values
