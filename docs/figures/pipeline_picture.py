"""The documents' picture of the shipped game: the last photo with its grid, the board, and the scores.

Run it as ``python -m docs.figures.pipeline_picture``. It is what ``make demo`` draws, smaller.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.figures.images import open_image, resize, save_figure
from tests.sets.labelled_photos import SAMPLE

WIDTH_PX = 1600


def main() -> None:
    """Follow the shipped game, and write the picture."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "game.png"
        tilesight = Path(sys.executable).parent / "tilesight"
        options = f"--every turn --edition icelandic --players Anna,Jón --picture {picture}".split()
        subprocess.run([tilesight, "watch", SAMPLE, *options], check=True)
        print(save_figure("pipeline.jpg", resize(open_image(picture), WIDTH_PX), quality=85))


if __name__ == "__main__":
    main()
