"""Digitising: labelled photos, shuffled games, interruptions, damaged files, throughput and memory.

``python -m tests.benchmarks.bench_digitise`` measures all parts, or those that are named: ``boards``, ``games``,
``interruptions``, ``damaged``, ``throughput``, ``memory``, ``report``. Each part is a table of BENCHMARKS.md, which
``python -m tests.benchmarks.run "digitising games"`` writes.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
import psutil

from scoring import load_edition
from tests.benchmarks import bench_report
from tests.benchmarks.measuring import measure_yardstick_ms, yardstick_photo
from tests.sets.club_boards import club_photo
from tests.sets.labelled_photos import BOARDS, CHECKOUT, SAMPLE, labels_of
from tests.sets.shuffled_games import game_photos
from tests.support.bare_pictures import decode_and_warp
from tests.support.digitised import read_lines, read_results
from vision.errors import VisionError
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer

__all__ = ["HEAD", "PARTS", "measure"]

HEAD = ("what", "result")
GAME_EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
FIRST_SEED = 32_000
"""No choice in digitising was made with these games."""
MIN_TILES = 10
TWO_MEGAPIXELS = (1633, 1225)
QUALITIES = (87, 88, 89)
"""JPEG qualities; each gives one more photo of two megapixels."""
Row = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Wall clock seconds, and processor seconds of all processes."""

    wall_s: float
    processors_s: float


def digitise(*arguments: str | Path | int, cores: Sequence[int] = ()) -> Cost:
    """Run `tilesight digitise`, on these cores where some are given, and measure its cost.

    Raises
    ------
    subprocess.CalledProcessError
        If it fails.
    """
    return measure_cost(digitise_command(*arguments), cores)


def measure_cost(command: list[str], cores: Sequence[int] = ()) -> Cost:
    """Run a command, on these cores where some are given, and measure its cost.

    Raises
    ------
    subprocess.CalledProcessError
        If it fails.
    """
    if cores:
        command = ["taskset", "-c", ",".join(map(str, cores)), *command]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=CHECKOUT)
    if done.returncode not in (0, 3, 4):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(wall_s=time.perf_counter() - started, processors_s=spent_s)


def digitise_command(*arguments: str | Path | int) -> list[str]:
    """Make the command line of `tilesight digitise`."""
    return [str(Path(sys.executable).parent / "tilesight"), "digitise", *map(str, arguments)]


def measure_boards(folder: Path) -> Iterator[Row]:
    """Digitise all labelled photos in one run: editions, boards, games."""
    if not BOARDS.is_dir():
        return
    digitise(BOARDS, "--out", folder / "out")
    records = {record["image"]: record for record in read_lines(folder / "out" / "photos.jsonl")}
    editions, right, same = 0, 0, 0
    for path in sorted(BOARDS.glob("*/*.json")):
        for label in labels_of(path):
            record = records[str(path.parent / label["image"])]
            tiles = sum(token not in (".", "#") for row in label["board"] for token in row)
            if tiles >= MIN_TILES:
                editions += 1
                right += record.get("edition") == label["edition"]
    for image, record in records.items():
        edition = load_edition(record.get("edition") or "english")  # an empty board is of no edition
        try:
            rows = read_photo(
                Path(image), GameContext(edition=edition, recognizer=load_recognizer("network", edition))
            ).decoded.board.rows
            same += record.get("rows") == [list(row) for row in rows]
        except VisionError:
            same += record["status"] != "ok"
    yield f"edition of labelled photos with at least {MIN_TILES} tiles", f"{right} of {editions} right"
    yield "labelled photos with the board that `tilesight read` gives", f"{same} of {len(records)}"
    yield from count_real_games(read_lines(folder / "out" / "games.jsonl"))


def count_real_games(games: Sequence[dict[str, Any]]) -> Iterator[Row]:
    """Compare the plays of the labelled games that were photographed turn by turn."""
    exact, total = 0, 0
    for path in sorted(BOARDS.glob("*/game.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        total += 1
        plays = [sorted(event["placed"]) for event in truth["events"] if event["kind"] == "play"]
        exact += any(
            plays == [sorted(play["placed"]) for play in game["plays"] if play["event"] == "play"]
            for game in games
        )
    yield "labelled games whose plays are all right, from all photos thrown together", f"{exact} of {total}"


def measure_games(folder: Path, number: int = 120, boxes: int = 6) -> Iterator[Row]:
    """Digitise rendered games of fifteen photos, `number` games shuffled at a time."""
    ordered, exact = 0, 0
    for box in range(boxes):
        right = measure_box(
            folder / str(box), range(FIRST_SEED + box * number, FIRST_SEED + (box + 1) * number)
        )
        ordered, exact = ordered + right[0], exact + right[1]
    total = boxes * number
    yield (
        f"{total} rendered games of 15 photos, {number} shuffled at a time: order right",
        f"{ordered} of {total}",
    )
    yield (
        f"{total} rendered games of 15 photos, {number} shuffled at a time: every play right",
        f"{exact} of {total}",
    )


def measure_box(folder: Path, seeds: range) -> tuple[int, int]:
    """Digitise shuffled games; count those with the right order of photos, and those with all plays right."""
    source, truths = folder / "in", []
    source.mkdir(parents=True)
    rng = random.Random(15)
    wanted = [(GAME_EDITIONS[seed % len(GAME_EDITIONS)], seed) for seed in seeds]
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        made = pool.map(functools.partial(call, game_photos), wanted)
        for plays, photos in made:
            names = [f"{rng.getrandbits(48):012x}.jpg" for _ in photos]
            for name, photo in zip(names, photos, strict=True):
                (source / name).write_bytes(photo)
            truths.append((names, [sorted([t.row, t.column, t.token] for t in play) for play in plays]))
    digitise(source, "--out", folder / "out")
    found = read_lines(folder / "out" / "games.jsonl")
    ordered, exact = 0, 0
    for names, plays in truths:
        game = next((each for each in found if Path(each["photos"][0]).name in names), None)
        order = [Path(photo).name for photo in game["photos"]] if game else []
        ordered += order == names
        # a withdrawal has no tiles; the games have none
        laid = [sorted(play.get("placed", ())) for play in game["plays"]] if game else []
        exact += plays_agree(plays, laid)
    return ordered, exact


def plays_agree(plays: Sequence[Any], found: Sequence[Any]) -> bool:
    """Whether two lists of plays are equal; a blank's letter is not visible."""

    def seen(all_plays: Sequence[Any]) -> list[list[tuple[int, int, str]]]:
        return [[(r, c, "?" if t.islower() else t) for r, c, t in play] for play in all_plays]

    return seen(plays) == seen(found)


def call(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a function with a sequence of arguments, for a pool of processes."""
    return function(*arguments)


def measure_interruptions(folder: Path, number: int = 20) -> Iterator[Row]:
    """Kill runs at random moments, resume them, and compare the results."""
    photos = 20
    source = make_box(folder / "in", photos)
    digitise(source, "--out", folder / "once", "--workers", 1)
    truth, rng, same, kills = read_results(folder / "once"), random.Random(20), 0, 0
    for run in range(number):
        out = folder / f"out-{run}"
        command = digitise_command(source, "--out", out, "--workers", 1)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = rng.randrange(photos + 1)  # the last value kills the run while the folder is written
        while process.poll() is None and len(list((out / "boards").glob("*.jpg"))) < after:
            time.sleep(0.02)
        time.sleep(rng.uniform(0.0, 0.2))
        kills += process.poll() is None
        process.kill()
        process.wait()
        digitise(source, "--out", out, "--workers", 1)
        same += read_results(out) == truth
        shutil.rmtree(out)
    yield (
        f"runs that were killed ({kills} of {number} before their end) and gone on with: same bytes",
        f"{same} of {number}",
    )


def measure_damaged(folder: Path, number: int = 500) -> Iterator[Row]:
    """Digitise as many damaged files as good ones."""
    source, rng = make_box(folder / "box" / "in", number), np.random.default_rng(500)
    good = [path.read_bytes() for path in sorted(source.iterdir())]
    corner = np.asarray(cv2.imdecode(np.frombuffer(good[0], np.uint8), cv2.IMREAD_COLOR))[:400, :400]
    png = cv2.imencode(".png", corner)[1].tobytes()
    bomb = cv2.imencode(".png", np.zeros((14_000, 14_000), np.uint8))[1].tobytes()
    for at in range(number):
        name, data = f"bad-{at:04d}", good[at % len(good)]
        kind = at % 5
        if kind == 0:
            (source / f"{name}.jpg").write_bytes(data[: int(rng.integers(0, len(data) - 100))])
        elif kind == 1:
            flipped = bytearray(png)
            flipped[int(rng.integers(40, len(png) - 20))] ^= 1 << int(rng.integers(8))
            (source / f"{name}.png").write_bytes(flipped)
        elif kind == 2:
            (source / f"{name}.jpg").write_bytes(rng.bytes(int(rng.integers(1, 5_000))))
        elif kind == 3:
            (source / f"{name}.png").write_bytes(bomb[:-12] + at.to_bytes(4) + bomb[-12:])
        else:
            with zipfile.ZipFile(source / f"{name}.zip", "w") as archive:
                archive.writestr("../" * int(rng.integers(1, 9)) + f"{name}.jpg", data)
    digitise(source, "--out", folder / "box" / "out")
    records = read_lines(folder / "box" / "out" / "photos.jsonl")
    read = sum(record["status"] == "ok" for record in records)
    reasons = sum(record["status"] == "unreadable" and bool(record["message"]) for record in records)
    outside = sorted(
        path.name for path in folder.rglob("*.jpg") if path.name.startswith("bad-") and path.parent != source
    )
    yield (
        f"{number} damaged files among {len(good)} good ones",
        f"{read} boards, {reasons} reasons, {len(outside)} files elsewhere",
    )


def make_box(folder: Path, number: int) -> Path:
    """Make small photos of the shipped sample's, each with its own light, crop and JPEG quality."""
    folder.mkdir(parents=True)
    pictures = [
        cv2.resize(np.asarray(cv2.imread(str(path))), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        for path in sorted(SAMPLE.glob("*.jpg"))
    ]
    rng = np.random.default_rng(number)
    for at in range(number):
        image = pictures[at % len(pictures)]
        left, top = rng.integers(0, 6, 2)
        light = cv2.convertScaleAbs(image[top:, left:], alpha=float(rng.uniform(0.8, 1.2)))
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 95))]
        cv2.imwrite(str(folder / f"{at % len(pictures)}-{at:05d}.jpg"), light, quality)
    return folder


def measure_throughput(folder: Path, number: int = 540, turns: int = 5) -> Iterator[Row]:
    """Compare two cores with one, and reading with decoding and warping, on photos of two megapixels.

    The measurements alternate, since the speed of a shared machine changes within seconds. Median and range of the
    rounds are reported.
    """
    source, one = folder / "in", folder / "one"
    source.mkdir()
    one.mkdir()
    for seed in range(number // len(QUALITIES)):
        image = cv2.resize(
            club_photo("english", seed, 60.0).image_bgr, TWO_MEGAPIXELS, interpolation=cv2.INTER_AREA
        )
        for quality in QUALITIES:  # fewer renderings: they take longer than reading
            cv2.imwrite(str(source / f"{seed:04d}-{quality}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    shutil.copy(source / f"0000-{QUALITIES[0]}.jpg", one)
    cores = sorted(os.sched_getaffinity(0))[:2]

    def more_than_start(command: Callable[[Path, Path], list[str]], cores: Sequence[int]) -> Cost:
        """Measure the cost of all photos but one, without start and end of the command."""
        with tempfile.TemporaryDirectory(dir=folder) as out:
            start = measure_cost(command(one, Path(out) / "one"), cores)
            whole = measure_cost(command(source, Path(out) / "all"), cores)
        return Cost(wall_s=whole.wall_s - start.wall_s, processors_s=whole.processors_s - start.processors_s)

    def digitise_with(workers: int) -> Callable[[Path, Path], list[str]]:
        return lambda source, out: digitise_command(source, "--out", out, "--workers", workers)

    def decode_only(source: Path, out: Path) -> list[str]:
        return [sys.executable, "-m", "tests.support.bare_pictures", str(source), str(out), "1"]

    data = [path.read_bytes() for path in sorted(source.iterdir())]
    speedups, rates, alone_rates, costs_ms, costs_d = [], [], [], [], []
    for _ in range(turns):
        on_two = more_than_start(digitise_with(2), cores)
        d_before_ms = yardstick_on_core_ms(cores[0])
        on_one = more_than_start(digitise_with(1), cores[:1])
        d_ms = (d_before_ms + yardstick_on_core_ms(cores[0])) / 2
        bare = more_than_start(decode_only, cores[:1])
        alone_s = decode_and_warp_all(data) * (number - 1) / number
        speedups.append(on_one.wall_s / on_two.wall_s)
        rates.append(bare.processors_s / on_one.processors_s)
        alone_rates.append(alone_s / on_one.processors_s)
        costs_ms.append(on_one.processors_s / (number - 1) * 1000)
        costs_d.append(costs_ms[-1] / d_ms)
    yield "throughput on two cores against one", f"{format_range(speedups)} times"
    yield "a photo of two megapixels on one core, milliseconds", format_range(costs_ms, 0)
    yield "the same in D", format_range(costs_d, 1)
    yield (
        "its rate against the same processes that only decode and warp it (with the same transfer and storage)",
        format_range(rates),
    )
    yield (
        "its rate against one process that only decodes and warps files in its memory",
        format_range(alone_rates),
    )


def yardstick_on_core_ms(core: int) -> float:
    """Measure D on one core: one that has been busy may be slower than one that has rested."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return measure_yardstick_ms(yardstick_photo())
    finally:
        os.sched_setaffinity(0, usual)


def format_range(numbers: Sequence[float], digits: int = 2) -> str:
    """Format the median of several rounds, and their range."""
    low, middle, high = (f"{number:.{digits}f}" for number in (min(numbers), median(numbers), max(numbers)))
    return f"{middle} ({low} to {high} in {len(numbers)} turns)"


def decode_and_warp_all(photos: Sequence[bytes]) -> float:
    """Measure the processor seconds of decoding and warping photos."""
    cv2.setNumThreads(1)
    started = time.process_time()
    for data in photos:
        decode_and_warp(data)
    return time.process_time() - started


def measure_memory(folder: Path, number: int = 10_000) -> Iterator[Row]:
    """Measure the memory of all processes, for few photos and for many."""
    small, large = make_box(folder / "few", number // 10), make_box(folder / "many", number)
    few, many = (measure_peak_mb(source, folder / f"out-{source.name}") for source in (small, large))
    yield (
        "memory of all processes with two workers",
        f"{few:.0f} MB for {number // 10} photos, {many:.0f} MB for {number}",
    )


def measure_peak_mb(source: Path, out: Path) -> float:
    """Measure the peak memory of the command and its processes; shared pages count once."""
    command = digitise_command(source, "--out", out, "--workers", 2)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak, over = [0], threading.Event()

    def watch() -> None:
        top = psutil.Process(process.pid)
        while not over.wait(0.25):
            try:
                held = sum(each.memory_full_info().pss for each in [top, *top.children(recursive=True)])
            except psutil.Error:
                continue
            peak[0] = max(peak[0], held)

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait()
    over.set()
    watcher.join()
    return peak[0] / 1e6


PARTS: dict[str, Callable[..., Iterator[Row]]] = {
    "boards": measure_boards,
    "games": measure_games,
    "interruptions": measure_interruptions,
    "damaged": measure_damaged,
    "throughput": measure_throughput,
    "memory": measure_memory,
    "report": bench_report.measure,
}


def measure(parts: Sequence[str] = ()) -> list[Row]:
    """Measure the named parts, all by default; the rows of the table."""
    rows = []
    for part in parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="digitise-") as folder:
            for row in PARTS[part](Path(folder)):
                print(f"{part}: {row[0]}: {row[1]}", file=sys.stderr, flush=True)
                rows.append(row)
    return rows


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--number", type=int, help="how many games, interruptions, files or photos")
    options = parser.parse_args()
    if options.number:
        for name, part in PARTS.items():
            if name not in ("boards", "report"):
                PARTS[name] = functools.partial(part, number=options.number)
    measure(options.parts)


if __name__ == "__main__":
    main()
