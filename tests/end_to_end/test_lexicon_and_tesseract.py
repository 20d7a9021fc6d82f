"""Options that change how letters are decided: a word list, and Tesseract for other alphabets."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

import scoring
from samples import Camera, JokerSign, Light, RenderedPhoto, Style, icelandic_style, render_photo, typefaces
from scoring import edition_names, load_edition
from tests.conftest import Outcome
from tests.support.random_games import random_game
from tests.support.tesseract import needs_tesseract

Command = Callable[..., Outcome]
RUSSIAN = Path(__file__).parents[1] / "support" / "data" / "russian.toml"


def plain_set(joker: JokerSign) -> Style:
    """Ivory tiles with black letters of a font that Debian always has, on the shipped sample's board."""
    style = icelandic_style()
    face = next(face for face in typefaces() if (face.family, face.style) == ("DejaVu Sans", "Bold"))
    return replace(style, tiles=replace(style.tiles, letter_face=face, value_face=face, joker=joker))


def cyrillic_photo(seed: int) -> RenderedPhoto:
    """A board of a Cyrillic edition in plain light."""
    edition = load_edition(RUSSIAN)
    return render_photo(
        random_game(random.Random(seed), edition, turns=14).board.rows,
        edition,
        style=plain_set("face"),
        camera=Camera(cell_px=44),
        light=Light(jpeg_quality=90),
        seed=seed,
    )


@needs_tesseract("rus")
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_cyrillic_board_is_read_with_tesseract_and_the_user_is_informed(
    tilesight: Command, tmp_path: Path, seed: int
) -> None:
    photo = cyrillic_photo(seed)
    cv2.imwrite(str(tmp_path / "board.png"), photo.image_bgr)
    corners = " ".join(f"{x:.2f},{y:.2f}" for x, y in photo.corners_px)
    outcome = tilesight(
        "read", tmp_path / "board.png", "--edition", RUSSIAN, "--corners", corners, "--format", "json"
    )
    assert outcome.code == 0, outcome.err
    assert "does not know its letters А Б В" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    (line,) = outcome.json_lines
    pairs = [
        pair
        for want, have in zip(photo.rows, line["rows"], strict=True)
        for pair in zip(want, have, strict=True)
    ]
    letters = [(want, have) for want, have in pairs if want.isupper()]
    assert sum(want == have for want, have in letters) >= 0.9 * len(letters), letters
    assert [(want, have) for want, have in pairs if want == "." and have != "."] == []
    blanks = [have for want, have in pairs if want == "?" or want.islower()]
    assert set(blanks) <= {"?"}


@pytest.mark.parametrize("command", ["read", "digitise"])
def test_only_a_named_edition_is_read_with_tesseract(
    tilesight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, icelandic_sample: Path, command: str
) -> None:
    names = (str(RUSSIAN), *edition_names())  # as if it were shipped
    monkeypatch.setattr(scoring, "edition_names", lambda: names)
    options = ("--out", tmp_path, "--workers", "1") if command == "digitise" else ("--format", "json")
    outcome = tilesight(command, icelandic_sample / "turn-05.jpg", *options)
    assert outcome.code == 0, outcome.err
    (line,) = [line for line in outcome.err.splitlines() if "russian" in line]
    assert (
        "edition russian: photos are read without it, since the network does not know its letters А Б" in line
    )
    found = (tmp_path / "photos.jsonl").read_text() if command == "digitise" else outcome.out
    assert json.loads(found)["edition"] == "icelandic"


def test_a_missing_language_is_named_with_its_package(
    tilesight: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, icelandic_sample: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    photo = sorted(icelandic_sample.glob("*.jpg"))[0]
    outcome = tilesight("read", photo, "--edition", RUSSIAN)
    assert outcome.code == 5
    (line,) = outcome.err.splitlines()
    assert "does not know its letters А Б В" in line
    assert line.endswith("apt-get install tesseract-ocr tesseract-ocr-rus")


@pytest.fixture
def blank_photo(tmp_path: Path, icelandic_sample: Path) -> tuple[Path, str]:
    """HRAKI on the board with a blank for its A, and the corners."""
    rows = [["."] * 15 for _ in range(15)]
    rows[7][3:8] = ["H", "R", "a", "K", "I"]
    photo = render_photo(
        rows, "icelandic", style=plain_set("star"), camera=Camera(cell_px=44), light=Light(), seed=1
    )
    cv2.imwrite(str(tmp_path / "blank.png"), photo.image_bgr)
    return tmp_path / "blank.png", " ".join(f"{x:.2f},{y:.2f}" for x, y in photo.corners_px)


@pytest.mark.parametrize(
    ("words", "want"),
    [(None, "HR?KI"), ("hraki\nloki\n", "HRaKI"), ("hraki\nhróki\n", "HR?KI"), ("loki\n", "HR?KI")],
    ids=["no list", "one word fits", "two words fit", "none fits"],
)
def test_a_blank_is_named_only_where_one_word_fits(
    tilesight: Command, tmp_path: Path, blank_photo: tuple[Path, str], words: str | None, want: str
) -> None:
    path, corners = blank_photo
    options: list[str | Path] = ["--edition", "icelandic", "--corners", corners, "--format", "json"]
    if words is not None:
        (tmp_path / "words.txt").write_text(words, encoding="utf-8")
        options += ["--lexicon", tmp_path / "words.txt"]
    outcome = tilesight("read", path, *options)
    assert outcome.code == 0, outcome.err
    assert "".join(outcome.json_lines[0]["rows"][7][3:8]) == want


@pytest.mark.parametrize(
    ("content", "code", "words"), [(None, 3, "cannot be read"), ("12345\n", 2, "is it a word list?")]
)
def test_a_word_list_that_is_none(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path, content: str | None, code: int, words: str
) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_text(content)
    photo = sorted(icelandic_sample.glob("*.jpg"))[0]
    outcome = tilesight("read", photo, "--edition", "icelandic", "--lexicon", path)
    assert outcome.code == code
    (line,) = outcome.err.splitlines()
    assert "words.txt" in line
    assert words in line
    assert not json.loads(outcome.out or "[]")
