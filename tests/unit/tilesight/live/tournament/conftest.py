"""A tournament whose clock the tests move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.on_air import send_commands
from tilesight.live import GameSettings, LiveGame, Tournament

ICELANDIC = {"edition": "icelandic", "players": ("Anna", "Jón"), "clock_s": 1500.0}
GAME = ("play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")

EVENT = """
title = "Cup"
round = 4
best-of = 3
[table.final]
label = "Table 1"
"""


def archive_of(folder: Path) -> list[Path]:
    return sorted((folder / "archive").glob("*"))


def games_played(tournament: Tournament) -> dict[str, int]:
    return {line.name: line.games for line in tournament.standings}


@dataclass
class Hall:
    """A tournament with what it told, and the moment."""

    folder: Path
    now_s: float = 1_795_400_000.0
    notes: list[str] = field(default_factory=list)
    opened: list[LiveGame] = field(default_factory=list)

    def start(self, event: str | None = None) -> Tournament:
        """Start the program, with a director's file of this text."""
        path = None
        if event is not None:
            path = self.folder / "event.toml"
            path.write_text(event, encoding="utf-8")
        return Tournament(path, notify=self.notes.append, now=lambda: self.now_s)

    def open(self, tournament: Tournament, name: str = "final", **options: object) -> LiveGame:
        """Open a table."""
        settings = GameSettings(name=name, **(ICELANDIC | options))  # type: ignore[arg-type]
        game = tournament.open_table(settings, self.folder / f"{name}.db")
        self.opened.append(game)
        return game

    def play(self, game: LiveGame, *commands: str) -> LiveGame:
        """Play a game by commands, a minute each."""
        for command in commands:
            self.now_s += 60
            send_commands(game, command)
        return game


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(tmp_path)
    yield made
    for game in made.opened:
        game.close()


@pytest.fixture
def director(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file of the director's."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
