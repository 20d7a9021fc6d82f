"""The schemas of the photo page's requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from tilesight.web.schemas import Model

__all__ = ["BoardBody", "BoardTextsView", "PhotoView"]


class PhotoView(Model):
    """A photo's board, or why there is none.

    `editions` are those that the tiles may be of, the most probable first, if none was named; one if it is certain;
    `rows` has the tokens of each row with spaces between them; `doubtful` lists row, column, confidence, reason, and
    the probability of each token; `board` (straightened) and `thumbnail` are JPEG pictures in base 64.
    """

    status: str
    message: str = ""
    edition: str | None = None
    edition_probability: float | None = None
    editions: Mapping[str, float] | None = None
    width: int | None = None
    height: int | None = None
    tiles: int = 0
    turn_is_guess: bool = False
    rows: tuple[str, ...] = ()
    doubtful: tuple[tuple[int, int, float, str, list[str]], ...] = ()
    board: str = ""
    thumbnail: str = ""


class BoardBody(Model):
    """A board: its edition, and the tokens of each row with spaces between them."""

    edition: Annotated[str, Field(max_length=40)]
    rows: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=32)]


class BoardTextsView(Model):
    """A board as texts; `gcg_message` says why there is no game in GCG that leads to it."""

    cgp: str
    gcg: str
    text: str
    gcg_message: str
