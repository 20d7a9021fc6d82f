from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import load_edition
from tests.support.tesseract import needs_tesseract
from vision.core import Occupancy, RectifiedBoard, Square
from vision.errors import MissingProgramError, SettingsError
from vision.recognition import tesseract
from vision.recognition.glyph_segmentation import arrange_glyphs, find_glyph
from vision.recognition.tesseract import TesseractReader, installed_languages, installed_version, language_for

ENGLISH = load_edition("english")


def fake_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ocr: str, languages: str = "eng\ndeu"
) -> None:
    """A `tesseract` on the PATH that lists languages, and does `ocr` when it is to read."""
    script = f"""#!/bin/sh
case "$1" in
--list-langs) printf 'List of available languages (2):\\n{languages}\\n' ;;
--version) echo 'tesseract 5.3.0' ;;
*) {ocr} ;;
esac
"""
    program = folder / "tesseract"
    program.write_text(script)
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def drawn_board(
    tiles: dict[tuple[int, int], str], size: int = 15, cell_px: int = 64, margin_px: int = 12
) -> RectifiedBoard:
    """A green board with ivory tiles, their letters and small values, drawn with OpenCV's plain font."""
    side = size * cell_px + 2 * margin_px
    image = np.full((side, side, 3), (60, 110, 60), np.uint8)
    for k in range(size + 1):
        at = margin_px + k * cell_px
        cv2.line(image, (at, margin_px), (at, side - margin_px), (30, 60, 30), 1)
        cv2.line(image, (margin_px, at), (side - margin_px, at), (30, 60, 30), 1)
    for (row, column), letter in tiles.items():
        x, y = margin_px + column * cell_px, margin_px + row * cell_px
        cv2.rectangle(image, (x + 4, y + 4), (x + cell_px - 5, y + cell_px - 5), (205, 225, 235), -1)
        (width, height), _ = cv2.getTextSize(letter, cv2.FONT_HERSHEY_SIMPLEX, 1.1, 3)
        origin = (x + (cell_px - width) // 2, y + (cell_px + height) // 2)
        cv2.putText(image, letter, origin, cv2.FONT_HERSHEY_SIMPLEX, 1.1, (40, 30, 30), 3, cv2.LINE_AA)
        if letter:
            cv2.putText(
                image, "1", (x + 48, y + 57), cv2.FONT_HERSHEY_SIMPLEX, 0.3, (40, 30, 30), 1, cv2.LINE_AA
            )
    return RectifiedBoard(image_bgr=image, rows=size, columns=size, cell_px=cell_px, margin_px=margin_px)


class TestGlyphs:
    def test_a_letter_is_found_without_its_value(self) -> None:
        glyph = find_glyph(drawn_board({(7, 7): "H"}).cell(7, 7, 12))
        assert glyph is not None
        # the letter is 24 px high, the value below it would add a dozen
        assert glyph.image.shape[0] == pytest.approx(glyph.capital_px + 4, abs=1)
        assert glyph.image.min() < 30
        assert glyph.image[0].min() > 200

    def test_accents_belong_to_their_letter(self) -> None:
        board = drawn_board({(7, 7): "U"})
        cell = board.cell(7, 7, 12).copy()
        for x in (38, 50):
            cv2.circle(cell, (x, 24), 3, (40, 30, 30), -1)
        plain, dotted = find_glyph(board.cell(7, 7, 12)), find_glyph(cell)
        assert plain is not None
        assert dotted is not None
        assert dotted.capital_px == plain.capital_px
        assert dotted.image.shape[0] > plain.image.shape[0] + 5

    def test_light_letters_on_dark_tiles_turn_black_on_white(self) -> None:
        dark = find_glyph(drawn_board({(7, 7): "H"}).cell(7, 7, 12))
        light = find_glyph(np.asarray(255 - drawn_board({(7, 7): "H"}).cell(7, 7, 12), np.uint8))
        assert dark is not None
        assert light is not None
        assert np.abs(dark.image.astype(int) - light.image).mean() < 3

    @pytest.mark.parametrize("level", [0, 90, 255])
    def test_a_plain_square_has_none(self, level: int) -> None:
        assert find_glyph(np.full((88, 88, 3), level, np.uint8)) is None

    def test_noise_has_none(self) -> None:
        noise = np.random.default_rng(5).integers(100, 116, (88, 88, 3)).astype(np.uint8)
        assert find_glyph(noise) is None

    def test_an_empty_square_between_lines_has_none(self) -> None:
        board = drawn_board({})
        assert all(find_glyph(board.cell(r, c, 12)) is None for r in range(15) for c in range(15))

    def test_every_place_on_the_sheet_is_found_again(self) -> None:
        glyph = find_glyph(drawn_board({(7, 7): "H"}).cell(7, 7, 12))
        assert glyph is not None
        sheet = arrange_glyphs([glyph] * 30)
        _, _, boxes, _ = cv2.connectedComponentsWithStats((sheet.image < 128).astype(np.uint8))
        places = [sheet.glyph_at(x + w / 2, y + h / 2) for x, y, w, h, _ in boxes[1:].tolist()]
        assert sorted(place for place in places if place is not None) == list(range(30))
        assert sheet.glyph_at(0, 0) is None
        assert sheet.glyph_at(20 + 10 * 64, 20 + 1.5 * 64) is None


def tiles_on(*squares: Square) -> NDArray[np.float32]:
    """The occupancy of a board with tiles on these squares."""
    occupancy = np.zeros((15, 15, 4), np.float32)
    occupancy[..., Occupancy.EMPTY] = 1
    for square in squares:
        occupancy[square] = (0, 1, 0, 0)
    return occupancy


class TestDoor:
    def test_it_answers_version_and_languages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_program(tmp_path, monkeypatch, "exit 1")
        assert installed_version() == "5.3.0"
        assert installed_languages() == {"eng", "deu"}

    def test_a_missing_program_is_named_with_its_package(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert installed_version() is None
        with pytest.raises(MissingProgramError, match="apt-get install tesseract-ocr"):
            TesseractReader(language="eng", tokens=ENGLISH.tokens)

    def test_a_missing_language_is_named_with_its_package(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_program(tmp_path, monkeypatch, "exit 1")
        with pytest.raises(
            MissingProgramError, match=r"'isl' is not installed \(there are deu, eng\).*tesseract-ocr-isl"
        ):
            TesseractReader(language="isl", tokens=ENGLISH.tokens)

    def test_a_program_that_hangs_at_once_is_given_up(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "tesseract"
        program.write_text("#!/bin/sh\nexec sleep 20\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr(tesseract, "_MAX_ANSWER_S", 0.3)
        with pytest.raises(MissingProgramError, match=r"no answer to --list-langs within 0\.3 s"):
            installed_languages()

    def test_another_program_of_that_name_is_noticed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "tesseract"
        program.write_text("#!/bin/sh\necho four-dimensional cube\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        with pytest.raises(MissingProgramError, match="four-dimensional cube"):
            installed_version()

    def test_a_program_that_cannot_run_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "tesseract"
        program.write_bytes(b"\x00\x01\x02")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(MissingProgramError, match="cannot be run"):
            installed_languages()


class TestFaultsWhileReading:
    board = drawn_board({(7, 7): "H"})

    def reader(self, timeout_s: float = 30.0) -> TesseractReader:
        return TesseractReader(language="eng", tokens=ENGLISH.tokens, timeout_s=timeout_s)

    def test_a_hanging_program_is_given_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_program(tmp_path, monkeypatch, "exec sleep 20")
        with pytest.raises(MissingProgramError, match=r"no answer in 0\.5 s"):
            self.reader(timeout_s=0.5).read(self.board, tiles_on((7, 7)))

    def test_a_failing_program_is_quoted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_program(tmp_path, monkeypatch, "echo out of paper >&2; exit 3")
        with pytest.raises(MissingProgramError, match=r"failed.*out of paper"):
            self.reader().read(self.board, tiles_on((7, 7)))

    def test_a_program_without_a_result_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_program(tmp_path, monkeypatch, "exit 0")
        with pytest.raises(MissingProgramError, match="wrote no result"):
            self.reader().read(self.board, tiles_on((7, 7)))

    @pytest.mark.parametrize("garbage", ["", "\\377\\376 %%%% <span", "x_bboxes 1 2 3 4; x_conf 99'>H<"])
    def test_garbage_leaves_the_letters_open(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, garbage: str
    ) -> None:
        fake_program(tmp_path, monkeypatch, f'printf "{garbage}" > "$2.hocr"')
        reading = self.reader().read(self.board, tiles_on((7, 7)))
        assert reading.letters[7, 7].max() == pytest.approx(1 / 26, rel=0.01)

    def test_a_program_that_goes_away_is_missed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_program(tmp_path, monkeypatch, "exit 0")
        reader = self.reader()
        monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
        with pytest.raises(MissingProgramError, match="has gone"):
            reader.read(self.board, tiles_on((7, 7)))


class TestReading:
    def test_choices_become_probabilities(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        hocr = (
            "<span class='ocrx_cinfo' title='x_bboxes 40 30 70 80; x_conf 90'>U</span>\n"
            "<span class='ocrx_cinfo' id='choice_1_1_1' title='x_confs 90'>U</span>\n"
            "<span class='ocrx_cinfo' id='choice_1_1_2' title='x_confs 50'>O</span>\n"
        )
        (tmp_path / "answer").write_text(hocr)
        fake_program(tmp_path, monkeypatch, f'cp {tmp_path / "answer"} "$2.hocr"')
        reader = TesseractReader(language="eng", tokens=ENGLISH.tokens)
        reading = reader.read(drawn_board({(7, 7): "U"}), tiles_on((7, 7)))
        letters = dict(zip(reading.tokens, reading.letters[7, 7].tolist(), strict=True))
        assert letters["U"] > 0.9 > letters["O"] > 2 * letters["E"]
        assert sum(letters.values()) == pytest.approx(1, abs=1e-5)

    def test_two_characters_at_one_place_are_a_digraph(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hocr = (
            "<span class='ocrx_cinfo' title='x_bboxes 22 30 50 80; x_conf 90'>S</span>\n"
            "<span class='ocrx_cinfo' title='x_bboxes 52 30 80 80; x_conf 90'>z</span>\n"
        )
        (tmp_path / "answer").write_text(hocr)
        fake_program(tmp_path, monkeypatch, f'cp {tmp_path / "answer"} "$2.hocr"')
        hungarian = load_edition("hungarian")
        reader = TesseractReader(language="eng", tokens=hungarian.tokens)
        reading = reader.read(drawn_board({(7, 7): "H"}), tiles_on((7, 7)))
        assert reading.tokens[int(reading.letters[7, 7].argmax())] == "SZ"

    def test_an_empty_board_needs_no_program(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_program(tmp_path, monkeypatch, "exit 1")
        reading = TesseractReader(language="eng", tokens=ENGLISH.tokens).read(drawn_board({}), tiles_on())
        assert reading.letters.max() == pytest.approx(1 / 26)

    @needs_tesseract("eng")
    def test_a_drawn_board_is_read_in_one_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        word = {(7, 4 + k): letter for k, letter in enumerate("HWKDZ")} | {
            (3 + k, 10): letter for k, letter in enumerate("MARTXN")
        }
        import pytesseract

        calls = []
        ask = pytesseract.image_to_pdf_or_hocr

        def counted(*args: object, **named: object) -> object:
            calls.append(named)
            return ask(*args, **named)

        monkeypatch.setattr(pytesseract, "image_to_pdf_or_hocr", counted)
        reading = TesseractReader.for_edition(ENGLISH).read(drawn_board(word), tiles_on(*word))
        assert len(calls) == 1
        right = [
            reading.tokens[int(reading.letters[square].argmax())] == letter for square, letter in word.items()
        ]
        assert sum(right) >= len(word) - 1

    @needs_tesseract("eng")
    def test_the_networks_occupancy_says_where_tiles_are(self) -> None:
        occupancy = tiles_on((7, 7))
        occupancy[7, 8] = (0, 0, 1, 0)
        reading = TesseractReader.for_edition(ENGLISH).read(
            drawn_board({(7, 7): "H", (0, 0): "A"}), occupancy
        )
        assert np.array_equal(reading.occupancy, occupancy)
        assert reading.letters[0, 0].max() == pytest.approx(1 / 26)
        assert reading.letters[7, 7].max() > 0.5


@pytest.mark.parametrize(
    ("edition", "language"),
    [("icelandic", "isl"), ("norwegian", "nor"), ("danish", "dan"), ("hungarian", "hun")],
)
def test_editions_know_their_language(edition: str, language: str) -> None:
    assert language_for(load_edition(edition)) == language


@pytest.mark.parametrize("code", ["no", "nb", "nn"])
def test_an_own_edition_may_name_bokmal_or_nynorsk(code: str) -> None:
    assert language_for(replace(ENGLISH, language=code)) == "nor"


def test_a_three_letter_code_is_taken_as_it_is_and_others_are_refused() -> None:
    assert language_for(replace(ENGLISH, language="ces")) == "ces"
    with pytest.raises(SettingsError, match="no Tesseract language is known for 'xx'"):
        language_for(replace(ENGLISH, language="xx"))
