"""The README's clip: a rendered game, and the terminal view of ``tilesight watch --view`` that follows it.

Run it as ``make clip``. The real pipeline and the real terminal view follow the film. Each view is drawn
next to the camera's picture; the GIF has the film's duration.
"""

from __future__ import annotations

import argparse
import functools
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme

from docs.figures.images import IMAGES
from samples import ICELANDIC_PLAYS, Film, FontsMissingError, Mishaps, icelandic_style, random_film
from scoring import Game, load_edition, parse_play
from tilesight.output import TerminalView
from vision.capture import Frame
from vision.pipeline import GameContext, VideoTracker, load_recognizer

__all__ = ["main"]

CLIP = IMAGES / "terminal.gif"
FPS, SHOWN_FPS = 9.0, 3
COLOURS = 64
COLUMNS, LINES = 97, 19
REST = 2.2
"""Factor on the pauses of the film: people think longer."""
LETTER_PX, LINE_PX, EDGE_PX = 9, 19, 12
CAMERA_PX = 340
GROUND, INK = (24, 26, 27), (222, 218, 210)
FONTS = tuple(f"/usr/share/fonts/truetype/dejavu/DejaVuSansMono{face}.ttf" for face in ("", "-Bold"))
THEME = TerminalTheme(GROUND, INK, [(0, 0, 0)] * 8)


class RecordedTerminal(TerminalView):
    """A terminal view that keeps its current lines."""

    def __init__(self, source: str, screen: Console) -> None:
        super().__init__(source, screen)
        self._screen = screen
        self.lines: list[list[Segment]] = []

    def _refresh(self) -> None:
        super()._refresh()
        if self._game is not None:
            self.lines = self._screen.render_lines(self._layout(self._game), pad=True)


def drawn() -> Film:
    """Render the game of the shipped sample with long pauses and a camera that is bumped."""
    edition = load_edition("icelandic")
    plays = [parse_play(text, edition.tokens) for text in ICELANDIC_PLAYS]
    mishaps = Mishaps(straighten=0.3, bump=0.25, pause=0.3)
    film = random_film(
        np.random.default_rng(11),
        "icelandic",
        plays=plays,
        mishaps=mishaps,
        cell_px=40,
        style=icelandic_style(),
    )
    shots = tuple(
        replace(shot, seconds=shot.seconds * (1.0 if shot.reach is not None else REST)) for shot in film.shots
    )
    # without noise, which makes a GIF large
    light = replace(film.light, noise=0.0, shot_noise=0.0)
    return replace(film, players=("Anna", "Jón"), flicker=0.0, shots=shots, light=light)


def views(film: Film) -> Iterator[Image.Image]:
    """Render the screen, several times per second of film."""
    watch = VideoTracker(
        Game(edition=film.edition, players=film.players),
        GameContext(edition=film.edition, recognizer=load_recognizer("network", film.edition)),
    )
    screen = Console(
        width=COLUMNS, height=LINES + 4, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )
    frames = (
        Frame(image_bgr=image, source="camera 0", index=number, time_s=time_s)
        for number, (time_s, image) in enumerate(film.frames(FPS))
    )
    taken = 0
    with RecordedTerminal("camera 0", screen) as terminal:
        assert isinstance(terminal, RecordedTerminal)
        for frame in frames:
            batch = watch.see(frame)
            if batch is not None:
                terminal.show(batch)
            if frame.time_s >= taken / SHOWN_FPS:
                taken += 1
                yield drawn_view(terminal.lines, frame.image_bgr)
            terminal.show_frame(frame.time_s, watch.state, watch.game)


def drawn_view(lines: list[list[Segment]], camera_bgr: NDArray[np.uint8]) -> Image.Image:
    """Draw the terminal's lines and the camera's picture next to them."""
    height = 2 * EDGE_PX + LINES * LINE_PX
    canvas = Image.new("RGB", (3 * EDGE_PX + COLUMNS * LETTER_PX + CAMERA_PX, height), GROUND)
    pen = ImageDraw.Draw(canvas)
    for row, line in enumerate(lines[:LINES]):
        column, y = 0, EDGE_PX + row * LINE_PX
        for text, style, _ in line:
            style = style or Style()
            ink, ground = colour(style.color, INK), colour(style.bgcolor, GROUND)
            if style.dim:
                ink = (ink[0] * 5 // 8, ink[1] * 5 // 8, ink[2] * 5 // 8)
            x = 2 * EDGE_PX + CAMERA_PX + column * LETTER_PX
            pen.rectangle((x, y, x + cell_len(text) * LETTER_PX - 1, y + LINE_PX - 1), fill=ground)
            for letter in text:
                pen.text((x, y + 1), letter, fill=ink, font=font(bool(style.bold)))
                x += cell_len(letter) * LETTER_PX
            column += cell_len(text)
    scale = CAMERA_PX / max(camera_bgr.shape[:2])
    small = cv2.resize(camera_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    canvas.paste(Image.fromarray(small[..., ::-1]), (EDGE_PX, (height - small.shape[0]) // 2))
    return canvas


def colour(chosen: Color | None, otherwise: tuple[int, int, int]) -> tuple[int, int, int]:
    """Convert a terminal colour to red, green and blue."""
    if chosen is None or chosen.is_default:
        return otherwise
    red, green, blue = chosen.get_truecolor(THEME)
    return red, green, blue


@functools.cache
def font(bold: bool) -> ImageFont.FreeTypeFont:
    """Load the terminal's typeface.

    Raises
    ------
    FontsMissingError
        If it is not installed.
    """
    path = FONTS[bold]
    try:
        return ImageFont.truetype(path, 15)
    except OSError as error:
        raise FontsMissingError(f"{path}: cannot be read; run apt-get install fonts-dejavu-core") from error


def write_gif(path: Path, pictures: Sequence[Image.Image]) -> None:
    """Write one GIF of all pictures, with a common palette."""
    sheet = Image.new("RGB", (pictures[0].width, 8 * pictures[0].height))
    for number in range(8):
        sheet.paste(pictures[number * (len(pictures) - 1) // 7], (0, number * pictures[0].height))
    palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    few = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    few[0].save(
        path, save_all=True, append_images=few[1:], duration=1000 // SHOWN_FPS, loop=0, optimize=False
    )


def main() -> None:
    """Write the clip and print its size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=CLIP)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = list(views(drawn()))
    write_gif(options.out, pictures)
    size = options.out.stat().st_size / 1e6
    print(f"{options.out}: {len(pictures) / SHOWN_FPS:.0f} s, {len(pictures)} pictures, {size:.2f} MB")


if __name__ == "__main__":
    main()
