"""Agreement of the rules with other engines: do they accept the game files that Tilesight writes?

``python -m tests.benchmarks.engines 'NAME=COMMAND {file}' ...`` writes random games of each edition and runs each
command on each file. A command accepts a file if it ends with exit code 0. Nothing is built or downloaded: name
programs that are installed, such as MAGPIE, Macondo, or a small driver of Quackle. ``--pattern`` names a text that the
output of a refusal has, for programs that always end with 0.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring import edition_names, load_edition, write_gcg
from tests.benchmarks.measuring import format_table
from tests.support.random_games import random_game

__all__ = ["Engine", "main", "parse_engine", "table_rows", "write_games"]

TIMEOUT_S = 60
"""Seconds for a file; chosen."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Another program: its name, and its command with ``{file}`` for the game file."""

    name: str
    command: str
    refusal: str = ""

    def accepts(self, path: Path) -> bool:
        """Run the program on a file."""
        words = [word.replace("{file}", str(path)) for word in shlex.split(self.command)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return done.returncode == 0 and not (
            self.refusal and re.search(self.refusal, done.stdout + done.stderr) is not None
        )


def parse_engine(text: str, refusal: str = "") -> Engine:
    """Parse ``NAME=COMMAND {file}``.

    Raises
    ------
    SystemExit
        If the text has no name, or no place for the file.
    """
    name, equals, command = text.partition("=")
    if not equals or "{file}" not in command:
        raise SystemExit(f"{text}: write NAME=COMMAND, with {{file}} where the game file stands")
    return Engine(name=name, command=command, refusal=refusal)


def write_games(folder: Path, edition_name: str, count: int) -> list[Path]:
    """Write random games of an edition, with known racks, passes, exchanges and challenges."""
    edition = load_edition(edition_name)
    paths = []
    for seed in range(count):
        path = folder / f"{edition_name}-{seed:03d}.gcg"
        write_gcg(path, random_game(random.Random(seed), edition, turns=60))
        paths.append(path)
    return paths


def table_rows(engines: Sequence[Engine], editions: Sequence[str], count: int) -> list[list[str]]:
    """Run the engines on games of each edition: the files that each accepts."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="tilesight-games-") as name:
        for edition in editions:
            paths = write_games(Path(name), edition, count)
            accepted = [sum(engine.accepts(path) for path in paths) for engine in engines]
            rows.append([edition, str(count), *(f"{each}/{count}" for each in accepted)])
    return rows


def main() -> None:
    """Run the engines, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "engines", nargs="+", metavar="NAME=COMMAND", help="a program, with {file} in its command"
    )
    parser.add_argument(
        "--edition", action="append", choices=edition_names(), help="may be repeated; english"
    )
    parser.add_argument("--games", type=int, default=60, help="games of each edition")
    parser.add_argument("--pattern", default="", help="a text that the output of a refusal has")
    options = parser.parse_args()
    engines = [parse_engine(text, options.pattern) for text in options.engines]
    rows = table_rows(engines, options.edition or ["english"], options.games)
    print(format_table(["edition", "games", *(f"{each.name} accepts" for each in engines)], rows))


if __name__ == "__main__":
    main()
