"""Typefaces: found in the folders of packages, split by family, and missing ones reported with advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samples import fonts
from samples.drawing.glyphs import text_ink
from samples.errors import FontsMissingError
from samples.fonts import PACKAGES, pick_typeface, typefaces


@pytest.fixture
def no_fonts(monkeypatch, tmp_path):
    for each in (fonts.typefaces, fonts._families):
        each.cache_clear()
    monkeypatch.setattr(fonts, "ROOT", tmp_path)
    yield tmp_path
    for each in (fonts.typefaces, fonts._families):
        each.cache_clear()


def test_every_typeface_draws_the_basic_letters_and_comes_from_a_listed_package():
    names = {package.name for package in PACKAGES}
    for typeface in typefaces():
        assert typeface.package in names
        assert typeface.draws("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        assert 0.3 < typeface.cap_height < 1.2


def test_a_family_is_trained_on_or_held_out_never_both():
    splits: dict[str, set[str | None]] = {}
    for typeface in typefaces():
        splits.setdefault(typeface.family, set()).add(typeface.split)
    assert all(len(split) == 1 for split in splits.values())


def test_a_held_out_family_under_another_name_is_not_trained_on_either():
    known = typefaces()[0]
    for family in ("TeX Gyre Heros Cn", "Mplus Code 50", "FreeSans"):
        assert replace(known, family=family).split is None
    assert replace(known, family="FreeMono").split == "heldout"


def test_dejavu_draws_the_letters_of_every_edition():
    dejavu = [typeface for typeface in typefaces() if typeface.family == "DejaVu Sans"]
    assert dejavu
    assert all(typeface.draws("ÁÆÐÉÍÓÖØÞÝĄĘŁŃŐŚŰŹŻÅÑ") for typeface in dejavu)


def test_letters_that_no_shipped_edition_has_are_looked_for():
    letters = "ČŴЖ"
    assert not fonts._edition_letters().intersection(letters)
    assert pick_typeface(np.random.default_rng(0), None, tuple(letters)).draws(letters)
    assert not typefaces()[0].draws("\U0010fffe")


def test_a_typeface_is_picked_for_what_it_must_draw_and_by_the_seed_alone():
    needed = ("Ő", "SZ", "Þ")
    picked = [pick_typeface(np.random.default_rng(seed), None, needed) for seed in range(20)]
    again = [pick_typeface(np.random.default_rng(seed), None, needed) for seed in range(20)]
    assert picked == again
    assert all(typeface.draws("ŐSZÞ") for typeface in picked)


def test_training_falls_back_where_only_held_out_fonts_are_installed(monkeypatch):
    held = tuple(typeface for typeface in typefaces() if typeface.split == "heldout")
    if not held:
        pytest.skip("no held-out font is installed here")
    fonts._families.cache_clear()
    monkeypatch.setattr(fonts, "typefaces", lambda: held)
    assert pick_typeface(np.random.default_rng(0), "train", ("A",)) in held
    fonts._families.cache_clear()


def test_without_fonts_the_message_names_a_package(no_fonts):
    with pytest.raises(FontsMissingError, match="install fonts-dejavu-core"):
        typefaces()


def test_a_letter_that_no_font_has_is_named():
    with pytest.raises(FontsMissingError, match="draws all of '7ぬ'"):
        pick_typeface(np.random.default_rng(0), None, ("ぬ", "7"))


def test_a_file_that_is_no_font_is_passed_over(no_fonts):
    folder = no_fonts / "fonts" / "truetype" / "dejavu"
    folder.mkdir(parents=True)
    (folder / "Broken.ttf").write_text("not a font")
    with pytest.raises(FontsMissingError):
        typefaces()


def dejavu_sans():
    return next(t for t in typefaces() if t.family == "DejaVu Sans" and t.style in {"Book", "Regular"})


def test_capitals_have_the_height_that_was_asked_for():
    ink = text_ink(dejavu_sans(), "H", 60)
    rows = np.flatnonzero((ink.mask > 127).any(axis=1))
    assert rows[-1] - rows[0] + 1 == pytest.approx(60, abs=1.5)
    assert ink.top_px + rows[-1] + 1 == pytest.approx(0, abs=1.5)


def test_an_accent_rises_over_the_capital_or_is_squeezed_into_its_height():
    free, low = text_ink(dejavu_sans(), "Ü", 60), text_ink(dejavu_sans(), "Ü", 60, low_accents=True)
    assert -free.top_px > 70
    assert -low.top_px < -free.top_px - 5


def test_no_accent_is_cut_off_where_there_is_little_room_above():
    free, low = text_ink(dejavu_sans(), "Ö", 60), text_ink(dejavu_sans(), "Ö", 60, max_rise_px=62)
    rows = np.flatnonzero((low.mask > 127).any(axis=1))
    assert -(low.top_px + rows[0]) <= 62 < -free.top_px
    assert text_ink(dejavu_sans(), "O", 60, max_rise_px=64).top_px == text_ink(dejavu_sans(), "O", 60).top_px


def test_a_barred_i_is_wider_than_a_plain_one():
    plain, barred = text_ink(dejavu_sans(), "I", 60), text_ink(dejavu_sans(), "I", 60, barred_i=True)
    assert barred.mask.shape[1] > 1.5 * plain.mask.shape[1]
    assert (barred.mask[4] > 127).sum() > 2 * (barred.mask[30] > 127).sum()


def test_a_digraph_is_squeezed_to_the_room_it_has():
    assert text_ink(dejavu_sans(), "SZ", 60, max_width_px=50).mask.shape[1] == 50


def test_the_readme_lists_every_package_with_its_licence():
    page = Path(fonts.__file__).parents[1] / "docs" / "development" / "renderer.md"
    text = page.read_text(encoding="utf-8")
    for package in PACKAGES:
        assert f"| {package.name} | {package.licence} |" in text
