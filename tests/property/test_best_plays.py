"""Best plays: the same plays with the same scores as a naive generator, in every edition and with blanks."""

from __future__ import annotations

import functools
import importlib
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from scoring import (
    BLANK,
    COVERED,
    EMPTY,
    Board,
    Direction,
    Edition,
    FirstPlay,
    IllegalPlayError,
    Lexicon,
    Placement,
    Play,
    as_blank,
    best_plays,
    is_blank,
    load_edition,
    parse_layout,
    score_play,
)

pytestmark = pytest.mark.no_cover
EDITIONS = ("english", "hungarian", "krydsord", "norwegian", "spanish", "icelandic")
LAYOUT = parse_layout("T..d...\n.D...t.\n..d.D..\nd..D..d\n..D.d..\n.t...D.\n...d..T")


def small_edition(name: str) -> Edition:
    """Return an edition with a small board, so that the naive generator ends."""
    edition = load_edition(name)
    layout = LAYOUT if name != "krydsord" else replace(LAYOUT, start=frozenset([(3, 3), (2, 2)]))
    first = (
        FirstPlay(shortest=3, start=edition.first_play.start) if name == "krydsord" else edition.first_play
    )
    bonus = None if edition.bonus is None else replace(edition.bonus, tiles=edition.bonus.tiles and 3)
    return replace(edition, layout=layout, first_play=first, bonus=bonus, rack_size=5)


def made_words(rng: random.Random, letters: list[str]) -> list[tuple[str, ...]]:
    """Return words of few letters, so that they cross often."""
    return [tuple(rng.choices(letters, k=rng.choice((2, 2, 3, 3, 4, 5, 7)))) for _ in range(40)]


def naive_plays(
    board: Board, rack: list[str], edition: Edition, lexicon: Lexicon, words: set[tuple[str, ...]]
) -> dict[Play, int]:
    """Try every word on every line and square, with every way to use the blanks."""
    found: dict[Play, int] = {}
    rows, columns = board.size
    ways = functools.cache(lambda letters: _ways_to_lay(letters, rack))
    at_hand = {*rack, *itertools.chain(*board.rows)}
    within_reach = [
        word
        for word in words
        if sum(at_hand.isdisjoint((letter, as_blank(letter))) for letter in word) <= rack.count(BLANK)
    ]
    for word, direction in itertools.product(within_reach, Direction):
        down, right = direction.value
        for row in range(rows - down * (len(word) - 1)):
            for column in range(columns - right * (len(word) - 1)):
                squares = [(row + down * i, column + right * i) for i in range(len(word))]
                for play in _lay(board, squares, word, ways):
                    try:
                        scored = score_play(board, play, edition, rack_count=len(rack))
                    except IllegalPlayError:
                        continue
                    if all(lexicon.contains(each.tokens) for each in scored.words):
                        found[play] = scored.total
    return found


def _lay(
    board: Board,
    squares: list[tuple[int, int]],
    word: tuple[str, ...],
    ways: Callable[[tuple[str, ...]], list[tuple[str, ...]]],
) -> Iterator[Play]:
    free, letters = [], []
    for square, letter in zip(squares, word, strict=True):
        token = board[square]
        if token == EMPTY:
            free.append(square)
            letters.append(letter)
        elif token not in (letter, as_blank(letter)):
            return
    for tokens in ways(tuple(letters)):
        yield Play(tuple(Placement(*square, token) for square, token in zip(free, tokens, strict=True)))


def _ways_to_lay(letters: tuple[str, ...], rack: list[str]) -> list[tuple[str, ...]]:
    """Return every choice of tiles and blanks for these letters that the rack allows."""
    if not 0 < len(letters) <= len(rack):
        return []
    choices = itertools.product(*((letter, as_blank(letter)) for letter in letters))
    return [
        tokens
        for tokens in choices
        if Counter(BLANK if is_blank(token) else token for token in tokens) <= Counter(rack)
    ]


def cover_some(rng: random.Random, board: Board) -> Board:
    """Return the board with a covered square, or a blank whose letter is not known, now and then."""
    rows = [list(row) for row in board.rows]
    row, column = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    rows[row][column] = rng.choice((COVERED, BLANK))
    return Board.from_rows(rows)


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.parametrize("positions", [10, pytest.param(84, marks=pytest.mark.slow)])
def test_the_same_plays_as_a_naive_generator(
    name: str, positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long run compares more than 500 positions of all editions together.

    Words are examined one by one where they are few, so every second position has no such number.
    """
    module = importlib.import_module("scoring.words.best_plays")
    few_words = itertools.cycle((0, module._FEW_WORDS))
    edition = small_edition(name)
    rng = random.Random(name)
    compared = plays = 0
    while compared < positions:
        letters = (
            rng.sample(edition.tokens, 3) + [each for each in edition.tokens if len(each) > 1][:2] + ["S"]
        )
        if len(edition.tokens) > 35:
            letters += ["SZ", "Z"]
        words = made_words(rng, letters)
        lexicon = Lexicon.of("".join(word) for word in words)
        spelled = _spellings(lexicon, edition)
        board = Board.empty(edition)
        for _ in range(6):
            bag = Counter(
                {
                    tile: (count or 4) - board.tile_counts.get(tile, 0)
                    for tile, count in edition.counts.items()
                }
            )
            usable = [tile for tile in (+bag).elements() if tile in (*letters, BLANK)]
            if len(usable) < 5:
                break
            rack = rng.sample(usable, 5)
            monkeypatch.setattr(module, "_FEW_WORDS", next(few_words))
            found = best_plays(board, rack, edition, lexicon)
            expected = naive_plays(board, rack, edition, lexicon, spelled)
            assert {each.play: each.total for each in found} == expected
            assert len(found) == len(expected)
            assert [each.total for each in found] == sorted(expected.values(), reverse=True)
            compared, plays = compared + 1, plays + len(found)
            if not found:
                break
            board = board.with_tiles(found[rng.randrange(len(found))].play)
            if rng.random() < 0.1:
                board = cover_some(rng, board)
    assert plays > 10 * positions


def _spellings(lexicon: Lexicon, edition: Edition) -> set[tuple[str, ...]]:
    """Return every way to read a word as tiles, by brute force."""
    found = set()
    for word in lexicon.words:
        stack: list[tuple[str, tuple[str, ...]]] = [(word, ())]
        while stack:
            rest, head = stack.pop()
            if not rest:
                found.add(head)
            stack += [
                (rest[len(letter) :], (*head, letter)) for letter in edition.tokens if rest.startswith(letter)
            ]
    return found
