"""Commands at a filmed game, as `tilesight watch --commands` takes them: undo steps back through the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring import load_edition
from tilesight.live import LiveGame, follow_video, open_game
from tilesight.output import format_event, to_text
from vision.capture import Interruption
from vision.game_events import GameUpdate, UpdateBatch, UpdateKind, parse_command
from vision.pipeline import GameContext, VideoTracker

EDITION = load_edition("icelandic")
PLAYS = ("play 8D HRAKI", "play G6 LO.I")


def follow(game: LiveGame) -> VideoTracker:
    nothing: Any = object()
    tracker = VideoTracker(game.state.game, GameContext(edition=EDITION, recognizer=nothing))
    game.attach(tracker)
    return tracker


@pytest.fixture
def game() -> Iterator[LiveGame]:
    with open_game("game", None, edition=EDITION, players=("Anna", "Jón"), has_operator=False) as game:
        follow(game)
        yield game


def send(game: LiveGame, *texts: str) -> list[UpdateBatch]:
    """What each command gave; the camera shows nothing."""
    waiting = list(texts)
    items = [Interruption(message="no picture", over=False) for _ in texts]
    batches = follow_video(game, items, lambda: [parse_command(waiting.pop(0))] if waiting else [])
    return [batch for batch in batches if batch.index == -1 and "no picture" not in str(batch.notices)]


def lines(batches: list[UpdateBatch]) -> list[str]:
    return [to_text(item, "film") for batch in batches for item in batch.items]


def test_commands_are_done_while_no_frames_come_and_after_the_last_one(game: LiveGame) -> None:
    waiting = [[], ["play 8D HRAKI"], ["pass"]]
    quiet = [Interruption(message=""), Interruption(message="")]
    batches = list(follow_video(game, quiet, lambda: map(parse_command, waiting.pop(0))))
    assert [update.kind for batch in batches for update in batch.updates] == ["play", "pass"]
    assert not any(batch.notices for batch in batches)


def test_undo_takes_back_an_edit_and_not_another_move(game: LiveGame) -> None:
    send(game, *PLAYS, "delete 1", "undo")
    assert game.state.game.totals == (28, 15)
    send(game, "letter D8 K", "undo", "insert 1 pass", "undo", "undo")
    assert game.state.game.totals == (28, 0)
    send(game, "redo")
    assert game.state.game.totals == (28, 15)


def test_undo_takes_back_a_whole_settlement(game: LiveGame) -> None:
    (undone,) = lines(send(game, *PLAYS, "end Anna=AÐ Jón=", "undo"))[-1:]
    assert undone.endswith("undone: Anna: tiles left   Anna 28, Jón 15")
    assert game.state.game.totals == (28, 15)
    assert send(game, "end Anna=A Jón=")[0].updates


def test_an_edit_is_answered_with_the_totals_and_the_rules_that_it_breaks(game: LiveGame) -> None:
    (edited,) = send(game, *PLAYS, "delete 1")[-1:]
    (line,) = lines([edited])
    assert "deleted move 1: Anna 8D HRAKI   Anna " in line
    assert "[now move 1: " in line
    event = format_event(edited.updates[0], "film", 1)
    assert event["problems"]
    assert event["totals"] == dict(zip(("Anna", "Jón"), game.state.game.totals, strict=True))
    (undone,) = lines(send(game, "undo"))[-1:]
    assert undone.endswith("undone: Anna: 8D HRAKI   Anna 28, Jón 15")


def test_a_move_that_breaks_the_rules_is_remarked_until_it_is_accepted() -> None:
    few = replace(EDITION, counts={token: 3 * (token in "HRAKILOÐS") for token in EDITION.counts})
    with open_game("game", None, edition=few, players=("Anna", "Jón"), has_operator=False) as game:
        follow(game)
        (exchange,) = send(game, *PLAYS, "exchange 6")[2:]
        (line,) = lines([exchange])
        problem = "Anna exchanged 6 tiles, but the bag held 5"
        assert line.endswith(f"   [move 3: {problem}]")
        assert format_event(exchange.updates[0], "film", 1)["problems"] == [problem]
        assert "[" not in lines(send(game, "accept 3"))[-1]


def test_a_challenge_and_a_withdrawal_are_distinguished(game: LiveGame) -> None:
    assert "challenged off" in lines(send(game, *PLAYS, "challenge"))[-1]
    send(game, "undo")
    assert "takes the play back, plays again" in lines(send(game, "withdraw"))[-1]


def test_a_command_that_was_given_twice_is_cautioned(game: LiveGame) -> None:
    answer = send(game, *PLAYS, "challenge", "challenge")[-1]
    assert "HRAKI was not the last move" in answer.notices[0].message


def test_what_cannot_be_undone_is_answered(game: LiveGame) -> None:
    (answer,) = send(game, "undo")
    assert "nothing is there to undo" in answer.notices[0].message


def test_letters_that_a_command_confirms_are_final_also_after_a_restart(tmp_path: Path) -> None:
    def open_watched() -> LiveGame:
        return open_game(
            "game", tmp_path / "game.db", edition="icelandic", players=("Anna", "Jón"), has_operator=False
        )

    with open_watched() as game:
        follow(game)
        seen = game.state.game.with_play("8D HRAKI")
        update = GameUpdate.of_last_step(UpdateKind.PLAY, seen)
        game.record(UpdateBatch(source="film", index=1, game=seen, updates=(update,), time_s=1.0))
        follow(game)
        entries = game.state.sequence
        send(game, "letter D9 H", "correct 8D HRÓ")
        assert game.state.sequence == entries, "commands that do not fit confirm nothing"
        send(game, "letter D8 H", "correct 8D HRAKA")
    with open_watched() as again:
        assert again.state.operator.question == ""
        locked = again.state.operator.locked_tiles
        assert locked == {(7, 3 + at, letter) for at, letter in enumerate("HRAKA")}
