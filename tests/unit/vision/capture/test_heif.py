"""HEIC pictures, with the package that reads them and without it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from vision.capture import decode_picture, open_picture, read_metadata
from vision.errors import InputError, MissingProgramError

PHOTO = Path(__file__).parents[3] / "support" / "data" / "icelandic-1.heic"


def test_a_phone_s_picture_shows_what_the_jpeg_shows(icelandic_sample: Path) -> None:
    pytest.importorskip("pi_heif", reason="pi-heif (extra `heic`) is not installed")
    image = open_picture(PHOTO).image_bgr
    assert image.shape == (686, 738, 3)
    assert not image.flags.writeable
    jpeg = open_picture(icelandic_sample / "turn-01.jpg").image_bgr
    # The same means of blue, green and red: the channels are in their order, and the pixels are there.
    assert np.abs(image.mean(axis=(0, 1)) - jpeg.mean(axis=(0, 1))).max() < 3


@pytest.mark.parametrize("length", [24, 600, 9_000])
def test_a_cut_heic_is_reported_as_damaged(length: int) -> None:
    pytest.importorskip("pi_heif", reason="pi-heif (extra `heic`) is not installed")
    with pytest.raises(InputError, match=r"cut\.heic: the HEIC picture is damaged") as caught:
        decode_picture(PHOTO.read_bytes()[:length], Path("cut.heic"))
    assert "\n" not in str(caught.value)


def test_a_heic_file_without_a_picture_is_reported_as_damaged() -> None:
    pytest.importorskip("pi_heif", reason="pi-heif (extra `heic`) is not installed")
    # The picture's associations (ipma box) no longer name its size and its decoder's settings.
    data = PHOTO.read_bytes().replace(b"\x01\x04\x81\x02\x03\x04", b"\x01\x00\x00\x27\x10\x04")
    with pytest.raises(InputError, match=r"the HEIC picture is damaged \(it holds no picture\)"):
        decode_picture(data, Path("odd.heic"))
    assert read_metadata(data).format == "heif"


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    with pytest.raises(MissingProgramError, match=r"pipx install --force './tilesight\[all\]'"):
        open_picture(PHOTO)
