"""Journals that are archived as the next game begins: nothing is lost."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from tests.support.on_air import send_commands
from tests.unit.tilesight.live.tournament.conftest import EVENT, GAME, Hall, archive_of
from tilesight.live import open_game
from tilesight.live.journal import Journal
from tilesight.live.tournament.archive import load_archive
from vision.errors import InputError, SettingsError


def test_an_archived_game_that_was_corrected_counts_as_corrected(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    hall.play(hall.open(tournament), *GAME, "new-game").close()
    (archived,) = archive_of(hall.folder)
    with open_game("again", archived) as game:
        send_commands(game, "undo")
        send_commands(game, "end Anna=AA Jón=RR")
        corrected = dict(zip(game.state.game.players, game.state.game.totals, strict=True))
        last = game.state.sequence
    (result,) = load_archive(archived.parent, hall.notes.append, 0.0)
    assert (result.totals, result.round, result.last_number) == (corrected, "4", last)
    edition = hall.folder / "gone.toml"
    with sqlite3.connect(archived) as connection:
        connection.execute("UPDATE game SET edition = ?", (str(edition),))
    assert load_archive(archived.parent, hall.notes.append, 0.0) == []
    assert ["its edition" in note for note in hall.notes] == [True], (
        "a result that cannot be read is reported"
    )


def test_viewers_who_connect_while_a_journal_is_archived_get_the_next_game(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = hall.play(hall.open(hall.start()), *GAME)
    close, reads = Journal.close, []
    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patch:

        def close_and_read(journal: Journal) -> None:
            close(journal)
            reads.append(pool.submit(game.events_after, 0))
            wait(reads, timeout=0.1)

        patch.setattr(Journal, "close", close_and_read)
        hall.play(game, "new-game")
    ((state, _),) = [read.result() for read in reads]
    assert (state.match.number, state.game.events) == (2, ())


def test_a_program_that_is_killed_at_any_moment_of_a_new_game_loses_nothing(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moments are the calls that change the disk: what follows them never happens."""
    plain = {name: getattr(os, name) for name in ("rename",)}
    for moment in range(3):
        folder = hall.folder / str(moment)
        folder.mkdir()
        own = Hall(folder)
        game = own.open(own.start())
        own.play(game, *GAME)
        events = game.state.game.events

        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            target = ("tilesight.live.journal.journal.Journal._seal", "pathlib.Path.rename")[min(moment, 1)]
            if moment == 2:
                renamed = Path.rename

                def rename_and_die(self: Path, to: Path, renamed: object = renamed) -> None:
                    plain["rename"](self, to)
                    os.sync()
                    # The process ends here; the fallback that moves the file back does not run.
                    patch.setattr("tilesight.live.journal.journal.Journal._reopen", die)
                    patch.setattr("pathlib.Path.rename", die)
                    raise KeyboardInterrupt

                patch.setattr("pathlib.Path.rename", rename_and_die)
            else:
                patch.setattr(target, die)
                patch.setattr("tilesight.live.journal.journal.Journal._reopen", die)
            with pytest.raises(KeyboardInterrupt):
                send_commands(game, "new-game")
        game.close()
        again = own.open(own.start())
        if moment == 2:
            assert again.state.game.players == ("Jón", "Anna"), "the archive tells who begins"
        else:
            assert again.state.game.events == events
            own.play(again, "new-game")
        assert len(archive_of(folder)) == 1
        assert again.state.match.number == 2
        assert again.state.match.won == (0.0, 1.0)
        again.close()


def test_a_journal_that_another_program_reads_is_not_archived_and_the_game_goes_on(hall: Hall) -> None:
    game = hall.open(hall.start())
    hall.play(game, *GAME)
    events = game.state.game.events
    reader = sqlite3.connect(hall.folder / "final.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    with pytest.raises(InputError, match=r"final\.db: another program reads this journal"):
        send_commands(game, "new-game")
    reader.close()
    assert game.state.game.events == events
    hall.play(game, "title Still here", "new-game")
    assert game.state.match.won == (0.0, 1.0)
    assert len(archive_of(hall.folder)) == 1


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (("play 8D HRAKI",), "the game is not over; end it first, or write new-game as-is"),
        (("pass",) * 4, "the tiles left are not settled"),
        (
            ("play 8D HRAKI", "end Anna=XX Jón="),
            "settle them again, accept them in the list of moves, or write",
        ),
        ((*GAME, "challenge"), "undo that, delete the settlement, accept that in the list of moves, or"),
        ((*GAME, "withdraw"), "the game went on after its settlement"),
        ((*GAME, "play G6 LO.I"), "the game went on after its settlement"),
        (
            ("time Anna -0:30", *GAME),
            "overtime is not taken off \\(Anna 10\\); write overtime first",
        ),
    ],
)
def test_a_game_whose_score_is_not_final_is_not_archived_by_mistake(
    hall: Hall, commands: tuple[str, ...], message: str
) -> None:
    game = hall.open(hall.start())
    hall.play(game, *commands)
    with pytest.raises(SettingsError, match=message):
        send_commands(game, "new-game")
    assert archive_of(hall.folder) == []
    hall.play(game, "new-game as-is")
    assert game.state.match.number == 2
