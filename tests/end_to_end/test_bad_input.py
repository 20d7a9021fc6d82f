"""Bad input ends in one line that says what to do, the promised exit code, and nothing lost."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]
PROCESS = (sys.executable, "-c", "from tilesight.cli.main import main; main()")
BOARD = "/".join(["15"] * 15) + " / 0/0 0"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A picture without a board."""
    path = tmp_path / "wall.png"
    cv2.imwrite(str(path), np.full((600, 800, 3), 180, np.uint8))
    return path


def one_line(outcome: Outcome, code: int, *words: str) -> None:
    """The outcome is that exit code and one line on standard error with these words."""
    lines = outcome.err.strip().splitlines()
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("tilesight: ")
    assert "Traceback" not in outcome.err
    for word in words:
        assert word in lines[0]
    assert outcome.code == code


def test_a_missing_picture(tilesight: Command, tmp_path: Path) -> None:
    one_line(tilesight("read", tmp_path / "none.jpg"), 3, "none.jpg", "no such file")


@pytest.mark.parametrize("name", ["https://example.com/board.jpg", "rtsp://camera/1", "-"])
def test_an_address_or_standard_input_is_no_picture(
    tilesight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    one_line(tilesight("read", name), 3, "save the picture to a file")
    if name == "-":
        (tmp_path / name).write_bytes(b"no picture")
        one_line(tilesight("read", "--", name), 3, "not a picture that can be read")


def run_without_rights(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the folder as a user who may not read every file, as the superuser may."""
    rights = "-dac_override,-dac_read_search"
    drop = [] if os.geteuid() else ["setpriv", "--bounding-set", rights, "--inh-caps", rights]
    command = [*drop, *PROCESS, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_picture_that_may_not_be_read_is_reported_as_a_missing_one_is(tmp_path: Path) -> None:
    (tmp_path / "shut.jpg").touch(0)
    run = run_without_rights(tmp_path, "read", "shut.jpg", "none.jpg", "--format", "json")
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(each["image"], each["status"]) for each in records] == [
        ("shut.jpg", "unreadable"),
        ("none.jpg", "unreadable"),
    ]
    assert (run.returncode, run.stderr.count("\n")) == (3, 2), run.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("score", "shut.gcg", "game.gcg"), "2 games: 1 right"),
        (("score", "shut"), "tilesight: shut: cannot be read"),
        (("score", "."), "tilesight: ./shut: cannot be read"),
        (("timeline", "shut.db"), "tilesight: shut.db: the journal cannot be opened (Permission denied)"),
        (("find", "shut", "--word", "A"), "tilesight: shut/photos.jsonl: "),
        (("best", "--board", BOARD, "--rack", "A", "--lexicon", "shut.txt"), "tilesight: shut.txt: "),
        (("calibrate", "report", "--profile", "shut.json", "--out", "a.html"), "tilesight: shut.json: "),
    ],
)
def test_what_may_not_be_read_is_reported_by_the_program(
    tmp_path: Path, checkout: Path, arguments: tuple[str, ...], says: str
) -> None:
    for name in ("shut.gcg", "shut.db", "shut.txt", "shut.json"):
        (tmp_path / name).touch(0)
    (tmp_path / "shut").mkdir(0)
    shutil.copy(
        checkout / "tests" / "golden" / "data" / "written" / "settled-each.gcg", tmp_path / "game.gcg"
    )
    run = run_without_rights(tmp_path, *arguments)
    assert run.returncode == 3, run.stderr
    assert says in run.stdout + run.stderr


def test_a_folder_instead_of_a_picture(tilesight: Command, tmp_path: Path) -> None:
    one_line(tilesight("read", tmp_path), 3, "folder")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", ""),
        ("digitise", "", "--out", "o"),
        ("watch", "a", "--edition", ""),
        ("digitise", "a", "--out="),
    ],
)
def test_an_empty_argument_is_not_the_current_folder(tilesight: Command, arguments: tuple[str, ...]) -> None:
    one_line(tilesight(*arguments), 2, "an argument is empty")


def test_a_file_instead_of_a_folder_of_results(tilesight: Command, tmp_path: Path, plain: Path) -> None:
    (tmp_path / "out").write_text("hello")
    outcome = tilesight("digitise", plain, "--out", tmp_path / "out")
    one_line(outcome, 3, "out: is a file", "name a folder")
    assert outcome.err.startswith("tilesight: ")  # without an empty line


def test_a_text_file_called_jpg(tilesight: Command, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_text("hello")
    one_line(tilesight("read", tmp_path / "a.jpg"), 3, "not a picture")


def test_a_truncated_photo(tilesight: Command, tmp_path: Path, icelandic_sample: Path) -> None:
    whole = next(icelandic_sample.glob("*.jpg")).read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    one_line(tilesight("read", tmp_path / "cut.jpg"), 3, "cut short")


def test_a_name_that_a_terminal_would_obey(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    photo = tmp_path / "a\x1b[31mred.jpg"
    shutil.copy(icelandic_sample / "turn-01.jpg", photo)
    outcome = tilesight("read", photo, tmp_path / "none\x1b.jpg", "--edition", "icelandic")
    assert "\x1b" not in outcome.out + outcome.err
    assert outcome.out.startswith(f"{tmp_path}/a\ufffd[31mred.jpg:\n")
    one_line(outcome, 3, "none\ufffd.jpg")


def test_pictures_too_small_and_too_large(tilesight: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "dot.png"), np.zeros((1, 1, 3), np.uint8))
    one_line(tilesight("read", tmp_path / "dot.png"), 3, "at least")
    cv2.imwrite(str(tmp_path / "huge.png"), np.zeros((20_000, 20_000), np.uint8))
    one_line(tilesight("read", tmp_path / "huge.png"), 3, "megapixels")


def test_a_picture_without_a_board(tilesight: Command, plain: Path) -> None:
    outcome = tilesight("read", plain, "--format", "json")
    one_line(outcome, 4, "wall.png")
    (line,) = outcome.json_lines
    assert line["status"] == "board-not-found"
    assert line["image"] == str(plain)
    assert line["message"]


def test_a_wide_picture_without_a_board(tilesight: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "wide.jpg"), np.full((150, 20_000, 3), 90, np.uint8))
    one_line(tilesight("read", tmp_path / "wide.jpg"), 4)


def test_an_unknown_edition_suggests_near_names(tilesight: Command, plain: Path) -> None:
    one_line(tilesight("read", plain, "--edition", "islandic"), 2, "islandic", "icelandic")


def test_a_broken_edition_file_is_named_with_its_line(
    tilesight: Command, plain: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text('title = "Mine"\nrack_size = "seven"\n')
    one_line(tilesight("read", plain, "--edition", tmp_path / "mine.toml"), 2, "mine.toml", "line")


@pytest.mark.parametrize(
    "corners",
    [
        "1,2 3,4",
        "a,b c,d e,f g,h",
        "0,0 10,10 10,0 0,10",
        "0,0 30,0 30,30 0,30",
        "0,0 9000,0 9000,9000 0,9000",
        "1e308,1 1e308,1e308 1,1e308 1,1",
        "0,0 1e8,0 1e8,1e-8 0,1e-8",
    ],
)
def test_corners_that_make_no_sense(tilesight: Command, plain: Path, corners: str) -> None:
    one_line(tilesight("read", plain, "--corners", corners), 2, "corners")


def test_corners_that_do_not_fit_a_picture_do_not_stop_the_others(
    tilesight: Command, plain: Path, icelandic_sample: Path
) -> None:
    truth = json.loads((icelandic_sample / "game.json").read_text(encoding="utf-8"))["frames"][0]
    corners = " ".join(f"{x},{y}" for x, y in truth["corners_px"])
    good = sorted(icelandic_sample.glob("*.jpg"))[0]
    cv2.imwrite(str(plain), np.full((120, 160, 3), 180, np.uint8))
    outcome = tilesight("read", plain, good, "-e", "icelandic", "--corners", corners, "--format", "json")
    assert [line["status"] for line in outcome.json_lines] == ["unreadable", "ok"]
    assert outcome.json_lines[0]["message"].startswith(f"{plain}: corners: ")
    assert outcome.code == 3
    crossed = "0,0 10,10 10,0 0,10"
    one_line(tilesight("read", plain, good, "-e", "icelandic", "--corners", crossed), 2, "without crossing")


def test_options_that_do_not_exist_or_fit(tilesight: Command, plain: Path, tmp_path: Path) -> None:
    assert tilesight("read", plain, "--reader", "crystal-ball").code == 2
    assert tilesight("read", plain, "--colour", "red").code == 2
    assert tilesight("read").code == 2
    one_line(tilesight("read", plain, plain, "--picture", tmp_path / "a.png"), 2, "--picture")


def test_good_pictures_are_read_although_others_fail(
    tilesight: Command, tmp_path: Path, plain: Path, icelandic_sample: Path
) -> None:
    good = sorted(icelandic_sample.glob("*.jpg"))[0]
    outcome = tilesight(
        "read", tmp_path / "none.jpg", good, plain, "--edition", "icelandic", "--format", "json"
    )
    assert [line["status"] for line in outcome.json_lines] == ["unreadable", "ok", "board-not-found"]
    assert outcome.code == 3


@pytest.mark.parametrize("others", [("turn-01.jpg", "none.jpg"), ("none.jpg", "turn-01.jpg")])
def test_a_picture_that_needs_a_missing_package_does_not_stop_the_others(
    tilesight: Command,
    icelandic_sample: Path,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    others: tuple[str, ...],
) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    heic = checkout / "tests" / "support" / "data" / "icelandic-1.heic"
    names = [heic, *(icelandic_sample / name for name in others)]
    outcome = tilesight("read", *names, "-e", "icelandic", "--format", "json")
    statuses = ["ok" if name == "turn-01.jpg" else "unreadable" for name in others]
    assert [line["status"] for line in outcome.json_lines] == ["unreadable", *statuses]
    assert "HEIC pictures need the package pi-heif" in outcome.json_lines[0]["message"]
    assert outcome.code == 5, outcome.err


def test_a_picture_that_cannot_be_written_is_reported(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    good = sorted(icelandic_sample.glob("*.jpg"))[0]
    outcome = tilesight("read", good, "--edition", "icelandic", "--picture", tmp_path / "missing" / "a.png")
    one_line(outcome, 2, "no folder")
    outcome = tilesight("read", good, "--edition", "icelandic", "--picture", tmp_path / "a.xyz")
    one_line(outcome, 2, ".png")


@pytest.mark.parametrize(
    ("players", "words"),
    [("A,B,C,D,E", "4 players"), ("A,,B", "name"), ("Anna,Anna", "Anna")],
    ids=["five", "an empty name", "twice the same"],
)
def test_players_that_cannot_play(
    tilesight: Command, icelandic_sample: Path, players: str, words: str
) -> None:
    outcome = tilesight("watch", icelandic_sample, "--every", "turn", "--players", players)
    one_line(outcome, 2, words)


def test_a_game_folder_that_is_missing_or_empty(tilesight: Command, tmp_path: Path) -> None:
    one_line(tilesight("watch", tmp_path / "none", "--every", "turn"), 3, "no such folder")
    one_line(tilesight("watch", tmp_path, "--every", "turn"), 3, "no picture")


@pytest.mark.parametrize("broken", range(5))
def test_a_broken_picture_does_not_end_a_game(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path, broken: int
) -> None:
    """One of five pictures is damaged: it is named, and the next one shows both plays.

    Which of two plays came first cannot always be known from one look; then the truth is among the
    alternatives. The last picture has no next one, so its play is missing and no other.
    """
    folder = tmp_path / "game"
    shutil.copytree(icelandic_sample, folder)
    photos = sorted(folder.glob("*.jpg"))
    photos[broken].write_bytes(photos[broken].read_bytes()[:5000])
    truth = json.loads((folder / "game.json").read_text())
    outcome = tilesight(
        "watch", folder, "--every", "turn", "--edition", "icelandic", "--format", "json",
        "--players", ",".join(truth["players"]), "--out", tmp_path / "game.gcg",
    )  # fmt: skip
    assert outcome.code == 3
    assert photos[broken].name in outcome.err
    *events, end = outcome.json_lines
    assert [event["event"] for event in events].index("unreadable") == broken
    plays = [event for event in events if event["event"] == "play"]
    assert (tmp_path / "game.gcg").read_text().count("\n>") == len(plays)
    if broken == 4:
        assert [event["score"] for event in plays] == [28, 15, 20, 19]
        return
    assert end["rows"] == [list(row) for row in truth["frames"][-1]["board"]]
    first_of_two = plays[broken]
    scores = [event["score"] for event in truth["events"]]
    pair = [[event["score"] for event in plays[broken : broken + 2]]]
    pair += [[play["score"] for play in other["plays"]] for other in first_of_two.get("alternatives", [])]
    assert scores[broken : broken + 2] in pair
    if pair[0] != scores[broken : broken + 2]:
        assert first_of_two["confidence"] < 0.6


def test_a_turn_without_a_board_is_reported_and_the_game_goes_on(
    tilesight: Command, tmp_path: Path, plain: Path, icelandic_sample: Path
) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    shutil.copy(sorted(icelandic_sample.glob("*.jpg"))[0], folder / "1.jpg")
    shutil.copy(plain, folder / "2.png")
    outcome = tilesight("watch", folder, "--every", "turn", "--edition", "icelandic", "--format", "json")
    assert outcome.code == 4
    assert [event["event"] for event in outcome.json_lines] == ["play", "board-not-found", "end"]


def test_a_journal_goes_on_with_the_next_folder_and_with_one_that_grew(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    photos = sorted(icelandic_sample.glob("*.jpg"))
    for folder, some in (("morning", photos[:2]), ("evening", photos[2:4])):
        (tmp_path / folder).mkdir()
        for number, photo in enumerate(some):  # cameras count from the beginning again
            shutil.copy(photo, tmp_path / folder / f"{number}.jpg")
    watch = ("--every", "turn", "--edition", "icelandic", "--format", "json", "--journal", tmp_path / "g.db")
    first = tilesight("watch", tmp_path / "morning", *watch)
    second = tilesight("watch", tmp_path / "evening", *watch)
    shutil.copy(photos[4], tmp_path / "evening" / "2.jpg")
    third = tilesight("watch", tmp_path / "evening", *watch)
    scores = [[e["score"] for e in run.json_lines if e["event"] == "play"] for run in (first, second, third)]
    truth = [event["score"] for event in json.loads((icelandic_sample / "game.json").read_text())["events"]]
    assert scores == [truth[:2], truth[2:4], truth[4:]]
    assert "last event was seen in 1.jpg" in second.err
    assert "all up to 1.jpg is known" in third.err


def test_what_a_game_has_seen_before_takes_nothing_back(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    """Renamed pictures are known by their content; of copies that an editor wrote anew the boards tell."""
    photos = sorted(icelandic_sample.glob("*.jpg"))
    (tmp_path / "photos").mkdir()
    for photo in photos[:4]:
        shutil.copy(photo, tmp_path / "photos")
    watch = ("watch", tmp_path / "photos", "--every", "turn", "--edition", "icelandic", "--format", "json")
    journal = ("--journal", tmp_path / "g.db")
    first = tilesight(*watch, *journal)
    (tmp_path / "photos" / photos[3].name).rename(tmp_path / "photos" / "zz.jpg")
    renamed = tilesight(*watch, *journal)
    assert [event["event"] for event in renamed.json_lines] == ["end"]
    for path in (tmp_path / "photos").iterdir():
        path.write_bytes(path.read_bytes() + b"edited")
    shutil.copy(photos[4], tmp_path / "photos" / "zzz.jpg")
    again = tilesight(*watch, *journal)
    assert [event["event"] for event in again.json_lines] == [*["unclear"] * 4, "play", "end"]
    truth = [event["score"] for event in json.loads((icelandic_sample / "game.json").read_text())["events"]]
    told = [e["score"] for run in (first, again) for e in run.json_lines if e["event"] == "play"]
    assert told == truth
    assert again.json_lines[-1]["totals"] == {"A": sum(truth[::2]), "B": sum(truth[1::2])}


def test_places_that_cannot_be_written_are_reported_before_the_game(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    watch = ("watch", icelandic_sample, "--every", "turn", "--edition", "icelandic")
    for option, path in [
        ("--out", tmp_path / "no" / "g.gcg"),
        ("--picture", tmp_path / "a.gif"),
        ("--out", tmp_path),
    ]:
        outcome = tilesight(*watch, option, path)
        one_line(outcome, 2)
        assert outcome.out == ""


@pytest.mark.parametrize("source", ["0", "rtsp://127.0.0.1/table"])
def test_a_photo_a_turn_needs_a_folder(tilesight: Command, source: str) -> None:
    one_line(tilesight("watch", source, "--every", "turn"), 2, "folder")


def test_no_output_overwrites_an_input_or_what_somebody_else_wrote(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path
) -> None:
    folder = tmp_path / "turns"
    folder.mkdir()
    photo, note = folder / "turn-01.jpg", tmp_path / "notes.gcg"
    shutil.copy(icelandic_sample / photo.name, photo)
    note.write_text("dear diary\n")
    film = tmp_path / "game.mp4"
    film.write_bytes(b"a film of somebody")
    watch = ("watch", folder, "--every", "turn", "--edition", "icelandic")
    before = {path: path.read_bytes() for path in (photo, note, film)}
    one_line(tilesight("read", photo, "--picture", photo), 2, "turn-01.jpg", "overwrite an input")
    one_line(tilesight(*watch, "--picture", photo), 2, "turn-01.jpg", "did not write it")
    one_line(tilesight(*watch, "--out", photo), 2, "turn-01.jpg", "no game", "--force")
    one_line(tilesight(*watch, "--out", note), 2, "notes.gcg", "no game", "--force")
    one_line(tilesight("watch", film, "--video", film), 2, "game.mp4", "overwrite an input")
    assert {path: path.read_bytes() for path in before} == before

    outputs = ("--out", note, "--picture", tmp_path / "board.png")
    assert tilesight(*watch, *outputs, "--force").code == 0
    assert tilesight(*watch, *outputs).code == 0
    other = tilesight(*watch, *outputs, "--players", "Anna,Jón")
    one_line(other, 2, "notes.gcg", "a game of A, B", "--force")


def test_outputs_of_one_name_and_devices_are_refused(tilesight: Command, tmp_path: Path) -> None:
    one = tmp_path / "one.gcg"
    one_line(tilesight("watch", "film.mp4", "--out", one, "--journal", one), 2, "one.gcg", "two outputs")
    one_line(tilesight("watch", "film.mp4", "--out", "/dev/null"), 2, "/dev/null", "cannot be written there")
    assert not one.exists()
    one.symlink_to(one)  # a link that names itself
    one_line(tilesight("watch", "film.mp4", "--out", one), 3, "film.mp4", "no such file")
    board = ("calibrate", "board", "empty.jpg", "--profile", tmp_path / "club.json", "--layout-out")
    one_line(tilesight(*board, one), 3, "empty.jpg", "no such file")


def test_calibration_overwrites_nothing_that_somebody_else_wrote(tilesight: Command, tmp_path: Path) -> None:
    sheet, page = tmp_path / "sheet.pdf", tmp_path / "page.html"
    for path in (sheet, page):
        path.write_text("dear diary\n")
    one_line(tilesight("calibrate", "target", sheet), 2, "sheet.pdf", "did not write it", "--force")
    profile = tmp_path / "club.json"
    one_line(tilesight("calibrate", "report", "--profile", profile, "--out", page), 2, "page.html", "--force")
    board = ("calibrate", "board", "empty.jpg", "--profile", profile, "--layout-out")
    one_line(tilesight(*board, page), 2, "page.html", "there already", "--force")
    one_line(tilesight(*board, profile), 2, "club.json", "the profile has this name")
    assert {path.read_text() for path in (sheet, page)} == {"dear diary\n"}
    for _ in range(2):
        assert tilesight("calibrate", "target", tmp_path / "own.pdf").code == 0
        assert tilesight("calibrate", "target", tmp_path / "own.png").code == 0


def test_photos_of_turns_take_no_commands(tilesight: Command, icelandic_sample: Path) -> None:
    for option in ("--commands", "--view"):
        refused = tilesight("watch", icelandic_sample, "--every", "turn", option)
        one_line(refused, 2, option, "at once", "'tilesight serve --journal FILE' and the same --edition")
    one_line(tilesight("watch", icelandic_sample, "--every", "turn", "--fps", "2"), 2, "--fps", "no time")


@pytest.mark.parametrize(
    ("arguments", "closed", "code", "says"),
    [
        (("read", "-e", "icelandic", "turn-01.jpg"), ">&-", 0, ""),
        (("read", "-e", "icelandic", "no.jpg"), "2>&-", 3, ""),
        (("watch", ".", "--commands", "-f", "json"), "<&-", 0, ""),
        (("calibrate", "guide", "--profile", "club.json"), "<&-", 2, "run it in a terminal"),
    ],
)
def test_a_closed_stream_is_no_traceback(
    tmp_path: Path, icelandic_sample: Path, arguments: tuple[str, ...], closed: str, code: int, says: str
) -> None:
    shutil.copy(icelandic_sample / "turn-01.jpg", tmp_path)
    command = f"{shlex.join([*map(str, PROCESS), *arguments])} {closed}"
    run = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == code, run.stderr
    assert "Traceback" not in run.stderr
    assert says in run.stderr


def test_a_name_that_is_no_text_is_refused(tilesight: Command) -> None:
    one_line(tilesight("watch", "film.mp4", "--players", "J\udcf3n,B"), 2, "UTF-8")


def test_output_that_cannot_be_written_is_one_line(checkout: Path) -> None:
    game = checkout / "tests" / "golden" / "data" / "written" / "settled-each.gcg"
    command: list[str | bytes] = [*PROCESS, "score", str(game)]
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 3
    assert run.stderr == "tilesight: the output: cannot be read or written (No space left on device)\n"


def test_messages_that_cannot_be_written_keep_the_exit_code() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run([*PROCESS, "score", "none.gcg"], stderr=full, check=False)
    assert run.returncode == 3, "1 would say that a score differs"


def test_a_reader_that_leaves_early_is_output_that_cannot_be_written(checkout: Path) -> None:
    game = checkout / "tests" / "golden" / "data" / "written" / "settled-each.gcg"
    reader, writer = os.pipe()
    os.close(reader)
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    run = subprocess.run(
        [*PROCESS, "score", str(game)], stdout=writer, stderr=subprocess.PIPE, env=unbuffered, check=False
    )
    os.close(writer)
    assert (run.returncode, b"Traceback" in run.stderr) == (3, False), "1 would say that a score differs"


def test_a_word_list_that_is_missing_cannot_be_read(tilesight: Command, tmp_path: Path) -> None:
    outcome = tilesight("best", "--board", BOARD, "--rack", "A", "--lexicon", tmp_path / "none")
    one_line(outcome, 3, "the word list cannot be read")


def test_too_little_memory_is_one_line(
    tilesight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("scoring.words.lexicon.read_file", fail)
    (tmp_path / "words").write_text("cat\n")
    outcome = tilesight("best", "--board", "." * 15 + "\n", "--rack", "A", "--lexicon", tmp_path / "words")
    one_line(outcome, 3)


def test_a_terminal_without_a_letter_and_a_name_that_is_no_text_do_not_stop_a_command(
    tmp_path: Path, icelandic_sample: Path
) -> None:
    photo = tmp_path / os.fsdecode(b"b\xff.jpg")
    shutil.copy(icelandic_sample / "turn-01.jpg", photo)
    command: list[str | bytes] = [*PROCESS, "read", "-e", "icelandic", "-f", "json", os.fsencode(photo)]
    for encoding in ("ascii", "utf-8"):
        run = subprocess.run(
            command, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding}
        )
        assert json.loads(run.stdout.decode(encoding))["image"] == str(photo)


def test_json_is_valid_where_the_output_lacks_a_letter(tmp_path: Path, icelandic_sample: Path) -> None:
    photo = tmp_path / "Ðóra 👩.jpg"
    shutil.copy(icelandic_sample / "turn-01.jpg", photo)
    command: list[str | Path] = [
        *PROCESS,
        "read",
        "-e",
        "icelandic",
        "-f",
        "json",
        photo,
        tmp_path / "Óli.jpg",
    ]
    for encoding in ("ascii", "latin-1", "utf-8"):
        run = subprocess.run(
            command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding}
        )
        first, second = [json.loads(line) for line in run.stdout.decode(encoding).splitlines()]
        assert (first["image"], first["rows"][7][3:8]) == (str(photo), list("HRAKI"))
        assert second["image"] == str(tmp_path / "Óli.jpg")


def test_a_file_gets_utf_8_where_the_locale_has_another_encoding(icelandic_sample: Path) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command: list[str | Path] = [*PROCESS, "read", "-e", "icelandic", icelandic_sample / "turn-05.jpg"]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONIOENCODING"}
    run = subprocess.run(command, capture_output=True, check=True, env={**environment, **locale})
    assert " 11 · · J Ó Ð L I R" in run.stdout.decode()


def test_a_device_is_no_video(tilesight: Command) -> None:
    one_line(tilesight("watch", "/dev/null"), 3, "/dev/null", "no video", "number")


@pytest.mark.parametrize(
    ("module", "source", "command", "code", "says"),
    [
        ("uvicorn", "raise ModuleNotFoundError(name='uvicorn')", "serve", 5, "package uvicorn is missing"),
        (
            "uvicorn",
            "raise ModuleNotFoundError(name='fcntl')",
            "serve",
            5,
            "does not run on Windows; use Linux",
        ),
        ("cv2", "raise ImportError('libGL.so.1: cannot open')", "read", 5, "sudo apt-get install libgl1"),
        (
            "cv2",
            "raise ImportError('a.so: failed to map segment from shared object')",
            "read",
            3,
            "not enough memory",
        ),
        (
            "onnxruntime",
            "raise ImportError('initialization failed') from KeyboardInterrupt()",
            "read",
            130,
            "tilesight: stopped",
        ),
    ],
)
def test_what_is_not_installed_is_named(
    tmp_path: Path, icelandic_sample: Path, module: str, source: str, command: str, code: int, says: str
) -> None:
    (tmp_path / f"{module}.py").write_text(source)
    run = subprocess.run(
        [*PROCESS, command, str(icelandic_sample / "turn-01.jpg")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
    )
    assert run.returncode == code
    assert says in run.stderr
    assert run.stderr.count("\n") == 1
