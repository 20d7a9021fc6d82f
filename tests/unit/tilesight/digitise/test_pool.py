"""One picture in a worker: whatever is wrong with it, or with the worker, is said in words."""

from __future__ import annotations

import io
import sys
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from calibration.tiles import cut_examples, enrol
from scoring import edition_names, load_edition
from tests.support.lens_sections import lens_section
from tilesight.digitise.reading import PhotoRequest, photo_reader
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_reader import Result, read_picture
from tilesight.digitise.report.page import photo_data
from tilesight.digitise.workers import pool, run_task
from tilesight.digitise.workers.picture_process import failed_result
from tilesight.digitise.workers.pool import Pool, Task, outcome
from vision.capture import decode_picture
from vision.errors import INSTALL_AGAIN, InputError, SettingsError
from vision.profile.lens import Lens, LensModel
from vision.profile.profile import Profile
from vision.recognition.cascade import CascadeReader


def test_whatever_a_decoder_throws_is_a_reason() -> None:
    for error in (MemoryError("no room"), ZeroDivisionError("odd\npicture")):
        result = run_task(b"", "a.jpg", None, lambda *_, error=error: (_ for _ in ()).throw(error))  # type: ignore[arg-type]
        assert result.record.status == "unreadable"
        assert result.record.message is not None
        assert "\n" not in result.record.message
        assert result.is_transient


@pytest.mark.parametrize(
    ("times", "status", "words"),
    [((2, 2), "ok", "adapted to"), ((2, 3), "unreadable", "it was made for pictures of")],
)
def test_a_profile_that_does_not_suit_a_picture_is_reported_with_it(
    icelandic_sample: Path, times: tuple[int, int], status: str, words: str
) -> None:
    data = (icelandic_sample / "turn-01.jpg").read_bytes()
    height, width = decode_picture(data, Path("a.jpg")).image_bgr.shape[:2]
    size = width * times[0], height * times[1]
    lens = Lens(
        model=LensModel.RADIAL,
        focal_px=(float(size[0]), float(size[0])),
        centre_px=(size[0] / 2, size[1] / 2),
        distortion=(0.0,) * 4,
        size_px=size,
    )
    section = lens_section(lens)
    profile = Profile(name="club.json", size_px=size, lens=section)
    how = ReadOptions(editions=(load_edition("icelandic"),), profile=profile)
    result = read_picture(data, "turn-01.jpg", how)
    assert result.record.status == status
    assert result.thumbnail_jpeg is not None
    (told,) = result.record.remarks or [result.record.message]
    assert told is not None
    assert told.startswith("club.json: ")
    assert words in told


def test_a_picture_is_decoded_with_all_pixels_at_once_where_positions_in_it_are_known(
    icelandic_sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def decode(data: bytes, path: Path, *, may_reduce: bool) -> None:
        asked.append(may_reduce)
        raise InputError("enough")

    monkeypatch.setattr(photo_reader, "decode_picture", decode)
    how = ReadOptions(editions=(load_edition("icelandic"),))
    corners = PhotoRequest(corners_px=((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)))
    for options in (how, replace(how, request=corners)):
        read_picture(b"", "a.jpg", options)
    assert asked == [True, False]


def test_enrolled_tiles_tell_their_edition(icelandic_sample: Path) -> None:
    """Enrolled letters of one edition, and eighteen editions that the photo may be of."""
    icelandic = load_edition("icelandic")
    data = (icelandic_sample / "turn-05.jpg").read_bytes()
    without = read_picture(data, "a.jpg", ReadOptions(editions=(icelandic,))).record
    assert without.board is not None
    network = CascadeReader.load(features=True)
    examples = cut_examples(decode_picture(data, Path("a.jpg")), without.board.rows, icelandic, network, 0)
    section, _ = enrol(examples, icelandic, network, ("a.jpg",))
    how = ReadOptions(editions=tuple(map(load_edition, edition_names())), profile=Profile(tiles=section))
    found = read_picture(data, "a.jpg", how)
    assert found.record.board is not None
    assert (found.record.status, found.record.board.edition) == ("ok", "icelandic")
    assert found.record.board.rows == without.board.rows


def test_that_a_scan_has_more_pictures_than_the_first_is_reported_whatever_that_shows(
    icelandic_sample: Path,
) -> None:
    board = Image.open(icelandic_sample / "turn-01.jpg")
    wall = Image.new("RGB", board.size, "grey")
    how = ReadOptions(editions=(load_edition("icelandic"),))
    for pages, status in (((board, wall, wall), "ok"), ((wall, board, board), "board-not-found")):
        file = io.BytesIO()
        pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:])
        record = replace(read_picture(file.getvalue(), "scan.tif", how).record, name="scan.tif")
        assert record.status == status
        told = "3 pictures are in the file, and one of them is read; save each by itself"
        assert record.remarks[0] == told
        why = "; ".join(filter(None, (record.message, *record.remarks)))
        assert photo_data(record)["message"] == why


def test_heic_without_its_package_is_one_problem_among_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    data = (Path(__file__).parents[3] / "support" / "data" / "icelandic-1.heic").read_bytes()
    record = read_picture(data, "a.heic", ReadOptions(editions=(load_edition("icelandic"),))).record
    assert record.status == "unreadable"
    assert record.message == f"HEIC pictures need the package pi-heif; {INSTALL_AGAIN}"


@pytest.mark.parametrize(("threads", "size", "under_way"), [(1, 10, 2), (8, 10, 10), (8, 60, 2), (8, 200, 1)])
def test_pictures_under_way_are_limited_in_number_and_in_bytes(
    monkeypatch: pytest.MonkeyPatch, threads: int, size: int, under_way: int
) -> None:
    monkeypatch.setattr(pool, "MAX_BYTES_UNDER_WAY", 100)
    submitted: list[str] = []

    def submit(task: Task) -> Future[Result]:
        submitted.append(task.name)
        future = Future[Result]()
        future.set_result(failed_result("done"))
        return future

    options = ReadOptions(editions=(load_edition("icelandic"),))
    tasks = [
        Task(sha256="", name=f"{number}.jpg", data=bytes(size), options=options, cache_key="")
        for number in range(20)
    ]
    results = Pool(submit=submit, count_threads=lambda: threads).results(tasks)
    next(results)
    assert len(submitted) == under_way
    assert len(list(results)) == 19


def test_what_pictures_are_opened_with_is_compared() -> None:
    from tilesight.digitise.reading.options import environment_fingerprint

    assert {"pi-heif", "tesseract", "code"} <= set(environment_fingerprint())


def test_a_worker_with_other_packages_is_refused() -> None:
    from tilesight.digitise.reading.options import check_environment, environment_fingerprint

    with pytest.raises(SettingsError, match=r"weights .* instead of ffff; install the same"):
        check_environment({**environment_fingerprint(), "weights": "ffff"})


@pytest.mark.parametrize(
    ("error", "refusal", "words"),
    [
        (ModuleNotFoundError("No module named 'vision'"), SettingsError, "install the same on all"),
        (SettingsError("a worker has numpy 1"), SettingsError, "^a worker has numpy 1$"),
        (None, InputError, "start it again and run the same command"),
    ],
)
def test_a_task_that_a_worker_cannot_run_is_reported_in_words(
    error: Exception | None, refusal: type[Exception], words: str
) -> None:
    future: Future[Result] = Future()
    if error is None:
        future.cancel()
    else:
        future.set_exception(error)
    with pytest.raises(refusal, match=words):
        outcome(future)
