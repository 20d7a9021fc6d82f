"""A watched game continues while its journal, game file or pictures cannot be written, and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring import Game, load_edition, parse_play
from tilesight.cli.reporting import try_write
from tilesight.cli.watch import open_watched_game
from tilesight.live import Journal, LiveGame
from vision.errors import InputError
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
FIRST = NEW.with_play(parse_play("8D HRAKI", EDITION.tokens))
SECOND = FIRST.with_pass()


def seen(game: Game, frame: int) -> UpdateBatch:
    kind = UpdateKind(game.events[-1].kind)
    update = GameUpdate(kind=kind, game=game, step=game.steps[-1])
    return UpdateBatch(source="film", index=frame, game=game, updates=(update,), time_s=float(frame))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[LiveGame]:
    """The game of `tilesight watch --journal`."""
    with open_watched_game("film", "icelandic", "Anna,Jón", tmp_path / "game.db") as game:
        yield game


def test_what_could_not_be_written_is_written_with_the_next_event(
    watched: LiveGame, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = watched.journal
    assert journal is not None
    with monkeypatch.context() as full:

        def refuse(*_: object) -> int:
            raise InputError("game.db: the journal cannot be written (disk is full); make room")

        full.setattr(Journal, "record", refuse)
        watched.record(seen(FIRST, 10))
    assert "disk is full); make room; the game goes on" in capsys.readouterr().err
    assert not watched.is_written
    assert watched.state.game == FIRST
    assert journal.game(EDITION) == NEW
    watched.record(seen(SECOND, 20))
    assert watched.is_written
    assert journal.game(EDITION) == SECOND
    assert [event["event"] for event in journal.events] == ["play", "pass"]
    assert journal.entries == 1
    assert journal.last_frame_ref.frame == 20


def test_each_event_is_one_entry_where_all_is_well(watched: LiveGame) -> None:
    assert watched.journal is not None
    watched.record(seen(FIRST, 10))
    watched.record(seen(SECOND, 20))
    assert watched.journal.entries == 2
    assert watched.journal.game(EDITION) == SECOND


def test_what_changes_nothing_in_the_game_is_no_entry(watched: LiveGame) -> None:
    assert watched.journal is not None
    notice = Notice(NoticeKind.UNCLEAR, "two letters differ")
    watched.record(UpdateBatch(source="film", index=1, game=watched.state.game, notices=(notice,)))
    assert watched.journal.entries == 0


def test_only_what_cannot_be_written_is_forgiven() -> None:
    def break_down() -> None:
        raise ValueError("a mistake of ours")

    assert try_write(lambda: None)
    with pytest.raises(ValueError, match="mistake"):
        try_write(break_down)
