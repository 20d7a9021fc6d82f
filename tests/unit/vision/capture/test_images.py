"""Opening pictures: every kind of bad file ends in one clear line."""

from __future__ import annotations

import io
import os
import pickle
import struct
import warnings
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from vision.capture import list_pictures, open_picture, read_metadata
from vision.errors import ExitCode, InputError


def noise(height: int = 200, width: int = 300) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)


def saved(path: Path, image: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), image)
    return path


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_picture(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert caught.value.exit_code == ExitCode.INPUT
    return message


def tiff(*pages: tuple[np.ndarray, dict[int, int]]) -> bytes:
    """Write pages as TIFF with these tags; each plane is a strip, or a tile if a tile's width is a tag."""
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for image, more in pages:
        height, width, _ = image.shape
        tags = {256: width, 257: height, 259: 1, 262: 2, 277: 3, 278: height, 284: 2, **more}
        lists = len(data)
        data[link : link + 4] = struct.pack("<I", lists + 30)
        link = lists + 30 + 2 + 12 * (len(tags) + 3)
        n_bytes = image[..., 0].nbytes
        data += struct.pack("<6I3H", *[link + 4 + plane * n_bytes for plane in range(3)], *[n_bytes] * 3,
                            *[8 * image.itemsize] * 3)  # fmt: skip
        entries = [(tag, 4, 1, value) for tag, value in tags.items()]
        starts, lengths = (324, 325) if 322 in more else (273, 279)
        entries += [(starts, 4, 3, lists), (lengths, 4, 3, lists + 12), (258, 3, 3, lists + 24)]
        data += struct.pack("<H", len(entries))
        data += b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries)) + bytes(4)
        data += np.moveaxis(image, 2, 0).tobytes()
    return bytes(data)


def test_a_thumbnail_before_the_picture_of_a_tiff_is_not_read(tmp_path: Path) -> None:
    path, picture = tmp_path / "a.tif", noise()
    path.write_bytes(tiff((picture[:100, :100], {254: 1}), (picture, {254: 0})))
    assert np.array_equal(open_picture(path).image_bgr, picture[..., ::-1])
    path.write_bytes(tiff((picture, {254: 1})))
    assert open_picture(path).image_bgr.shape == picture.shape


@pytest.mark.parametrize("tags", [{254: 1, 330: 8}, {50706: 0x401}, {262: 32803}])
def test_a_raw_file_of_a_camera_is_refused(tmp_path: Path, tags: dict[int, int]) -> None:
    path = tmp_path / "a.dng"
    path.write_bytes(tiff((noise(), tags)))
    assert "raw file; export it as JPEG" in refused(path)


def test_a_tiff_is_a_raw_file_by_the_whole_mark_of_cr2_only(tmp_path: Path) -> None:
    path, picture = tmp_path / "a.tif", noise()
    uncompressed = [cv2.IMWRITE_TIFF_COMPRESSION, 1]  # the pixels begin where CR2 has its mark
    picture[0, :2, ::-1] = np.frombuffer(b"CR\2\1\1\1", np.uint8).reshape(2, 3)
    assert cv2.imwrite(str(path), picture, uncompressed)
    assert path.read_bytes()[8:10] == b"CR"
    assert np.array_equal(open_picture(path).image_bgr, picture)
    path.write_bytes(path.read_bytes()[:8] + b"CR\2\0" + path.read_bytes()[12:])
    assert "raw file" in refused(path)


def test_a_picture_with_the_name_of_a_raw_file_is_read_and_an_unknown_file_is_a_raw_file(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path / "a.png", noise()).rename(tmp_path / "a.nef")
    assert open_picture(path).image_bgr.shape == (200, 300, 3)
    path.write_bytes(b"FUJIFILMCCD-RAW 0201")
    for name in ("a.raf", "a.nrw", "a.3fr"):
        path = path.rename(tmp_path / name)
        assert "raw file" in refused(path)


@pytest.mark.parametrize("tags", [{}, {322: 256, 323: 256}])
def test_a_tiff_that_is_cut_short_says_so(tmp_path: Path, tags: dict[int, int]) -> None:
    path, picture = tmp_path / "a.tif", noise(256, 256)
    whole = tiff((picture, tags))
    path.write_bytes(whole)
    assert np.array_equal(open_picture(path).image_bgr, picture[..., ::-1])
    path.write_bytes(whole[: int(0.95 * len(whole))])
    assert "cut short; copy it again" in refused(path)
    path.write_bytes(whole[:4] + struct.pack("<I", len(whole)) + whole[8:])  # the tags were at its end
    assert "cut short; copy it again" in refused(path)


def test_a_tiff_that_is_cut_short_after_its_thumbnail_says_so(tmp_path: Path) -> None:
    path, thumbnail = tmp_path / "a.tif", (noise(), {254: 1})
    whole = tiff(thumbnail, (noise(400, 600), {}))
    path.write_bytes(whole[: len(tiff(thumbnail))])
    assert "cut short; copy it again" in refused(path)


def test_unusual_kinds_of_tiff_are_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    path.write_bytes(tiff((noise().astype(np.float32), {339: 3})))
    assert "unusual kind; copy it again from the camera, or save it as PNG or JPEG" in refused(path)


def test_a_film_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "game.MOV").write_bytes(b"\0\0\0\x08wide")
    with (tmp_path / "large.mp4").open("wb") as file:
        file.truncate(257_000_000)
    for name in ("game.MOV", "large.mp4"):
        assert "a film, and no picture; follow it with 'tilesight watch', or save" in refused(tmp_path / name)


@pytest.mark.parametrize(
    ("brand", "kind"), [(b"crx ", "raw file"), (b"isom", "a film"), (b"mp42", "a film"), (b"qt  ", "a film")]
)
def test_a_raw_file_or_film_with_the_name_of_a_picture_is_called_that(
    tmp_path: Path, brand: bytes, kind: str
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"\0\0\0\x18ftyp" + brand + bytes(500))
    assert kind in refused(path)


def test_a_picture_keeps_its_colour_order(tmp_path: Path) -> None:
    blue = np.zeros((120, 120, 3), np.uint8)
    blue[..., 0] = 255
    frame = open_picture(saved(tmp_path / "blue.png", blue))
    assert frame.image_bgr[60, 60].tolist() == [255, 0, 0]
    assert not frame.image_bgr.flags.writeable


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tif", ".bmp", ".gif", ".avif"])
def test_every_format_opens(tmp_path: Path, suffix: str) -> None:
    assert open_picture(saved(tmp_path / f"a{suffix}", noise())).image_bgr.shape == (200, 300, 3)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tif", ".avif"])
def test_exif_orientation_is_applied(tmp_path: Path, suffix: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn a quarter clockwise to see it upright
    path = tmp_path / f"turned{suffix}"
    Image.fromarray(noise()).save(path, exif=exif)
    assert open_picture(path).image_bgr.shape == (300, 200, 3)


def test_a_large_jpeg_may_be_opened_with_fewer_pixels(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "turned.jpg"
    Image.new("RGB", (4001, 3000), (0, 0, 255)).save(path, exif=exif)
    frame = open_picture(path, may_reduce=True)
    assert frame.size_px == (1500, 2001)
    assert frame.picture_size_px == (3000, 4001)
    # The first pixel of the reduced picture is the mean of four, whose centre is between them.
    assert frame.to_picture([[0, 0], [10, 20]]).tolist() == [[0.5, 0.5], [20.5, 40.5]]
    full = pickle.loads(pickle.dumps(frame)).with_all_pixels()
    assert full.size_px == full.picture_size_px == (3000, 4001)
    assert full.to_picture([[10, 20]]).tolist() == [[10, 20]]
    assert open_picture(path).reduction is None


@pytest.mark.parametrize(
    ("name", "size", "width"),
    [
        ("a.jpg", (1800, 2400), 1800),
        ("a.png", (3000, 4000), 3000),
        ("b.jpg", (1836, 2400), 918),
        ("c.jpg", (6000, 8000), 1500),
        ("panorama.jpg", (6000, 1000), 6000),
    ],
)
def test_how_far_a_picture_is_reduced(tmp_path: Path, name: str, size: tuple[int, int], width: int) -> None:
    Image.new("L", size).save(tmp_path / name)
    frame = open_picture(tmp_path / name, may_reduce=True)
    assert frame.size_px[0] == width
    assert frame.picture_size_px == size


@pytest.mark.parametrize("mode", ["L", "I;16", "RGBA", "CMYK", "P"])
def test_other_pixel_types_become_8_bit_bgr(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    if mode == "I;16":
        cv2.imwrite(str(path), noise()[..., 0].astype(np.uint16) * 257)
    else:
        Image.fromarray(noise()).convert(mode).save(path)
    image = open_picture(path).image_bgr
    assert image.dtype == np.uint8
    assert image.shape == (200, 300, 3)


def test_missing_folder_empty_and_text_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "text.jpg").write_text("no picture at all")
    assert "no such file" in refused(tmp_path / "missing.jpg")
    assert "folder" in refused(tmp_path)
    assert "empty" in refused(tmp_path / "empty.jpg")
    assert "not a picture" in refused(tmp_path / "text.jpg")


@pytest.mark.parametrize("major", [b"avif", b"mif1"])
def test_an_avif_picture_is_one_by_any_of_its_brands(tmp_path: Path, major: bytes) -> None:
    data = saved(tmp_path / "a.avif", noise()).read_bytes()
    path = tmp_path / "b.avif"
    path.write_bytes(data[:8] + major + data[12:])
    assert b"avif" in data[16 : int.from_bytes(data[:4], "big")]
    assert open_picture(path).image_bgr.shape == (200, 300, 3)
    assert read_metadata(path.read_bytes()).format == "avif"


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".avif"])
def test_a_truncated_picture_is_refused_at_every_length(tmp_path: Path, suffix: str, share: float) -> None:
    whole = saved(tmp_path / f"whole{suffix}", noise()).read_bytes()
    cut = tmp_path / f"cut{suffix}"
    cut.write_bytes(whole[: int(len(whole) * share)])
    assert "copy it again from the camera" in refused(cut)


def test_a_damaged_avif_picture_is_refused_at_every_byte(tmp_path: Path) -> None:
    whole = saved(tmp_path / "whole.avif", noise()).read_bytes()
    refusals = []
    for at in range(0, min(len(whole), 400), 7):
        path = tmp_path / f"{at}.avif"
        path.write_bytes(whole[:at] + b"\xff\xff\xff" + whole[at + 3 :])
        read_metadata(path.read_bytes())
        try:
            open_picture(path)  # what is not looked at may be damaged
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > 20


def test_a_thumbnail_does_not_hide_a_truncated_jpeg(tmp_path: Path) -> None:
    thumbnail = io.BytesIO()
    Image.fromarray(noise(32, 32)).save(thumbnail, "JPEG")
    _, encoded = cv2.imencode(".jpg", noise())
    whole = encoded.tobytes()
    payload = b"Exif\0\0" + thumbnail.getvalue()
    with_thumbnail = whole[:2] + b"\xff\xe1" + (len(payload) + 2).to_bytes(2, "big") + payload + whole[2:]
    path = tmp_path / "thumb.jpg"
    path.write_bytes(with_thumbnail)
    assert open_picture(path).image_bgr.shape == (200, 300, 3)
    path.write_bytes(with_thumbnail[: len(with_thumbnail) // 2])
    assert "cut short" in refused(path)


@pytest.mark.parametrize("restart_interval", [0, 4])
def test_a_jpeg_with_a_gap_of_zeros_is_refused(tmp_path: Path, restart_interval: int) -> None:
    path = tmp_path / "a.jpg"
    encoded = cv2.imencode(".jpg", noise(), [cv2.IMWRITE_JPEG_RST_INTERVAL, restart_interval])[1]
    data = bytearray(encoded.tobytes())
    assert (b"\xff\xd0" in data) == (restart_interval > 0)
    data[len(data) // 2 : len(data) // 2 + 1000] = bytes(1000)
    path.write_bytes(data)
    assert "cut short or has a gap; copy it again" in refused(path)


@pytest.mark.parametrize("quality", [1, 75, 100])
@pytest.mark.parametrize("kind", [cv2.IMWRITE_JPEG_OPTIMIZE, cv2.IMWRITE_JPEG_PROGRESSIVE])
def test_zeros_of_a_black_area_are_no_gap(tmp_path: Path, kind: int, quality: int) -> None:
    picture = np.zeros((1500, 2000, 3), np.uint8)
    picture[:200, :300] = noise()
    data = cv2.imencode(".jpg", picture, [kind, 1, cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
    assert bytes(512) in data
    (tmp_path / "a.jpg").write_bytes(data)
    assert open_picture(tmp_path / "a.jpg").image_bgr.shape == (1500, 2000, 3)


def test_bytes_after_the_end_of_a_jpeg_do_no_harm(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jpg", noise())
    path.write_bytes(path.read_bytes() + b"appended by the phone" + bytes(5000))
    assert open_picture(path).image_bgr.shape == (200, 300, 3)


def test_a_jpeg_with_several_pictures_is_a_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "phone.jpg"
    pictures = [Image.fromarray(noise(3000, 4000)), Image.new("RGB", (400, 300))]
    pictures[0].save(path, "MPO", save_all=True, append_images=pictures[1:], quality=30)
    assert open_picture(path, may_reduce=True).size_px == (2000, 1500)
    data = path.read_bytes()
    assert read_metadata(data).format == "jpeg"
    path.write_bytes(data[: len(data) // 2])
    assert "cut short" in refused(path)


def test_tiny_and_huge_pictures_are_refused_before_decoding(tmp_path: Path) -> None:
    assert "at least 100" in refused(saved(tmp_path / "dot.png", np.zeros((1, 1, 3), np.uint8)))
    huge = tmp_path / "huge.png"
    Image.new("1", (20_000, 20_000)).save(huge)
    assert "megapixels" in refused(huge)


def test_a_wide_but_light_picture_opens(tmp_path: Path) -> None:
    assert open_picture(saved(tmp_path / "wide.jpg", noise(150, 20_000))).image_bgr.shape == (150, 20_000, 3)


def test_folders_list_in_natural_order_and_only_pictures(tmp_path: Path) -> None:
    pictures = [
        *("DSC1.HIF", "image-1.PNG", "image-1 (1).jpg", "image-2.jpg", "image-10.jpg"),
        *("photo.jpg", "photo (1).jpg", "photo (2).jpg", "photo (10).jpg", "photo-1.jpg"),
    ]
    for name in [*reversed(pictures), "notes.txt", "game.json"]:
        (tmp_path / name).touch()
    assert [path.name for path in list_pictures(tmp_path)] == pictures


def test_folders_without_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no picture"):
        list_pictures(tmp_path)
    (tmp_path / "part-1.MP4").touch()
    with pytest.raises(InputError, match="the folder holds films and no picture; name one film"):
        list_pictures(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        list_pictures(tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not a folder"):
        list_pictures(tmp_path / "file")


def test_hidden_files_are_no_turns(tmp_path: Path) -> None:
    for name in ["._turn-1.jpg", "turn-1.jpg"]:
        (tmp_path / name).touch()
    assert [path.name for path in list_pictures(tmp_path)] == ["turn-1.jpg"]


def test_devices_pipes_and_giant_files_are_refused_without_reading(tmp_path: Path) -> None:
    assert "device or a pipe" in refused(Path("/dev/zero"))
    os.mkfifo(tmp_path / "pipe.jpg")
    assert "device or a pipe" in refused(tmp_path / "pipe.jpg")
    with (tmp_path / "giant.jpg").open("wb") as file:
        file.truncate(3_000_000_000)
    assert "3000 MB" in refused(tmp_path / "giant.jpg")


@pytest.mark.parametrize("suffix", [".bmp", ".tif"])
def test_decoders_do_not_talk_over_our_message(
    tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = saved(tmp_path / f"whole{suffix}", noise()).read_bytes()
    (tmp_path / f"cut{suffix}").write_bytes(whole[: len(whole) // 2])
    with warnings.catch_warnings(action="error"):
        refused(tmp_path / f"cut{suffix}")
    assert capfd.readouterr().err == ""
