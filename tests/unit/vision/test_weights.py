"""The networks' weights, how often they are loaded, and what loading them leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from vision.recognition.cascade import CascadeReader

LOAD = "from vision.weights import *; load_session(read_weights(WEIGHTS / 'print.onnx'), WEIGHTS)"


def test_nothing_is_kept_of_who_reads_and_nothing_is_to_be_sent(tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
    usual = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", LOAD], env=usual | home, check=True, timeout=60)
    assert list(tmp_path.rglob("*")) == []


def test_a_second_reader_loads_no_network_again() -> None:
    first, second = CascadeReader.load(), CascadeReader.load()
    assert first.cell_net.session is second.cell_net.session
    assert first.tile_net.session is second.tile_net.session
