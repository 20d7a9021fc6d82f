"""A tournament evening without a browser: a camera follows two games, and a killed program loses nothing."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from samples import icelandic_style, random_film
from scoring import load_edition
from tests.sets.labelled_photos import CHECKOUT
from tests.support.on_air import send_commands
from tests.support.serving import ServeProcess, wait_until
from tilesight.live import GameSettings, LiveGame, Tournament, VideoWorker, read_entries
from vision.capture import Frame, Interruption
from vision.pipeline import GameContext, load_recognizer

pytestmark = pytest.mark.slow

FPS = 8.0
PLAYER = """
import sys
from pathlib import Path
from tests.support.on_air import send_commands
from tests.support.serving import ServeProcess
from tilesight.live import GameSettings, Tournament

settings = GameSettings(name="final", edition="icelandic", players=("Anna", "Jón"))
game = Tournament(notify=print).open_table(settings, Path(sys.argv[1]))
while True:
    names = game.state.game.players
    if game.state.game.ending is not None:
        send_commands(game, "new-game")
    elif game.state.game.events:
        send_commands(game, f"end {names[0]}=AAAAAAA {names[1]}=RRRRRRR")
    else:
        send_commands(game, "play 8D HRAKI")
    print(game.state.sequence, flush=True)
"""


class Evening:
    """A source of two films: the second one begins while the board of the first one still lies there."""

    name, live = "camera", True

    def __init__(self, images: list[np.ndarray], table: LiveGame) -> None:
        self.images = images
        self.table = table
        self.events_before_clear = -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        number = 0

        def frame(image: np.ndarray) -> Frame:
            nonlocal number
            number += 1
            return Frame(image_bgr=image, source="camera", index=number, time_s=number / FPS)

        for image in self.images:
            yield frame(image)
        send_commands(self.table, "new-game as-is")
        for _ in range(20):
            yield frame(self.images[-1])
        self.events_before_clear = len(self.table.state.game.events)
        for image in self.images:
            yield frame(image)

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        return -1

    def fingerprint(self, file: str) -> str:
        return ""


def test_a_camera_follows_the_next_game_once_the_board_is_cleared(tmp_path: Path) -> None:
    film = random_film(np.random.default_rng(1), "icelandic", plays=2, cell_px=28, style=icelandic_style())
    edition = load_edition("icelandic")
    notes: list[str] = []
    tournament = Tournament(notify=notes.append)
    settings = GameSettings(name="final", source="0", edition="icelandic", players=tuple(film.players))
    with tournament.open_table(settings, tmp_path / "final.db") as table:
        source = Evening([image for _, image in film.frames(FPS)], table)
        worker = VideoWorker(
            table,
            settings,
            lambda: GameContext(edition=edition, recognizer=load_recognizer("network", edition)),
            open_it=lambda *_: source,
            notify=notes.append,
        )
        worker.start()
        wait_until(lambda: table.state.status == "the film is over", 120.0)
        worker.stop()
        second = table.state.game
    (archived,) = (tmp_path / "archive").glob("*.db")
    first = read_entries(archived)[-1].game
    plays = [event.play for event in film.events if event.kind == "play"]
    assert [placed.play for placed in first.state.plays] == plays
    assert source.events_before_clear == 0, "the board of the last game is no opening of the next one"
    assert [placed.play for placed in second.state.plays] == plays
    assert second.start is None
    assert second.players == (*first.players[1:], first.players[0])
    assert notes == []


def test_nothing_is_lost_when_the_program_is_killed_again_and_again(tmp_path: Path) -> None:
    journal = tmp_path / "final.db"
    last = 0
    for round_ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", PLAYER, str(journal)], stdout=subprocess.PIPE, text=True, cwd=CHECKOUT
        )
        assert process.stdout is not None
        for _ in range(25 + 4 * round_):
            last = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        last = max([last, *(int(line) for line in process.stdout.read().split())])
    games = [read_entries(path) for path in (tmp_path / "archive").glob("*.db")]
    if journal.exists():
        games.append(read_entries(journal))
    numbers = sorted(entry.number for entries in games for entry in entries)
    assert numbers == list(range(1, len(numbers) + 1)), "no entry is missing, and none comes twice"
    assert numbers[-1] >= last, "what was told is on the disk"
    finished = sorted((entries for entries in games if entries), key=lambda entries: entries[0].number)
    for one, other in itertools.pairwise(finished):
        assert one[-1].events[-1]["event"] == "archived"
        assert other[-1].game.players == one[-1].game.players[::-1], "sides are swapped after each game"


@pytest.fixture
def default_hangup() -> Iterator[None]:
    """SIGHUP is not ignored, as it is where the tests run under ``nohup``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("default_hangup")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_service_that_is_stopped_closes_all_that_is_open(tmp_path: Path, number: signal.Signals) -> None:
    journal = tmp_path / "final.db"
    served = ServeProcess(tmp_path / "log", "--journal", journal, "--webhook", "http://127.0.0.1:9/").launch()
    status, _ = served.server.send_command("table", "pass")
    assert status == 200
    assert served.process is not None
    served.process.send_signal(number)
    assert served.process.wait(60) == 130
    assert "webhook 127.0.0.1:9: events not delivered when the program stopped: 1" in served.printed
    assert [each.name for each in tmp_path.glob("final.db*")] == ["final.db"]
    assert len(read_entries(journal)[-1].game.events) == 1
