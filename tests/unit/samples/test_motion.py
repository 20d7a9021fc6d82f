"""Cameras that move, and light that does: functions of time with a known size."""

from __future__ import annotations

import numpy as np
import pytest

from samples import CameraMotion, MovingLight
from samples.errors import SpecificationError

SIZE = (640, 480)
CENTRE = np.array([320.0, 240.0, 1.0])


@pytest.mark.parametrize("kind", ["sway", "shake", "vibration", "stabiliser", "hand"])
def test_a_motion_repeats_and_keeps_to_its_amplitude(kind: str) -> None:
    motion = CameraMotion(kind=kind, amplitude_px=4.0, seed=2)
    times = np.arange(0, 20, 0.1)
    places = np.array([(motion.matrix(t, SIZE) @ CENTRE)[:2] for t in times]) - CENTRE[:2]
    again = np.array([(motion.matrix(t, SIZE) @ CENTRE)[:2] for t in times]) - CENTRE[:2]
    assert (places == again).all()
    assert 1.0 < np.abs(places).max() < 20.0


def test_a_lens_that_breathes_grows_the_picture_for_a_second_in_six() -> None:
    motion = CameraMotion(kind="breathing", amplitude_px=6.0)
    assert motion.matrix(3.0, SIZE) == pytest.approx(np.eye(3))
    top = motion.matrix(0.5, SIZE) @ np.array([320.0, 0.0, 1.0])
    assert top[1] == pytest.approx(-6.0)


def test_a_camera_at_rest_changes_no_pixel() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (48, 64, 3)).astype(np.uint8)
    assert (CameraMotion(kind="sway", amplitude_px=0.0).move(picture, 1.0) == picture).all()


def test_bands_and_a_shadow_move_and_keep_to_their_strength() -> None:
    grey = np.full((480, 640, 3), 100, dtype=np.uint8)
    bands = MovingLight(kind="bands", strength=0.05)
    assert np.ptp(bands.shine(grey, 0.0)) in (9, 10, 11)
    assert (bands.shine(grey, 0.0) != bands.shine(grey, 0.1)).any()
    shadow = MovingLight(kind="shadow", strength=0.3).shine(grey, 0.0)
    assert (shadow.min(), shadow.max()) == (70, 100)


def test_what_is_no_motion_is_refused() -> None:
    with pytest.raises(SpecificationError, match="amplitude_px: got -1"):
        CameraMotion(kind="sway", amplitude_px=-1)
    with pytest.raises(SpecificationError, match="kind: got 'jump'; it must be one of sway"):
        CameraMotion(kind="jump", amplitude_px=1)
    with pytest.raises(SpecificationError, match="kind: got 'dark'; it must be one of bands"):
        MovingLight(kind="dark", strength=0.5)
