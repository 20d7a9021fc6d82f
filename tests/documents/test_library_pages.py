"""The code of the documents runs: the examples of the library, complete programs, and docstrings."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import runpy
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tilesight
from scoring import Game
from tests.documents.pages import CHECKOUT, Block, code_blocks
from vision.game_events.updates import GameUpdate, UpdateKind

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = ("scoring", "tilesight")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the sample, as the pages assume it."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "samples").symlink_to(CHECKOUT / "samples")
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def blocks(page: str, word: str) -> list[Block]:
    return [each for each in code_blocks("python") if each.page == page and word in each.text]


def run_doctest(text: str, name: str) -> doctest.TestResults:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    return doctest.DocTestRunner(optionflags=OPTIONS).run(test)


def test_the_page_of_the_library_runs(workplace: Path) -> None:
    text = "\n".join(each.text for each in blocks("docs/library.md", ">>>"))
    failed, attempted = run_doctest(text, "library.md")
    assert (failed, attempted > 15) == (0, True)


@pytest.mark.parametrize("name", MODULES)
def test_the_docstring_of_the_door_runs(workplace: Path, name: str) -> None:
    failed, attempted = run_doctest(importlib.import_module(name).__doc__ or "", name)
    assert (failed, attempted > 1) == (0, True)


def write_program(folder: Path, word: str) -> Path:
    (block,) = blocks("docs/examples.md", word)
    path = folder / "program.py"
    path.write_text(block.text, encoding="utf-8")
    return path


@pytest.fixture
def bot(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], list[str]]]:
    """Run the program that posts moves; what it posted."""
    posted: list[str] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = write_program(tmp_path, "Post the moves")
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setattr(sys, "argv", [str(program), "samples/shipped/icelandic", address])

    def run() -> list[str]:
        runpy.run_path(str(program), run_name="__main__")
        return posted

    yield run
    server.shutdown()
    server.server_close()


def test_the_bot_posts_each_play(bot: Callable[[], list[str]]) -> None:
    posted = bot()
    assert posted[0] == "Anna: 8D HRAKI for 28, total 28"
    assert len(posted) == 5


def test_the_bot_posts_no_play_that_was_taken_back(
    bot: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Game("icelandic", ["Anna", "Jón"]).with_play("8D HRAKI")
    back = first.with_withdrawal(turn_lost=False)
    again = back.with_play("8H HRAK")
    longer = back.with_play("8H HRAKI")
    part = again.steps[-1].scored
    assert part is not None
    played = [
        replace(GameUpdate.of_last_step(UpdateKind.PLAY, game), is_provisional=True)
        for game in (first, again)
    ]
    updates = [
        played[0],
        GameUpdate.of_last_step(UpdateKind.WITHDRAWN, back),
        played[1],
        replace(GameUpdate.of_last_step(UpdateKind.PLAY, longer), is_provisional=True, replaces=part.play),
    ]
    batches = [SimpleNamespace(updates=(update,)) for update in updates]
    monkeypatch.setattr(tilesight, "watch", lambda *_, **__: batches)
    assert bot() == ["Anna: 8H HRAKI for 22, total 22"]


def test_the_script_writes_a_table(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    shutil.copy("samples/shipped/icelandic/turn-01.jpg", photos / "a.jpg")
    (photos / "b.jpg").write_bytes(b"no picture")
    program = write_program(tmp_path, "Read the boards of a folder")
    monkeypatch.setattr(sys, "argv", [str(program), str(photos), str(tmp_path / "table.csv")])
    runpy.run_path(str(program), run_name="__main__")
    lines = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1].startswith("a.jpg,. . .")
    assert "/. . . H R A K I . . . . . . ./" in lines[1]
    assert "b.jpg" in lines[2]
    assert "not a picture" in lines[2]


def test_the_own_edition_scores(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    editions = {each.text for each in code_blocks("toml") if "club.toml" in each.text}
    assert len(editions) == 1, "one page has the file"
    monkeypatch.chdir(tmp_path)
    Path("club.toml").write_text(editions.pop(), encoding="utf-8")
    runpy.run_path(str(write_program(tmp_path, "NIÑO")), run_name="__main__")
    (said,) = [line for line in blocks("docs/examples.md", "NIÑO")[0].text.splitlines() if "# " in line]
    assert capsys.readouterr().out.strip() == said.rpartition("# ")[2]


def test_json_and_toml_of_the_pages_can_be_read() -> None:
    for block in code_blocks("json"):
        json.loads(block.text)
    assert all(importlib.import_module("tomllib").loads(each.text) for each in code_blocks("toml"))


def test_every_block_of_python_is_tried() -> None:
    tried = {"docs/library.md", "docs/examples.md", "docs/development/renderer.md"}
    assert {each.page for each in code_blocks("python")} <= tried


def test_the_examples_of_the_renderer_run() -> None:
    text = "\n".join(each.text for each in blocks("docs/development/renderer.md", "samples"))
    exec(compile(text, "renderer.md", "exec"), {})
