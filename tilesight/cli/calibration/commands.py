"""The command `tilesight calibrate`: measure a lens, a board, tiles and light, and keep them in a profile."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from tilesight.cli.options import (
    CornersOption,
    EditionOption,
    ForceOption,
    edition_option,
    flag_option,
    path_argument,
    path_option,
)
from vision.errors import SettingsError

__all__ = ["app"]

app = typer.Typer(
    help="Measure a set-up of your own: its lens, board, tiles and light, in a few minutes.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

ProfilePath = Annotated[
    Path, path_option("--profile", metavar="FILE", help="The profile to make or to extend (.json).")
]
ProfileToRead = Annotated[
    Path, path_option("--profile", metavar="FILE", help="The profile that the page shows (.json).")
]
CameraName = Annotated[str, typer.Option("--camera", metavar="NAME", help="The camera's name, for people.")]
Pictures = Annotated[list[Path], path_argument(metavar="IMAGE...", help="Pictures, or folders of them.")]
Squares = Annotated[
    str | None, typer.Option(metavar="COLUMNSxROWS", help="Squares of a sheet of your own; 10x7 by default.")
]
SquareSize = Annotated[
    float | None, typer.Option("--square-mm", metavar="MM", help="Side of a square, in millimetres.")
]
Chess = Annotated[bool, flag_option("--chess", "A plain chessboard, without markers.")]


class Paper(enum.StrEnum):
    """Paper sizes."""

    A4 = "a4"
    A3 = "a3"
    LETTER = "letter"


@app.command()
def target(
    out: Annotated[Path, path_argument(metavar="SHEET.pdf", help="The sheet to write, .pdf or .png.")],
    paper: Annotated[Paper, typer.Option(help="The paper that it is printed on.")] = Paper.A4,
    squares: Squares = None,
    square_mm: SquareSize = None,
    chess: Chess = False,
    force: ForceOption = False,
) -> None:
    """Write the sheet that a lens is calibrated with, to be printed at 100%.

    Example: tilesight calibrate target sheet.pdf
    """
    from tilesight.cli.calibration import steps

    sheet = steps.describe_sheet(paper.value, squares, square_mm, chess=chess)
    steps.write_target(out, sheet, paper.value, force=force)


@app.command()
def lens(
    context: typer.Context,
    images: Pictures,
    profile: ProfilePath,
    camera: CameraName = "",
    word_board: Annotated[
        bool, flag_option("--word-board", "The pictures show the empty word board, and no sheet.")
    ] = False,
    edition: EditionOption = "english",
    paper: Annotated[Paper, typer.Option(help="The paper that the sheet is printed on.")] = Paper.A4,
    squares: Squares = None,
    square_mm: SquareSize = None,
    chess: Chess = False,
) -> None:
    """Measure the lens, from pictures of the printed sheet or of the empty word board.

    Example: tilesight calibrate lens sheet-*.jpg --profile club.json --camera "Club webcam"
    """
    from tilesight.cli.calibration import steps

    check_lens_options(context, word_board=word_board)
    sheet = None if word_board else steps.describe_sheet(paper.value, squares, square_mm, chess=chess)
    steps.calibrate_lens(images, profile, sheet=sheet, edition=edition, camera=camera)


def check_lens_options(context: typer.Context, *, word_board: bool) -> None:
    """Check that no option is given that would be ignored.

    Raises
    ------
    SettingsError
        If one of the printed sheet is given for pictures of the word board, or an edition for those of the sheet.
    """
    for name in ("paper", "squares", "square_mm", "chess") if word_board else ("edition",):
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE":
            continue
        if not word_board:
            raise SettingsError(
                "--edition: a printed sheet has none; leave it out, or add --word-board for pictures of the empty board"
            )
        raise SettingsError(
            f"--{name.replace('_', '-')}: --word-board is for pictures without a printed sheet; leave out one of them"
        )


@app.command()
def board(
    image: Annotated[Path, path_argument(metavar="IMAGE", help="A photo of the empty board.")],
    profile: ProfilePath,
    edition: EditionOption = "english",
    fixed: Annotated[
        bool, flag_option("--fixed", "Camera and board stay where they are from now on.")
    ] = False,
    corners: CornersOption = None,
    layout_out: Annotated[
        Path | None,
        path_option(
            "--layout-out", metavar="FILE", help="Write the premium squares that are seen as a layout file."
        ),
    ] = None,
    camera: CameraName = "",
    force: ForceOption = False,
) -> None:
    """Learn the empty board: where it is, what it looks like, its premium squares.

    Example: tilesight calibrate board empty.jpg --profile club.json --edition icelandic --fixed
    """
    from tilesight.cli.calibration import steps

    steps.calibrate_board(
        image,
        profile,
        edition=edition,
        fixed=fixed,
        corners=corners,
        layout_out=layout_out,
        camera=camera,
        force=force,
    )


@app.command()
def tiles(
    images: Pictures,
    profile: ProfilePath,
    edition: EditionOption = "english",
    letters: Annotated[
        list[str] | None,
        typer.Option(
            "--letters",
            metavar="alphabet|FILE",
            help="What is on the board: 'alphabet' in order, rows as 'tilesight read' prints them, or a game "
            "(.gcg). Once for all photos, or once for each.",
        ),
    ] = None,
    corners: Annotated[
        list[str] | None,
        typer.Option(
            metavar='"x,y x,y x,y x,y"',
            help="The grid's corners TL TR BR BL as the letters read, in pixels; the board is then not searched. "
            "Once for all photos, or once for each.",
        ),
    ] = None,
    camera: CameraName = "",
) -> None:
    """Enrol a set of tiles from one or two photos whose letters are known.

    Example: tilesight calibrate tiles first.jpg second.jpg --letters alphabet --profile club.json --edition mine.toml
    """
    from tilesight.cli.calibration import steps

    steps.calibrate_tiles(
        images, profile, edition=edition, letters=letters or (), corners=corners or (), camera=camera
    )


@app.command()
def light(
    images: Pictures,
    profile: ProfilePath,
    edition: EditionOption = "english",
    device: Annotated[
        str, typer.Option(metavar="FILE", help="The camera, for the commands that set it.")
    ] = "/dev/video0",
    camera: CameraName = "",
) -> None:
    """Check the light: exposure, colour, sharpness, and flicker where several pictures were taken in a row.

    Example: tilesight calibrate light frame-*.jpg --profile club.json
    """
    from tilesight.cli.calibration import steps

    steps.check_light(images, profile, edition=edition, device=device, camera=camera)


@app.command()
def report(
    profile: ProfileToRead,
    out: Annotated[Path, path_option(metavar="REPORT.html", help="The page to write.")],
    images: Annotated[
        list[Path] | None, path_argument(metavar="IMAGE...", help="Photos to try the profile on.")
    ] = None,
    edition: Annotated[
        str | None,
        edition_option("A shipped edition or an edition file; by default that of the profile's tiles."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a page that shows what was measured, what it changes, and what to improve.

    Example: tilesight calibrate report board.jpg --profile club.json --out club.html
    """
    from tilesight.cli.calibration import steps

    steps.write_report(profile, out, images or (), edition=edition, force=force)


@app.command()
def guide(profile: ProfilePath, edition: EditionOption = "english", camera: CameraName = "") -> None:
    """Calibrate step by step: the program names the next picture to take.

    Example: tilesight calibrate guide --profile club.json --edition icelandic
    """
    from tilesight.cli.calibration.guide import run_guide

    try:
        run_guide(profile, edition, camera)
    except EOFError:
        raise SettingsError(
            "calibrate guide: standard input ended before the last answer; run it in a terminal"
        ) from None
