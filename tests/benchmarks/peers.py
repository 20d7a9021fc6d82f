"""Other readers of word boards on the same labelled photos: located, letters, complete boards, time.

``python -m tests.benchmarks.peers PATH...`` runs each checkout with its own Python (``PATH/.venv/bin/python`` if there
is one) and prints a table. Nothing is downloaded or installed. A reader is recognised by its files. Readers need their
own packages, and weights where they are trained. Only photos of editions that a reader knows are counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.bench_labelled_photos import corner_error_cells
from tests.benchmarks.measuring import (
    LOCATED_WITHIN_CELLS,
    format_table,
    measure_yardstick_ms,
    percentile,
    yardstick_photo,
)
from tests.sets.labelled_photos import is_blank, label_files, labels_of, squares_of

__all__ = ["PEERS", "Peer", "PeerResult", "find_peer", "main", "measure_peer", "table_rows"]

HEAD = (
    "reader",
    "photos",
    "located",
    "letters",
    "blanks",
    "false tiles",
    "whole boards",
    "time in D, p50 / p95",
)
PHOTO_TIMEOUT_S = 120
"""Seconds for a photo, the start of the reader included; chosen."""

FRAME = """
import contextlib, json, sys, time
{imports}
for line in sys.stdin:
    path = json.loads(line)
    answer = {{"rows": None, "corners": None}}
    started = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        try:
{read}
        except Exception as error:
            answer["error"] = f"{{type(error).__name__}}: {{error}}"
    answer["ms"] = (time.perf_counter() - started) * 1000
    print(json.dumps(answer), flush=True)
"""
"""A program that a reader's own Python runs: a path of a photo a line in, a board a line out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """How another reader is called.

    Parameters
    ----------
    name : str
        Its name.
    marks : tuple of str
        Files by which its checkout is recognised.
    folder : str
        The folder in the checkout in which it runs.
    imports, read : str
        Lines of its program: what it imports, and what reads the photo `path` into `answer`.
    editions : frozenset of str
        Editions that it knows.
    """

    name: str
    marks: tuple[str, ...]
    folder: str
    imports: str
    read: str
    editions: frozenset[str]

    @property
    def program(self) -> str:
        """The program that its Python runs."""
        indented = "\n".join(f"            {line}" for line in self.read.strip().splitlines())
        return FRAME.format(imports=self.imports.strip(), read=indented)


PEERS = (
    Peer(
        name="DeclanFinerty/scrabble-vision",
        marks=("scan.py", "src/detection/grid_detect.py"),
        folder=".",
        imports="""
sys.path.insert(0, ".")
import cv2
from scan import scan_board
from src.detection.grid_detect import detect_grid
""",
        read="""
answer["rows"] = scan_board(path)["board"]
corners = detect_grid(cv2.imread(path)).corners
answer["corners"] = None if corners is None else [[float(x), float(y)] for x, y in corners]
""",
        editions=frozenset({"english"}),
    ),
    Peer(
        name="scrabscrap/scrabble-scraper-v2",
        marks=("python/src/customboard.py", "python/src/analyzer.py"),
        folder="python/src",
        imports="""
sys.path.insert(0, ".")
import cv2
from analyzer import analyze, filter_candidates
from customboard import filter_image, warp_image
""",
        read="""
warped, grey = warp_image(cv2.imread(path))
_, candidates = filter_image(warped)
found = analyze(grey, {}, filter_candidates((7, 7), candidates, set()))
rows = [["."] * 15 for _ in range(15)]
for (column, row), tile in found.items():
    letter = getattr(tile, "letter", tile[0])
    rows[row][column] = "?" if letter == "_" else letter
answer["rows"] = rows
""",
        editions=frozenset({"german"}),
    ),
)
"""The readers, by the interfaces of scrabble-vision c11d5b8 and scrabble-scraper-v2 0038dc2."""


@dataclass(slots=True)
class PeerResult:
    """Counts of a reader on photos, and its milliseconds."""

    name: str
    photos: int = 0
    located: int = 0
    gives_corners: bool = False
    letters: int = 0
    letters_right: int = 0
    blanks: int = 0
    blanks_right: int = 0
    false_tiles: int = 0
    boards_right: int = 0
    ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, label: dict[str, Any], answer: dict[str, Any]) -> None:
        """Count one photo; a photo that was not read counts as wrong."""
        self.photos += 1
        self.ms.append(answer["ms"])
        if answer["corners"] is not None:
            self.gives_corners = True
            error = corner_error_cells(np.array(answer["corners"]), np.array(label["corners_px"]))
            self.located += error <= LOCATED_WITHIN_CELLS
        rows, is_right = answer["rows"], answer["rows"] is not None
        if "error" in answer:
            self.errors.append(f"{label['image']}: {answer['error']}")
        for row, column, want in squares_of(label):
            have = rows[row][column] if rows is not None else "-"
            if want == ".":
                self.false_tiles += have not in (".", "-")
                is_right = is_right and have == "."
            elif is_blank(want):
                self.blanks += 1
                self.blanks_right += have != "-" and is_blank(have)
                is_right = is_right and is_blank(have)
            else:
                self.letters += 1
                self.letters_right += have == want
                is_right = is_right and have == want
        self.boards_right += is_right


def find_peer(checkout: Path) -> Peer:
    """Find the reader of a checkout by its files.

    Raises
    ------
    SystemExit
        If it is none that is known.
    """
    for peer in PEERS:
        if all((checkout / mark).exists() for mark in peer.marks):
            return peer
    names = ", ".join(peer.name for peer in PEERS)
    raise SystemExit(f"{checkout}: no checkout of a reader that is known; there are adapters for {names}")


def measure_peer(peer: Peer, checkout: Path, labels: Iterable[tuple[Path, dict[str, Any]]]) -> PeerResult:
    """Let a reader read photos, each in its own time; an answer that does not come ends the measurement.

    Parameters
    ----------
    peer : Peer
        The reader.
    checkout : Path
        Its checkout.
    labels : iterable of (Path, dict)
        The photos with their labels.
    """
    python = checkout / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), "-c", peer.program]
    result, photos = PeerResult(name=peer.name), list(labels)
    lines = "".join(json.dumps(str(path.resolve())) + "\n" for path, _ in photos)
    done = subprocess.run(
        command,
        cwd=checkout / peer.folder,
        input=lines,
        capture_output=True,
        text=True,
        timeout=PHOTO_TIMEOUT_S * max(1, len(photos)),
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) < len(photos):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SystemExit(f"{peer.name}: it read {len(answers)} of {len(photos)} photos and ended: {last}")
    for (_, label), answer in zip(photos, answers, strict=True):
        result.add(label, answer)
    return result


def list_photos(editions: frozenset[str]) -> list[tuple[Path, dict[str, Any]]]:
    """List the labelled photos of editions."""
    return [
        (file.parent / label["image"], label)
        for _, file in label_files()
        for label in labels_of(file)
        if label["edition"] in editions
    ]


def table_rows(results: Sequence[PeerResult], yardstick_ms: float) -> list[list[str]]:
    """Format the results."""
    return [
        [
            each.name,
            str(each.photos),
            f"{each.located}/{each.photos}" if each.gives_corners else "not given",
            f"{each.letters_right}/{each.letters}",
            f"{each.blanks_right}/{each.blanks}",
            str(each.false_tiles),
            f"{each.boards_right}/{each.photos}",
            " / ".join(f"{percentile(each.ms, share) / yardstick_ms:.1f}" for share in (0.5, 0.95)),
        ]
        for each in results
    ]


def main() -> None:
    """Measure the readers of the checkouts, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="PATH", help="checkouts of other readers")
    results = []
    for checkout in parser.parse_args().checkouts:
        peer = find_peer(checkout)
        photos = list_photos(peer.editions)
        if not photos:
            print(
                f"{peer.name}: no labelled photo of {', '.join(sorted(peer.editions))} is here",
                file=sys.stderr,
            )
            continue
        results.append(measure_peer(peer, checkout, photos))
        for line in results[-1].errors:
            print(f"{peer.name}: {line}", file=sys.stderr)
    if results:
        print(format_table(HEAD, table_rows(results, measure_yardstick_ms(yardstick_photo()))))


if __name__ == "__main__":
    main()
