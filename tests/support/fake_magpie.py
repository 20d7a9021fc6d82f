"""A program that speaks MAGPIE's protocol, for tests: commands line by line, and a table of simulated plays."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["NEW_TABLE", "OLD_TABLE", "write_program"]

NEW_TABLE = """\
   Move          Lv  Sc Ig Wp    Eq    StEq  It   Ply1-S Ply1-BP
1: 8D HRAKI      AÐ  28    61.25 30.10 31.00 1200 25.00  12.50
2: G6 (LO)I      HRÐ 9  X  48.00 12.00 11.00 800  25.10  11.00
3: (exch HÐ)     RAK 0     22.50 -4.00 -5.00 300  26.00  10.00
4: (pass)        RAK 0     1.50 -44.00 -55.00 300  26.00  10.00

Showing 4 of 4 plays
Iters: 2600
"""
"""What `sim` prints since 2025."""
OLD_TABLE = """\
    Move     Leave Score Static Eq Equity WinPct Iters Ply1-S Ply1-BP
1:  8D HRAKI AÐ    28    31.00     30.10  61.25  1200  25.00  12.50
"""
"""What it printed before."""


def write_program(path: Path, table: str = NEW_TABLE, behaviour: str = "") -> Path:
    """Write a program that answers with a table, after `behaviour`; it notes what it was asked beside it."""
    path.write_text(
        f"#!{sys.executable}\nimport os, pathlib, sys, time\n"
        f"commands = sys.argv[1:] + sys.stdin.read().splitlines()\n"
        f"with open({str(path) + '.asked'!r}, 'a') as file:\n"
        f"    file.write('\\n'.join(commands) + '\\n')\n"
        f"{behaviour}\nsys.stdout.buffer.write({table!r}.encode())\n"
    )
    path.chmod(0o755)
    return path
