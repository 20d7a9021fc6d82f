"""Times of the scoring core: one play on a full board, the play between two boards, a complete game.

One random game of a fixed seed is used. `measure` returns a row for each task, with median and 95th percentile in
milliseconds; ``python -m tests.benchmarks.bench_scoring`` prints them.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from scoring import Game, format_gcg, infer, load_edition, parse_gcg, parse_play, score_play
from tests.support.random_games import random_game

__all__ = ["main", "measure"]


def measure(repetitions: int = 200) -> list[tuple[str, float, float]]:
    """Measure the tasks: name, median and 95th percentile in milliseconds."""
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
    return [(name, *_times_ms(task, repetitions)) for name, task in tasks]


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
