"""Other readers and engines are called by their interfaces, and counted like ours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.engines import Engine, parse_engine, table_rows, write_games
from tests.benchmarks.peers import PEERS, PeerResult, find_peer, measure_peer
from tests.benchmarks.peers import table_rows as peer_rows

LABEL = {
    "image": "a.jpg",
    "edition": "english",
    "corners_px": [[0, 0], [150, 0], [150, 150], [0, 150]],
    "board": ["CAT?" + "." * 11, *["." * 15] * 14],
}
SCAN = """
def scan_board(path):
    rows = [["."] * 15 for _ in range(15)]
    rows[0][:3], rows[5][5] = "CAD", "X"
    if path.endswith("b.jpg"):
        raise ValueError("too dark")
    return {"board": rows}
"""
GRID = """
class Grid:
    corners = [(0, 0), (150, 0), (150, 150), (0, 151)]
def detect_grid(image):
    return Grid()
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of a reader with the interface of scrabble-vision, which reads every photo alike."""
    (tmp_path / "src" / "detection").mkdir(parents=True)
    (tmp_path / "scan.py").write_text(SCAN)
    (tmp_path / "src" / "detection" / "grid_detect.py").write_text(GRID)
    (tmp_path / "cv2.py").write_text("imread = str")
    return tmp_path


def test_a_reader_is_recognised_called_and_counted(checkout: Path) -> None:
    peer = find_peer(checkout)
    photos = [(checkout / "a.jpg", LABEL), (checkout / "b.jpg", {**LABEL, "image": "b.jpg"})]
    result = measure_peer(peer, checkout, photos)
    assert (result.photos, result.located, result.boards_right) == (2, 1, 0)
    assert (result.letters_right, result.letters) == (2, 6)
    assert (result.blanks_right, result.blanks, result.false_tiles) == (0, 2, 1)
    assert result.errors == ["b.jpg: ValueError: too dark"]
    assert peer_rows([result], 1000.0)[0][:4] == [peer.name, "2", "1/2", "2/6"]


def test_a_reader_that_does_not_start_is_named(checkout: Path) -> None:
    (checkout / "scan.py").write_text("import a_package_of_nobody")
    with pytest.raises(SystemExit, match="it read 0 of 1 photos and ended: ModuleNotFoundError"):
        measure_peer(PEERS[0], checkout, [(checkout / "a.jpg", LABEL)])


def test_an_unknown_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no checkout of a reader that is known"):
        find_peer(tmp_path)


def test_a_right_board_counts() -> None:
    result = PeerResult(name="ours")
    rows = [list(row) for row in LABEL["board"]]
    result.add(LABEL, {"rows": rows, "corners": LABEL["corners_px"], "ms": 5.0})
    assert (result.boards_right, result.located, result.false_tiles) == (1, 1, 0)
    assert peer_rows([PeerResult(name="none")], 1.0)[0][2] == "not given"


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_the_program_of_each_adapter_is_python(peer: object) -> None:
    compile(getattr(peer, "program"), "adapter", "exec")  # noqa: B009


def test_engines_accept_or_refuse_files(tmp_path: Path) -> None:
    check = f"{sys.executable} -c 'import sys; sys.exit(\"danish\" in sys.argv[1])' {{file}}"
    engines = [parse_engine(f"strict={check}"), Engine("loud", "echo refused {file}", refusal="^refused")]
    assert table_rows(engines, ["danish", "english"], 1) == [
        ["danish", "1", "0/1", "0/1"],
        ["english", "1", "1/1", "0/1"],
    ]
    (path,) = write_games(tmp_path, "english", 1)
    assert path.read_text(encoding="utf-8").startswith("#character-encoding UTF-8")
    with pytest.raises(SystemExit, match="write NAME=COMMAND"):
        parse_engine("magpie")
