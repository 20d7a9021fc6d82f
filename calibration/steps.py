"""The steps of a calibration, in order, for the guide in the terminal and for the page."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a calibration.

    Parameters
    ----------
    name : str
        Name of the profile's section.
    title, text : str
        What people read.
    files : str
        The question of the terminal.
    pictures : int
        Number of pictures that are wanted.
    """

    name: str
    title: str
    text: str
    files: str
    pictures: int


STEPS = (
    Step(
        name="lens",
        title="Lens",
        text="Print the sheet, glue it onto something flat, and take 10 to 15 pictures of it: tilted to every side by "
        "20 to 45 degrees, near and far, also in the picture's corners. Zoom and focus must stay as they will be.",
        files="Folder of the pictures of the sheet",
        pictures=10,
    ),
    Step(
        name="board",
        title="Board",
        text="Take everything off the board, and take one picture of it.",
        files="Picture of the empty board",
        pictures=1,
    ),
    Step(
        name="tiles",
        title="Tiles",
        text="Lay one tile of each letter out in order, row by row, with gaps between them; take two pictures, with "
        "the camera or the lamp moved a little in between, and do not touch the tiles.",
        files="The pictures, a space between them; quotes around names with spaces",
        pictures=2,
    ),
    Step(
        name="light",
        title="Light",
        text="Take a few pictures of the board in a row, without moving anything.",
        files="Folder of the pictures",
        pictures=5,
    ),
)
