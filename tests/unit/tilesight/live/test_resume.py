"""Where a game resumes in a recording: by content, whatever the names, and at the newest event that it shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring import Game, load_edition, parse_play
from tests.support.on_air import journal_of, open_table, send_commands
from tilesight.live.feeds import ResumePoint, attach_tracker, find_resume_point
from tilesight.live.game_camera import GameCamera
from tilesight.live.journal import FrameRef, Journal
from tilesight.output import format_event
from vision.capture import Frame, PictureFolder
from vision.core.geometry import Grid
from vision.errors import InputError
from vision.game_events import Notice, NoticeKind, UpdateBatch
from vision.pipeline import GameContext, load_recognizer
from vision.tracking.thumbnail import ShrunkFrame

GAME = Game(edition=load_edition("icelandic"), players=("Anna", "Jón"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "game.db", edition="icelandic", players=GAME.players) as journal:
        yield journal


def folder(path: Path, *levels: int) -> PictureFolder:
    path.mkdir()
    for number, level in enumerate(levels):
        cv2.imwrite(str(path / f"{number}.png"), np.full((120, 120, 3), level, np.uint8))
    return PictureFolder(path=path)


def note(journal: Journal, source: PictureFolder, number: int) -> None:
    """Record an event that the picture of that number showed."""
    file = f"{number}.png"
    place = FrameRef(frame=number, file=file, fingerprint=source.fingerprint(file))
    journal.record(GAME, GAME.with_pass(), [], place)


def test_nothing_is_known_without_a_journal_of_pictures(tmp_path: Path, journal: Journal) -> None:
    source = folder(tmp_path / "photos", 10, 20)
    assert find_resume_point(source, None) == ResumePoint()
    journal.record(GAME, GAME.with_pass(), [{"event": "pass", "source": ""}])
    assert find_resume_point(source, journal) == ResumePoint()


def test_a_recording_goes_on_after_its_last_event(tmp_path: Path, journal: Journal) -> None:
    source = folder(tmp_path / "photos", 10, 20, 30)
    note(journal, source, 1)
    found = find_resume_point(source, journal)
    assert (found.last_frame, found.last_event_s, found.may_replay) == (1, 0.0, False)
    assert "all up to 1.png is known" in found.message


def test_pictures_that_were_put_before_what_is_known_are_named_or_counted(
    tmp_path: Path, journal: Journal
) -> None:
    source = folder(tmp_path / "photos", 10, 20)
    for number in range(2):
        note(journal, source, number)
    assert "put before" not in find_resume_point(source, journal).message
    for added, report in (
        ("0b", "; 1 picture put before it since is not read (0b.png); begin a new journal to read all"),
        ("0c", "; 2 pictures put before it since are not read (0b.png, 0c.png); begin"),
    ):
        cv2.imwrite(str(source.path / f"{added}.png"), np.full((120, 120, 3), 90, np.uint8))
        assert report in find_resume_point(source, journal).message
    with Journal.open(tmp_path / "other.db", edition="icelandic", players=GAME.players) as other:
        note(other, folder(tmp_path / "more", 10, 20), 1)  # 0.png changed nothing
        cv2.imwrite(str(tmp_path / "more" / "0b.png"), np.full((120, 120, 3), 90, np.uint8))
        found = find_resume_point(PictureFolder(path=tmp_path / "more"), other)
        assert "; 1 picture put before it since is not read; begin a new journal" in found.message


def test_names_that_are_not_utf_8_are_kept_in_another_form(tmp_path: Path) -> None:
    path, name = tmp_path / os.fsdecode(b"j\xf3n"), os.fsdecode(b"\xe6.png")
    folder(tmp_path / "photos", 10, 20, 30).path.rename(path)
    (path / "1.png").rename(path / name)  # the last one now
    source = PictureFolder(path=path)
    with Journal.open(
        tmp_path / "a.db", edition="icelandic", players=("A", "B"), source=str(path)
    ) as journal:
        assert journal.source == f"{tmp_path}/j\\xf3n"
        notice = Notice(kind=NoticeKind.UNREADABLE, message=f"{path}: damaged")
        batch = UpdateBatch(source=name, index=2, game=GAME, notices=(notice,))
        camera = GameCamera()
        for camera.fingerprint in (lambda _: "", source.fingerprint):  # the name decides, or the content
            ref = camera.refer(batch)
            journal.record(GAME, GAME.with_pass(), [format_event(notice, batch.source, batch.index)], ref)
            assert journal.last_frame_ref == ref
            assert find_resume_point(source, journal).last_frame == 2
        event = journal.events[0]
        assert (event["source"], event["message"]) == ("\\xe6.png", f"{tmp_path}/j\\xf3n: damaged")


def test_an_edition_whose_name_is_not_utf_8_is_no_damage_of_the_journal(tmp_path: Path) -> None:
    edition = tmp_path / os.fsdecode(b"j\xf3n.toml")
    edition.touch()
    with pytest.raises(InputError, match=r"n\.toml: the name is not UTF-8; rename the file"):
        Journal.open(tmp_path / "game.db", edition=str(edition), players=("A", "B"))


def test_files_of_the_same_names_are_others(tmp_path: Path, journal: Journal) -> None:
    note(journal, folder(tmp_path / "morning", 10, 20), 1)
    found = find_resume_point(folder(tmp_path / "evening", 30, 40), journal)
    assert (found.last_frame, found.last_event_s, found.may_replay) == (-1, None, True)
    assert "last event was seen in 1.png" in found.message


def test_of_an_earlier_recording_what_was_seen_is_known(tmp_path: Path, journal: Journal) -> None:
    morning, evening = folder(tmp_path / "morning", 10, 20), folder(tmp_path / "evening", 30, 40)
    note(journal, morning, 1)
    note(journal, evening, 0)
    found = find_resume_point(morning, journal)
    assert (found.last_frame, found.last_event_s, found.may_replay) == (1, None, True)


def test_a_picture_with_tiles_that_were_undone_is_not_compared_with(tmp_path: Path) -> None:
    image = np.random.default_rng(5).integers(0, 256, (150, 150, 3), dtype=np.uint8)
    grid = Grid.from_corners([[15, 15], [135, 15], [135, 135], [15, 135]], 15, 15)
    view = ShrunkFrame.of(Frame(image_bgr=image, source="film", index=0, time_s=0.0), grid).thumbnail()
    with Journal.open(tmp_path / "final.db", edition="icelandic", players=GAME.players) as journal:
        played = GAME.with_play(parse_play("8D HRAKI", GAME.edition.tokens))
        journal.record(GAME, played, [], FrameRef(frame=3, file="film"), view.to_bytes())
    table = open_table(tmp_path)
    context = GameContext(edition=GAME.edition, recognizer=load_recognizer("network", GAME.edition))
    for command, is_known in (("clock Anna 5", True), ("undo", True), ("undo", False), ("redo", True)):
        send_commands(table, command)
        attach_tracker(
            table, iter(()), context, resume=ResumePoint(), fingerprint=lambda _: "", notify=lambda _: None
        )
        assert table.tracker is not None
        assert (table.tracker.reference is not None) == is_known, command
    journal_of(table).close()
