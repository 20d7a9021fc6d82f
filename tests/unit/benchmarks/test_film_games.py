"""Counting of errors in rendered games: each error counts once, and as flagged only if it was reported as doubtful."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from samples import FilmEvent
from scoring import Game, Play, load_edition, parse_play
from tests.benchmarks.film_games import (
    HEAD,
    Followed,
    GameResult,
    RenderedGame,
    compare_game,
    moving_rows,
    table_rows,
)
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind

EDITION = load_edition("icelandic")
START = Game(edition=EDITION, players=("Anna", "Jón"))
HRAKI, HRAKO, LOKI = (parse_play(text, EDITION.tokens) for text in ("8D HRAKI", "8D HRAKO", "G6 LO.I"))
ONE = START.with_play(HRAKI)
TWO = ONE.with_play(LOKI)


def make_events(*plays: Play) -> list[FilmEvent]:
    """These plays, ten seconds apart."""
    game = START
    events = []
    for number, play in enumerate(plays):
        game = game.with_play(play)
        score = game.steps[-1].score
        off_s = 10.0 * (number + 1)
        events.append(FilmEvent(kind="play", player=number % 2, play=play, score=score, hands_off_s=off_s))
    return events


def make_report(
    at_s: float, game: Game, kind: UpdateKind, confidence: float = 0.99
) -> tuple[float, GameUpdate | Notice]:
    return at_s, GameUpdate(kind=kind, game=game, step=game.steps[-1], confidence=confidence)


def result(events: list[FilmEvent], said: list[tuple[float, GameUpdate | Notice]], game: Game) -> GameResult:
    """The result of a film of the game HRAKI, LOKI with these reports."""
    film: Any = SimpleNamespace(events=events, totals=TWO.totals, seconds=40.0)
    club: Any = SimpleNamespace(film=film, fps=10.0)
    nothing: Any = None
    followed = Followed(reports=said, game=game, spent_s=0.0, snapshots=nothing)
    return compare_game(RenderedGame("icelandic", 0), club, followed)


BOTH = make_events(HRAKI, LOKI)
FIRST = make_report(11.0, ONE, UpdateKind.PLAY)
SECOND = make_report(21.0, TWO, UpdateKind.PLAY)


def test_a_game_reported_correctly_is_exact() -> None:
    one = result(BOTH, [FIRST, SECOND], TWO)
    assert (one.exact, one.totals, one.right, one.extra, one.unflagged) == (True, True, 2, 0, 0)


def test_wrong_totals_without_a_doubt_are_a_silent_error() -> None:
    wrong = replace(TWO, events=TWO.events[:1])
    one = result(BOTH, [FIRST, SECOND], wrong)
    assert (one.exact, one.totals, one.right, one.extra, one.unflagged) == (False, False, 2, 0, 1)
    doubted = (22.0, Notice(NoticeKind.UNCLEAR, "look again"))
    assert result(BOTH, [FIRST, SECOND, doubted], wrong).unflagged == 0


def test_another_error_excuses_no_missed_play() -> None:
    doubted = make_report(35.0, TWO.with_withdrawal(), UpdateKind.WITHDRAWN, confidence=0.5)
    one = result(BOTH, [FIRST, doubted], ONE)
    assert (one.right, one.extra, one.unflagged) == (1, 1, 1)


@pytest.mark.parametrize(("confidence", "unflagged"), [(0.6, 0), (0.99, 1)])
def test_a_play_reported_with_another_letter_is_one_error(confidence: float, unflagged: int) -> None:
    other = START.with_play(HRAKO)
    misread = make_report(11.0, other, UpdateKind.PLAY, confidence)
    after = make_report(21.0, other.with_play(LOKI), UpdateKind.PLAY)
    one = result(BOTH, [misread, after], other.with_play(LOKI))
    assert (one.right, one.extra, one.unflagged, one.totals) == (1, 1, unflagged, False)


def test_withdrawals_that_never_were_are_extra_and_stand_in_the_table() -> None:
    back = TWO.with_withdrawal()
    one = result(BOTH, [FIRST, SECOND, make_report(30.0, back, UpdateKind.WITHDRAWN)], back)
    assert (one.exact, one.totals, one.extra, one.unflagged) == (False, False, 1, 1)
    row, everything = table_rows([one])
    assert dict(zip(HEAD, row, strict=True)) | {"delay p50 / p95": ""} == {
        "edition": "icelandic",
        "games exact": "0/1",
        "plays and scores": "2/2",
        "withdrawals": "0/0",
        "extra plays and withdrawals": "1",
        "totals": "0/1",
        "errors not flagged": "1",
        "delay p50 / p95": "",
    }
    assert everything[1:] == row[1:]


def test_films_that_move_have_a_row_for_each_motion() -> None:
    still = result(BOTH, [FIRST, SECOND], TWO)
    held = replace(result(BOTH, [FIRST], ONE), disturbance="hand:30")
    assert [row[:3] for row in moving_rows([still, held])] == [
        ["bolted down", "1/1", "2/2"],
        ["held in a hand, 30 px", "0/1", "1/2"],
    ]
