"""Changes that could not be written to the journal are written later, each as an entry of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scoring import Game, load_edition
from tilesight.live import Journal, LiveGame, open_game
from tilesight.live.journal import writer as writer_module
from tilesight.live.journal.writer import JournalWriter
from tilesight.output import RackEvent, TitleEvent, UpdateEvent
from vision.errors import InputError
from vision.game_events import UpdateKind, parse_command

EDITION = load_edition("icelandic")
PLAYERS = ("Ana", "Jón")


def open_watched(folder: Path) -> LiveGame:
    return open_game(
        "game",
        folder / "game.db",
        edition="icelandic",
        players=PLAYERS,
        has_operator=False,
        on_write_error=lambda _: None,
    )


def fill_disk(game: LiveGame, *, is_full: bool) -> None:
    assert game.journal is not None
    game.journal._connection.execute(f"PRAGMA query_only = {int(is_full)}")


def test_changes_that_waited_have_the_names_of_their_time(tmp_path: Path) -> None:
    game = Game(edition=EDITION, players=PLAYERS)
    events = (
        TitleEvent(text="The final"),
        RackEvent(player="Jón", tiles=("B",), at_s=1.0),
        RackEvent(player="Ana", tiles=("A",), at_s=2.0),
        UpdateEvent(kind=UpdateKind.PASS, player="Ana"),
    )
    renamed = UpdateEvent(kind=UpdateKind.RENAMED, player="Anna", was="Ana", now="Anna")
    errors: list[InputError] = []
    with Journal.open(tmp_path / "game.db", edition="icelandic", players=game.players) as journal:
        writer = JournalWriter(journal, game, errors.append)
        journal._connection.execute("PRAGMA query_only = 1")
        assert writer.write(game.with_pass(), events, None, b"", 0) == 0
        assert (len(errors), writer.is_complete) == (1, False)
        journal._connection.execute("PRAGMA query_only = 0")
        writer.write(replace(game.with_pass(), players=("Anna", "Jón")), [renamed], None, b"", 0)
        assert writer.is_complete
        assert [(event["event"], event.get("player")) for event in journal.events] == [
            ("title", None),
            ("rack", "Jón"),
            ("rack", "Ana"),
            ("pass", "Ana"),
            ("renamed", "Anna"),
        ]
        assert [entry.game.players[0] for entry in journal.history(EDITION)] == ["Ana", "Anna"]


def test_what_waits_at_the_end_is_written_when_the_game_is_closed(tmp_path: Path) -> None:
    with open_watched(tmp_path) as game:
        fill_disk(game, is_full=True)
        game.apply_command(parse_command("play 8D HRAKI"))
        fill_disk(game, is_full=False)
        assert not game.is_written
    with open_watched(tmp_path) as again:
        assert again.state.game.totals == (28, 0)


def test_what_waits_is_tried_again_while_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "RETRY_AFTER_S", 0.0)
    with open_watched(tmp_path) as game:
        fill_disk(game, is_full=True)
        game.apply_command(parse_command("play 8D HRAKI"))
        game.record(None)
        assert not game.is_written
        fill_disk(game, is_full=False)
        game.record(None)
        assert game.is_written


def test_undo_takes_back_one_change_also_after_changes_that_waited(tmp_path: Path) -> None:
    with open_watched(tmp_path) as game:
        for text in ("play 8D HRAKI", "pass"):
            game.apply_command(parse_command(text))
        fill_disk(game, is_full=True)
        game.apply_command(parse_command("pass"))
        fill_disk(game, is_full=False)
        game.apply_command(parse_command("undo"))
    with open_watched(tmp_path) as again:
        assert len(again.state.game.events) == 2
        again.apply_command(parse_command("undo"))
        assert len(again.state.game.events) == 1
