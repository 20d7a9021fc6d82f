"""Compose one photo: which reader is used, and what a word list adds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from scoring import Board, Edition, Game, Layout, Lexicon, load_edition, parse_layout
from tests.sets import low_views
from vision import recognition
from vision.capture import Frame
from vision.core import Mask
from vision.core.boards import Occupancy, RectifiedBoard, SquareProbabilities
from vision.errors import BoardNotFoundError, MissingProgramError, SettingsError
from vision.observation import BoardObservation
from vision.pipeline import photo
from vision.pipeline.photo import read_photo
from vision.pipeline.photo_sequence import track_photos
from vision.pipeline.recognizers import (
    GameContext,
    find_unknown_letters,
    load_recognizer,
    select_readable_editions,
)
from vision.profile import Profile
from vision.recognition import tesseract
from vision.recognition.base import CompositeReader

ENGLISH = load_edition("english")
ICELANDIC = load_edition("icelandic")
SHIPPED = Path(__file__).parents[4] / "samples" / "shipped" / "icelandic"
CORNERS = [(10, 10), (310, 10), (310, 310), (10, 310)]
ENROL = "enrol its tiles with 'tilesight calibrate tiles', or run"
RUSSIAN = Path(__file__).parents[3] / "support" / "data" / "russian.toml"


def seen(row: list[dict[str, float]], reader: str = "network") -> SquareProbabilities:
    """A board whose middle row starts at H8 with these letters, ``"?"`` for a blank."""
    occupancy = np.zeros((15, 15, 4), np.float32)
    occupancy[..., Occupancy.EMPTY] = 1
    letters = np.full((15, 15, 26), 1 / 26, np.float32)
    for step, said in enumerate(row):
        square = (7, 7 + step)
        occupancy[square] = 0
        occupancy[square][Occupancy.BLANK if "?" in said else Occupancy.TILE] = 1
        letters[square] = [said.get(token, 1e-4) for token in ENGLISH.tokens]
    return SquareProbabilities(
        reader=reader,
        tokens=ENGLISH.tokens,
        value_labels=(None,),
        occupancy=occupancy,
        letters=letters,
        values=np.ones((15, 15, 1), np.float32),
        turns=np.full((15, 15, 4), 0.25, np.float32),
    )


class Fake:
    """A reader that always sees the same."""

    cell_px, margin_px = 20, 4

    def __init__(self, what: SquareProbabilities) -> None:
        self.what = what

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        return self.what


@pytest.fixture
def frame() -> Frame:
    image = np.full((320, 320, 3), 90, np.uint8)
    return Frame(image_bgr=image, source="drawn", index=0, time_s=0.0)


def word(board_row: tuple[str, ...]) -> str:
    return "".join(board_row[7:]).rstrip(".")


def test_a_word_list_names_the_blank(frame: Frame) -> None:
    reader = Fake(seen([{"H": 0.99}, {"?": 1.0}, {"T": 0.99}]))
    for words, want in (("hat dog", "HaT"), ("hat hot", "H?T")):
        lexicon = Lexicon.of(words.split())
        found = read_photo(
            frame, GameContext(edition=ENGLISH, recognizer=reader, lexicon=lexicon), corners_px=CORNERS
        )
        assert word(found.decoded.board.rows[7]) == want


class TestUnknownAlphabet:
    russian: Edition = load_edition(RUSSIAN)

    def test_letters_that_a_reader_lacks_are_named(self) -> None:
        assert find_unknown_letters(ENGLISH.tokens, load_edition("icelandic"))[:3] == ("Á", "Ð", "É")
        assert find_unknown_letters(ENGLISH.tokens, ENGLISH) == ()

    def test_where_no_edition_is_named_those_with_such_letters_are_left_out_but_for_enrolled_ones(
        self,
    ) -> None:
        messages: list[str] = []
        given = [self.russian, ENGLISH]
        assert select_readable_editions(given, None, messages.append) == [ENGLISH]
        (line,) = messages
        assert line.startswith("edition russian: photos are read without it")
        enrolled: Any = SimpleNamespace(prototypes=SimpleNamespace(tokens=self.russian.tokens))
        assert select_readable_editions(given, Profile(tiles=enrolled), messages.append) == given
        assert len(messages) == 1

    def test_the_letters_of_the_networks_are_known_without_loading_them(self) -> None:
        assert recognition.known_letters() == recognition.CascadeReader.load().tokens

    def test_tesseract_takes_over_and_the_line_says_what_is_better(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in (recognition, tesseract):
            monkeypatch.setattr(module, "installed_languages", lambda timeout_s=10.0: frozenset({"rus"}))
        said: list[str] = []
        reader = load_recognizer("network", self.russian, notify=said.append)
        assert isinstance(reader, CompositeReader)
        (line,) = said
        assert "does not know its letters А Б В" in line
        assert line.endswith(
            "Tesseract reads the letters instead, more slowly and less surely; enrol its tiles with "
            "'tilesight calibrate tiles'"
        )

    def test_nobody_needs_to_listen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (recognition, tesseract):
            monkeypatch.setattr(module, "installed_languages", lambda timeout_s=10.0: frozenset({"rus"}))
        assert isinstance(load_recognizer("network", self.russian), CompositeReader)

    def test_a_missing_language_is_named_with_its_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (recognition, tesseract):
            monkeypatch.setattr(module, "installed_languages", lambda timeout_s=10.0: frozenset({"eng"}))
        with pytest.raises(MissingProgramError, match=rf"А Б В.*{ENROL} apt-get install tesseract-ocr-rus$"):
            load_recognizer("network", self.russian)

    def test_a_missing_program_is_named_with_its_packages(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(MissingProgramError, match=rf"А Б В.*{ENROL} .*tesseract-ocr tesseract-ocr-rus$"):
            load_recognizer("network", self.russian)

    @pytest.mark.parametrize(
        ("language", "reason"),
        [("und", "its file names no language"), ("mt", "no Tesseract language is known for 'mt'")],
    )
    def test_an_edition_without_a_language_of_tesseract_can_be_enrolled(
        self, language: str, reason: str
    ) -> None:
        with pytest.raises(SettingsError, match=rf"letters А Б В.*, and {reason}; .*calibrate tiles', or "):
            load_recognizer("network", replace(self.russian, language=language))


def test_an_unknown_reader_is_refused() -> None:
    with pytest.raises(SettingsError, match="crystal-ball"):
        load_recognizer("crystal-ball", ENGLISH)


class TestLinesAlone:
    """A board whose premium squares are not where the edition has them."""

    ELSEWHERE = parse_layout(
        "\n".join("".join("d" if (row + column) % 2 else "." for column in range(15)) for row in range(15))
    )

    def read(self, name: str, *, mirrored: bool = False, layout: Layout = ELSEWHERE) -> BoardObservation:
        """Read a shipped photo, at half its size."""
        image = cv2.imread(str(SHIPPED / name), cv2.IMREAD_REDUCED_COLOR_2)
        assert image is not None
        shown = np.ascontiguousarray(image[:, ::-1] if mirrored else image).astype(np.uint8)
        edition = replace(ICELANDIC, layout=layout)
        context = GameContext(edition=edition, recognizer=load_recognizer("network", edition))
        return read_photo(Frame(image_bgr=shown, source=name, index=0, time_s=0.0), context)

    @pytest.mark.parametrize("mirrored", [False, True])
    def test_clear_lines_and_letters_show_it(self, mirrored: bool) -> None:
        found = self.read("turn-05.jpg", mirrored=mirrored)
        right = self.read("turn-05.jpg", layout=ICELANDIC.layout)
        assert found.decoded.board == right.decoded.board
        assert found.is_mirrored == mirrored
        assert not found.shows_layout
        assert any("premium squares are not recognised" in remark for remark in found.remarks)

    def test_few_letters_do_not(self) -> None:
        with pytest.raises(BoardNotFoundError, match="premium squares are not recognised"):
            self.read("turn-01.jpg")

    def test_letters_that_are_not_connected_do_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(photo, "connected_groups", lambda squares: [squares, squares])
        with pytest.raises(BoardNotFoundError, match="premium squares are not recognised"):
            self.read("turn-05.jpg")


def test_a_photo_may_be_named_by_a_text() -> None:
    context = GameContext(edition=ICELANDIC, recognizer=load_recognizer("network", ICELANDIC))
    name = str(SHIPPED / "turn-01.jpg")
    assert read_photo(name, context).decoded.board[7, 3] == "H"
    (batch,) = track_photos([name], Game(ICELANDIC, ("A", "B")), context)
    assert (batch.source, batch.game.totals) == ("turn-01.jpg", (28, 0))


@pytest.mark.parametrize(("row", "is_said"), [("........WORDS..", True), (".....WORDS.....", False)])
def test_tiles_seen_from_a_chair_that_miss_the_start_may_be_in_the_wrong_squares(
    row: str, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row if number == 7 else "." * 15 for number in range(15)]
    monkeypatch.setattr(low_views, "club_board", lambda *_: Board.from_rows(rows))
    seen = low_views.low_view(4, "usual")
    frame = Frame(image_bgr=seen.image_bgr, source="", index=0, time_s=0.0)
    context = GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH))
    found = read_photo(frame, context, corners_px=seen.corners_px.tolist())
    assert found.decoded.board == Board.from_rows(rows)
    assert found.is_height_uncertain is is_said
