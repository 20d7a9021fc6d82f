"""Flat drawings: boards, tiles, letters, textures, hands and other subjects."""

from samples.drawing.boards import FlatBoard, draw_board, marks_of
from samples.drawing.covers import SKINS_BGR, CoverKind, Hand, draw_cover, draw_cup, draw_hand
from samples.drawing.flat_subjects import (
    draw_brick_wall,
    draw_calendar,
    draw_chessboard,
    draw_coloured_squares,
    draw_crossword,
    draw_go_board,
    draw_keyboard,
    draw_number_grid,
    draw_page,
    draw_squared_paper,
    draw_table_of_text,
    draw_tiled_floor,
    draw_window,
)
from samples.drawing.glyphs import text_ink, text_lines
from samples.drawing.squares import Stamp, blend, premium_stamps, split_premium_text
from samples.drawing.surfaces import noise, table_texture
from samples.drawing.tiles import FlatTiles, TileFace, draw_tiles

__all__ = [
    "SKINS_BGR",
    "CoverKind",
    "FlatBoard",
    "FlatTiles",
    "Hand",
    "Stamp",
    "TileFace",
    "blend",
    "draw_board",
    "draw_brick_wall",
    "draw_calendar",
    "draw_chessboard",
    "draw_coloured_squares",
    "draw_cover",
    "draw_crossword",
    "draw_cup",
    "draw_go_board",
    "draw_hand",
    "draw_keyboard",
    "draw_number_grid",
    "draw_page",
    "draw_squared_paper",
    "draw_table_of_text",
    "draw_tiled_floor",
    "draw_tiles",
    "draw_window",
    "marks_of",
    "noise",
    "premium_stamps",
    "split_premium_text",
    "table_texture",
    "text_ink",
    "text_lines",
]
