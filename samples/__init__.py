"""Renders boards, photos and films with exact truth.

>>> import numpy as np
>>> from samples import random_photo
>>> photo = random_photo(np.random.default_rng(7))
>>> photo.corners_px.shape
(4, 2)
"""

from samples.camera import Camera
from samples.errors import FontsMissingError, SamplesError, SpecificationError
from samples.light import Light
from samples.no_boards import SceneWithoutBoard, random_scene_without_board
from samples.photo import RenderedPhoto, render_photo
from samples.random_styles import random_style
from samples.random_views import random_camera, random_light
from samples.style import BoardStyle, Handling, Style, TableStyle, TileStyle
from samples.variety import random_photo

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
