"""The command `tilesight calibrate`: measure a lens, a board, tiles and light, and keep them in a profile."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tilesight.cli.messages import say
from tilesight.cli.options import (
    CornersOption,
    EditionOption,
    ForceOption,
    edition_option,
    parse_corners,
    path_argument,
    path_option,
)
from vision.errors import InputError, PictureMismatchError, SettingsError, VisionError

if TYPE_CHECKING:
    from calibration.lens import Target, View
    from scoring import Edition
    from vision.capture import Frame
    from vision.profile import Profile

__all__ = ["app"]

T = TypeVar("T")

app = typer.Typer(
    help="Make a set-up of your own perfect: its lens, board, tiles and light, in a few minutes.",
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
Chess = Annotated[bool, typer.Option("--chess", help="A plain chessboard, without markers.")]


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
    from calibration.lens import write_sheet

    sheet = describe_sheet(paper, squares, square_mm, chess)
    write_sheet(out, sheet, paper.value, force=force)
    say(
        f"{out}: {sheet.columns}x{sheet.rows} squares of {sheet.square_mm:g} mm; print it at 100%, glue it onto "
        "something flat, and take 10 to 15 pictures of it from all sides"
    )


@app.command()
def lens(
    images: Pictures,
    profile: ProfilePath,
    camera: CameraName = "",
    word_board: Annotated[
        bool, typer.Option("--word-board", help="The pictures show the empty word board, and no sheet.")
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
    from calibration.actions import measure_lens
    from calibration.profile_update import open_profile, read_camera_model, update_profile
    from scoring import load_edition
    from vision.capture import open_picture

    open_profile(profile)
    rules = load_edition(edition)
    sheet = None if word_board else describe_sheet(paper, squares, square_mm, chess)
    views: list[View] = []
    for path in expand_folders(images):
        try:
            views.append(detect_points(open_picture(path), sheet, rules))
        except InputError as error:
            say(str(error))
    measured = measure_lens(views)
    for line in measured.remarks:
        say(line)
    section = measured.section
    model = read_camera_model(map(Path, section.origin.sources))
    update_profile(profile, camera=camera, size_px=measured.size_px, model=model, notify=say, lens=section)
    typer.echo(
        f"{profile}: lens ({section.lens.model}) from {len(section.view_errors_px)} views, {measured.summary}"
    )


@app.command()
def board(
    image: Annotated[Path, path_argument(metavar="IMAGE", help="A photo of the empty board.")],
    profile: ProfilePath,
    edition: EditionOption = "english",
    fixed: Annotated[
        bool, typer.Option("--fixed", help="Camera and board stay where they are from now on.")
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
    from dataclasses import replace

    from calibration.actions import measure_board
    from calibration.empty_board import learn_layout
    from calibration.profile_update import open_profile, read_camera_model, update_profile
    from scoring import format_layout, load_edition
    from vision.core import check_folder, check_new_file, write_file
    from vision.recognition import CascadeReader

    known = open_profile(profile)
    if layout_out is not None:
        check_folder(layout_out, [image, edition, profile])
        if layout_out.resolve() == profile.resolve():
            raise SettingsError(
                f"{layout_out}: the profile has this name; choose another name for the layout"
            )
        check_new_file(layout_out, force=force)
    layout = load_edition(edition).layout
    (frame,) = open_pictures([image], profile, replace(known, board=None))
    measured = measure_board(
        frame,
        layout,
        CascadeReader.load(),
        fixed=fixed,
        profile=known,
        corners_px=parse_corners(corners),
    )
    for remark in measured.remarks:
        say(remark)
    section = measured.section
    if layout_out is not None:
        seen = learn_layout(section.empty_bgr, section.rows, section.columns, layout)
        write_file(layout_out, format_layout(seen).encode())
        differ = sum(
            a is not b
            for line, other in zip(seen.premiums, layout.premiums, strict=True)
            for a, b in zip(line, other, strict=True)
        )
        say(
            f"{layout_out}: the premium squares as they are seen; {differ} differ from the edition's, check them"
        )
    model = read_camera_model([image]) if fixed else ""
    update_profile(profile, camera=camera, size_px=measured.size_px, model=model, board=section)
    typer.echo(f"{profile}: board with {measured.summary}")


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
    from calibration.actions import measure_tiles
    from calibration.profile_update import open_profile, update_profile
    from calibration.tiles import ALPHABET, cut_examples, read_labels
    from scoring import load_edition
    from vision.recognition import CascadeReader

    known = open_profile(profile)
    rules = load_edition(edition)
    paths = expand_folders(images)
    texts = give_each("--letters", letters or [ALPHABET], len(paths))
    places_px = give_each("--corners", [*map(parse_corners, corners or ())] or [None], len(paths))
    frames = open_pictures(paths, profile, known)
    network = CascadeReader.load(features=True)
    examples = []
    for number, (path, frame, text, corners_px) in enumerate(
        zip(paths, frames, texts, places_px, strict=True)
    ):
        rows = read_labels(text, rules, str(path))
        examples += cut_examples(frame, rows, rules, network, number, known, corners_px)
    measured = measure_tiles(examples, rules, network, [str(path) for path in paths])
    for remark in measured.remarks:
        say(remark)
    update_profile(profile, camera=camera, tiles=measured.section)
    typer.echo(f"{profile}: {measured.summary}")


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
    from calibration.actions import measure_lighting
    from calibration.lighting import suggest_camera_settings
    from calibration.profile_update import open_profile, update_profile
    from scoring import load_edition

    frames = list(open_pictures(expand_folders(images), profile, open_profile(profile)))
    measured = measure_lighting(frames, load_edition(edition).layout)
    for remark in measured.remarks:
        say(remark)
    section = measured.section
    update_profile(profile, camera=camera, light=section)
    for line in section.advice or (measured.summary,):
        typer.echo(line)
    for command in suggest_camera_settings(dict(section.measures), device):
        typer.echo(f"  {command}")


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
    from calibration.report import compare_photo, compare_tiles, render_report
    from scoring import load_edition
    from vision.core import OWN_MARK, check_folder, check_own_file, write_file
    from vision.pipeline import load_recognizer
    from vision.profile import load_profile
    from vision.recognition import CascadeReader

    check_folder(out, [profile, *([edition] if edition else []), *(images or [])])
    check_own_file(out, force=force)
    known = load_profile(profile)
    rules = load_edition(edition or name_edition(known))
    paths = expand_folders(images or [])
    frames = open_pictures(paths, profile, known)
    trial = None
    if known.tiles is not None:
        trial = compare_tiles(known.tiles, rules, CascadeReader.load(features=True))
        if trial.note:
            say(trial.note)
    photos = []
    if paths:
        with_it = load_recognizer("network", rules, notify=say, profile=known)
        try:
            without = load_recognizer("network", rules, notify=say)
        except VisionError as error:
            say(f"without the profile: {error}")
            without = with_it
        photos = [compare_photo(frame, rules, known, without, with_it) for frame in frames]
    page = render_report(known, photos, trial)
    write_file(out, page.encode() + b"<!-- " + OWN_MARK + b" -->\n")
    typer.echo(f"{out}: open it in a browser")


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


def describe_sheet(paper: Paper, squares: str | None, square_mm: float | None, chess: bool) -> Target:
    """Return the sheet that the options describe."""
    from calibration.lens import Target

    usual = Target.for_paper(paper.value, markers=not chess)
    if squares is None:
        count = (usual.columns, usual.rows)
    else:
        parts = squares.lower().split("x")
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            raise SettingsError(f"--squares {squares!r}: give columns and rows, such as 10x7")
        count = (int(parts[0]), int(parts[1]))
    side = usual.square_mm if square_mm is None else square_mm
    return Target(columns=count[0], rows=count[1], square_mm=side, markers=not chess)


def give_each(option: str, given: Sequence[T], photos: int) -> Sequence[T]:
    """Return what is given for each photo, where it may be given once for all."""
    if len(given) not in (1, photos):
        raise SettingsError(
            f"{option}: {len(given)} for {photos} photos; give it once for all, or once for each"
        )
    return given if len(given) == photos else [*given] * photos


def expand_folders(paths: list[Path]) -> list[Path]:
    """List the pictures, those of folders in name order."""
    from vision.capture import list_pictures

    return [picture for path in paths for picture in (list_pictures(path) if path.is_dir() else [path])]


def open_pictures(paths: list[Path], profile: Path, known: Profile) -> Iterator[Frame]:
    """Open pictures for a profile, each when it is needed; another camera is refused at once, another shape then.

    Another size is reported.
    """
    from calibration.profile_update import check_camera, read_camera_model
    from vision.capture import open_picture
    from vision.pipeline import CameraModel

    for path in paths:
        check_camera(profile, known, read_camera_model([path]))
    sizes_px = set[tuple[int, int]]()

    def open_one(path: Path) -> Frame:
        frame = open_picture(path)
        if frame.size_px not in sizes_px:
            sizes_px.add(frame.size_px)
            try:
                CameraModel.of(known, frame.size_px, say)
            except PictureMismatchError as error:
                raise PictureMismatchError(f"{path}: {error}") from None
        return frame

    return map(open_one, paths)


def name_edition(known: Profile) -> str:
    """Return the edition of a profile's tiles; English if it has none."""
    from scoring import BLANK, edition_names, load_edition

    if known.tiles is None:
        say("the profile has no tiles and no edition is named, so english is taken")
        return "english"
    is_shipped = known.tiles.edition in edition_names()
    # a user's file may have a shipped edition's name
    if not is_shipped or not {*known.tiles.labels} <= {BLANK, *load_edition(known.tiles.edition).tokens}:
        raise SettingsError(
            f"{known.name}: its tiles are of edition {known.tiles.edition}, which is not shipped; name the file of "
            "that edition with --edition"
        )
    return known.tiles.edition


def detect_points(frame: Frame, sheet: Target | None, edition: Edition) -> View:
    """Detect the points of the sheet, or of the word board, in a picture."""
    from calibration.lens import detect_board_lines, detect_target

    if sheet is None:
        return detect_board_lines(frame.image_bgr, frame.source, edition.layout)
    return detect_target(frame.image_bgr, frame.source, sheet)
