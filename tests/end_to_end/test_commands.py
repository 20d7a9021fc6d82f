"""The commands on the sample that ships, as a newcomer runs them."""

from __future__ import annotations

import io
import json
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from operator import truediv
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.conftest import Outcome
from tests.support.tesseract import needs_tesseract

Command = Callable[..., Outcome]
SCORES = [28, 15, 20, 19, 74]


def photos_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jpg"))


def truth_of(folder: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((folder / "game.json").read_text(encoding="utf-8"))
    return truth


def test_the_sheets_five_plays_are_read_and_scored(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    gcg, picture = tmp_path / "game.gcg", tmp_path / "game.png"
    outcome = tilesight(
        "watch", icelandic_sample, "--every", "turn", "--edition", "icelandic",
        "--players", "Anna,Jón", "--out", gcg, "--picture", picture, "--format", "json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    *plays, end = outcome.json_lines
    assert [event["event"] for event in plays] == ["play"] * 5
    assert [event["score"] for event in plays] == SCORES
    assert [event["position"] for event in plays] == ["8D", "G6", "10D", "H7", "11C"]
    assert plays[4]["word"] == list("JÓÐLIR")
    assert [event["player"] for event in plays] == ["Anna", "Jón", "Anna", "Jón", "Anna"]
    assert plays[0].keys() >= {
        "position", "word", "placed", "words", "score", "total", "source", "frame", "time_s", "confidence",
    }  # fmt: skip
    assert end["totals"] == {"Anna": 122, "Jón": 34}
    assert end["rows"] == [list(row) for row in truth_of(icelandic_sample)["frames"][-1]["board"]]
    assert np.asarray(cv2.imread(str(picture))).shape[1] > 1500
    checked = tilesight("score", gcg, "--edition", "icelandic")
    assert checked.code == 0, checked.out


@pytest.mark.parametrize(
    ("settlement", "changes", "line"),
    [
        ("edition", [("Anna", 7), ("Jón", -7)], ">Jón: AB (time) -7 -7"),
        ("tournament", [("Anna", 14)], ">Anna: (AB) +14 14"),
    ],
)
def test_tiles_left_are_settled_as_the_option_says(
    tilesight: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    icelandic_sample: Path,
    settlement: str,
    changes: list[tuple[str, int]],
    line: str,
) -> None:
    gcg = tmp_path / "game.gcg"
    monkeypatch.setattr(sys, "stdin", io.StringIO("end Anna= Jón=AB\n"))
    outcome = tilesight(
        "watch", icelandic_sample, "--edition", "icelandic", "--players", "Anna,Jón", "--commands",
        "--settlement", settlement, "--out", gcg, "--format", "json",
    )  # fmt: skip
    settled = [event for event in outcome.json_lines if event["event"] == "settled"]
    assert [(event["player"], event["score"]) for event in settled] == changes
    assert [text for text in gcg.read_text(encoding="utf-8").splitlines() if text.startswith(">")][-1] == line


def test_the_game_as_text_names_each_move(tilesight: Command, icelandic_sample: Path) -> None:
    outcome = tilesight("watch", icelandic_sample, "--every", "turn", "--edition", "icelandic")
    lines = outcome.out.splitlines()
    assert len(lines) == 6
    for line, score in zip(lines, SCORES, strict=False):
        assert f"+{score} " in line
    assert lines[-1] == "total: A 122, B 34"


@pytest.mark.parametrize("reader", ["network", pytest.param("tesseract", marks=needs_tesseract("isl"))])
def test_a_photo_becomes_its_board(tilesight: Command, icelandic_sample: Path, reader: str) -> None:
    photo = photos_of(icelandic_sample)[-1]
    outcome = tilesight("read", photo, "--edition", "icelandic", "--format", "json", "--reader", reader)
    assert outcome.code == 0, outcome.err
    (line,) = outcome.json_lines
    assert line["status"] == "ok"
    assert line["edition"] == "icelandic"
    truth = truth_of(icelandic_sample)["frames"][-1]
    want = [list(row) for row in truth["board"]]
    if reader == "network":
        assert line["rows"] == want
    else:
        filled = [(r, c) for r in range(15) for c in range(15) if want[r][c] != "."]
        right = sum(line["rows"][r][c] == want[r][c] for r, c in filled)
        assert right >= 0.8 * len(filled), line["rows"]
    assert len(line["confidence"]) == 15
    assert all(0 <= share <= 1 for row in line["confidence"] for share in row)
    for found, true in zip(line["corners_px"], truth["corners_px"], strict=True):
        assert abs(found[0] - true[0]) < 6
        assert abs(found[1] - true[1]) < 6
    assert {"decode", "locate", "read", "total"} <= line["ms"].keys()


def test_given_corners_skip_the_search(tilesight: Command, icelandic_sample: Path) -> None:
    truth = truth_of(icelandic_sample)["frames"][0]
    corners = " ".join(f"{x},{y}" for x, y in truth["corners_px"])
    outcome = tilesight(
        "read",
        photos_of(icelandic_sample)[0],
        "--edition",
        "icelandic",
        "--format",
        "json",
        "--corners",
        corners,
    )
    (line,) = outcome.json_lines
    assert line["rows"] == [list(row) for row in truth["board"]]
    assert line["corners_px"] == [
        [pytest.approx(x, abs=0.01), pytest.approx(y, abs=0.01)] for x, y in truth["corners_px"]
    ]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_turned_photo_reads_the_same(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path, turns: int
) -> None:
    image = np.asarray(cv2.imread(str(photos_of(icelandic_sample)[-1])))
    for _ in range(turns):
        image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)
    cv2.imwrite(str(tmp_path / "turned.png"), image)
    outcome = tilesight("read", tmp_path / "turned.png", "--edition", "icelandic", "--format", "json")
    (line,) = outcome.json_lines
    assert line["rows"] == [list(row) for row in truth_of(icelandic_sample)["frames"][-1]["board"]]


def test_cgp_says_that_squares_cannot_be_seen(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    photo = sorted(icelandic_sample.glob("*.jpg"))[0]
    (found,) = tilesight("read", photo, "--edition", "icelandic", "--format", "json").json_lines
    right = min(x for x, _ in found["corners_px"][1:3])
    cut = tmp_path / "cut.png"
    image = cv2.imread(str(photo))
    assert image is not None
    cv2.imwrite(str(cut), image[:, : int(right) - 20])  # through the last column
    outcome = tilesight("read", cut, "--edition", "icelandic", "--format", "cgp")
    assert outcome.code == 0
    assert re.search(r"squares that cannot be seen: [12][0-9]; CGP has them as empty", outcome.err)


def test_boards_print_as_text_and_as_cgp(tilesight: Command, tmp_path: Path, icelandic_sample: Path) -> None:
    photo = photos_of(icelandic_sample)[0]
    picture = tmp_path / "seen.png"
    text = tilesight("read", photo, "--edition", "icelandic", "--picture", picture).out.splitlines()
    assert text[8].split() == ["8", *"···HRAKI·······"]
    assert picture.is_file()
    cgp = tilesight("read", photo, "--edition", "icelandic", "--format", "cgp").out
    assert cgp.startswith("15/15/15/15/15/15/15/3HRAKI7/15/")
    both = tilesight("read", photo, photo, "--edition", "icelandic").out
    assert both.count(f"{photo}:") == 2


def test_help_names_an_example_for_every_command(tilesight: Command) -> None:
    assert "read" in tilesight("--help").out
    for command in ("read", "watch", "score"):
        assert "Example" in tilesight(command, "--help").out
    assert tilesight("--version").out.startswith("tilesight ")


@pytest.mark.parametrize(
    "command", [(), ("read",), ("watch",), ("serve",), ("calibrate", "lens"), ("calibrate", "board")]
)
def test_help_names_no_value_of_an_option_that_takes_none(
    tilesight: Command, command: tuple[str, ...]
) -> None:
    lines = tilesight(*command, "--help").out.splitlines()
    assert [line for line in lines if "bool" in line and "--help" not in line] == []


def processor_s(*commands: list[str], runs: int) -> list[list[float]]:
    """Processor time of each command, in each run: waiting for a busy machine does not count.

    They take turns, so that what slows the machine down for a while slows all of them.
    """
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(runs):
        for arguments, taken in zip(commands, times, strict=True):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)  # finer than the clock ticks of os.times
            subprocess.run(arguments, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return times


def read_until_first_pixel(photo: Path, at_end: str) -> str:
    """Return code that runs `tilesight read`, and `at_end` where it has the picture's pixels."""
    return (
        "import os, sys, cv2;"
        "decode = cv2.imdecode;"
        f"cv2.imdecode = lambda *a: (decode(*a), {at_end}, sys.stdout.flush(), os._exit(0));"
        f"sys.argv = ['tilesight', 'read', {str(photo)!r}];"
        "from tilesight.cli.main import main; main()"
    )


def test_the_command_line_starts_quickly(icelandic_sample: Path) -> None:
    """Help, and the way to the first pixel, take at most twice what their libraries' imports take.

    These imports are like the command's own work: a busy neighbour slows both alike. They take 0.6 and 1.3 times as
    long; a core whose speed changes from one process to the next has shown 1.6.
    """
    imports_s, help_s, pixel_s = processor_s(
        [sys.executable, "-c", "import cv2, typer, tomllib, PIL.Image; from pydantic import TypeAdapter"],
        [sys.executable, "-c", "from tilesight.cli.main import main; main()", "--help"],
        [sys.executable, "-c", read_until_first_pixel(photos_of(icelandic_sample)[0], "None")],
        runs=7,
    )
    # The machine's own speed changes from run to run: neighbours in time are compared.
    assert statistics.median(map(truediv, help_s, imports_s)) <= 2
    assert statistics.median(map(truediv, pixel_s, imports_s)) <= 2


def test_no_network_and_no_game_is_loaded_before_the_first_pixel(icelandic_sample: Path) -> None:
    code = read_until_first_pixel(photos_of(icelandic_sample)[0], "print(*sys.modules)")
    outcome = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = outcome.stdout.split()
    assert {"cv2", "vision.capture"} <= set(loaded)
    libraries = {name.partition(".")[0] for name in loaded}
    assert not libraries & {"onnxruntime", "pytesseract", "scipy", "skimage", "rich", "calibration"}
    rooms = ("vision.recognition", "vision.detection", "vision.tracking", "vision.decoding", "scoring.game")
    assert not [name for name in loaded if name.startswith(rooms)]
