"""Random styles, boards, cameras, lights, photos, screens, scenes and films."""

from samples.random.boards import WOODEN_BOARD, random_board
from samples.random.films import Mishaps, random_film
from samples.random.no_boards import SceneWithoutBoard, no_board_kinds, random_scene_without_board
from samples.random.photos import random_photo
from samples.random.plays import anchor_squares, try_play
from samples.random.screens import SCREEN_MARKS, RenderedScreen, random_screen
from samples.random.styles import random_style
from samples.random.two_boards import RenderedPair, random_pair
from samples.random.views import random_camera, random_light

__all__ = [
    "SCREEN_MARKS",
    "WOODEN_BOARD",
    "Mishaps",
    "RenderedPair",
    "RenderedScreen",
    "SceneWithoutBoard",
    "anchor_squares",
    "no_board_kinds",
    "random_board",
    "random_camera",
    "random_film",
    "random_light",
    "random_pair",
    "random_photo",
    "random_scene_without_board",
    "random_screen",
    "random_style",
    "try_play",
]
