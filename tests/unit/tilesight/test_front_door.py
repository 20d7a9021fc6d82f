"""The front door: reading, following and scoring from Python, and an import that costs nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tilesight
from scoring import Board, Game, format_gcg, load_edition, parse_play

EDITION = load_edition("icelandic")


def test_a_photo_is_read(icelandic_sample: Path) -> None:
    found = tilesight.read(icelandic_sample / "turn-01.jpg", edition="icelandic")
    assert isinstance(found.decoded.board, Board)
    assert "".join(token for row in found.decoded.board.rows for token in row if token != ".") == "HRAKI"


def test_a_recorded_game_is_scored(tmp_path: Path) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play(parse_play("8D HRAKI", EDITION.tokens))
    path = tmp_path / "game.gcg"
    path.write_text(format_gcg(game))
    record = tilesight.score(path, edition="icelandic")
    assert (record.game.totals, record.differences) == (game.totals, ())


def test_a_folder_of_frames_is_followed(icelandic_sample: Path, tmp_path: Path) -> None:
    (tmp_path / "0.jpg").write_bytes((icelandic_sample / "turn-01.jpg").read_bytes())
    batches = list(tilesight.watch(str(tmp_path), edition="icelandic", journal=tmp_path / "game.db"))
    assert all(batch.game.edition.name == "icelandic" for batch in batches)
    assert (tmp_path / "game.db").exists()


def test_every_name_is_there_and_no_other() -> None:
    assert all(getattr(tilesight, name) is not None for name in tilesight.__all__)
    assert dir(tilesight) == sorted(tilesight.__all__)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        _ = tilesight.reed


def test_the_import_loads_no_pictures_library() -> None:
    code = "import sys, tilesight; print(*({'cv2', 'numpy', 'onnxruntime', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
