"""The commands of the documents: those of Tilesight are run, in the order of their page; others are checked."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.models import OptionInfo

import tilesight.web
from docs.tools.command_pages import list_commands, list_options, option_names
from samples import Camera, Light, icelandic_style, render_photo
from scoring import Game, format_gcg, load_edition, write_gcg
from tests.conftest import Outcome
from tests.documents.pages import CHECKOUT, code_blocks
from tests.sets.club_boards import club_board
from tests.support.on_air import open_table, send_commands
from tests.support.shoebox import Inline
from tilesight.cli.main import app
from tilesight.digitise import pipeline as digitising
from tilesight.live import RackWorker, VideoWorker
from tilesight.web.certificates import load_own_certificate

SAMPLE = CHECKOUT / "samples" / "shipped" / "icelandic"
COMMANDS = dict(list_commands(app, "tilesight"))
ELSEWHERE = {f"tilesight calibrate {name}" for name in ("guide", "lens", "tiles", "report")}
"""Commands that take long, or ask: `tests/end_to_end/test_calibrate.py` runs them with the same arguments."""
PROGRAMS = {
    "mkdir",
    "rm",
    "chown",
    "systemctl",
    "openssl",
    "mosquitto_passwd",
    "mosquitto_pub",
    "apt-get",
    "git",
    "pipx",
    "uv",
    "dask",
    "make",
    "python",
    "python3",
    "env/bin/pip",
    "collect/bin/pip",
    ".venv/bin/python",
}
"""Programs of others that the pages call; their arguments are checked as far as they are ours."""
SYSTEM_PACKAGES = {"git", "pipx", "chromium"}
PHOTOS = ("photo.jpg", "board.jpg", "game.jpg", "last.jpg", "first.jpg", "second.jpg")


def commands_of_pages() -> dict[str, list[str]]:
    """List the lines of all blocks of commands by page, without comments and prompts."""
    found: dict[str, list[str]] = {}
    for block in code_blocks("sh"):
        for line in block.text.splitlines():
            command = re.sub(r"\s+#.*$", "", line).strip()
            if command:
                found.setdefault(block.page, []).append(command)
    return found


def parse(command: str) -> tuple[str, list[str], str]:
    """Split a line into what is typed in, the program with its arguments, and the name of a command of ours."""
    typed, _, rest = command.rpartition("|") if command.startswith("echo ") else ("", "", command)
    words = shlex.split(rest)
    words = words[1:] if words[0] == "sudo" else words
    length = next((n for n in (3, 2) if " ".join(words[:n]) in COMMANDS), 0)
    return shlex.split(typed)[1] if typed else "", words, " ".join(words[:length])


PAGES = commands_of_pages()
RUN: set[str] = set()
"""Commands that an earlier page has run; several pages show the same ones."""
OURS = {page: [line for line in lines if parse(line)[1][0] == "tilesight"] for page, lines in PAGES.items()}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages name: photos, films, game files, settings."""
    folder = tmp_path_factory.mktemp("workplace")
    english = load_edition("english")
    rendered = render_photo(
        club_board(english, 0).rows,
        english,
        style=icelandic_style(),
        camera=Camera(cell_px=40),
        light=Light(),
        seed=0,
    )
    bare = render_photo(
        [["."] * 15] * 15, english, style=icelandic_style(), camera=Camera(cell_px=40), light=Light(), seed=0
    )
    cv2.imwrite(str(folder / "empty.jpg"), bare.image_bgr)
    for name in PHOTOS:
        cv2.imwrite(str(folder / name), rendered.image_bgr)
    for number in range(3):
        cv2.imwrite(str(folder / f"frame-{number}.jpg"), rendered.image_bgr)
    small = cv2.resize(bare.image_bgr, (640, 480))
    for name in ("film.mp4", "game.mp4"):
        with contextlib.closing(Film(folder / name)) as film:
            for _ in range(4):
                film.write(np.asarray(small, np.uint8))
    shutil.copytree(SAMPLE, folder / "photos")
    (folder / "club" / "2014").mkdir(parents=True)
    shutil.copy(SAMPLE / "turn-01.jpg", folder / "club" / "2014" / "a.jpg")
    with zipfile.ZipFile(folder / "scans.zip", "w") as archive:
        archive.write(SAMPLE / "turn-02.jpg", "b.jpg")
    (folder / "tilesight").symlink_to(CHECKOUT)
    (folder / "samples").symlink_to(CHECKOUT / "samples")
    (folder / "moves").mkdir()
    (folder / "words.txt").write_text("retina\nretain\nat\n", encoding="utf-8")
    (folder / "board.txt").write_text("\n".join([" ".join("." * 15)] * 15), encoding="utf-8")
    (folder / "corrections-2026-11-29-20-15-00.json").write_text(
        '{"schema": 1, "pictures": {}}', encoding="utf-8"
    )
    for block in code_blocks("toml"):
        files = {
            "best-of = ": "event.toml",
            "[table.": "tables.toml",
            "[[game]]": "sheets.toml",
            "# club.toml": "club.toml",
        }
        file = next((file for start, file in files.items() if start in block.text), None)
        if file is not None:
            (folder / file).write_text(block.text, encoding="utf-8")
    (folder / "players.csv").write_text("name,rating,club,flag\nAnna,1873,Hugin,is\n", encoding="utf-8")
    (folder / "results.csv").write_text("player,points,opponent,opponent-points\n", encoding="utf-8")
    certificate, _ = load_own_certificate(folder / "certificates", {"broker.club.example"})
    shutil.copy(certificate, folder / "broker.pem")
    (folder / "archive").mkdir()
    edition, players = "icelandic+challenge-double", ("Jón", "Anna")  # as event.toml has it
    with open_table(folder / "archive", "final-2026-11-23-1", edition, players) as table:
        send_commands(table, "play 8D HRAKI")
    shutil.copy(folder / "club.toml", folder / "mine.toml")
    return folder


class Film:
    """A film file that is closed."""

    def __init__(self, path: Path) -> None:
        self._writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 4.0, (640, 480))

    def write(self, image_bgr: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
        self._writer.write(image_bgr)

    def close(self) -> None:
        self._writer.release()


@pytest.fixture
def there(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workplace to run a page in, with a server that ends and workers in this process."""
    folder = tmp_path / "here"
    shutil.copytree(workplace, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tilesight.web, "run_server", lambda *_, **__: None)
    for worker in (VideoWorker, RackWorker):
        monkeypatch.setattr(worker, "start", lambda self: None)
        monkeypatch.setattr(worker, "stop", lambda self: None)

    @contextlib.contextmanager
    def opened(*_: object) -> Iterator[Inline]:
        yield Inline()

    monkeypatch.setattr(digitising, "open_pool", opened)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.mark.parametrize("page", [page for page, lines in OURS.items() if lines])
def test_the_commands_of_a_page_run(
    page: str, there: Path, tilesight: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in dict.fromkeys(OURS[page]):
        typed, words, name = parse(line)
        if name in ELSEWHERE or line in RUN:
            continue
        RUN.add(line)
        words = [words[0], *(adapt(word, name) for word in words[1:])]
        prepare(words, there)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "\n"))
        done = tilesight(*expand(words[1:], there))
        assert done.code == 0, f"{line}\n{done.err}"


def adapt(word: str, name: str) -> str:
    """Put a film in place of a camera, and any free port in place of a fixed one."""
    if name in ("tilesight watch", "tilesight serve") and word in ("0", "1"):
        return "film.mp4"
    return "0" if word in ("8000", "8001") else word


def expand(words: list[str], folder: Path) -> list[str]:
    """Expand patterns of files as a shell does; patterns with two stars and those of `find` are for the program."""
    found = []
    for word in words:
        files = (
            sorted(path.name for path in folder.glob(word)) if re.fullmatch(r"[\w-]+\*\.jpg", word) else []
        )
        found += files or [word]
    return found


def prepare(words: list[str], folder: Path) -> None:
    """Make what an earlier page or command would have made: a game file, and a port that is free."""
    if "score" in words[:2] and not (folder / "game.gcg").exists():
        write_gcg(folder / "game.gcg", Game("hungarian", ["Anna", "Ben"]).with_pass())
    if "games/" in words:
        (folder / "games").mkdir(exist_ok=True)
        (folder / "games" / "one.gcg").write_text(format_gcg(Game("english", ["A", "B"]).with_pass()))
    for name in ("game.db", "final.db", "rehearsal.db", "third.db", "out.gcg"):
        for path in folder.glob(f"{name}*"):
            path.unlink()
    if words[1] == "serve" and "--port" not in words:
        words += ["--port", "0"]
    if words[1] == "watch" and "--force" not in words:
        words += ["--force"]


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist_with_their_options(page: str) -> None:
    for line in PAGES[page]:
        _, words, name = parse(line)
        if words[0] != "tilesight":
            assert words[0] in PROGRAMS, line
        elif name:
            options = [
                each
                for option, _, info, _ in list_options(COMMANDS[name])
                if isinstance(info, OptionInfo)
                for each in option_names(option, info)
            ]
            known = {*options, "--help"}
            assert {word for word in words if word.startswith("--")} <= known, line
        else:
            assert words[1:] == ["--version"], line


def test_every_command_reports_by_itself_what_it_may_not_read() -> None:
    options = [
        (name, option, info)
        for name, function in COMMANDS.items()
        for option, kind, info, _ in list_options(function)
        if "Path" in str(kind)
    ]
    assert len(options) > 40
    assert [(name, option) for name, option, info in options if info.readable] == []


def test_what_the_pages_install_and_make_is_there() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    system = (CHECKOUT / ".ci" / "system-packages").read_text(encoding="utf-8")
    for line in [line for lines in PAGES.values() for line in lines]:
        words = parse(line)[1]
        if words[0] == "rm":
            assert words[1:] == ["-rf", "tilesight/build"], line
        if words[0] == "make":
            assert f"\n{words[1]}:" in makefile, line
        if words[:2] == ["apt-get", "install"]:
            for package in words[2:]:
                known = package in SYSTEM_PACKAGES or package in system or package.startswith("fonts-")
                assert known or package == "...", line
        if words[0] in ("pipx", "uv", "env/bin/pip") and "install" in words:
            if "--no-index" in words:
                assert words[2:] == ["--no-index", "--find-links", "wheels", "tilesight[all]"]
                assert (
                    "collect/bin/pip wheel './tilesight[all]' --wheel-dir wheels" in PAGES["docs/install.md"]
                )
            else:
                assert words[-1] in ("./tilesight[all]", "tilesight"), line


def test_no_message_and_no_page_names_an_index_that_does_not_have_us() -> None:
    files = [path for pattern in ("*.md", "docs/**/*.md", "*/**/*.py") for path in CHECKOUT.glob(pattern)]
    texts = [path.read_text(encoding="utf-8") for path in files if "tests" not in path.parts]
    assert [found for text in texts for found in re.findall(r"pip install '?tilesight[\[']?", text)] == []
