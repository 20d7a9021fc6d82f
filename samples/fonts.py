"""The typefaces of tiles and boards: installed fonts of free Debian packages.

No font file is shipped. Only fonts in the folder of a listed package are used: their licence is known, and the same
packages give the same choice on every machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import ImageFont

from samples.errors import FontsMissingError
from scoring import edition_names, load_edition

__all__ = ["PACKAGES", "FontPackage", "FontSplit", "Typeface", "pick_typeface", "typefaces"]

FontSplit = Literal["train", "heldout"]

ROOT = Path("/usr/share")
"""Folder of the fonts that Debian packages install."""
BASIC = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
"""Letters and digits that a font must have to be used."""
HELDOUT_SHARE = 8
"""One family in this number is never trained on; chosen."""
HELDOUT_COPIES = (
    "mplus code", "tex gyre cursor", "tex gyre heros", "tex gyre termes", "stix", "freesans", "freeserif",
)  # fmt: skip
"""Copies of held-out families under other names: they differ in less than a twelfth of their ink."""
MEASURE_PX = 64
"""Size of a font, in pixels, at which its capitals and stems are measured; chosen."""
COVERAGE_PX = 16
"""Size, in pixels, at which a letter is compared with the sign for a missing one; chosen, small to be fast."""
PLAIN_I_SHARE = 0.5
"""Share of the choices that are made among families with a plain I only; chosen."""
MIN_STEM = 0.08
"""Width of a stem as a share of a capital's height; no tile has thinner print, and blur would hide it. Chosen."""

UNUSED_STYLES = (
    "thin",
    "hairline",
    "extralight",
    "ultralight",
    "italic",
    "oblique",
    "slanted",
    "outline",
    "ital",
)
"""Parts of the names of fonts that are too thin for a tile, slanted, or without real capitals."""
UNUSED_FAMILIES = (
    "math", "symbol", "oldania", "dunhill", "emoji", "dingbat", "initials", "keyboard", "z003", "d050000l",
    "chancery", "swash",
    "typewriter text variable", "upright italic", "classical serif", "smallcaps", "jsmath", "monoisome",
)  # fmt: skip
"""Parts of the names of families of such fonts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FontPackage:
    """A Debian package of fonts: its name, its licence, and its folders below ``/usr/share``."""

    name: str
    licence: str
    folders: tuple[str, ...]


def _package(name: str, licence: str, *folders: str) -> FontPackage:
    return FontPackage(name=name, licence=licence, folders=tuple(f"fonts/{folder}" for folder in folders))


OFL = "OFL-1.1"
"""The SIL Open Font License, by its SPDX identifier."""
PACKAGES: tuple[FontPackage, ...] = (
    _package("fonts-adf-*", "GPL-2+ with font exception", "truetype/adf"),
    _package("fonts-averia-sans-gwf, fonts-averia-serif-gwf", OFL, "truetype/averia-gwf"),
    _package("fonts-anonymous-pro", OFL, "truetype/anonymous-pro"),
    _package("fonts-b612", "OFL-1.1 and EPL-2.0", "opentype/b612"),
    _package("fonts-bebas-neue", OFL, "opentype/bebas-neue"),
    _package("fonts-cabin", OFL, "opentype/cabin"),
    _package("fonts-cantarell", OFL, "opentype/cantarell"),
    _package("fonts-clear-sans", "Apache-2.0", "truetype/clear-sans"),
    _package("fonts-cmu", OFL, "truetype/cmu"),
    _package("fonts-comfortaa", OFL, "truetype/comfortaa"),
    _package("fonts-courier-prime", OFL, "opentype/courier-prime"),
    _package("fonts-croscore", "Apache-2.0", "truetype/croscore"),
    _package("fonts-crosextra-caladea, fonts-crosextra-carlito", "Apache-2.0, OFL-1.1", "truetype/crosextra"),
    _package("fonts-dejavu-core, fonts-dejavu-extra", "Bitstream Vera", "truetype/dejavu"),
    _package("fonts-dosis", OFL, "opentype/dosis"),
    _package("fonts-fantasque-sans", OFL, "truetype/fantasque-sans/Normal/TTF"),
    _package("fonts-firacode", OFL, "truetype/firacode"),
    _package("fonts-freefont-ttf", "GPL-3+ with font exception", "truetype/freefont"),
    _package("fonts-gfs-artemisia", OFL, "opentype/artemisia"),
    _package("fonts-gfs-didot", OFL, "opentype/didot"),
    _package("fonts-gfs-neohellenic", OFL, "opentype/neohellenic"),
    _package("fonts-go", "BSD-3-Clause", "fonts-go", "truetype/go"),
    _package("fonts-hack", "MIT and Bitstream Vera", "truetype/hack"),
    _package("fonts-inter", OFL, "opentype/inter"),
    _package("fonts-jetbrains-mono", OFL, "truetype/jetbrains-mono"),
    _package("fonts-junicode", OFL, "opentype/junicode"),
    _package("fonts-jura", "OFL-1.1 or GPL-3", "opentype/jura"),
    _package("fonts-karla", OFL, "truetype/karla"),
    _package("fonts-lato", OFL, "truetype/lato"),
    _package("fonts-league-spartan", OFL, "opentype/league-spartan"),
    _package(
        "fonts-liberation, fonts-liberation2",
        "GPL-2 with font exception, OFL-1.1",
        "truetype/liberation",
        "truetype/liberation2",
    ),
    _package("fonts-linuxlibertine", "GPL-2+ with font exception or OFL-1.1", "opentype/linux-libertine"),
    _package("fonts-manrope", OFL, "opentype/manrope", "truetype/manrope"),
    _package("fonts-mononoki", OFL, "truetype/mononoki"),
    _package("fonts-mplus", OFL, "opentype/mplus"),
    _package("fonts-national-park", OFL, "opentype/national-park"),
    _package("fonts-noto-core, fonts-noto-mono", OFL, "truetype/noto"),
    _package("fonts-opendin", OFL, "opentype/opendin", "truetype/opendin"),
    _package("fonts-open-sans", "Apache-2.0", "truetype/open-sans"),
    _package("fonts-osifont", "GPL-3 or LGPL-3 with font exception", "truetype/osifont"),
    _package("fonts-oxygen", OFL, "truetype/oxygen"),
    _package("fonts-paratype", "ParaType Free Font License", "truetype/paratype"),
    _package("fonts-play", OFL, "truetype/play"),
    _package("fonts-quattrocento", OFL, "truetype/quattrocento"),
    _package("fonts-quicksand", OFL, "truetype/quicksand"),
    _package("fonts-roadgeek", "MIT", "truetype/roadgeek"),
    _package("fonts-roboto-slab", "Apache-2.0", "opentype/roboto/slab"),
    _package("fonts-roboto-unhinted", "Apache-2.0", "truetype/roboto/unhinted"),
    _package("fonts-routed-gothic", OFL, "truetype/routed-gothic"),
    _package("fonts-sawarabi-gothic", "CC-BY-3.0", "truetype/sawarabi-gothic"),
    _package("fonts-sil-andika", OFL, "truetype/andika"),
    _package("fonts-sil-charis", OFL, "truetype/charis"),
    _package("fonts-sil-gentium", OFL, "truetype/gentium"),
    _package("fonts-sora", OFL, "opentype/sora"),
    _package("fonts-stix", OFL, "opentype/stix-word"),
    _package("fonts-tuffy", "public domain", "truetype/tuffy"),
    _package("fonts-urw-base35", "AGPL-3 with font exception", "opentype/urw-base35"),
    _package("fonts-vlgothic", "BSD-3-Clause", "truetype/vlgothic"),
    _package("fonts-vollkorn", OFL, "truetype/vollkorn"),
    _package("fonts-yanone-kaffeesatz", OFL, "opentype/yanone-kaffeesatz"),
    FontPackage(
        name="fonts-texgyre", licence="GUST Font License", folders=("texmf/fonts/opentype/public/tex-gyre",)
    ),
    FontPackage(
        name="fonts-lmodern", licence="GUST Font License", folders=("texmf/fonts/opentype/public/lm",)
    ),
)
"""The Debian packages whose fonts are used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typeface:
    """A font file: its path, its names, and what it can draw.

    Parameters
    ----------
    path : str
        The font file.
    family, style : str
        As the font names itself: ``DejaVu Sans``, ``Bold``.
    package : str
        The Debian package that brings it.
    letters : frozenset of str
        The digits and the capitals of all editions that it can draw.
    cap_height : float
        Height of a capital H as a share of the font's size.
    stem : float
        Width of the stem of I as a share of `cap_height`.
    plain_i : bool
        Whether its I has no bars, as in most sans-serif faces.
    """

    path: str
    family: str
    style: str
    package: str
    letters: frozenset[str]
    cap_height: float
    stem: float
    plain_i: bool

    @property
    def split(self) -> FontSplit | None:
        """The family's half, by a checksum of its first word; None for a copy of a held-out family."""
        if self.family.lower().startswith(HELDOUT_COPIES):
            return None
        word = self.family.split()[0].lower()
        return "heldout" if zlib.crc32(word.encode()) % HELDOUT_SHARE == 0 else "train"

    def draws(self, text: str) -> bool:
        """Whether every character of `text` is in the font, also letters that no shipped edition has."""
        return all(
            character in self.letters
            or (character not in _edition_letters() and _draws_other(self.path, character))
            for character in text
        )


def _read_typeface(path: Path, package: FontPackage) -> Typeface | None:
    """Read the typeface in `path`; None where it is of no use on a tile."""
    if any(word in path.stem.lower() for word in UNUSED_STYLES):
        return None  # the file name tells, without opening the font
    try:
        font = ImageFont.truetype(str(path), MEASURE_PX)
    except OSError:
        return None
    family, style = (name or "" for name in font.getname())
    described = f"{family} {style} {path.stem}".lower()
    if any(word in described for word in UNUSED_STYLES + UNUSED_FAMILIES):
        return None
    letters = _letters_of(path)
    _, top, _, bottom = font.getbbox("H", anchor="ls")
    cap_px = bottom - top
    left, _, right, _ = font.getmask("I").getbbox() or (0, 0, MEASURE_PX, 0)
    if not letters or cap_px < 0.3 * MEASURE_PX:
        return None
    stem = _stem_px(font) / cap_px
    if stem < MIN_STEM:
        return None
    return Typeface(
        path=str(path),
        family=family,
        style=style,
        package=package.name,
        letters=letters,
        cap_height=cap_px / MEASURE_PX,
        stem=stem,
        plain_i=right - left < 0.36 * cap_px,
    )


def _letters_of(path: Path) -> frozenset[str]:
    """Find the letters and digits that a font draws; none where it lacks a basic one, as in other scripts."""
    drawn = _find_drawn(path, BASIC)
    return drawn | _find_drawn(path, _edition_letters() - BASIC) if drawn == BASIC else frozenset()


def _find_drawn(path: str | Path, characters: Collection[str]) -> frozenset[str]:
    """Find those of some characters that a font draws."""
    font = ImageFont.truetype(str(path), COVERAGE_PX)
    missing = font.getmask("\U0010fffe")
    notdef = (missing.size, bytes(missing))
    masks = ((character, font.getmask(character)) for character in characters)
    return frozenset(
        character for character, mask in masks if 0 not in mask.size and (mask.size, bytes(mask)) != notdef
    )


@lru_cache(maxsize=10_000)
def _draws_other(path: str, character: str) -> bool:
    """Whether a font draws a character that `_letters_of` does not look for."""
    return bool(_find_drawn(path, character))


@lru_cache(maxsize=1)
def _edition_letters() -> frozenset[str]:
    """List the letters of all shipped editions; they are looked for in each font."""
    return frozenset(c for name in edition_names() for token in load_edition(name).tokens for c in token)


def _stem_px(font: ImageFont.FreeTypeFont) -> float:
    """Measure the stem of I at half its height."""
    mask = font.getmask("I")
    width, height = mask.size
    return sum(float(mask.getpixel((x, height // 2))) for x in range(width)) / 255


@lru_cache(maxsize=1)
def typefaces() -> tuple[Typeface, ...]:
    """Find the usable typefaces that are installed, sorted by package, family and style.

    Raises
    ------
    FontsMissingError
        If there is none.
    """
    found: dict[tuple[str, str], Typeface] = {}
    for package in PACKAGES:
        for folder in package.folders:
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix.lower() not in {".ttf", ".otf"}:
                    continue
                typeface = _read_typeface(path, package)
                if typeface is not None:
                    found.setdefault((typeface.family, typeface.style), typeface)
    if not found:
        raise FontsMissingError(
            f"no usable font below {ROOT}: install fonts-dejavu-core "
            "(and, for variety, packages of the list in docs/development/renderer.md), then run again"
        )
    return tuple(sorted(found.values(), key=lambda t: (t.package, t.family, t.style)))


@lru_cache(maxsize=64)
def _families(split: FontSplit | None, needed: str) -> tuple[tuple[Typeface, ...], ...]:
    families: dict[str, list[Typeface]] = {}
    for typeface in typefaces():
        if (split is None or typeface.split == split) and typeface.draws(needed):
            families.setdefault(typeface.family, []).append(typeface)
    return tuple(tuple(family) for family in families.values())


def pick_typeface(rng: np.random.Generator, split: FontSplit | None, needed: Iterable[str]) -> Typeface:
    """Pick a family that draws every token of `needed`, then one of its styles.

    Families with a plain I are preferred, since most tile sets are printed with a sans-serif face.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state picks the same typeface.
    split : {"train", "heldout"} or None
        The half to pick from; None for all. With one family installed, ``"train"`` may pick a held-out one.
    needed : iterable of str
        Tokens.

    Raises
    ------
    FontsMissingError
        If no installed typeface of the split draws them all.
    """
    characters = "".join(sorted(set("".join(needed))))
    families = _families(split, characters)
    if not families and split == "train":
        families = _families(None, characters)  # only held-out families are installed
    if not families:
        raise FontsMissingError(
            f"no installed {split + ' ' if split else ''}font draws all of {characters!r}: "
            "install fonts-noto-core or another package of the list in docs/development/renderer.md"
        )
    plain = [family for family in families if family[0].plain_i]
    if plain and rng.random() < PLAIN_I_SHARE:
        family = plain[int(rng.integers(len(plain)))]
    else:
        family = families[int(rng.integers(len(families)))]
    return family[int(rng.integers(len(family)))]
