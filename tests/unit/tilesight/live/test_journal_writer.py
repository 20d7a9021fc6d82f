"""Events that could not be written to the journal are written with the next change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scoring import Game, load_edition
from tilesight.live.journal import Journal
from tilesight.live.journal.writer import JournalWriter
from tilesight.output import RackEvent, TitleEvent, UpdateEvent
from vision.errors import InputError
from vision.game_events import UpdateKind

EDITION = load_edition("icelandic")


def test_events_that_waited_have_the_names_that_players_got_since(tmp_path: Path) -> None:
    game = Game(edition=EDITION, players=("Ana", "Jón"))
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
            ("rack", "Anna"),
            ("pass", "Anna"),
            ("renamed", "Anna"),
        ]
