"""Photos, racks, games and films of given boards, with their truth."""

from samples.rendering.film import Film, FilmEvent, Reach, Shot, write_film
from samples.rendering.icelandic_set import ICELANDIC_PLAYS, icelandic_style
from samples.rendering.photo import RenderedPhoto, render_photo
from samples.rendering.photographed_game import render_game
from samples.rendering.racks import RenderedRack, render_rack

__all__ = [
    "ICELANDIC_PLAYS",
    "Film",
    "FilmEvent",
    "Reach",
    "RenderedPhoto",
    "RenderedRack",
    "Shot",
    "icelandic_style",
    "render_game",
    "render_photo",
    "render_rack",
    "write_film",
]
