"""Render photos and films of boards, with exact truth.

>>> import numpy as np
>>> from samples import random_photo
>>> photo = random_photo(np.random.default_rng(7))
>>> photo.corners_px.shape
(4, 2)
"""

from samples.chance import Tone, between, pick, toss
from samples.drawing import Hand, draw_cover, text_ink
from samples.errors import FontsMissingError, SamplesError, SpecificationError
from samples.fonts import FontSplit, Typeface, pick_typeface, typefaces
from samples.optics import (
    Camera,
    CameraMotion,
    Glare,
    Light,
    MovingLight,
    TrueLens,
    bow_points,
    fold_points,
)
from samples.random import (
    SCREEN_MARKS,
    WOODEN_BOARD,
    Mishaps,
    RenderedPair,
    RenderedScreen,
    SceneWithoutBoard,
    anchor_squares,
    no_board_kinds,
    random_camera,
    random_film,
    random_light,
    random_pair,
    random_photo,
    random_scene_without_board,
    random_screen,
    random_style,
    try_play,
)
from samples.rendering import (
    ICELANDIC_PLAYS,
    Film,
    FilmEvent,
    Reach,
    RenderedPhoto,
    RenderedRack,
    Shot,
    icelandic_style,
    render_game,
    render_photo,
    render_rack,
    write_film,
)
from samples.style import BoardStyle, Handling, JokerSign, Style, TableStyle, TileStyle

__all__ = [
    "ICELANDIC_PLAYS",
    "SCREEN_MARKS",
    "WOODEN_BOARD",
    "BoardStyle",
    "Camera",
    "CameraMotion",
    "Film",
    "FilmEvent",
    "FontSplit",
    "FontsMissingError",
    "Glare",
    "Hand",
    "Handling",
    "JokerSign",
    "Light",
    "Mishaps",
    "MovingLight",
    "Reach",
    "RenderedPair",
    "RenderedPhoto",
    "RenderedRack",
    "RenderedScreen",
    "SamplesError",
    "SceneWithoutBoard",
    "Shot",
    "SpecificationError",
    "Style",
    "TableStyle",
    "TileStyle",
    "Tone",
    "TrueLens",
    "Typeface",
    "anchor_squares",
    "between",
    "bow_points",
    "draw_cover",
    "fold_points",
    "icelandic_style",
    "no_board_kinds",
    "pick",
    "pick_typeface",
    "random_camera",
    "random_film",
    "random_light",
    "random_pair",
    "random_photo",
    "random_scene_without_board",
    "random_screen",
    "random_style",
    "render_game",
    "render_photo",
    "render_rack",
    "text_ink",
    "toss",
    "try_play",
    "typefaces",
    "write_film",
]
