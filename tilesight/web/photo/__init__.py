"""Photos that people send to be read: the reading, its limits, and the texts of the corrected board."""

from tilesight.web.photo.made_up_game import make_up_game
from tilesight.web.photo.schemas import BoardBody, BoardTextsView, PhotoView
from tilesight.web.photo.service import PhotoService, TooBusyError
from tilesight.web.photo.texts import BoardTexts, format_texts

__all__ = [
    "BoardBody",
    "BoardTexts",
    "BoardTextsView",
    "PhotoService",
    "PhotoView",
    "TooBusyError",
    "format_texts",
    "make_up_game",
]
