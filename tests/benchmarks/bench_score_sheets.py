"""Score sheets: how often a final board and the points of each turn decide the plays of a game.

``python -m tests.benchmarks.bench_score_sheets`` plays games of words of Debian's lists in the editions of the four
rule sheets, takes the labelled games of ``../shared`` where they exist, and searches the plays of each from its final
board as letters: as it is, with one misread tile, and with one wrong entry. Without a list its edition is left out.
``--games`` says how many games of each edition there are, ``--lists`` where the lists of other systems lie. With
``--lexicon`` the search knows the list, too, as with ``tilesight digitise --lexicon``; labelled games are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scoring import Board, Edition, IllegalPlayError, Lexicon, Play, designated, load_edition, score_play
from tests.sets.labelled_photos import BOARDS
from tests.support.word_games import load_words, word_game, word_index
from tilesight.digitise.score_sheets import SheetSolution, solve_turns

__all__ = ["HEAD", "measure", "table_rows"]

HEAD = (
    "what is searched",
    "all plays",
    "all plays but for the order of equal points",
    "each play named",
    "games of one order",
    "fault named alone",
    "fault among those named",
    "slowest, CPU s",
)
LISTS = {
    "danish": "usr/share/dict/danish",
    "norwegian": "usr/share/dict/bokmaal",
    "icelandic": "usr/share/hunspell/is_IS.dic",
    "hungarian": "usr/share/hunspell/hu_HU.dic",
}
"""Lists of the packages wdanish, wnorwegian, hunspell-is and hunspell-hu."""
FIRST_SEED = 500
"""No choice in the search was made with these games."""
MIN_TURNS = 15
"""Labelled games of fewer turns are not complete."""
Turns = Sequence[tuple[Play | None, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A game: its name, edition and turns, each with the play and its points; the words if the search knows them."""

    name: str
    edition: Edition
    turns: Turns
    lexicon: Lexicon | None = None

    @property
    def board(self) -> Board:
        """The final board."""
        board = Board.empty(self.edition)
        for play, _ in self.turns:
            if play is not None:
                board = board.with_tiles(play)
        return board

    @property
    def points(self) -> list[int]:
        """The entries of the sheet."""
        return [points if play is not None else 0 for play, points in self.turns]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a search found.

    Parameters
    ----------
    name : str
        The game.
    is_right : bool
        Whether each turn has its play, and no other fits.
    is_right_in_part : bool
        Whether the game is among the few that fit, which differ only in the order of plays of equal points.
    is_told : bool
        Whether each turn's play is named, as the most plausible one or as an alternative.
    is_decided : bool
        Whether no other order of the true plays makes the points; only such a game can have each play right.
    is_named : bool
        Whether the wrong entry, or the misread tile, is named and no other.
    is_listed : bool
        Whether it is named, alone or among the few that may be wrong instead.
    processor_s : float
        Processor time.
    """

    name: str
    is_right: bool
    is_right_in_part: bool
    is_told: bool
    is_decided: bool
    is_named: bool
    is_listed: bool
    processor_s: float


def word_cases(games: int, lists: Path, *, with_lexicon: bool = False) -> Iterator[Case]:
    """Play games of words."""
    for name, path in LISTS.items():
        if not (lists / path).is_file():
            continue
        edition = load_edition(name)
        index = word_index(lists / path, edition)
        lexicon = load_words(lists / path) if with_lexicon else None
        for seed in range(FIRST_SEED, FIRST_SEED + games):
            game = word_game(random.Random(seed), edition, index)
            turns = [(step.scored.play if step.scored else None, step.score) for step in game.steps]
            yield Case(name=f"{name} {seed}", edition=edition, turns=turns, lexicon=lexicon)


def labelled_cases() -> Iterator[Case]:
    """Load the labelled games that are complete."""
    for path in sorted(BOARDS.glob("*/game.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        turns: list[tuple[Play | None, int]] = []
        for event in truth["events"]:
            if event["kind"] == "play":
                turns.append((Play.of([tuple(tile) for tile in event["placed"]]), event["score"]))
            elif event["kind"] == "withdrawn":
                turns[-1] = (None, 0)
            else:
                turns.append((None, 0))
        if len(turns) >= MIN_TURNS:
            yield Case(name=path.parent.name, edition=load_edition(truth["edition"]), turns=turns)


def misread_tile(case: Case, rng: random.Random) -> tuple[Board, tuple[int, int]]:
    """Return the final board with one tile misread as a letter of another value, and its square."""
    board, edition = case.board, case.edition
    tile = rng.choice(list(board.tiles()))
    letters = [
        letter
        for letter in edition.tokens
        if letter != designated(tile.token) and edition.values[letter] != edition.value_of(tile.token)
    ]
    misread = replace(tile, token=rng.choice(letters))
    return board.without([tile]).with_tiles([misread]), (tile.row, tile.column)


def wrong_entry(case: Case, rng: random.Random) -> tuple[list[int], int]:
    """Return the entries with one that is wrong, and its turn."""
    points = case.points
    turn = rng.choice([number for number, made in enumerate(points) if made])
    points[turn] = max(1, points[turn] + rng.choice((-10, -3, -2, -1, 1, 2, 3, 10)))
    return points, turn


def compare_solution(
    case: Case, found: SheetSolution | None, wrong: int | tuple[int, int] | None, processor_s: float
) -> Result:
    """Compare a solution with the game; `wrong` is the turn of the wrong entry, or the square of the misread tile."""
    true = [squares_of(play) for play, _ in case.turns]
    result = Result(
        name=case.name,
        is_right=False,
        is_right_in_part=False,
        is_told=False,
        is_decided=count_orders(case) == 1,
        is_named=False,
        is_listed=False,
        processor_s=processor_s,
    )
    if found is None:
        return result
    plays = [squares_of(play) for play in found.plays]
    options = [{own, *map(squares_of, others)} for own, others in zip(plays, found.alternatives, strict=True)]
    is_told = all(own in each for own, each in zip(true, options, strict=True))
    named: set[int | tuple[int, int]] = {found.tile} if found.tile is not None else set()
    named.update(found.wrong_turns)
    return replace(
        result,
        is_right=plays == true and not any(found.alternatives),
        is_told=is_told,
        is_right_in_part=is_told and sorted(map(str, plays)) == sorted(map(str, true)),
        is_named=named == {wrong},
        is_listed=wrong in named,
    )


def count_orders(case: Case) -> int:
    """Count the orders of a game's plays that make the points of its turns."""
    plays = [play for play, _ in case.turns if play is not None]
    board, entries = Board.empty(case.edition), []
    for play in plays:
        entries.append(score_play(board, play, case.edition).total)
        board = board.with_tiles(play)
    # by the plays that are made: the board, and the number of orders that lead to it
    states = {frozenset[Play](): (Board.empty(case.edition), 1)}
    for entry in entries:
        longer: dict[frozenset[Play], tuple[Board, int]] = {}
        for made, (board, number) in states.items():
            for play in set(plays) - made:
                with contextlib.suppress(IllegalPlayError):
                    if score_play(board, play, case.edition).total == entry:
                        _, others = longer.get(made | {play}, (board, 0))
                        longer[made | {play}] = board.with_tiles(play), others + number
        states = longer
    return sum(number for _, number in states.values())


def squares_of(play: Play | None) -> tuple[tuple[int, int], ...]:
    """Return the squares of a play."""
    return tuple((tile.row, tile.column) for tile in play or ())


def measure(
    kind: str, cases: Sequence[Case], report: Callable[[Result], None] = lambda _: None
) -> list[Result]:
    """Search the plays of games.

    Parameters
    ----------
    kind : str
        ``exact``, ``tile`` for one misread tile, ``entry`` for one wrong entry.
    cases : sequence of Case
        The games.
    report : callable
        Takes each result.
    """
    results = []
    for number, case in enumerate(cases):
        rng = random.Random(number)
        board, points = case.board, case.points
        wrong: int | tuple[int, int] | None = None
        if kind == "tile":
            board, wrong = misread_tile(case, rng)
        elif kind == "entry":
            points, wrong = wrong_entry(case, rng)
        started = time.process_time()
        found = solve_turns(board, case.edition, points, lexicon=case.lexicon)
        results.append(compare_solution(case, found, wrong, time.process_time() - started))
        report(results[-1])
    return results


def table_rows(kind: str, results: Sequence[Result]) -> list[str]:
    """Return the row of a kind of search."""
    texts = {
        "exact": "final board and sheet",
        "tile": "final board with one misread tile, and sheet",
        "entry": "final board, and sheet with one wrong entry",
    }
    number = len(results)
    return [
        texts[kind],
        f"{sum(each.is_right for each in results)} of {number}",
        f"{sum(each.is_right_in_part for each in results)} of {number}",
        f"{sum(each.is_told for each in results)} of {number}",
        f"{sum(each.is_decided for each in results)} of {number}",
        *(
            f"{sum(getattr(each, name) for each in results)} of {number}" if kind != "exact" else ""
            for name in ("is_named", "is_listed")
        ),
        f"{max((each.processor_s for each in results), default=0):.0f}",
    ]


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="How often score sheets decide the plays")
    parser.add_argument("kinds", nargs="*", default=["exact", "tile", "entry"])
    parser.add_argument("--games", type=int, default=14, help="games of each edition")
    parser.add_argument("--lists", type=Path, default=Path("/"), help="root of the folders of word lists")
    parser.add_argument("--lexicon", action="store_true", help="the search knows the words; word games only")
    options = parser.parse_args()
    words = word_cases(options.games, options.lists, with_lexicon=options.lexicon)
    cases = [*words] if options.lexicon else [*labelled_cases(), *words]
    print(" | ".join(HEAD))
    for kind in options.kinds:
        results = measure(kind, cases, lambda result: print(f"  {result}", flush=True))
        print(" | ".join(table_rows(kind, results)), flush=True)


if __name__ == "__main__":
    main()
