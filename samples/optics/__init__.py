"""Camera, light, distortion, and boards that are not flat."""

from samples.optics.camera import Camera, View
from samples.optics.flat_view import place_on_table, render_table
from samples.optics.fold import fold_image, fold_points
from samples.optics.light import Glare, Light, photograph
from samples.optics.motion import CameraMotion, MovingLight
from samples.optics.true_lens import TrueLens, bow_image, bow_points

__all__ = [
    "Camera",
    "CameraMotion",
    "Glare",
    "Light",
    "MovingLight",
    "TrueLens",
    "View",
    "bow_image",
    "bow_points",
    "fold_image",
    "fold_points",
    "photograph",
    "place_on_table",
    "render_table",
]
