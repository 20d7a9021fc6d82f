"""How well filmed games are followed: a hundred rendered games of five editions, with all that goes wrong at a table.

``python -m tests.benchmarks.film_games --jobs 2`` follows them and prints the table, and ``python -m
tests.benchmarks.run "film games"`` writes it down. A game's result is kept as soon as it is known, one JSON line
each, and a run that was ended goes on where it stood, as long as neither the program nor its weights have changed;
``--again`` begins anew. What went wrong is drawn into ``demo-output/benchmark/film-games/``, a picture for each game.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np

from docs.figures.film_pictures import Snapshots, draw_errors
from samples import FilmEvent
from scoring import BLANK, Game, Play, format_square, is_blank
from tests.benchmarks.measuring import digest_program
from tests.sets.club_films import EDITIONS, ClubFilm, club_film
from tests.sets.labelled_photos import CHECKOUT
from vision.capture import Frame
from vision.core.files import write_picture
from vision.game_events.inference import squares
from vision.game_events.updates import GameUpdate, Notice, UpdateKind
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker
from vision.recognition.base import SquareReader

__all__ = ["HEAD", "Followed", "GameResult", "follow_film", "main", "measure", "table_rows"]

GAMES_EACH = 20
RESULTS = CHECKOUT / "demo-output" / "benchmark" / "film-games.jsonl"
PICTURES = RESULTS.with_suffix("")
DOUBTED_BELOW = 0.9
"""A play of less confidence is shown as doubtful."""
SPOKEN_WITHIN_S = 8.0
"""So long after the hands have left, what is said still is about a play that was not told."""
HEAD = (
    "edition",
    "games exact",
    "plays and scores",
    "withdrawals",
    "extra plays and withdrawals",
    "totals",
    "errors not flagged",
    "delay p50 / p95",
)
Report = tuple[float, GameUpdate | Notice]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """How one film was followed.

    Parameters
    ----------
    edition, seed, fps
        Which film.
    plays, right : int
        Plays in the game; those that were told with their tiles and score, in their order.
    extra : int
        Plays and withdrawals that were told and are none.
    withdrawals, withdrawn : int
        Plays taken back in the game; those that were told.
    exact : bool
        Whether all that was told is right, and nothing more was told.
    totals : bool
        Whether every player's points are right in the end.
    silent : int
        Errors without a word of doubt: plays and withdrawals told wrongly or not at all, and totals that are wrong
        although nothing was doubtful.
    delays_s : sequence of float
        Seconds from hands off to what was told, of all that is right.
    seconds, spent_s : float
        How long the film is; processor time to follow it, the drawing apart.
    blame : sequence of (float, str)
        What went wrong, and when in the film.
    """

    edition: str
    seed: int
    fps: float
    plays: int
    right: int
    extra: int
    withdrawals: int
    withdrawn: int
    exact: bool
    totals: bool
    silent: int
    delays_s: Sequence[float]
    seconds: float
    spent_s: float
    blame: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What was told of a film with its times, the game at its end, the processor seconds it took, and how it looked."""

    told: list[Report]
    game: Game
    spent_s: float
    snapshots: Snapshots


def follow_film(club: ClubFilm, reader: SquareReader) -> Followed:
    """Follows a film to its end."""
    film, snapshots = club.film, Snapshots()
    watch = VideoTracker(
        Game(edition=film.edition, players=film.players), GameContext(edition=film.edition, recognizer=reader)
    )
    told: list[Report] = []
    spent_s = 0.0
    for number, (time_s, image) in enumerate(film.frames(club.fps)):
        frame = Frame(image_bgr=image, source="film", index=number, time_s=time_s)
        snapshots.take(frame)
        started_s = time.process_time()
        batch = watch.see(frame)
        spent_s += time.process_time() - started_s
        told += [(time_s, item) for item in (batch.items if batch else ())]
    last = watch.finish()
    told += [(film.seconds, item) for item in (last.items if last else ())]
    return Followed(told=told, game=watch.game, spent_s=spent_s, snapshots=snapshots)


def compare_game(edition: str, seed: int, club: ClubFilm, followed: Followed) -> GameResult:
    """What was told beside what happened."""
    film, told = club.film, followed.told
    left = [
        (at, h)
        for at, h in told
        if isinstance(h, GameUpdate) and h.kind in (UpdateKind.PLAY, UpdateKind.WITHDRAWN)
    ]
    delays: list[float] = []
    blame: list[tuple[float, str]] = []
    missed: list[FilmEvent] = []
    counts = {"play": 0, "withdrawn": 0}
    for event in film.events:
        found = next(
            (
                (at, h)
                for at, h in left
                if h.kind.value == event.kind
                and h.step is not None
                and h.step.score == event.score
                and (event.kind == "withdrawn" or reported_tiles(h) == tile_set(event.play))
            ),
            None,
        )
        if found is None:
            missed.append(event)
            blame.append(
                (event.hands_off_s, f"{event.kind} {format_squares(event.play)} {event.score} not told")
            )
            continue
        left.remove(found)
        counts[event.kind] += 1
        delays.append(round(found[0] - event.hands_off_s, 3))
    silent = 0
    for at, update in left:
        assert update.step is not None
        silent += not is_doubtful(update)
        play = getattr(update.step.event, "play", None)
        shown = format_squares(play) if play is not None else ""
        blame.append((at, f"{update.kind} {shown} {update.step.score} told ({update.confidence:.2f})"))
    for event in missed:  # what is not told at all must be spoken of
        near = [h for at, h in told if event.hands_off_s <= at < event.hands_off_s + SPOKEN_WITHIN_S]
        instead = any(replaces_event(update, event) for _, update in left)
        silent += not instead and not any(map(is_doubtful, near))
    totals = followed.game.totals == film.totals
    if not totals and not any(is_doubtful(update) for _, update in told):
        silent = max(silent, 1)
    exact = not missed and not left and totals
    for at, h in told if not exact else ():
        if h.message:
            blame.append((at, h.message))
        elif isinstance(h, GameUpdate) and h.correction is not None:
            was, now = h.correction
            square = format_square(was.row, was.column)
            blame.append((at, f"{square} {was.token} corrected to {now.token} ({h.confidence:.2f})"))
    happened = {kind: sum(event.kind == kind for event in film.events) for kind in counts}
    return GameResult(
        edition=edition,
        seed=seed,
        fps=club.fps,
        plays=happened["play"],
        right=counts["play"],
        extra=len(left),
        withdrawals=happened["withdrawn"],
        withdrawn=counts["withdrawn"],
        exact=exact,
        totals=totals,
        silent=silent,
        delays_s=delays,
        seconds=film.seconds,
        spent_s=round(followed.spent_s, 2),
        blame=sorted(blame),
    )


def is_doubtful(item: GameUpdate | Notice) -> bool:
    """Whether it says that something is, or may be, the matter."""
    return isinstance(item, Notice) or item.confidence < DOUBTED_BELOW


def replaces_event(update: GameUpdate, event: FilmEvent) -> bool:
    """Whether a play that happened was told otherwise: one error, which the told one counts."""
    if update.kind.value != event.kind or update.step is None:
        return False
    taken_back = update.step.taken_back
    play = taken_back.play if taken_back is not None else getattr(update.step.event, "play", None)
    return play is not None and not squares(play).isdisjoint(squares(event.play))


def tile_set(play: Play) -> frozenset[tuple[int, int, str]]:
    """Where its tiles lie and what they are; a blank's letter cannot be seen."""
    return frozenset((t.row, t.column, BLANK if is_blank(t.token) else t.token) for t in play)


def reported_tiles(update: GameUpdate) -> frozenset[tuple[int, int, str]] | None:
    """The tiles of a play that was told."""
    play = getattr(update.step.event if update.step is not None else None, "play", None)
    return tile_set(play) if play is not None else None


def format_squares(play: Play) -> str:
    """A play for people."""
    return ", ".join(f"{format_square(tile.row, tile.column)} {tile.token}" for tile in play)


def measure(
    games: Sequence[tuple[str, int]], results: Path | None = None, *, again: bool = False, jobs: int = 1
) -> Iterator[GameResult]:
    """The result of each game as soon as it is known; those that the file holds are not followed anew."""
    known: dict[tuple[str, int], GameResult] = {}
    state = digest_program("tests/benchmarks/film_games.py")
    if results is not None:
        results.parent.mkdir(parents=True, exist_ok=True)
        if again:
            results.unlink(missing_ok=True)
        if results.exists():
            for line in results.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                if record.pop("program") == state:
                    one = GameResult(**record)
                    known[one.edition, one.seed] = one
    yield from (known[game] for game in games if game in known)
    left = [game for game in games if game not in known]
    if not left:
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(left))) as pool:
        for result in pool.imap_unordered(measure_game, left):
            if results is not None:
                with results.open("a", encoding="utf-8") as file:
                    record = {"program": state, **asdict(result)}
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
            yield result


def measure_game(game: tuple[str, int]) -> GameResult:
    """The result of a game; what went wrong is drawn."""
    cv2.setNumThreads(1)
    edition, seed = game
    club = club_film(edition, seed)
    followed = follow_film(club, load_recognizer("network", club.film.edition))
    result = compare_game(edition, seed, club, followed)
    if not result.exact:
        PICTURES.mkdir(parents=True, exist_ok=True)
        picture = draw_errors(f"{edition} {seed}", result.blame, followed.snapshots)
        write_picture(PICTURES / f"{edition}-{seed:02d}.jpg", picture)
    return result


def list_games(each: int = GAMES_EACH) -> list[tuple[str, int]]:
    """The games that are counted, the editions in turn."""
    return [(edition, seed) for seed in range(each) for edition in EDITIONS]


def table_rows(results: Sequence[GameResult]) -> list[list[str]]:
    """One line for each edition, and one for all."""
    groups = [(name, [one for one in results if one.edition == name]) for name in EDITIONS]
    return [_row(name, group) for name, group in (*groups, ("all", list(results))) if group]


def _row(name: str, results: Sequence[GameResult]) -> list[str]:
    delays = np.array([delay for one in results for delay in one.delays_s] or [np.nan])
    right, plays = sum(one.right for one in results), sum(one.plays for one in results)
    return [
        name,
        f"{sum(one.exact for one in results)}/{len(results)}",
        f"{right}/{plays}",
        f"{sum(one.withdrawn for one in results)}/{sum(one.withdrawals for one in results)}",
        str(sum(one.extra for one in results)),
        f"{sum(one.totals for one in results)}/{len(results)}",
        str(sum(one.silent for one in results)),
        f"{np.percentile(delays, 50):.2f} s / {np.percentile(delays, 95):.2f} s",
    ]


def main() -> None:
    """Follows the games and prints each that is not exact, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=GAMES_EACH, help="games of each edition")
    parser.add_argument("--only", nargs="*", metavar="EDITION:SEED", help="these games alone")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    parser.add_argument("--jobs", type=int, default=1, help="games that are followed at once")
    options = parser.parse_args()
    games = list_games(options.each)
    if options.only:
        games = [(name, int(seed)) for name, _, seed in (text.partition(":") for text in options.only)]
    results = []
    kept = None if options.only else options.results
    for one in measure(games, kept, again=options.again, jobs=options.jobs):
        results.append(one)
        print(
            f"{one.edition}:{one.seed} {one.fps:g} fps {one.seconds:.0f} s, {one.spent_s:.1f} s to follow: "
            f"{one.right}/{one.plays}{'' if one.exact else '  NOT EXACT'}",
            flush=True,
        )
        for at, line in one.blame:
            print(f"    {at:.1f} s: {line}", flush=True)
    for row in table_rows(results):
        print(" | ".join(row))


if __name__ == "__main__":
    main()
