"""A game that is watched goes on while its journal, game file or pictures cannot be written, and loses nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoring import Game, load_edition, parse_play
from tilesight.cli.watch import Table, told_if_it_fails, write_down
from tilesight.live.journal import Journal
from tilesight.output.events import to_event
from vision.errors import InputError
from vision.game_events.updates import GameUpdate, UpdateBatch, UpdateKind

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
FIRST = NEW.play(parse_play("8D HRAKI", EDITION.tokens))
SECOND = FIRST.passed()


def seen(game: Game, frame: int) -> tuple[UpdateBatch, list[dict[str, Any]]]:
    kind = UpdateKind(game.events[-1].kind)
    update = GameUpdate(kind=kind, game=game, step=game.steps[-1])
    batch = UpdateBatch(source="film", index=frame, game=game, updates=(update,), time_s=float(frame))
    return batch, [to_event(update, "film", frame, float(frame))]


def tell(table: Table, game: Game, frame: int) -> None:
    write_down(table, *seen(game, frame)[:1], game, seen(game, frame)[1])
    table.game = game


def test_what_could_not_be_written_is_written_with_the_next_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.db"
    with Journal.open(path, edition="icelandic", players=NEW.players) as journal:
        table = Table(game=NEW, journal=journal)
        with monkeypatch.context() as full:

            def refuse(*_: object) -> int:
                raise InputError(f"{path}: the journal cannot be written (disk is full); make room")

            full.setattr(Journal, "record", refuse)
            tell(table, FIRST, 10)
        assert "disk is full); make room; the game goes on" in capsys.readouterr().err
        assert table.unwritten
        assert journal.game(EDITION) == NEW
        tell(table, SECOND, 20)
        assert not table.unwritten
        assert journal.game(EDITION) == SECOND
        assert [event["event"] for event in journal.announced] == ["play", "pass"]
        assert journal.entries == 1
        assert journal.place.frame == 20


def test_each_event_is_one_entry_where_all_is_well(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "game.db", edition="icelandic", players=NEW.players) as journal:
        table = Table(game=NEW, journal=journal)
        tell(table, FIRST, 10)
        tell(table, SECOND, 20)
        assert journal.entries == 2
        assert journal.game(EDITION) == SECOND


def test_only_what_cannot_be_written_is_forgiven() -> None:
    def break_down() -> None:
        raise ValueError("a mistake of ours")

    assert told_if_it_fails(lambda: None)
    with pytest.raises(ValueError, match="mistake"):
        told_if_it_fails(break_down)
