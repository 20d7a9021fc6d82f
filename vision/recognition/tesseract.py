"""The reader by Tesseract: all tiles on one sheet, one call. Only this module knows the program.

It reads alphabets that the network was not trained on. It recognises neither blanks nor values; another reader says
where tiles are.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from vision.core import Occupancy, RectifiedBoard, Square, SquareProbabilities
from vision.errors import MissingProgramError, SettingsError
from vision.recognition.glyph_segmentation import ContactSheet, Glyph, arrange_glyphs, find_glyph

__all__ = ["TesseractReader", "installed_languages", "installed_version", "language_for"]

_PROGRAM = "tesseract"
_OR_ELSE = "or use --reader network"
_LANGUAGES = {
    "bg": "bul",
    "cs": "ces",
    "da": "dan",
    "de": "deu",
    "el": "ell",
    "en": "eng",
    "es": "spa",
    "et": "est",
    "fi": "fin",
    "fr": "fra",
    "hr": "hrv",
    "hu": "hun",
    "is": "isl",
    "it": "ita",
    "lt": "lit",
    "lv": "lav",
    "nb": "nor",
    "nl": "nld",
    "nn": "nor",
    "no": "nor",
    "pl": "pol",
    "pt": "por",
    "ro": "ron",
    "ru": "rus",
    "sk": "slk",
    "sl": "slv",
    "sr": "srp",
    "sv": "swe",
    "tr": "tur",
    "uk": "ukr",
}
"""Tesseract's name of a language, by its ISO 639-1 code in an edition."""
_NO_LANGUAGE = "und"
"""The language of an edition whose file names none."""

_CONTEXT = 0.19
"""Context of a crop, as a share of the cell's side (chosen)."""
_MIN_TILE = 0.1
"""Probability of a tile, by another reader, from which a square is read (chosen)."""
_ERROR = 0.03
"""Probability of all letters that Tesseract did not name, and of a letter that is not upright (chosen)."""
_CHOICE_WEIGHT = 0.1
"""Weight of an alternative for a character: alternatives are not exclusive, so they count for less (chosen)."""
_JOINED_WEIGHT = 4
"""Weight of several characters as one token, such as a digraph (chosen)."""
_MAX_ANSWER_S = 10.0
"""Time in which the program names its version or its languages (chosen)."""
_CHOICE = re.compile(r"id='choice_[^']*' title='x_confs ([\d.]+)'>([^<]*)<")
_CHARACTER = re.compile(r"title='x_bboxes (\d+) (\d+) (\d+) (\d+); x_conf ([\d.]+)'>([^<]*)<")


def installed_version() -> str | None:
    """Return the version of Tesseract, or None if it is not installed.

    Raises
    ------
    MissingProgramError
        If the program is installed but does not answer.
    """
    try:
        answer = _run_tesseract("--version")
    except FileNotFoundError:
        return None
    found = re.search(r"tesseract v?(\d[\w.\-]*)", answer)
    if found is None:
        raise MissingProgramError(f"{_PROGRAM}: --version printed {answer[:60]!r}; is this the OCR program?")
    return found[1]


def installed_languages() -> frozenset[str]:
    """Return the languages that Tesseract has data for.

    Raises
    ------
    MissingProgramError
        If the program is not installed or does not answer.
    """
    try:
        answer = _run_tesseract("--list-langs")
    except FileNotFoundError as error:
        raise MissingProgramError(
            f"{_PROGRAM}: the program is not installed; run apt-get install tesseract-ocr, {_OR_ELSE}"
        ) from error
    return frozenset(
        line.strip() for line in answer.splitlines()[1:] if re.fullmatch(r"[\w/\-]+", line.strip())
    )


def _run_tesseract(option: str) -> str:
    """Run the program with one option and return what it prints."""
    try:
        done = subprocess.run([_PROGRAM, option], capture_output=True, timeout=_MAX_ANSWER_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise MissingProgramError(
            f"{_PROGRAM}: no answer to {option} within {_MAX_ANSWER_S:g} s; install it again, {_OR_ELSE}"
        ) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise MissingProgramError(
            f"{_PROGRAM}: cannot be run ({error.strerror}); install tesseract-ocr again"
        ) from error
    return (done.stdout or done.stderr).decode("utf-8", errors="replace").strip()


def language_for(edition: Edition, lack: str = "") -> str:
    """Return Tesseract's name of the edition's language.

    Parameters
    ----------
    edition : Edition
        The edition.
    lack : str
        Why Tesseract is needed, for the message.

    Raises
    ------
    SettingsError
        If none is known.
    """
    code = edition.language.split("-")[0].lower()
    language = _LANGUAGES.get(code, code if len(code) == 3 else None)
    start = f"{lack}, and" if lack else f"edition {edition.name}:"
    if language == _NO_LANGUAGE:
        raise SettingsError(
            f"{start} its file names no language; enrol its tiles with 'tilesight calibrate tiles', "
            'or add Tesseract\'s code to the file, such as language = "cat" for Catalan'
        )
    if language is None:
        raise SettingsError(
            f"{start} no Tesseract language is known for {edition.language!r}; enrol its tiles with "
            "'tilesight calibrate tiles', or write Tesseract's own code as its language, such as cat for Catalan"
        )
    return language


@dataclass(frozen=True, slots=True)
class TesseractReader:
    """Read the letters of a rectified board with Tesseract.

    Parameters
    ----------
    language : str
        Tesseract's name of a language.
    tokens : tuple of str
        The letters that may occur.
    timeout_s : float
        Seconds after which the program is considered to hang.
    cell_px, margin_px : int
        Sizes of the rectified board that it reads.

    Raises
    ------
    MissingProgramError
        If Tesseract or the language is not installed.
    """

    language: str
    tokens: tuple[str, ...]
    timeout_s: float = 30.0
    cell_px: int = 64
    margin_px: int = 12

    def __post_init__(self) -> None:
        installed = installed_languages()
        if self.language not in installed:
            raise MissingProgramError(
                f"{_PROGRAM}: the language {self.language!r} is not installed "
                f"(there are {', '.join(sorted(installed))}); "
                f"run apt-get install tesseract-ocr-{self.language.replace('_', '-')}, {_OR_ELSE}"
            )

    @classmethod
    def for_edition(cls, edition: Edition) -> TesseractReader:
        """Return a reader for the letters and the language of one edition."""
        return cls(language=language_for(edition), tokens=edition.tokens)

    def read(self, rectified: RectifiedBoard, occupancy: NDArray[np.float32]) -> SquareProbabilities:
        """Return the probabilities of every square; all tiles are read in one call.

        Parameters
        ----------
        rectified : RectifiedBoard
            The rectified board.
        occupancy : (rows, columns, 4) float32
            By another reader.

        Raises
        ------
        MissingProgramError
            If the program hangs or fails.
        """
        board = (rectified.rows, rectified.columns)
        context_px = min(rectified.margin_px, round(rectified.cell_px * _CONTEXT))
        glyphs: dict[Square, Glyph] = {}
        for row, column in np.ndindex(board):
            if occupancy[row, column, Occupancy.TILE] < _MIN_TILE:
                continue
            glyph = find_glyph(rectified.cell(row, column, context_px))
            if glyph is not None:
                glyphs[row, column] = glyph
        letters = np.full((*board, len(self.tokens)), 1 / len(self.tokens), np.float32)
        if glyphs:
            sheet = arrange_glyphs(list(glyphs.values()))
            for square, weights in zip(glyphs, _parse_hocr(self._recognize(sheet), sheet), strict=True):
                letters[square] = self._token_probabilities(weights)
        turns = np.full((*board, 4), _ERROR / 3, np.float32)
        turns[..., 0] = 1 - _ERROR
        return SquareProbabilities(
            reader="tesseract",
            tokens=self.tokens,
            value_labels=(None,),
            occupancy=occupancy,
            letters=letters,
            values=np.ones((*board, 1), np.float32),
            turns=turns,
        )

    def _recognize(self, sheet: ContactSheet) -> str:
        """Run Tesseract on the sheet; return hOCR with the alternatives of each character."""
        import pytesseract  # imports PIL; only this reader pays for it

        allowed = "".join(
            sorted({character for token in self.tokens for character in token if character.isalpha()})
        )
        settings = {
            "lstm_choice_mode": "2",
            "hocr_char_boxes": "1",
            "load_system_dawg": "0",  # words of a dictionary would replace unrelated letters
            "load_freq_dawg": "0",
            "tessedit_char_whitelist": allowed,
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        try:
            answer = pytesseract.image_to_pdf_or_hocr(
                sheet.image,
                lang=self.language,
                config=f"--psm 6 {options}",
                extension="hocr",
                timeout=self.timeout_s,
            )
        except pytesseract.TesseractNotFoundError as error:
            raise MissingProgramError(
                f"{_PROGRAM}: the program has gone; run apt-get install tesseract-ocr"
            ) from error
        except RuntimeError as error:
            # pytesseract raises a RuntimeError for its timeout, and a subclass of it for a failure
            failed = isinstance(error, pytesseract.TesseractError)
            what = (
                f"failed ({' '.join(str(error).split())[:120]})"
                if failed
                else f"no answer in {self.timeout_s:g} s"
            )
            raise MissingProgramError(f"{_PROGRAM}: {what}; install it again, {_OR_ELSE}") from error
        except OSError as error:
            raise MissingProgramError(
                f"{_PROGRAM}: it wrote no result ({error.strerror or error}); install it again, {_OR_ELSE}"
            ) from error
        return bytes(answer).decode("utf-8", errors="replace")

    def _token_probabilities(self, text_weights: dict[str, float]) -> NDArray[np.float32]:
        """Return the probability of each token from the weights of texts; uniform where no text is a token."""
        weights = np.array([text_weights.get(token, 0.0) for token in self.tokens])
        total = weights.sum()
        share = (
            (1 - _ERROR) * weights / total
            if total > 0
            else np.full(len(weights), (1 - _ERROR) / len(weights))
        )
        return np.asarray(share + _ERROR / len(weights), np.float32)


def _parse_hocr(hocr: str, sheet: ContactSheet) -> Iterator[dict[str, float]]:
    """Yield the texts that were read for each glyph of the sheet, with their weights."""
    characters: list[list[tuple[float, str]]] = [[] for _ in range(sheet.count)]
    choices: list[dict[str, float]] = [{} for _ in range(sheet.count)]
    number: int | None = None
    weight = 0.0
    for line in hocr.splitlines():
        if (character := _CHARACTER.search(line)) is not None:
            left, top, right, bottom = (int(character[k]) for k in range(1, 5))
            number = sheet.glyph_at((left + right) / 2, (top + bottom) / 2)
            weight = float(character[5]) / 100 * max(1, right - left)
            if number is not None:
                text = unescape(character[6]).strip().upper()
                characters[number].append((weight, text))
                choices[number][text] = choices[number].get(text, 0.0) + weight
        elif number is not None and (choice := _CHOICE.search(line)) is not None:
            text = unescape(choice[2]).strip().upper()
            choices[number][text] = (
                choices[number].get(text, 0.0) + _CHOICE_WEIGHT * weight * float(choice[1]) / 100
            )
    for read, weights in zip(characters, choices, strict=True):
        if len(read) > 1:
            # A digraph's letters, or one letter read twice: the joined text counts only if it is a token.
            weights["".join(text for _, text in read)] = _JOINED_WEIGHT * sum(weight for weight, _ in read)
        yield weights
