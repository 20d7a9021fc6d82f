"""Measure accuracy and time, stage by stage, and write the tables of BENCHMARKS.md and the summaries of other pages.

Run it as ``make bench``. Accuracy is measured on rendered boards, on the shipped sample, and on the labelled photos of
``../shared`` where they exist. Pictures of errors go to ``demo-output/benchmark/``. Times are multiples of the
yardstick D, the time in which one thread decodes a 1504 px photo in the same run, because machines differ.
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2

from samples import FontsMissingError
from tests.benchmarks import (
    bench_altered_photos,
    bench_blanks,
    bench_calibration,
    bench_digitise,
    bench_editions,
    bench_faults,
    bench_film,
    bench_live,
    bench_locating,
    bench_long,
    bench_low_views,
    bench_photo_kinds,
    bench_readers,
    bench_reading,
    bench_scoring,
    bench_serve,
    bench_sides,
    bench_sizes,
    film_games,
)
from tests.benchmarks.bench_labelled_photos import (
    SetResult,
    accuracy_table,
    draw_misread_photos,
    measure_set,
    time_table,
    true_corners_table,
)
from tests.benchmarks.measuring import format_table, measure_yardstick_ms, yardstick_photo
from tests.benchmarks.summary import SUMMARIES, marked
from tests.sets.labelled_photos import CHECKOUT, SAMPLE, label_files
from vision.errors import MissingProgramError, summarize_error

JOBS = min(8, os.cpu_count() or 1)
BENCHMARKS = CHECKOUT / "BENCHMARKS.md"
DOCUMENTS = (
    CHECKOUT / "README.md",
    BENCHMARKS,
    CHECKOUT / "docs" / "camera.md",
    CHECKOUT / "docs" / "limits.md",
)
"""The documents with the tables; each table is in one of them."""


def scoring_table() -> str:
    """Tabulate the times of the scoring core."""
    rows = [[name, f"{p50:.3f}", f"{p95:.3f}"] for name, p50, p95 in bench_scoring.measure()]
    return format_table(["scoring core, milliseconds", "p50", "p95"], rows)


def rendered_table() -> str:
    """Tabulate and draw how well boards with unseen typefaces are read."""
    scores = bench_reading.measure(jobs=JOBS)
    for path in bench_reading.draw(scores):
        print(path, file=sys.stderr)
    return format_table(bench_reading.HEAD, bench_reading.table_rows(scores))


def blanks_table() -> str:
    """Tabulate how well blanks on premium squares are read where that is hard."""
    return format_table(bench_blanks.HEAD, bench_blanks.table_rows(bench_blanks.measure()))


def low_views_table() -> str:
    """Tabulate how well boards are read that are seen from a chair."""
    return format_table(bench_low_views.HEAD, bench_low_views.table_rows(bench_low_views.measure()))


def altered_photos_table() -> str:
    """Tabulate how well the labelled photos are read in worse light, blurred or small."""
    results = bench_altered_photos.measure(jobs=JOBS)
    return format_table(bench_altered_photos.HEAD, bench_altered_photos.table_rows(results))


def sides_table() -> str:
    """Tabulate mirrored pictures, and the sides of empty boards."""
    return format_table(bench_sides.HEAD, bench_sides.table_rows(bench_sides.measure()))


def editions_table() -> str:
    """Tabulate how well the edition is told from the tiles."""
    return format_table(bench_editions.HEAD, bench_editions.table_rows(bench_editions.measure()))


def scenes_table() -> str:
    """Tabulate how well boards are located in rendered scenes; draw the failures."""
    results = bench_locating.measure(without=0, jobs=JOBS)
    print(bench_locating.draw(results, publish=True), file=sys.stderr)
    return format_table(bench_locating.HEAD, bench_locating.table_rows(results))


def no_boards_table() -> str:
    """Tabulate which scenes without a board are taken for one."""
    results = bench_locating.measure(scenes=0, jobs=JOBS)
    return format_table(bench_locating.NO_BOARD_HEAD, bench_locating.no_board_rows(results))


def photo_kinds_table() -> str:
    """Tabulate kinds of photos; draw those that were refused or read wrongly."""
    results = bench_photo_kinds.measure(jobs=JOBS)
    print(bench_photo_kinds.draw(results), file=sys.stderr)
    return format_table(bench_photo_kinds.HEAD, bench_photo_kinds.table_rows(results))


def sizes_table() -> str:
    """Tabulate pictures of any size, upright or not, and frames of a film."""
    return format_table(bench_sizes.HEAD, bench_sizes.table_rows(bench_sizes.measure()))


def readers_table() -> str:
    """Tabulate the network, Tesseract and templates."""
    return format_table(
        bench_readers.HEAD, bench_readers.table_rows(bench_readers.measure(yardstick_photo()))
    )


def digitising_table(part: str) -> str:
    """Tabulate one part of digitising."""
    return format_table(bench_digitise.HEAD, bench_digitise.measure([part]))


def serve_table() -> str:
    """Tabulate the server, its pages in a browser, and racks."""
    return format_table(bench_serve.HEAD, bench_serve.measure())


def film_games_table() -> str:
    """Tabulate a hundred rendered games; results of an earlier run of the same program count."""
    return format_table(film_games.HEAD, film_games.table_rows(follow_games(film_games.list_games())))


def moving_films_table() -> str:
    """Tabulate rendered games with a moving camera, or moving light."""
    head = ("what makes the film harder", *film_games.HEAD[1:])
    return format_table(head, film_games.moving_rows(follow_games(film_games.list_moving_games())))


def follow_games(games: Sequence[film_games.RenderedGame]) -> list[film_games.GameResult]:
    """Measure rendered games, and print their errors."""
    results = []
    for one in film_games.measure(games, film_games.RESULTS, jobs=JOBS):
        results.append(one)
        for at, line in one.errors:
            print(f"{one.edition}:{one.seed}  {at:.1f} s: {line}", file=sys.stderr, flush=True)
    return results


def film_times_table() -> str:
    """Tabulate how long a frame takes."""
    return format_table(
        bench_film.HEAD, bench_film.table_rows(bench_film.measure_film(bench_film.render_film()))
    )


def cameras_table() -> str:
    """Tabulate four cameras at once."""
    return format_table(bench_live.HEAD, bench_live.table_rows(bench_live.measure()))


def long_film_table() -> str:
    """Tabulate a film of three hours."""
    return format_table(bench_long.HEAD, bench_long.table_rows(bench_long.measure()))


def faults_table() -> str:
    """Tabulate streams that fail."""
    return format_table(bench_faults.HEAD, bench_faults.table_rows(bench_faults.measure()))


def calibration_table() -> str:
    """Tabulate the gain and the cost of a calibration profile."""
    return format_table(bench_calibration.HEAD, bench_calibration.table_rows(jobs=JOBS))


def start_table() -> str:
    """Tabulate times of processes as multiples of importing OpenCV, the fastest of seven runs each."""
    tilesight = str(Path(sys.executable).parent / "tilesight")
    photo = str(sorted(SAMPLE.glob("*.jpg"))[0])
    commands = {
        "`python -c 'import cv2'`": [sys.executable, "-c", "import cv2"],
        "`tilesight --help`": [tilesight, "--help"],
        "`tilesight read PHOTO`, all of it": [tilesight, "read", photo, "--edition", "icelandic"],
    }
    fastest = {}
    for name, command in commands.items():
        times = []
        for _ in range(7):
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            times.append(time.perf_counter() - started)
        fastest[name] = min(times)
    one = fastest["`python -c 'import cv2'`"]
    return format_table(["start-up", "multiple"], [[name, f"{s / one:.1f}"] for name, s in fastest.items()])


@functools.cache
def photo_results() -> tuple[SetResult, ...]:
    """Read every set of labelled photos, once for all tables."""
    results = []
    for name, labels in label_files():
        results.append(measure_set(labels, name))
        print(f"{name}: {results[-1].boards_right}/{results[-1].photos} boards", file=sys.stderr, flush=True)
        for line in results[-1].errors:
            print(f"  {line}", file=sys.stderr)
    draw_misread_photos(results)
    return tuple(results)


def photo_times() -> str:
    """Tabulate the times of the photos, with D of the same run."""
    results = photo_results()
    # measured afterwards: a decode takes twice as long in a fresh process, whose memory is still unmapped
    yardstick_ms = measure_yardstick_ms(yardstick_photo())
    return f"D = {yardstick_ms:.1f} ms in this run.\n\n" + time_table(results, yardstick_ms)


TABLES: dict[str, Callable[[], str]] = {
    "accuracy": lambda: accuracy_table(photo_results()),
    "true corners": lambda: true_corners_table(photo_results()),
    "times": photo_times,
    "start-up": start_table,
    "scoring times": scoring_table,
    "readers": readers_table,
    "rendered boards": rendered_table,
    "hard blanks": blanks_table,
    "low views": low_views_table,
    "altered photos": altered_photos_table,
    "sides": sides_table,
    "editions": editions_table,
    "calibration": calibration_table,
    "sizes": sizes_table,
    "photo kinds": photo_kinds_table,
    "no boards": no_boards_table,
    "rendered scenes": scenes_table,
    **{f"digitising {part}": functools.partial(digitising_table, part) for part in bench_digitise.PARTS},
    "on air": serve_table,
    "film times": film_times_table,
    "cameras": cameras_table,
    "faults": faults_table,
    "long film": long_film_table,
    "film games": film_games_table,
    "moving films": moving_films_table,
}
"""The tables by the name of their markers in the documents, quick ones first."""


def documents_with(name: str) -> list[Path]:
    """List the documents with the markers of a table."""
    return [path for path in DOCUMENTS if marked(name).search(path.read_text(encoding="utf-8"))]


def put_into_documents(name: str, text: str) -> None:
    """Replace the text between the markers of a table."""
    for path in documents_with(name):
        document = path.read_text(encoding="utf-8")
        path.write_text(
            marked(name).sub(lambda found: found[1] + text + "\n" + found[2], document),
            encoding="utf-8",
        )


def write_summaries() -> None:
    """Write the tables that are computed from those of BENCHMARKS.md."""
    benchmarks = BENCHMARKS.read_text(encoding="utf-8")
    for name, summarize in SUMMARIES.items():
        put_into_documents(name, summarize(benchmarks))


def main() -> None:
    """Measure, print and write the tables, each as soon as it is measured.

    A table that cannot be measured stays as it is, and the exit code is 1.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all if none is named"
    )
    names = parser.parse_args().tables or list(TABLES)
    for name in names:
        if name not in TABLES or not documents_with(name):
            raise SystemExit(
                f"{name}: there is no such table, or none of {', '.join(path.name for path in DOCUMENTS)} has "
                f"markers <!-- {name} --> and <!-- end {name} -->; the tables are {', '.join(TABLES)}"
            )
    cv2.setNumThreads(1)
    left_out = []
    for name in names:
        try:
            text = TABLES[name]()
        except Exception as error:
            if not isinstance(error, FontsMissingError | MissingProgramError):
                traceback.print_exception(error)
            left_out.append(f"{name}: not measured: {summarize_error(error)}")
            print(left_out[-1], file=sys.stderr)
            continue
        print(f"\n{text}", flush=True)
        put_into_documents(name, text)
        write_summaries()
    sys.exit("\n".join(left_out) or None)


if __name__ == "__main__":
    main()
