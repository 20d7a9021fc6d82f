"""Times of the scoring core: one play on a full board, the play between two boards, a complete game.

One random game of a fixed seed is used. Best plays are found in positions of played games, with the words in small
letters of the Debian package wamerican-huge (240,000), which must be installed. `measure` returns a row for each task,
with median and 95th percentile in milliseconds; ``python -m tests.benchmarks.bench_scoring`` prints them.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from scoring import (
    BLANK,
    Board,
    Game,
    WordIndex,
    bag_tile,
    best_plays,
    format_gcg,
    infer,
    load_edition,
    load_word_index,
    parse_gcg,
    parse_play,
    score_play,
)
from tests.support.random_games import random_game
from vision.errors import MissingProgramError

__all__ = ["main", "measure"]

WORDS = Path("/usr/share/dict/american-english-huge")


def measure(repetitions: int = 200) -> list[tuple[str, float, float]]:
    """Measure the tasks: name, median and 95th percentile in milliseconds.

    Raises
    ------
    MissingProgramError
        If the list of words is not installed.
    """
    if not WORDS.is_file():
        raise MissingProgramError(f"no list of words at {WORDS}: install wamerican-huge, then run again")
    edition = load_edition("german")
    game = random_game(random.Random(12), edition, turns=60)
    text = format_gcg(game)
    last = next(step for step in reversed(game.steps) if step.scored is not None)
    assert last.scored is not None
    before, play, after = last.before.board, last.scored.play, last.after.board
    first = parse_play("8D HRAKI", load_edition("icelandic").tokens)
    icelandic = Game(edition=load_edition("icelandic"), players=("A", "B"))
    tiles = sum(1 for _ in before.tiles())
    tasks: list[tuple[str, Callable[[], object]]] = [
        (
            f"score a play of {len(play)} on a board of {tiles} tiles",
            lambda: score_play(before, play, edition),
        ),
        ("infer the play between two boards", lambda: infer(before, after, edition)),
        ("add a play to a game", lambda: icelandic.with_play(first)),
        (f"replay a game of {len(game.events)} events", lambda: replay(game)),
        ("correct its first play", lambda: game.with_correction(0, game.events[0])),
        ("read its GCG", lambda: parse_gcg(text)),
        ("write its GCG", lambda: format_gcg(game)),
    ]
    rows = [(name, *_times_ms(task, repetitions)) for name, task in tasks]
    return [*rows, *measure_best_plays()]


def measure_best_plays(games: int = 8) -> list[tuple[str, float, float]]:
    """Measure best plays on the positions of some games: name, median and 95th percentile in milliseconds."""
    edition = load_edition("english")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "words")
        words = [word for word in WORDS.read_text(encoding="utf-8").splitlines() if word.islower()]
        path.write_text("\n".join(words), encoding="utf-8")
        load_word_index(path, edition, cache=folder)
        loads = _times_ms(lambda: load_word_index(path, edition, cache=folder), 10)
        index = load_word_index(path, edition, cache=folder)
    rows = [(f"load {len(index)} words from the cache", *loads)]
    positions = _positions(random.Random(5), index, games)
    for blanks, name in enumerate(("without a blank", "with one blank", "with two blanks")):
        times = []
        for board, rack in positions:
            left = edition.counts[BLANK] or 0
            if board.tile_counts.get(BLANK, 0) + blanks > left:
                continue
            held = [
                *[tile for tile in rack if tile != BLANK][: edition.rack_size - blanks],
                *[BLANK] * blanks,
            ]
            times.append(_times_ms(partial(best_plays, board, held, edition, index), 2)[0])
        rows.append((f"all plays, {name}", statistics.median(times), statistics.quantiles(times, n=20)[-1]))
    return rows


def _positions(rng: random.Random, index: WordIndex, games: int) -> list[tuple[Board, list[str]]]:
    """Return boards with a rack of seven, from games in which good plays are made."""
    edition = load_edition("english")
    found = []
    for _ in range(games):
        bag = [tile for tile, count in edition.counts.items() for _ in range(count or 0)]
        rng.shuffle(bag)
        board = Board.empty(edition)
        while len(bag) >= edition.rack_size:
            rack, bag = bag[: edition.rack_size], bag[edition.rack_size :]
            plays = best_plays(board, rack, edition, index)
            if not plays:
                break
            found.append((board, list(rack)))
            play = plays[min(len(plays) - 1, int(rng.expovariate(0.3)))].play
            board = board.with_tiles(play)
            for tile in play:
                rack.remove(bag_tile(tile.token))
            bag = rack + bag
    return found


def replay(game: Game) -> Game:
    """Replay a game from its first event."""
    return Game(edition=game.edition, players=game.players, events=game.events)


def _times_ms(task: Callable[[], object], repetitions: int) -> tuple[float, float]:
    task()
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        task()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Print the table."""
    rows = measure()
    width = max(len(name) for name, _, _ in rows)
    print(f"{'':{width}}  {'p50 ms':>8}  {'p95 ms':>8}")
    for name, p50, p95 in rows:
        print(f"{name:{width}}  {p50:8.3f}  {p95:8.3f}")


if __name__ == "__main__":
    main()
