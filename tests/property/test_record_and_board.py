"""Whatever an operator does at whatever moment, the record and the board agree afterwards, or an alarm is on."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring import Board, Play, load_edition, unseen_tiles
from tests.support.on_air import send_commands
from tests.support.random_commands import random_command
from tests.support.random_games import random_play
from tests.support.simulated_camera import SimulatedCamera
from tilesight.live import LiveGame
from tilesight.web.serializers import serialize_for_operator
from vision.errors import SettingsError

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

EDITION = load_edition("icelandic")


class Evening:
    """A table, its camera and its players."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.table = LiveGame("table", EDITION, None, players=("Anna", "Jón"), now=lambda: 0.0)
        self.camera = SimulatedCamera(self.table)
        self.laid: list[Play] = []
        self.silent_until_s = 0.0

    def play(self, rest_s: float) -> None:
        """Somebody lays a legal play of tiles that are left, even after an operator's false correction."""
        boards = (self.camera.board, self.table.state.game.board)
        on_board, on_record = (Counter(unseen_tiles(board, EDITION)) for board in boards)
        bag = list((on_board & on_record).elements())
        self.rng.shuffle(bag)
        play = random_play(self.rng, self.camera.board, EDITION, bag[: EDITION.rack_size])
        if play is not None:
            self.laid.append(play)
            self.camera.show(self.camera.board.with_tiles(play), rest_s)

    def lift(self, rest_s: float) -> None:
        """Somebody takes the last play off."""
        if self.laid:
            self.camera.show(self.camera.board.without(self.laid.pop()), rest_s)

    def command(self) -> str:
        """The operator gives some command, possible or not."""
        text = random_command(self.rng, self.table.state.game)
        try:
            send_commands(self.table, text)
        except SettingsError:
            if text.startswith("board"):
                raise
            return f"({text})"
        if text == "board wait":
            self.silent_until_s = self.camera.time_s + 30.0
        elif self.table.state.difference is not None:
            self.silent_until_s = 0.0
        return text

    def agrees(self) -> bool:
        """Whether the record has tiles where the board has, and nowhere else."""
        return occupied(self.table.state.game.board) == occupied(self.camera.board)

    def is_alarmed(self) -> bool:
        """Whether the operator is told that they differ."""
        view = serialize_for_operator(self.table.state, time.time())
        return view.difference is not None and view.attention != ""


def occupied(board: Board) -> set[tuple[int, int]]:
    return {(tile.row, tile.column) for tile in board.tiles()}


def evening(seed: int, n_steps: int) -> Iterator[tuple[Evening, str]]:
    """An evening step by step; each is settled at its end."""
    rng = random.Random(seed)
    made = Evening(rng)
    for _ in range(n_steps):
        what = rng.choice(("play", "play", "play", "lift", "command", "command"))
        if what == "command":
            what = made.command()
            made.camera.rest(rng.choice((0.0, 0.5, 2.0, 5.0)))
        else:
            getattr(made, what)(rng.choice((1.0, 2.0, 5.0)))
        yield made, what


@given(st.integers(0, 2**32), st.integers(1, 14))
@example(11484907, 9)
@example(316, 12)
@example(148, 11)
@settings(max_examples=60)
def test_record_and_board_agree_or_the_alarm_is_on(seed: int, n_steps: int) -> None:
    history = []
    for made, what in evening(seed, n_steps):
        history.append(what)
        if made.rng.random() < 0.3:
            made.camera.rest(4.0)
            is_silent = made.camera.time_s < made.silent_until_s
            assert made.agrees() or made.is_alarmed() or is_silent, history
    made.camera.rest(35.0)
    assert made.agrees() or made.is_alarmed(), history
    send_commands(made.table, "board")
    assert made.agrees(), history
    made.camera.rest(4.0)
    assert made.agrees(), history
    assert made.table.state.difference is None, history
    # The follower goes on from there.
    n_events = len(made.table.state.game.events)
    made.play(6.0)
    assert made.agrees(), history
    assert len(made.table.state.game.events) >= n_events, history
