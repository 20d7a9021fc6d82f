"""Accuracy of followed films: a hundred rendered games of five editions, with the mishaps of a real table.

``python -m tests.benchmarks.film_games --jobs 2`` prints the table; ``python -m tests.benchmarks.run "film games"``
writes it into the document. Each game's result is kept as a JSON line, and an interrupted run resumes, as long as the
program and its weights do not change; ``--again`` starts over. Errors are drawn into
``demo-output/benchmark/film-games/``, a picture for each game.
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
from typing import NamedTuple

import cv2
import numpy as np

from docs.figures.film_pictures import Snapshots, draw_errors
from samples import FilmEvent
from scoring import Game, Play, bag_tile, format_square
from tests.benchmarks.measuring import digest_program
from tests.sets.club_films import EDITIONS, ClubFilm, club_film
from tests.sets.labelled_photos import CHECKOUT
from vision.capture import Frame
from vision.core.files import write_picture
from vision.game_events.placements import squares_of
from vision.game_events.updates import GameUpdate, Notice, UpdateKind
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker
from vision.recognition.base import SquareReader

__all__ = [
    "HEAD",
    "Followed",
    "GameResult",
    "RenderedGame",
    "follow_film",
    "list_games",
    "list_moving_games",
    "main",
    "measure",
    "moving_rows",
    "table_rows",
]

GAMES_EACH = 20
DISTURBANCES = {
    "bolted down": "",
    "slow sway, 2 px": "sway:2",
    "a new place in each frame, 1 px": "shake:1",
    "vibration, 3 px": "vibration:3",
    "optical stabiliser, 20 px": "stabiliser:20",
    "held in a hand, 30 px": "hand:30",
    "a lens that looks for its focus, 8 px": "breathing:8",
    "a lamp's bands, 5%": "bands:0.05",
    "a moving shadow, 12%": "shadow:0.12",
    "from a chair, 32 degrees above the table": "chair:32",
}
"""What makes a film harder, in the rows of the table of moving films."""
RESULTS = CHECKOUT / "demo-output" / "benchmark" / "film-games.jsonl"
PICTURES = RESULTS.with_suffix("")
DOUBTED_BELOW = 0.9
"""Confidence below which a play is shown as doubtful."""
SPOKEN_WITHIN_S = 8.0
"""Seconds after the hands left in which a notice counts as one about a missed play."""
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


class RenderedGame(NamedTuple):
    """The edition and seed of a film, and what makes it harder."""

    edition: str
    seed: int
    disturbance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """The result of one film.

    Parameters
    ----------
    edition, seed, disturbance, fps
        The film.
    plays, right : int
        Plays of the game; those reported with their tiles and score, in order.
    extra : int
        Reported plays and withdrawals that did not happen.
    withdrawals, withdrawn : int
        Withdrawals of the game; those that were reported.
    exact : bool
        Whether all events were reported correctly, and nothing else.
    totals : bool
        Whether the final points of all players are right.
    unflagged : int
        Errors without a doubtful report: plays and withdrawals that are wrong or missing, and wrong totals.
    delays_s : sequence of float
        Seconds from hands off to the report, of correct reports.
    seconds, spent_s : float
        Duration of the film; processor time to follow it, without drawing.
    errors : sequence of (float, str)
        Time in the film, and description, of each error.
    """

    edition: str
    seed: int
    disturbance: str
    fps: float
    plays: int
    right: int
    extra: int
    withdrawals: int
    withdrawn: int
    exact: bool
    totals: bool
    unflagged: int
    delays_s: Sequence[float]
    seconds: float
    spent_s: float
    errors: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """The reports of a film with their times, the final game, the processor seconds, and snapshots."""

    reports: list[Report]
    game: Game
    spent_s: float
    snapshots: Snapshots


def follow_film(club: ClubFilm, reader: SquareReader) -> Followed:
    """Follow a film to its end."""
    film, snapshots = club.film, Snapshots()
    watch = VideoTracker(
        Game(edition=film.edition, players=film.players), GameContext(edition=film.edition, recognizer=reader)
    )
    reports: list[Report] = []
    spent_s = 0.0
    for number, (time_s, image) in enumerate(film.frames(club.fps)):
        frame = Frame(image_bgr=image, source="film", index=number, time_s=time_s)
        snapshots.take(frame)
        started_s = time.process_time()
        batch = watch.see(frame)
        spent_s += time.process_time() - started_s
        reports += [(time_s, item) for item in (batch.items if batch else ())]
    last = watch.finish()
    reports += [(film.seconds, item) for item in (last.items if last else ())]
    return Followed(reports=reports, game=watch.game, spent_s=spent_s, snapshots=snapshots)


def compare_game(game: RenderedGame, club: ClubFilm, followed: Followed) -> GameResult:
    """Compare the reports of a film with its truth."""
    film, reports = club.film, followed.reports
    left = [
        (at, h)
        for at, h in reports
        if isinstance(h, GameUpdate) and h.kind in (UpdateKind.PLAY, UpdateKind.WITHDRAWN)
    ]
    delays: list[float] = []
    errors: list[tuple[float, str]] = []
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
            errors.append(
                (event.hands_off_s, f"{event.kind} {format_squares(event.play)} {event.score} not reported")
            )
            continue
        left.remove(found)
        counts[event.kind] += 1
        delays.append(round(found[0] - event.hands_off_s, 3))
    unflagged = 0
    for at, update in left:
        assert update.step is not None
        unflagged += not is_doubtful(update)
        play = getattr(update.step.event, "play", None)
        shown = format_squares(play) if play is not None else ""
        errors.append((at, f"{update.kind} {shown} {update.step.score} reported ({update.confidence:.2f})"))
    for event in missed:  # a missed event counts as flagged where something near it is doubtful
        near = [h for at, h in reports if event.hands_off_s <= at < event.hands_off_s + SPOKEN_WITHIN_S]
        instead = any(replaces_event(update, event) for _, update in left)
        unflagged += not instead and not any(map(is_doubtful, near))
    totals = followed.game.totals == film.totals
    if not totals and not any(is_doubtful(update) for _, update in reports):
        unflagged = max(unflagged, 1)
    exact = not missed and not left and totals
    for at, h in reports if not exact else ():
        if h.message:
            errors.append((at, h.message))
        elif isinstance(h, GameUpdate) and h.correction is not None:
            was, now = h.correction
            square = format_square(was.row, was.column)
            errors.append((at, f"{square} {was.token} corrected to {now.token} ({h.confidence:.2f})"))
    happened = {kind: sum(event.kind == kind for event in film.events) for kind in counts}
    return GameResult(
        edition=game.edition,
        seed=game.seed,
        disturbance=game.disturbance,
        fps=club.fps,
        plays=happened["play"],
        right=counts["play"],
        extra=len(left),
        withdrawals=happened["withdrawn"],
        withdrawn=counts["withdrawn"],
        exact=exact,
        totals=totals,
        unflagged=unflagged,
        delays_s=delays,
        seconds=film.seconds,
        spent_s=round(followed.spent_s, 2),
        errors=sorted(errors),
    )


def is_doubtful(item: GameUpdate | Notice) -> bool:
    """Whether an update is unclear or of low confidence."""
    return isinstance(item, Notice) or item.confidence < DOUBTED_BELOW


def replaces_event(update: GameUpdate, event: FilmEvent) -> bool:
    """Whether an update reports an event wrongly: that counts as one error, not as two."""
    if update.kind.value != event.kind or update.step is None:
        return False
    taken_back = update.step.taken_back
    play = taken_back.play if taken_back is not None else getattr(update.step.event, "play", None)
    return play is not None and not squares_of(play).isdisjoint(squares_of(event.play))


def tile_set(play: Play) -> frozenset[tuple[int, int, str]]:
    """Squares and tokens of a play; a blank's letter is not visible."""
    return frozenset((t.row, t.column, bag_tile(t.token)) for t in play)


def reported_tiles(update: GameUpdate) -> frozenset[tuple[int, int, str]] | None:
    """Squares and tokens of a reported play."""
    play = getattr(update.step.event if update.step is not None else None, "play", None)
    return tile_set(play) if play is not None else None


def format_squares(play: Play) -> str:
    """Format a play's squares and tokens."""
    return ", ".join(f"{format_square(tile.row, tile.column)} {tile.token}" for tile in play)


def measure(
    games: Sequence[RenderedGame], results: Path | None = None, *, again: bool = False, jobs: int = 1
) -> Iterator[GameResult]:
    """Measure games, each as soon as it is done; games with a kept result are not repeated.

    Parameters
    ----------
    games : sequence of RenderedGame
        What to measure.
    results : Path, optional
        File of kept results.
    again : bool
        Delete the kept results first.
    jobs : int
        Processes.
    """
    known: dict[RenderedGame, GameResult] = {}
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
                    known[RenderedGame(one.edition, one.seed, one.disturbance)] = one
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


def measure_game(game: RenderedGame) -> GameResult:
    """Measure a game and draw its errors."""
    cv2.setNumThreads(1)
    club = club_film(*game)
    followed = follow_film(club, load_recognizer("network", club.film.edition))
    result = compare_game(game, club, followed)
    if not result.exact:
        PICTURES.mkdir(parents=True, exist_ok=True)
        picture = draw_errors(" ".join(map(str, game)), result.errors, followed.snapshots)
        write_picture(
            PICTURES / f"{game.edition}-{game.seed:02d}{game.disturbance.replace(':', '-')}.jpg", picture
        )
    return result


def list_games(each: int = GAMES_EACH, disturbance: str = "") -> list[RenderedGame]:
    """List the games of the table."""
    return [RenderedGame(edition, seed, disturbance) for seed in range(each) for edition in EDITIONS]


def table_rows(results: Sequence[GameResult]) -> list[list[str]]:
    """Format a line for each edition, and one for all."""
    groups = [(name, [one for one in results if one.edition == name]) for name in EDITIONS]
    return [_row(name, group) for name, group in (*groups, ("all", list(results))) if group]


def list_moving_games(each: int = 1) -> list[RenderedGame]:
    """List the games of the table of moving films."""
    return [game for disturbance in DISTURBANCES.values() for game in list_games(each, disturbance)]


def moving_rows(results: Sequence[GameResult]) -> list[list[str]]:
    """Format a line for each motion of the camera or the light."""
    groups = {
        name: [one for one in results if one.disturbance == kind] for name, kind in DISTURBANCES.items()
    }
    return [_row(name, group) for name, group in groups.items() if group]


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
        str(sum(one.unflagged for one in results)),
        f"{np.percentile(delays, 50):.2f} s / {np.percentile(delays, 95):.2f} s",
    ]


def main() -> None:
    """Follow the games; print each game with its errors, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=GAMES_EACH, help="games of each edition")
    parser.add_argument(
        "--disturbance",
        default="",
        metavar="KIND:AMOUNT",
        help="what makes the films harder, as hand:30 or chair:32",
    )
    parser.add_argument("--only", nargs="*", metavar="EDITION:SEED", help="these games alone")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    parser.add_argument("--jobs", type=int, default=1, help="games that are followed at once")
    options = parser.parse_args()
    games = list_games(options.each, options.disturbance)
    if options.only:
        parts = [text.partition(":") for text in options.only]
        games = [RenderedGame(name, int(seed), options.disturbance) for name, _, seed in parts]
    results = []
    kept = None if options.only else options.results
    for one in measure(games, kept, again=options.again, jobs=options.jobs):
        results.append(one)
        print(
            f"{one.edition}:{one.seed} {one.fps:g} fps {one.seconds:.0f} s, {one.spent_s:.1f} s to follow: "
            f"{one.right}/{one.plays}{'' if one.exact else '  NOT EXACT'}",
            flush=True,
        )
        for at, line in one.errors:
            print(f"    {at:.1f} s: {line}", flush=True)
    for row in table_rows(results):
        print(" | ".join(row))


if __name__ == "__main__":
    main()
