"""The search in a digitised folder, for ``tilesight find``: words, plays, players, scores and dates.

It reads the lines of the results, ten thousand photos in about a second. Words are compared with a slash after each
tile, so that ``?`` is one tile, SZ as well as S.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from scoring import (
    BLANK,
    Direction,
    capitalize,
    designated,
    edition_names,
    format_position,
    is_tile,
    load_edition,
    parse_tokens,
    spell_words,
)
from tilesight.digitise.folder import GAMES_FILE, PHOTOS_FILE, WORK
from vision.errors import InputError, summarize_error

__all__ = ["find_photos", "find_plays"]

End = TypeVar("End", int, str)
Range = tuple[End | None, End | None] | None
"""A lowest and a highest value, None where it is open; None for all values."""
Json = dict[str, Any]
END, UNKNOWN_BLANK = "/", r"\?/"
"""The end of a tile, and a blank without a letter in regular expressions."""


def find_photos(folder: Path, pattern: str | None, dates: Range[str]) -> list[Json]:
    """Return the matching photos of a digitised folder in the order of the sources.

    `pattern` is a word, with ``?`` for one tile and ``*`` for any number of letters. Dates are in ISO 8601, compared as
    text. `places` are the matching words on a photo's board and their positions. Raises InputError if the folder
    holds no results, or they are damaged.
    """

    def find(photo: Json) -> Iterator[Json]:
        if not is_within(photo.get("taken"), dates):
            return
        places: list[tuple[str, str]] = []
        if pattern is not None:
            rows = photo.get("rows", ())
            letters = list_letters(pattern, photo, itertools.chain(*rows))
            matches = make_matcher(pattern, letters)
            places = [(word.replace(END, ""), at) for word, at in words_on(rows) if matches(word)]
        if places or pattern is None:
            names = ("image", "taken", "edition", "game", "board")
            yield {**{name: photo.get(name) for name in names}, "places": places}

    return search_lines(folder, PHOTOS_FILE, find)


def find_plays(
    folder: Path, pattern: str | None, player: str | None, scores: Range[int], dates: Range[str]
) -> list[Json]:
    """Return the matching plays of a digitised folder, game by game.

    `player` are names of the player, in any case; the others are as for `find_photos`, and InputError too.
    """
    taken: dict[str, str | None] = {}
    names = set(capitalize(player or "", ()).split())
    tokens = defaultdict[str, set[str]](set)

    def note(photo: Json) -> Iterable[Json]:
        taken[photo["image"]] = photo.get("taken")
        if photo.get("game") is not None and pattern is not None:
            tokens[photo["game"]].update(*photo["rows"])
        return ()

    def find(game: Json) -> Iterator[Json]:
        matches = make_game_matcher(pattern, game, tokens[game["game"]]) if pattern is not None else None
        for number, play in enumerate(game["plays"], 1):
            if (
                play.get("word")
                and is_within(taken.get(play["photo"]), dates)
                and is_within(play["score"], scores)
                and (player is None or (names and names <= set(capitalize(play["player"], ()).split())))
                and (matches is None or any(map(matches, play["words"])))
            ):
                values = {key: play[key] for key in ("player", "position", "word", "score", "total", "photo")}
                yield {"game": game["game"], "number": number, **values, "taken": taken.get(play["photo"])}

    search_lines(folder, PHOTOS_FILE, note)
    return search_lines(folder, GAMES_FILE, find)


def search_lines(folder: Path, name: str, find: Callable[[Json], Iterable[Json]]) -> list[Json]:
    """Collect what is found in each line of a file of results; InputError if there is none or it is damaged."""
    path = folder / name
    if not path.is_file():
        if (folder / WORK).is_dir():
            raise InputError(
                f"{folder}: its run has not ended; wait, or run the same tilesight digitise again"
            )
        raise InputError(f"{folder}: holds no {name}; name the folder that tilesight digitise wrote")
    found: list[Json] = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                found += find(json.loads(line))
            # Any program may have written the line, and each value of another type fails in its own way.
            except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
                reason = f"{type(error).__name__}: {summarize_error(error)}"
                raise InputError(
                    f"{path}: line {number} is damaged ({reason}); run tilesight digitise again"
                ) from error
    return found


def is_within(value: End | None, ends: Range[End]) -> bool:
    """Whether a value is in a range."""
    if ends is None:
        return True
    low, high = ends
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


def make_game_matcher(pattern: str, game: Mapping[str, Any], tokens: Iterable[str]) -> Callable[[str], bool]:
    """Make a function that says whether a word, as a game writes it, matches the pattern.

    `tokens` are those on the photos of the game: its words do not say which letters are one tile.
    """
    plays = game["plays"]
    placed = (token for play in plays for *_, token in play.get("placed", ()))
    written = re.findall(r"\[([^]]+)]|(.)", "".join(word for play in plays for word in play.get("words", ())))
    letters = list_letters(pattern, game, (*tokens, *placed, *map("".join, written)))
    matches = make_matcher(pattern, letters)
    return lambda word: matches(index_word(parse_tokens(word, letters)))


def list_letters(pattern: str, record: Mapping[str, Any], tokens: Iterable[str]) -> frozenset[str]:
    """Return the letters a pattern is spelt with: those of a record's edition, or of the pattern; and of the tiles."""
    edition = record.get("edition")
    shipped = load_edition(edition).tokens if edition in edition_names() else None
    known = shipped or record.get("letters") or capitalize(pattern, ())
    return frozenset(map(designated, filter(is_tile, tokens))).union(known)


def words_on(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the words on a board, as they are compared, and the position of each."""
    for direction, lines in ((Direction.ACROSS, rows), (Direction.DOWN, list(zip(*rows, strict=True)))):
        for number, line in enumerate(lines):
            for is_word, run in itertools.groupby(enumerate(line), lambda square: is_tile(square[1])):
                places, word = zip(*run, strict=True)
                if is_word and len(word) > 1:
                    across = direction is Direction.ACROSS
                    row, column = (number, places[0]) if across else (places[0], number)
                    yield index_word(word), format_position(row, column, direction)


def index_word(word: Sequence[str]) -> str:
    """Return a word as it is compared: blanks as their letters, a slash after each tile."""
    return "".join(designated(token) + END for token in word)


@functools.lru_cache(maxsize=64)
def make_matcher(pattern: str, letters: frozenset[str]) -> Callable[[str], bool]:
    """Make a function that says whether a word of `index_word` matches letters in any case, ``?`` and ``*``.

    Accents that the `letters` lack are left out; with İ among them, it is the capital of i. A blank without a letter
    matches any of them, also one of several letters. A word mostly of such blanks matches no pattern with letters.
    """
    signs = re.sub(r"\*+", "*", spell_words(pattern, letters))  # a run of them would backtrack for minutes
    endings = tuple(each for each in letters if len(each) > 1)
    pieces, wildcards = [], {"?": rf"(?<![^{END}])[^{END}]+{END}", "*": ".*"}
    for index, sign in enumerate(signs):
        # A blank before the last of several letters stands for this letter, too.
        after = f"|(?<={UNKNOWN_BLANK})" if signs.endswith(endings, 0, index + 1) else ""
        pieces.append(wildcards.get(sign) or f"(?:{re.escape(sign)}{END}?|{UNKNOWN_BLANK}{after})")
    find, no_letters = re.compile("".join(pieces)).fullmatch, set(signs) <= wildcards.keys()
    # A word of which most letters are unknown would match any pattern.
    return lambda word: bool(find(word)) and (no_letters or 2 * word.count(BLANK + END) <= word.count(END))
