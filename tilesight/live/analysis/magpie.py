"""MAGPIE's chance to win, from its own process: a program that the user has built, and that Tilesight does not ship.

MAGPIE (GPL-3) reads commands line by line in its synchronous mode. A simulation prints a table with a line for each
play: its rank, the play, the tiles kept, its score, and numbers under headings. ``Wp`` (in older versions ``WinPct``)
is the chance to win in per cent.

References
----------
https://github.com/jvc56/MAGPIE, README.md ("Synchronous Interactive Mode") and ``src/str/sim_string.c``.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Magpie", "MagpieBusyError", "MagpieError", "PlayChance", "find_magpie", "parse_chances"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How MAGPIE is asked; all numbers are chosen.

    Parameters
    ----------
    think_s : int
        Seconds that a simulation may take.
    limit_s : float
        Seconds after which the process is ended.
    plays, plies : int
        Plays that are simulated, and turns that each is followed.
    max_output : int
        Bytes that are read.
    niceness : int
        How much the process steps back behind the cameras.
    """

    think_s: int = 8
    limit_s: float = 20.0
    plays: int = 10
    plies: int = 2
    max_output: int = 1_000_000
    niceness: int = 10


SETTINGS = Settings()
RUNNING = threading.Lock()
"""One process at a time, whatever the number of tables."""
WIN_HEADINGS = ("Wp", "WinPct", "Win%")
DECIMAL_HEADINGS = ("Wp", "WinPct", "Win%", "Eq", "Equity", "StEq")
"""Headings of columns with two decimals, in whichever order a version prints them."""
HEADING = re.compile(r"\bMove\s.*\b(?:Wp|WinPct|Win%)")
LINE = re.compile(
    r"(?:^|\s)\d+:\s+(?P<play>\((?:exch|pass|Pass)[^)]*\)|[0-9A-Za-z]{2,3}\s+\S+)\s+(?P<rest>.*)$"
)
DECIMAL = re.compile(r"(?<!\S)-?\d+\.\d+(?!\S)")


class MagpieError(RuntimeError):
    """MAGPIE gave no answer; the message says why."""


class MagpieBusyError(MagpieError):
    """MAGPIE works for another table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayChance:
    """A play with its chance to win, from 0 to 1."""

    play: str
    score: int
    chance: float


def find_magpie(option: Path | None) -> Path | None:
    """Return MAGPIE's program: the option's, or the one on PATH; None if there is none."""
    found = str(option) if option is not None else shutil.which("magpie")
    return (
        Path(found) if found is not None and os.access(found, os.X_OK) and not Path(found).is_dir() else None
    )


class Magpie:
    """MAGPIE as a process for each question. It is ended by a time limit, and it never touches the game.

    Parameters
    ----------
    program : Path
        The program.
    lexicon : str
        Its name for the word list, such as CSW24.
    limit_s : float
        Seconds after which the process is ended.
    """

    def __init__(self, program: Path, lexicon: str, limit_s: float = SETTINGS.limit_s) -> None:
        self._program = program.resolve()
        self._lexicon = lexicon
        self._limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def ask(self, position: str) -> tuple[PlayChance, ...]:
        """Return the plays of a position with their chances to win, the best first.

        Parameters
        ----------
        position : str
            The four fields of a position in CGP, with the rack of the player on turn.

        Raises
        ------
        MagpieError
            If the program cannot be run, ends without an answer, or takes too long.
        MagpieBusyError
            If it works for another table.
        """
        commands = (
            f"cgp {position} -lex {self._lexicon}",
            f"gsim -plies {SETTINGS.plies} -numplays {SETTINGS.plays} -tlim {SETTINGS.think_s}",
            "quit",
        )
        if not RUNNING.acquire(blocking=False):
            raise MagpieBusyError("MAGPIE works for another table")
        try:
            output = self._run("".join(f"{command}\n" for command in commands).encode())
        finally:
            RUNNING.release()
        chances = parse_chances(output.decode("utf-8", "replace"))
        if not chances:
            raise MagpieError("MAGPIE gave no chances for this position")
        return chances

    def stop(self) -> None:
        """End a process that still runs, and start no other."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            kill_group(process)

    def _run(self, commands: bytes) -> bytes:
        if self._is_stopped:
            raise MagpieError("MAGPIE was stopped")
        arguments = [str(self._program), "set", "-mode", "sync", "-savesettings", "false", "-hr", "true"]
        try:
            process = subprocess.Popen(
                arguments,
                cwd=find_data_folder(self._program),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise MagpieError(f"MAGPIE cannot be run ({error.strerror})") from error
        self._process = process
        if self._is_stopped:  # while it started: the stop found no process to end
            kill_group(process)
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, SETTINGS.niceness)
        try:
            return self._talk(process, commands)
        finally:
            self._process = None
            end_process(process)

    def _talk(self, process: subprocess.Popen[bytes], commands: bytes) -> bytes:
        """Send the commands, which fit into a pipe, and read until the program ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        ends_s = time.monotonic() + self._limit_s
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(commands)
            process.stdin.close()
        output = b""
        while len(output) < SETTINGS.max_output:
            left_s = ends_s - time.monotonic()
            if left_s <= 0 or not select.select([process.stdout], [], [], left_s)[0]:
                raise MagpieError(f"MAGPIE gave no answer within {self._limit_s:g} s")
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                return output
            output += data
        raise MagpieError("MAGPIE printed too much")


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started, and close its pipes."""
    kill_group(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, as long as it is not reaped, and what it started."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def find_data_folder(program: Path) -> Path:
    """Return the folder in which MAGPIE finds its data: that of its ``bin`` folder, as it is built."""
    built = program.parent.parent
    return built if (built / "data").is_dir() else program.parent


def parse_chances(output: str) -> tuple[PlayChance, ...]:
    """Read the last table of a simulation."""
    column = -1
    found: list[PlayChance] = []
    for line in output.splitlines():
        if HEADING.search(line):
            names = [name for name in line.replace("Static Eq", "StEq").split() if name in DECIMAL_HEADINGS]
            column = min(names.index(name) for name in WIN_HEADINGS if name in names)
            found = []
        elif column >= 0 and (match := LINE.search(line)):
            chance = _parse_line(match["play"], match["rest"], column)
            found += [] if chance is None else [chance]
    return tuple(found)


def _parse_line(play: str, rest: str, column: int) -> PlayChance | None:
    """Read the fields after a play: the tiles kept, the score, a mark, and numbers with decimals."""
    decimals = list(DECIMAL.finditer(rest))
    if len(decimals) <= column:
        return None
    scores = [word for word in rest[: decimals[0].start()].split() if re.fullmatch(r"-?\d+", word)]
    chance = float(decimals[column].group()) / 100
    if not scores or not 0 <= chance <= 1:
        return None
    return PlayChance(play=" ".join(play.split()), score=int(scores[-1]), chance=chance)
