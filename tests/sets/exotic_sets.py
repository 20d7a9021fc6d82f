"""Sets that the network never saw: decorative typefaces, and Cyrillic and Greek letters.

The photos of a set share board, lamp and camera; the camera is held a little differently each time. Two photos show the
alphabet in order, the others positions of random games.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import ImageFont

from samples import (
    Camera,
    Handling,
    Light,
    RenderedPhoto,
    Style,
    Typeface,
    between,
    random_style,
    render_photo,
)
from scoring import Board, Edition, load_edition
from tests.sets.club_boards import club_light, measure_contrast, measure_difference
from tests.support.random_games import random_game

__all__ = ["DECORATIVE", "SCRIPTS", "ExoticSet", "alphabet_rows", "exotic_set", "find_font"]

FONTS = Path("/usr/share/fonts")
DECORATIVE = (
    "opentype/urw-base35/Z003-MediumItalic.otf",
    "opentype/lobster/lobster.otf",
    "opentype/urw-base35/URWBookman-DemiItalic.otf",
    "opentype/stix-word/STIX-BoldItalic.otf",
    "truetype/adf/OldaniaADFStd-Bold.otf",
    "truetype/adf/OldaniaADFStd-Italic.otf",
    "truetype/ancient-scripts/Alexander_hint.ttf",
    "truetype/ancient-scripts/Analecta_hint.ttf",
    "truetype/ancient-scripts/Alfios_J.otf",
    "truetype/ancient-scripts/AseaJ_hint.ttf",
    "truetype/breip/breipfont.ttf",
    "truetype/cmu/cmunbi.ttf",
    "truetype/cmu/cmunci.ttf",
    "truetype/cmu/cmuntx.ttf",
    "truetype/cmu/cmunui.ttf",
    "truetype/cmu/cmunvi.ttf",
    "truetype/dustin/Domestic_Manners.ttf",
    "truetype/dustin/El_Abogado_Loco.ttf",
    "truetype/dustin/It_wasn_t_me.ttf",
    "truetype/dustin/Junkyard.ttf",
    "truetype/dustin/PenguinAttack.ttf",
    "truetype/dustin/Wargames.ttf",
    "truetype/ecolier-court/Ecolier-court.ttf",
    "truetype/fifthhorseman/dkg.ttf",
    "truetype/fifthhorseman/dkgBd.ttf",
    "truetype/humor-sans/Humor-Sans.ttf",
    "truetype/isabella/Isabella.ttf",
    "truetype/uralic/chanui__.ttf",
    "truetype/rufscript/Rufscript010.ttf",
    "truetype/tomsontalks/TomsonTalks.ttf",
)
"""Files of Debian's font packages, none of which training uses."""

SCRIPTS = {
    "cyrillic": ("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ", "truetype/dejavu/DejaVuSerif-Bold.ttf"),
    "greek": ("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "truetype/dejavu/DejaVuSans-Bold.ttf"),
}
CELL_PX = 48.0
GAMES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ExoticSet:
    """A set and its photos.

    Parameters
    ----------
    name : str
        Name of the typeface or alphabet.
    edition : Edition
        Its letters.
    alphabets, games : tuple of RenderedPhoto
        Two photos to enrol, and the photos to read.
    """

    name: str
    edition: Edition
    alphabets: tuple[RenderedPhoto, ...]
    games: tuple[RenderedPhoto, ...]


def find_font(path: str) -> Path | None:
    """Find the file of a typeface; None where it is not installed."""
    if (FONTS / path).is_file():
        return FONTS / path
    return next(iter(sorted(FONTS.rglob(Path(path).name))), None)


def exotic_set(name: str, path: Path, edition: Edition, seed: int, games: int = GAMES) -> ExoticSet:
    """Render the photos of a set; the same seed gives the same photos."""
    rng = np.random.default_rng([seed, 4711])
    style, light = table_style(rng, read_typeface(path, edition.tokens)), club_light(rng, CELL_PX)
    tilt, azimuth, distance = between(rng, 0, 25), float(rng.normal(0, 15)), between(rng, 1.5, 3.0)

    def photo(rows: Sequence[Sequence[str]], number: int) -> RenderedPhoto:
        camera = Camera(
            cell_px=CELL_PX,
            tilt_deg=float(np.clip(tilt + rng.normal(0, 4), 0, 35)),
            azimuth_deg=azimuth + float(rng.normal(0, 5)),
            roll_deg=float(rng.normal(0, 3)),
            distance=distance,
        )
        lamp: Light = replace(light, brightness=light.brightness * between(rng, 0.9, 1.1))
        return render_photo(rows, edition, style=style, camera=camera, light=lamp, seed=100 * seed + number)

    return ExoticSet(
        name=name,
        edition=edition,
        alphabets=tuple(photo(alphabet_rows(edition), number) for number in range(2)),
        games=tuple(photo(random_position(edition, seed, number), 10 + number) for number in range(games)),
    )


def random_position(edition: Edition, seed: int, number: int) -> tuple[tuple[str, ...], ...]:
    """Draw a position of a random game, with bare blanks."""
    chances = random.Random(f"{edition.name} {seed} {number}")
    board: Board = random_game(chances, edition, turns=chances.randint(12, 36)).board
    return tuple(tuple("?" if token.islower() else token for token in row) for row in board.rows)


def alphabet_rows(edition: Edition) -> list[list[str]]:
    """Place the alphabet in order, on every second row and column."""
    rows = [["."] * edition.layout.columns for _ in range(edition.layout.rows)]
    places = ((row, column) for row in range(1, 15, 2) for column in range(1, 15, 2))
    for token, (row, column) in zip(edition.tokens, places, strict=False):
        rows[row][column] = token
    return rows


def script_edition(name: str, letters: str) -> Edition:
    """Make an edition of another alphabet, with the English rules."""
    english = load_edition("english")
    return replace(
        english,
        name=name,
        tokens=tuple(letters),
        values={letter: 1 + index % 8 for index, letter in enumerate(letters)} | {"?": 0},
        counts=dict.fromkeys(letters, 3) | {"?": 2},
    )


def table_style(rng: np.random.Generator, face: Typeface) -> Style:
    """Draw a readable set with this typeface, a board and a table."""
    while True:
        style = random_style(rng, fonts="heldout")
        if measure_contrast(style.tiles) >= 90 and measure_difference(style) >= 25:
            break
    tiles = replace(
        style.tiles,
        letter_face=face,
        letter_height=max(0.5, style.tiles.letter_height),
        value_height=max(0.16, style.tiles.value_height),
        stroke=0.0,
        value_shown=True,
        marked_jokers=0.0,
        joker="bare",
        gloss=0.0,
    )
    handling = Handling(
        offset=style.handling.offset, shift_xy=style.handling.shift_xy, turn_deg=style.handling.turn_deg
    )
    return replace(style, tiles=tiles, board=replace(style.board, clutter=0.0), handling=handling)


def read_typeface(path: Path, letters: Sequence[str]) -> Typeface:
    """Read a font file that is not in the renderer's list."""
    font = ImageFont.truetype(str(path), 64)
    family, style = (part or "" for part in font.getname())
    _, top, _, bottom = font.getbbox("H", anchor="ls")
    return Typeface(
        path=str(path),
        family=family,
        style=style,
        package="",
        letters=frozenset("".join(letters)) | frozenset("0123456789"),
        cap_height=(bottom - top) / 64,
        stem=0.15,
        plain_i=False,
    )
