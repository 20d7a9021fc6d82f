"""Reading a photo stays small enough for a cheap machine beside the board."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MOST_MB = 400


def test_reading_a_photo_takes_less_than_400_mb(icelandic_sample: Path) -> None:
    photo = sorted(icelandic_sample.glob("*.jpg"))[-1]
    command = [sys.executable, "-c", "from vision.cli.main import main; main()"]
    process = subprocess.Popen(
        [*command, "read", str(photo), "--edition", "icelandic"], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    resident_mb = usage.ru_maxrss / 1024  # Linux counts in kilobytes
    assert resident_mb < MOST_MB
