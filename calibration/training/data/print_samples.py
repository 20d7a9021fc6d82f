"""Rendered premium squares of one board, for the network that tells the side by their print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import BoardStyle, FontSplit, between, pick, pick_typeface, premium_stamps, random_board, toss
from scoring import edition_names, load_edition
from vision.recognition import PRINT_CELL_PX, PRINT_PX, normalize_print

Texts = tuple[str, str, str, str]
"""Texts of DL, TL, DW and TW."""

__all__ = ["PrintedSquares", "augment_prints", "random_squares", "render_squares"]

KEPT_CELL_PX, KEPT_MARGIN_PX = 72, 8
"""Side of a kept square and what is around it: 1.5 times the network's, for augmentation."""
CELL_PX = PRINT_CELL_PX // 2
"""Side of the square from whose middle the network takes a print."""

LANGUAGES = (
    ("LETTRE COMPTE DOUBLE", "LETTRE COMPTE TRIPLE", "MOT COMPTE DOUBLE", "MOT COMPTE TRIPLE"),
    ("DOBLE TANTO LETRA", "TRIPLE TANTO LETRA", "DOBLE TANTO PALABRA", "TRIPLE TANTO PALABRA"),
    ("PUNTEGGIO LETTERA X2", "PUNTEGGIO LETTERA X3", "PUNTEGGIO PAROLA X2", "PUNTEGGIO PAROLA X3"),
    ("LETRA DUPLA", "LETRA TRIPLA", "PALAVRA DUPLA", "PALAVRA TRIPLA"),
    ("2 X LETTER WAARDE", "3 X LETTER WAARDE", "2 X WOORD WAARDE", "3 X WOORD WAARDE"),
    ("DUBBEL BOKSTAVS POÄNG", "TREDUBBEL BOKSTAVS POÄNG", "DUBBEL ORD POÄNG", "TREDUBBEL ORD POÄNG"),
    ("DOBBELT BOGSTAV VÆRDI", "TREDOBBELT BOGSTAV VÆRDI", "DOBBELT ORD VÆRDI", "TREDOBBELT ORD VÆRDI"),
    ("KIRJAIN KAKSIN KERTAINEN", "KIRJAIN KOLMIN KERTAINEN", "SANA KAKSIN KERTAINEN", "SANA KOLMIN KERTAINEN"),
    ("PODWÓJNA PREMIA LITEROWA", "POTRÓJNA PREMIA LITEROWA", "PODWÓJNA PREMIA SŁOWNA", "POTRÓJNA PREMIA SŁOWNA"),
    ("DOUBLE LETTER", "TRIPLE LETTER", "DOUBLE WORD", "TRIPLE WORD"),
)  # fmt: skip
"""Texts of DL, TL, DW and TW besides those of the shipped editions."""

SHORT_TEXTS = (
    ("2x L", "3x L", "2x W", "3x W"), ("DL", "TL", "DW", "TW"), ("2L", "3L", "2W", "3W"),
    ("2 x", "3 x", "2 x", "3 x"), ("x2", "x3", "x2", "x3"), ("LD", "LT", "MD", "MT"), ("DB", "TB", "DW", "TW"),
    ("2", "3", "2", "3"), ("L2", "L3", "P2", "P3"), ("2B", "3B", "2O", "3O"),
)  # fmt: skip
"""Short texts of DL, TL, DW and TW."""

SIGNS = (
    "•",
    "+",
    "*",
    "O",
    "X",
    "=",
    "H",
    "I",
    "N",
    "S",
    "Z",
    "8",
    "O O",
    "• •",
    "X X",
    "- -",
    "I I",
    ":",
    "%",
)
"""Print that looks the same, or nearly so, from two sides or more."""

ALPHABET = "EEEEAAAIIIOOTTRRSSNNLLDDUUCCMMPPGGHHBBYYFFVVKKWWXZJQ"
"""Letters of words of no language, as often as they are drawn; chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class PrintedSquares:
    """The four premium squares of a board as they are printed, seen from straight above.

    Parameters
    ----------
    grey : (4, side, side) uint8
        The squares with a margin.
    has_side : bool
        Whether their print tells which side is up.
    """

    grey: NDArray[np.uint8]
    has_side: bool

    @classmethod
    def load(cls, file: Path) -> list[PrintedSquares]:
        """Load the boards of a file that `render_squares` has written."""
        with np.load(file) as kept:
            grey, sides = kept["grey"], kept["has_side"]
        return [cls(grey=each, has_side=bool(side)) for each, side in zip(grey, sides, strict=True)]


def random_squares(rng: np.random.Generator, fonts: FontSplit = "train") -> PrintedSquares:
    """Draw the premium squares of a random board with print, or without print that tells the side."""
    has_side = toss(rng, 0.82)
    texts = _readable_texts(rng) if has_side else _other_texts(rng)
    style = replace(random_board(rng, fonts), print_turn=0, premium_texts=texts)
    if texts is not None:
        letters = {"A", *filter(str.isalnum, "".join(texts).upper())}
        style = replace(
            style, text_face=pick_typeface(rng, fonts, letters), text_size=between(rng, 0.5, 0.95)
        )
    stamps = premium_stamps(style, KEPT_CELL_PX)
    grey = np.stack([_draw_square(style, stamps[mark].image_bgr, stamps[mark].mask) for mark in "dtDT"])
    return PrintedSquares(grey=grey, has_side=has_side)


def _readable_texts(rng: np.random.Generator) -> Texts:
    """Draw the texts of the four classes: words of a language, short ones, or letters of no language."""
    kind = rng.random()
    if kind < 0.25:
        texts = pick(rng, SHORT_TEXTS)
    elif kind < 0.45:
        texts = _each(lambda _: _random_words(rng))
    else:
        printed = [each for name in edition_names() if (each := load_edition(name).premium_texts)]
        known = [(each["DL"], each["TL"], each["DW"], each["TW"]) for each in printed]
        texts = pick(rng, (*known, *LANGUAGES))
    return _each(lambda number: texts[number].title()) if toss(rng, 0.12) else texts


def _each(text_of: Callable[[int], str]) -> Texts:
    """Return the texts of the four classes."""
    return text_of(0), text_of(1), text_of(2), text_of(3)


def _random_words(rng: np.random.Generator) -> str:
    """Draw one to three words of random letters."""
    sizes = rng.integers(2, 9, size=int(rng.integers(1, 4)))
    return " ".join("".join(rng.choice(list(ALPHABET), size)) for size in sizes)


def _other_texts(rng: np.random.Generator) -> Texts | None:
    """Draw no print, or signs that look the same from several sides."""
    if toss(rng, 0.4):
        return None
    sign = pick(rng, SIGNS)
    return sign, sign, sign, sign


def _draw_square(
    style: BoardStyle, print_bgr: NDArray[np.uint8], mask: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Draw a premium square among plain ones, between lines, in grey."""
    alpha = mask[..., None].astype(np.float32) / 255
    square = np.array(style.plain_bgr, np.float32) * (1 - alpha) + print_bgr * alpha
    cut = (square.shape[0] - KEPT_CELL_PX) // 2 - KEPT_MARGIN_PX
    square = square[cut:-cut, cut:-cut]
    if style.line_bgr is not None:
        thick = max(1, round(style.line_width * KEPT_CELL_PX))
        for edge in (KEPT_MARGIN_PX, KEPT_MARGIN_PX + KEPT_CELL_PX):
            first = edge - thick // 2
            square[first : first + thick] = style.line_bgr
            square[:, first : first + thick] = style.line_bgr
    grey = cv2.cvtColor(np.clip(square, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, np.uint8)


def render_squares(folder: Path, fonts: FontSplit, seed: int, numbers: range) -> None:
    """Render the boards with these numbers into one file unless it exists; seed and number decide each of them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{fonts}-{numbers[0]:06d}.npz"
    if file.exists():
        return
    drawn = [
        random_squares(np.random.default_rng([seed, number, fonts == "heldout"]), fonts) for number in numbers
    ]
    unfinished = file.with_name("." + file.name)
    np.savez(
        unfinished, grey=np.stack([each.grey for each in drawn]), has_side=[each.has_side for each in drawn]
    )
    unfinished.rename(file)


def augment_prints(squares: PrintedSquares, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the normalised prints (4, side, side) as the median of a photo's squares: small, blurred, off, noisy."""
    scale = float(np.exp(rng.uniform(np.log(18), np.log(KEPT_CELL_PX)))) / KEPT_CELL_PX
    sharp = toss(rng, 0.85)
    blur_px = KEPT_CELL_PX * (between(rng, 0.0, 0.03) if sharp else between(rng, 0.03, 0.06))
    matrix = np.eye(2) + rng.normal(0, 0.02, (2, 2))
    matrix *= CELL_PX / (scale * KEPT_CELL_PX)
    shift = rng.normal(0, 0.05 * CELL_PX, 2)
    noise, gradient = between(rng, 0.0, 0.2), rng.normal(0, 0.3, 2)
    y, x = np.mgrid[:PRINT_PX, :PRINT_PX] / PRINT_PX - 0.5
    prints = []
    for grey in squares.grey:
        small = cv2.GaussianBlur(grey, (0, 0), blur_px) if blur_px > 0.3 else grey
        small = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
        middle = (np.array(small.shape[::-1]) - 1) / 2
        offset = (PRINT_PX - 1) / 2 + shift + rng.normal(0, 0.2, 2) - matrix @ middle
        seen = cv2.warpAffine(
            small,
            np.column_stack([matrix, offset]),
            (PRINT_PX, PRINT_PX),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        seen *= (1 + gradient[0] * x + gradient[1] * y).astype(np.float32)
        seen += rng.normal(0, 1 + noise * seen.std(), seen.shape).astype(np.float32)
        prints.append(normalize_print(np.asarray(seen, np.float32)))
    result = np.stack(prints)
    return -result if toss(rng, 0.3) else result
