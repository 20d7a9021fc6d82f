"""The steps of a calibration, as the commands and the guide in the terminal take them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import typer

from calibration.actions import measure_board, measure_lens, measure_lighting, measure_tiles
from calibration.empty_board import learn_layout
from calibration.lens import Target, View, detect_board_lines, detect_target, write_sheet
from calibration.lighting import suggest_camera_settings
from calibration.profile_update import check_camera, open_profile, read_camera_model, update_profile
from calibration.report import compare_photo, compare_tiles, render_report
from calibration.tiles import ALPHABET, cut_examples, read_labels
from scoring import BLANK, Edition, edition_names, format_layout, load_edition
from tilesight.cli.messages import say
from tilesight.cli.options import parse_corners
from vision.capture import Frame, list_pictures, open_picture
from vision.core import OWN_MARK, check_folder, check_new_file, check_own_file, write_file
from vision.errors import BoardNotFoundError, InputError, PictureMismatchError, SettingsError, VisionError
from vision.pipeline import CameraModel, load_recognizer
from vision.profile import Profile, load_profile
from vision.recognition import CascadeReader

__all__ = [
    "calibrate_board",
    "calibrate_lens",
    "calibrate_tiles",
    "check_light",
    "describe_sheet",
    "name_edition",
    "write_report",
    "write_target",
]

T = TypeVar("T")


def write_target(out: Path, sheet: Target, paper: str = "a4", *, force: bool = False) -> None:
    """Write the sheet that a lens is calibrated with."""
    write_sheet(out, sheet, paper, force=force)
    say(
        f"{out}: {sheet.columns}x{sheet.rows} squares of {sheet.square_mm:g} mm; print it at 100%, glue it onto "
        "something flat, and take 10 to 15 pictures of it from all sides"
    )


def calibrate_lens(
    images: list[Path], profile: Path, *, sheet: Target | None, edition: str, camera: str
) -> None:
    """Measure the lens, from pictures of the sheet, or without one of the empty word board."""
    open_profile(profile)
    rules = load_edition(edition)
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


def calibrate_board(
    image: Path,
    profile: Path,
    *,
    edition: str,
    fixed: bool,
    corners: str | None = None,
    layout_out: Path | None = None,
    camera: str = "",
    force: bool = False,
) -> None:
    """Learn the empty board."""
    known = open_profile(profile)
    if layout_out is not None:
        check_folder(layout_out, [image, edition, profile])
        if os.path.realpath(layout_out) == os.path.realpath(profile):
            raise SettingsError(
                f"{layout_out}: the profile has this name; choose another name for the layout"
            )
        check_new_file(layout_out, force=force)
    layout = load_edition(edition).layout
    (frame,) = open_pictures([image], profile, replace(known, board=None))
    corners_px = parse_corners(corners)
    with name_photo(image, edition):
        measured = measure_board(
            frame, layout, CascadeReader.load(), fixed=fixed, profile=known, corners_px=corners_px
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


def calibrate_tiles(
    images: list[Path],
    profile: Path,
    *,
    edition: str,
    letters: Sequence[str] = (),
    corners: Sequence[str] = (),
    camera: str = "",
) -> None:
    """Enrol a set of tiles; without letters, the photos show the alphabet."""
    known = open_profile(profile)
    rules = load_edition(edition)
    paths = expand_folders(images)
    texts = give_each("--letters", letters or [ALPHABET], len(paths))
    places_px = give_each("--corners", [*map(parse_corners, corners)] or [None], len(paths))
    frames = open_pictures(paths, profile, known)
    network = CascadeReader.load(features=True)
    examples = []
    for number, (path, frame, text, corners_px) in enumerate(
        zip(paths, frames, texts, places_px, strict=True)
    ):
        rows = read_labels(text, rules, str(path))
        with name_photo(path, edition):
            examples += cut_examples(frame, rows, rules, network, number, known, corners_px)
    measured = measure_tiles(examples, rules, network, [str(path) for path in paths])
    for remark in measured.remarks:
        say(remark)
    update_profile(profile, camera=camera, tiles=measured.section)
    typer.echo(f"{profile}: {measured.summary}")


def check_light(
    images: list[Path], profile: Path, *, edition: str, device: str = "/dev/video0", camera: str = ""
) -> None:
    """Check the light."""
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


def write_report(
    profile: Path, out: Path, images: Sequence[Path] = (), *, edition: str | None, force: bool = False
) -> None:
    """Write the page that shows what was measured; photos try the profile."""
    check_folder(out, [profile, *([edition] if edition else []), *images])
    check_own_file(out, force=force)
    known = load_profile(profile)
    rules = load_edition(edition or name_edition(known))
    paths = expand_folders(images)
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


def describe_sheet(
    paper: str = "a4", squares: str | None = None, square_mm: float | None = None, *, chess: bool = False
) -> Target:
    """Return the sheet that the options describe."""
    usual = Target.for_paper(paper, markers=not chess)
    if squares is None:
        count = (usual.columns, usual.rows)
    else:
        parts = squares.lower().split("x")
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            raise SettingsError(f"--squares {squares!r}: give columns and rows, such as 10x7")
        count = (int(parts[0]), int(parts[1]))
    side = usual.square_mm if square_mm is None else square_mm
    return Target(columns=count[0], rows=count[1], square_mm=side, markers=not chess)


@contextlib.contextmanager
def name_photo(path: Path, edition: str) -> Iterator[None]:
    """Name the photo that shows no board, and the edition whose board was searched."""
    try:
        yield
    except BoardNotFoundError as error:
        raise BoardNotFoundError(
            f"{path}: edition {edition}: {error}; if it is of another edition, name that with --edition"
        ) from error


def give_each(option: str, given: Sequence[T], photos: int) -> Sequence[T]:
    """Return what is given for each photo, where it may be given once for all."""
    if len(given) not in (1, photos):
        raise SettingsError(
            f"{option}: {len(given)} for {photos} photos; give it once for all, or once for each"
        )
    return given if len(given) == photos else [*given] * photos


def expand_folders(paths: Sequence[Path]) -> list[Path]:
    """List the pictures, those of folders in name order."""
    return [picture for path in paths for picture in (list_pictures(path) if path.is_dir() else [path])]


def open_pictures(paths: list[Path], profile: Path, known: Profile) -> Iterator[Frame]:
    """Open pictures for a profile, each when it is needed; another camera is refused at once, another shape then.

    Another size is reported.
    """
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
    if sheet is None:
        return detect_board_lines(frame.image_bgr, frame.source, edition.layout)
    return detect_target(frame.image_bgr, frame.source, sheet)
