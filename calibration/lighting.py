"""Measure the light over the table (exposure, colour, sharpness, noise, flicker), and advise what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.profile_update import origin_now
from vision.capture import Frame
from vision.core import Floats, Image
from vision.errors import InputError
from vision.profile import LightSection

__all__ = ["MEASURES", "measure_light", "suggest_camera_settings"]

MEASURES = {
    "bright": "grey level that the brightest hundredth reaches",
    "dark": "grey level below which the darkest hundredth lies",
    "clipped": "share of the picture that is pure white",
    "cast_blue": "how much bluer than grey pale surfaces are, in levels of b*",
    "cast_green": "how much greener than grey they are, in levels of a*",
    "unevenness": "brightness of the darkest ninth of the board against the brightest",
    "sharpness": "steepness of the sharpest edges, as a share of their height a pixel",
    "noise": "grey levels of noise in plain places",
    "flicker": "share by which brightness differs from picture to picture",
    "banding": "share by which rows of one picture differ from those of the next",
}
"""The measures in words, by their names in a profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LightSettings:
    """Limits of good light, in the units of `MEASURES`; chosen."""

    max_clipped: float = 0.02
    min_bright: float = 110.0
    min_contrast: float = 60.0
    """Least difference of ``bright`` and ``dark``."""
    max_cast: float = 14.0
    """Limit of both ``cast_blue`` and ``cast_green``."""
    min_evenness: float = 0.55
    """Least value of ``unevenness``, which is 1 for even light."""
    min_sharpness: float = 0.22
    max_noise: float = 5.0
    max_flicker: float = 0.03
    max_banding: float = 0.012
    min_scene_correlation: float = 0.9
    """Correlation of two small pictures of one scene in any light; pictures from another place correlate less."""


SETTINGS = LightSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class _PictureMeasures:
    """The measures of one picture, and the mean brightness of its rows."""

    measures: dict[str, float]
    rows: Floats


def measure_light(frames: Sequence[Frame], board_px: Floats | None = None) -> LightSection:
    """Measure the light section of a profile.

    Parameters
    ----------
    frames : sequence of Frame
        One picture, or for flicker several of one camera in a row.
    board_px : (4, 2) float64, optional
        The board's corners. Only the rectangle around them is measured.

    Raises
    ------
    ValueError
        If there is no picture.
    InputError
        If the pictures are of different sizes.
    """
    sizes = {frame.size_px: frame.source for frame in frames}
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise InputError(
            f"light: {first} has {one[0]}x{one[1]} px, {second} has {other[0]}x{other[1]}; "
            "take all pictures with one camera at one size, held the same way up"
        )
    pictures = [_measure_picture(frame.image_bgr, board_px) for frame in frames]
    if not pictures:
        raise ValueError("frames: one picture at least is needed")
    measures = {
        name: float(np.median([picture.measures[name] for picture in pictures]))
        for name in pictures[0].measures
    }
    if len(pictures) > 1 and _is_one_scene(frames):
        levels = np.array([picture.rows.mean() for picture in pictures])
        measures["flicker"] = float((levels.max() - levels.min()) / max(levels.mean(), 1.0))
        shapes = np.array([picture.rows / max(picture.rows.mean(), 1.0) for picture in pictures])
        # Scene and camera are the same: remaining differences between rows come from the lamp.
        smooth = cv2.GaussianBlur(shapes - shapes.mean(axis=0), (9, 1), 0)
        measures["banding"] = float(np.abs(smooth).max())
    advice = _advice(measures)
    if len(pictures) > 1 and "flicker" not in measures and not _is_too_dark(measures):
        advice.append("the pictures do not show one scene: flicker was not measured; take a few in a row")
    return LightSection(
        measures={name: round(value, 4) for name, value in measures.items()},
        advice=tuple(advice),
        origin=origin_now(list(dict.fromkeys(frame.source for frame in frames))),
    )


def _is_one_scene(frames: Sequence[Frame]) -> bool:
    """Return whether all pictures show one scene from one place, so that only the light can differ."""
    small = []
    for frame in frames:
        pixels = np.asarray(cv2.resize(frame.image_bgr, (32, 32), interpolation=cv2.INTER_AREA), np.float64)
        # the bands of a lamp that flickers are no other scene
        small.append((pixels / np.maximum(pixels.mean(axis=(1, 2), keepdims=True), 1.0)).ravel())
    if min(np.ptp(each) for each in small) == 0:  # one plain surface correlates with nothing
        return False
    correlations = np.asarray(np.corrcoef(np.stack(small)), np.float64).reshape(len(small), -1)
    return bool((correlations[0] > SETTINGS.min_scene_correlation).all())


def _is_too_dark(measures: Mapping[str, float]) -> bool:
    """Return whether the pictures are so dark that nothing else can be measured."""
    has_contrast = measures["bright"] - measures["dark"] >= SETTINGS.min_contrast
    return measures["bright"] < SETTINGS.min_bright and not has_contrast


def suggest_camera_settings(measures: dict[str, float], device: str = "/dev/video0") -> list[str]:
    """List the commands that set a camera of this system as the measures suggest.

    Parameters
    ----------
    measures : dict
        Values by the names of `MEASURES`.
    device : str
        Device file of the camera.
    """
    wanted = ["auto_exposure=1"]
    if measures.get("clipped", 0) > SETTINGS.max_clipped:
        wanted.append("exposure_time_absolute=<two thirds of the present value>")
    elif measures.get("bright", 255) < SETTINGS.min_bright:
        wanted.append("exposure_time_absolute=<twice the present value>")
    if measures.get("flicker", 0) > SETTINGS.max_flicker or measures.get("banding", 0) > SETTINGS.max_banding:
        wanted.append("power_line_frequency=1")  # 50 Hz; 2 is 60 Hz
    if max(abs(measures.get("cast_blue", 0)), abs(measures.get("cast_green", 0))) > SETTINGS.max_cast:
        wanted.append("white_balance_automatic=0")
    return (
        [f"v4l2-ctl --device {device} --set-ctrl {setting}" for setting in wanted] if len(wanted) > 1 else []
    )


def _measure_picture(image_bgr: Image, board_px: Floats | None) -> _PictureMeasures:
    """Measure one picture, or the part of it with the board."""
    part = image_bgr
    if board_px is not None:
        height, width = image_bgr.shape[:2]
        low = np.clip(np.floor(board_px.min(axis=0)), 0, (width - 16, height - 16)).astype(int)
        high = np.clip(np.ceil(board_px.max(axis=0)), low + 16, (width, height)).astype(int)
        part = image_bgr[low[1] : high[1], low[0] : high[0]]
    grey = np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.float32)
    low_level, high_level = np.percentile(grey, [1, 99])
    lab = cv2.cvtColor(part, cv2.COLOR_BGR2Lab).reshape(-1, 3).astype(np.float64)
    lab = lab[:: max(1, len(lab) // 40_000)]
    # Pale surfaces are bright, not clipped, and not of a strong colour.
    chroma = np.hypot(lab[:, 1] - 128, lab[:, 2] - 128)
    pale = lab[(lab[:, 0] > np.percentile(lab[:, 0], 60)) & (lab[:, 0] < 250) & (chroma < 40)]
    cast = np.median(pale[:, 1:] - 128, axis=0) if len(pale) else np.zeros(2)
    ninths = [
        float(np.percentile(ninth, 75))
        for band in np.array_split(grey, 3)
        for ninth in np.array_split(band, 3, axis=1)
    ]
    steps = np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3)) / 8
    detail = grey - cv2.GaussianBlur(grey, (0, 0), 1.5)
    blocks = detail[: detail.shape[0] // 8 * 8, : detail.shape[1] // 8 * 8]
    blocks = blocks.reshape(blocks.shape[0] // 8, 8, -1, 8).std(axis=(1, 3))
    return _PictureMeasures(
        measures={
            "bright": float(high_level),
            "dark": float(low_level),
            "clipped": float((part.min(axis=2) >= 254).mean()),
            "cast_blue": float(-cast[1]),
            "cast_green": float(-cast[0]),
            "unevenness": float(min(ninths) / max(max(ninths), 1.0)),
            "sharpness": float(np.percentile(steps, 99.5) / max(high_level - low_level, 1.0)),
            "noise": float(np.percentile(blocks, 10)),
        },
        rows=np.asarray(grey.mean(axis=1), np.float64),
    )


def _advice(measures: dict[str, float]) -> list[str]:
    """List what to change, most important first."""
    advice = []
    if measures["clipped"] > SETTINGS.max_clipped:
        advice.append(
            f"{measures['clipped']:.0%} of the board is pure white: expose shorter, or move the lamp that "
            "is mirrored"
        )
    if measures["bright"] < SETTINGS.min_bright:
        advice.append(f"too dark (the brightest parts have level {measures['bright']:.0f} of 255): add light")
        if _is_too_dark(measures):
            return advice
    elif measures["bright"] - measures["dark"] < SETTINGS.min_contrast:
        advice.append(
            f"little contrast (levels {measures['dark']:.0f} to {measures['bright']:.0f}): clean the lens, "
            "shade it from lamps"
        )
    if measures["sharpness"] < SETTINGS.min_sharpness:
        advice.append(
            f"blurred (edges rise by {measures['sharpness']:.1%} a pixel, {SETTINGS.min_sharpness:.1%} are needed): "
            "focus, fix the camera, or use more pixels"
        )
    if measures["noise"] > SETTINGS.max_noise:
        advice.append(f"noisy ({measures['noise']:.1f} levels): add light, so that the camera amplifies less")
    if measures["unevenness"] < SETTINGS.min_evenness:
        advice.append(
            f"uneven: one part of the board has {measures['unevenness']:.0%} of another's light; "
            "put the lamp higher, or add one"
        )
    for name, less, more in (("cast_blue", "yellowish", "bluish"), ("cast_green", "reddish", "greenish")):
        if abs(measures[name]) > SETTINGS.max_cast:
            tone = more if measures[name] > 0 else less
            advice.append(
                f"the picture is {tone} ({abs(measures[name]):.0f} levels): set the white balance to this lamp"
            )
    if measures.get("flicker", 0) > SETTINGS.max_flicker:
        advice.append(
            f"brightness changes by {measures['flicker']:.0%} from picture to picture: set the exposure by hand, to a "
            "multiple of 1/100 s (1/120 s where mains have 60 Hz)"
        )
    if measures.get("banding", 0) > SETTINGS.max_banding:
        advice.append(
            f"bands run through the picture ({measures['banding']:.1%}): the lamp flickers; expose "
            "1/100 s or 1/50 s, or use another lamp"
        )
    return advice
