"""Measures accuracy and time, stage by stage, and writes the tables of the README and BENCHMARKS.md.

Run as ``make bench``. Accuracy is measured on rendered boards, on the sample that ships and, where the folder of
labelled photos lies beside the checkout, on every set of it. Pictures of what was misread go to
``demo-output/benchmark/``.
Times are multiples of the yardstick D, the time that one thread takes to decode one 1504 px photo in the same
run, because machines differ.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import cv2

from docs.figures.reading_pictures import draw_misread
from samples import FontsMissingError
from tests.benchmarks import (
    bench_calibration,
    bench_digitise,
    bench_locating,
    bench_photo_kinds,
    bench_readers,
    bench_reading,
    bench_scoring,
    bench_serve,
    bench_sizes,
    film_tables,
)
from tests.sets.labelled_photos import (
    BOARDS,
    CHECKOUT,
    SAMPLE,
    SetResult,
    measure_set,
    measure_yardstick_ms,
    percentile,
    yardstick_photo,
)
from vision.core.files import write_picture
from vision.errors import MissingProgramError

DOCUMENTS = (CHECKOUT / "README.md", CHECKOUT / "BENCHMARKS.md")
"""Where the tables stand, each in one of them."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def label_files() -> list[tuple[str, Path]]:
    """The name and label file of every set that can be measured here."""
    found = [("shipped sample", SAMPLE / "game.json")]
    for folder in sorted(BOARDS.iterdir()) if BOARDS.is_dir() else []:
        labels = (folder / name for name in ("game.json", "photos.json"))
        found.extend((folder.name, path) for path in labels if path.is_file())
    return found


def accuracy_row(result: SetResult) -> list[str]:
    """One set's line of the accuracy table."""
    errors = result.corner_errors_cells
    return [
        result.name,
        str(result.photos),
        f"{result.located}/{result.photos}",
        f"{result.refused}",
        " / ".join(f"{percentile(errors, share):.3f}" for share in (0.5, 0.95, 1.0)),
        f"{result.letters_right}/{result.letters}",
        f"{result.blanks_right}/{result.blanks}",
        str(result.false_tiles),
        f"{result.boards_right}/{result.photos}",
    ]


def accuracy_table(results: Sequence[SetResult]) -> str:
    """What was read rightly, by set and stage."""
    head = [
        "set",
        "photos",
        "located",
        "refused",
        "corner error in cells (median / p95 / worst)",
        "letters",
        "blanks",
        "false tiles",
        "whole boards",
    ]
    return table(head, map(accuracy_row, results))


def true_corners_table(results: Sequence[SetResult]) -> str:
    """What was read rightly where the grid's corners were given: the reader's own share."""
    rows = []
    for result in results:
        true = result.given_corners
        assert true is not None
        rows.append(
            [
                result.name,
                f"{true.letters_right}/{true.letters}",
                f"{true.blanks_right}/{true.blanks}",
                str(true.false_tiles),
                f"{true.boards_right}/{true.photos}",
            ]
        )
    return table(["set, true corners", "letters", "blanks", "false tiles", "whole boards"], rows)


def draw_misread_photos(results: Sequence[SetResult]) -> None:
    """Every square of the labelled photos that was misread with true corners, in one picture."""
    misread = [each for result in results if result.given_corners for each in result.given_corners.misread]
    path = bench_reading.PICTURES / "misread-photos.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_picture(path, draw_misread(misread, "labelled photos, true corners: what was misread", most=240))
    print(path, file=sys.stderr)


def time_table(results: Sequence[SetResult], yardstick_ms: float) -> str:
    """Times by set and stage as multiples of D, median and 95th percentile."""
    stages = ("decode", "locate", "read", "total")
    rows = []
    for result in results:
        cells = [result.name]
        for stage in stages:
            times = result.stage_ms.get(stage, [])
            p50, p95 = (percentile(times, share) / yardstick_ms for share in (0.5, 0.95))
            cells.append(f"{p50:.1f} / {p95:.1f}")
        rows.append(cells)
    return table(["set (p50 / p95 in D)", "open the picture", "locate", "read and decide", "total"], rows)


def scoring_table() -> str:
    """Times of the scoring core."""
    rows = [[name, f"{p50:.3f}", f"{p95:.3f}"] for name, p50, p95 in bench_scoring.measure()]
    return table(["scoring core, milliseconds", "p50", "p95"], rows)


def rendered_table() -> str:
    """How well boards are read whose typefaces training never saw; draws the pictures of it."""
    scores = bench_reading.measure(jobs=min(8, os.cpu_count() or 1))
    for path in bench_reading.draw(scores):
        print(path, file=sys.stderr)
    return table(bench_reading.HEAD, bench_reading.table_rows(scores))


def scenes_table() -> str:
    """How well boards are located anywhere in rendered scenes; draws those that were not."""
    results = bench_locating.measure(without=0, jobs=min(8, os.cpu_count() or 1))
    print(bench_locating.draw(results, shown=True), file=sys.stderr)
    return table(bench_locating.HEAD, bench_locating.table_rows(results))


def no_boards_table() -> str:
    """What is taken for a board that is none."""
    results = bench_locating.measure(scenes=0, jobs=min(8, os.cpu_count() or 1))
    return table(bench_locating.NO_BOARD_HEAD, bench_locating.no_board_rows(results))


def photo_kinds_table() -> str:
    """What a photo may be; draws those that were refused or read wrongly."""
    results = bench_photo_kinds.measure(jobs=min(8, os.cpu_count() or 1))
    print(bench_photo_kinds.draw(results), file=sys.stderr)
    return table(bench_photo_kinds.HEAD, bench_photo_kinds.table_rows(results))


def sizes_table() -> str:
    """Pictures of any size, upright or not, and a film's frame."""
    return table(bench_sizes.HEAD, bench_sizes.table_rows(bench_sizes.measure()))


def readers_table() -> str:
    """The network beside Tesseract and templates."""
    return table(bench_readers.HEAD, bench_readers.table_rows(bench_readers.measure(yardstick_photo())))


def digitising_table(part: str) -> str:
    """Shoeboxes of photos, at length."""
    return table(bench_digitise.HEAD, bench_digitise.measure([part]))


def serve_table() -> str:
    """The server, its pages in a browser, and racks."""
    return table(bench_serve.HEAD, bench_serve.measure())


def film_table(name: str) -> str:
    """One of the tables of films."""
    head, rows = film_tables.TABLES[name]()
    return table(head, rows)


def calibration_table() -> str:
    """What a calibration profile gives, and costs."""
    jobs = min(8, os.cpu_count() or 1)
    return table(bench_calibration.HEAD, bench_calibration.table_rows(jobs=jobs))


def start_table() -> str:
    """Whole-process times as multiples of importing OpenCV, the fastest of seven runs each."""
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
    return table(["start-up", "multiple"], [[name, f"{s / one:.1f}"] for name, s in fastest.items()])


@functools.cache
def photo_results() -> tuple[SetResult, ...]:
    """Every set of labelled photos, read once for all the tables that show it."""
    results = []
    for name, labels in label_files():
        results.append(measure_set(labels, name))
        print(f"{name}: {results[-1].boards_right}/{results[-1].photos} boards", file=sys.stderr, flush=True)
        for line in results[-1].blame:
            print(f"  {line}", file=sys.stderr)
    draw_misread_photos(results)
    return tuple(results)


def photo_times() -> str:
    """Times of the photos, with D as it was in the same run."""
    results = photo_results()
    # afterwards, because in a fresh process, whose memory is still unmapped, a decode takes twice as long
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
    "calibration": calibration_table,
    "sizes": sizes_table,
    "photo kinds": photo_kinds_table,
    "no boards": no_boards_table,
    "rendered scenes": scenes_table,
    **{f"digitising {part}": functools.partial(digitising_table, part) for part in bench_digitise.PARTS},
    "on air": serve_table,
    **{name: functools.partial(film_table, name) for name in film_tables.TABLES},
}
"""What each pair of markers in the documents encloses, the quick ones first."""


def marked(name: str) -> re.Pattern[str]:
    """What stands between the markers of that name, with the markers."""
    return re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)


def documents_with(name: str) -> list[Path]:
    """The documents that have the markers of that name."""
    return [path for path in DOCUMENTS if marked(name).search(path.read_text(encoding="utf-8"))]


def put_into_documents(name: str, text: str) -> None:
    """Replaces what stands between the markers of that name."""
    for path in documents_with(name):
        document = path.read_text(encoding="utf-8")
        path.write_text(
            marked(name).sub(lambda found: found[1] + text + "\n" + found[2], document),
            encoding="utf-8",
        )


def main() -> None:
    """Measures, prints, and writes the tables, each as soon as it is there.

    A table that needs fonts or a program that is missing stays as it is, and the exit code is 1.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all if none is named"
    )
    names = parser.parse_args().tables or list(TABLES)
    for name in names:
        if name not in TABLES or not documents_with(name):
            raise SystemExit(
                f"{name}: there is no such table, or neither {' nor '.join(path.name for path in DOCUMENTS)} has "
                f"markers <!-- {name} --> and <!-- end {name} -->; the tables are {', '.join(TABLES)}"
            )
    cv2.setNumThreads(1)
    left_out = False
    for name in names:
        try:
            text = TABLES[name]()
        except (FontsMissingError, MissingProgramError) as error:
            print(f"{name}: not measured: {error}", file=sys.stderr)
            left_out = True
            continue
        print(f"\n{text}", flush=True)
        put_into_documents(name, text)
    sys.exit(left_out)


if __name__ == "__main__":
    main()
