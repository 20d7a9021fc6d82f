"""Reading a photo stays small enough for a cheap machine beside the board."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MAX_MB = 400
READ_AND_TELL_MEMORY = """
import sys
from pathlib import Path
from tilesight.cli.main import main
try:
    main()
finally:
    print(Path("/proc/self/status").read_text(), file=sys.stderr)
"""


def test_reading_a_photo_takes_less_than_400_mb(icelandic_sample: Path) -> None:
    photo = sorted(icelandic_sample.glob("*.jpg"))[-1]
    ran = subprocess.run(
        [sys.executable, "-c", READ_AND_TELL_MEMORY, "read", str(photo), "--edition", "icelandic"],
        capture_output=True,
        text=True,
        check=True,
    )
    # the kernel's own sum for an ended child would count what this process had when it began the child
    most = re.search(r"VmHWM:\s+(\d+) kB", ran.stderr)
    assert most is not None
    assert int(most[1]) / 1024 < MAX_MB
