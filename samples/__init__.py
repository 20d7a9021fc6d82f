"""Renders boards, photos and films with exact truth.

>>> import numpy as np
>>> from samples import random_photo
>>> photo = random_photo(np.random.default_rng(7))
>>> photo.corners_px.shape
(4, 2)
"""

from samples.errors import FontsMissingError, SamplesError, SpecificationError
from samples.optics.camera import Camera
from samples.optics.light import Light
from samples.random.no_boards import SceneWithoutBoard, random_scene_without_board
from samples.random.photos import random_photo
from samples.random.styles import random_style
from samples.random.views import random_camera, random_light
from samples.rendering.photo import RenderedPhoto, render_photo
from samples.style import BoardStyle, Handling, Style, TableStyle, TileStyle

__all__ = [
    "BoardStyle",
    "Camera",
    "FontsMissingError",
    "Handling",
    "Light",
    "RenderedPhoto",
    "SamplesError",
    "SceneWithoutBoard",
    "SpecificationError",
    "Style",
    "TableStyle",
    "TileStyle",
    "random_camera",
    "random_light",
    "random_photo",
    "random_scene_without_board",
    "random_style",
    "render_photo",
]
