"""An operator gives random commands while a rendered film runs: record and board agree, or an alarm is on."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from samples import Film, Mishaps, icelandic_style, random_film
from scoring import Board
from tests.support.on_air import send_commands
from tests.support.random_commands import random_command
from tests.support.rendered_films import frames_of
from tilesight.live import LiveGame
from tilesight.web.serializers import serialize_for_operator
from vision.capture import Frame
from vision.errors import SettingsError
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]
FPS = 8.0
COMMANDS_A_FRAME = 0.02
REST_S = 8.0
"""Seconds for which the last picture stands still at the end."""


def frames_with_rest(film: Film) -> Iterator[Frame]:
    frame: Frame | None = None
    for frame in frames_of(film, FPS):
        yield frame
    assert frame is not None
    for tick in range(int(REST_S * FPS)):
        yield replace(frame, index=tick, time_s=frame.time_s + (tick + 1) / FPS)


def occupied(board: Board) -> set[tuple[int, int]]:
    return {(tile.row, tile.column) for tile in board.tiles()}


def last_board(film: Film) -> Board:
    board = Board.empty(film.edition)
    for event in film.events:
        board = board.with_tiles(event.play) if event.kind == "play" else board.without(event.play)
    return board


@pytest.mark.parametrize("seed", range(3))
def test_record_and_board_agree_or_the_alarm_is_on_after_a_film(seed: int) -> None:
    rng = random.Random(seed)
    film = random_film(
        np.random.default_rng(seed),
        "icelandic",
        plays=4,
        mishaps=Mishaps(withdraw=0.3),
        cell_px=28,
        style=icelandic_style(),
    )
    clock_s = 0.0
    table = LiveGame("table", film.edition, None, players=film.players, now=lambda: clock_s)
    context = GameContext(edition=film.edition, recognizer=load_recognizer("network", film.edition))
    table.attach(VideoTracker(table.state.game, context))
    history = []
    for frame in frames_with_rest(film):
        assert frame.time_s is not None
        clock_s = frame.time_s
        table.see(frame)
        if frame.time_s < film.seconds - 1.0 and rng.random() < COMMANDS_A_FRAME:
            text = random_command(rng, table.state.game)
            history.append((round(clock_s, 1), text))
            try:
                send_commands(table, text)
            except SettingsError:
                history[-1] = (round(clock_s, 1), f"({text})")
    board = last_board(film)
    view = serialize_for_operator(table.state, time.time())
    is_alarmed = view.difference is not None and view.attention != ""
    assert occupied(table.state.game.board) == occupied(board) or is_alarmed, history
    send_commands(table, "board")
    assert occupied(table.state.game.board) == occupied(board), history
