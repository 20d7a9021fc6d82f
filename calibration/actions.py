"""The four measurements of a calibration, as the command and the page both make them.

Each function measures one section of a profile and returns it with a summary and remarks in words. Nothing is written:
see `calibration.profile_update`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from calibration.empty_board import learn_board
from calibration.lens import View, build_lens_section, fit_lens
from calibration.lighting import measure_light
from calibration.tiles import Example, enrol
from scoring import Edition, Layout
from vision.capture import Frame
from vision.detection import locate
from vision.errors import BoardNotFoundError
from vision.profile import BoardSection, LensSection, LightSection, Profile, TilesSection
from vision.recognition import CascadeReader

__all__ = ["Measurement", "measure_board", "measure_lens", "measure_lighting", "measure_tiles"]

Section = TypeVar("Section", LensSection, BoardSection, TilesSection, LightSection)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Measurement(Generic[Section]):
    """One measured section of a profile.

    Parameters
    ----------
    section : LensSection, BoardSection, TilesSection or LightSection
        The section.
    summary : str
        The result in words.
    remarks : tuple of str
        What was left out or is doubtful, one line each.
    size_px : (width, height) or None
        Size of the pictures, if the section depends on it.
    """

    section: Section
    summary: str
    remarks: tuple[str, ...] = ()
    size_px: tuple[int, int] | None = None


def measure_lens(views: Sequence[View]) -> Measurement[LensSection]:
    """Fit a lens to views; see `calibration.lens.fit_lens`, which also says what is raised."""
    fitted = fit_lens(views)
    return Measurement(
        section=build_lens_section(fitted),
        summary=f"points lie {fitted.error_px:.2f} px off; focal length {fitted.lens.focal_px[0]:.1f} px, "
        f"deviation {fitted.uncertainty['fx']:.1f}",
        remarks=tuple(f"{name}: left out, {reason}" for name, reason in fitted.left_out.items()),
        size_px=fitted.lens.size_px,
    )


def measure_board(
    frame: Frame,
    layout: Layout,
    network: CascadeReader,
    *,
    fixed: bool,
    profile: Profile,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> Measurement[BoardSection]:
    """Learn the empty board; see `calibration.empty_board.learn_board`, which also says what is raised."""
    remarks: list[str] = []
    section = learn_board(
        frame, layout, network, fixed=fixed, profile=profile, corners_px=corners_px, notify=remarks.append
    )
    place = "its place is kept and checked at every reading" if fixed else "it may be moved about"
    return Measurement(
        section=section,
        summary=f"lines on {section.fit:.0%} of its edges; {place}",
        remarks=tuple(remarks),
        size_px=frame.size_px if fixed else None,
    )


def measure_tiles(
    examples: Sequence[Example], edition: Edition, network: CascadeReader, sources: Sequence[str]
) -> Measurement[TilesSection]:
    """Enrol a set of tiles; see `calibration.tiles.enrol`, which also says what is raised."""
    section, remarks = enrol(examples, edition, network, sources)
    if math.isnan(section.letters_right):
        reading = "a second photo would tell how well they are read"
    elif section.is_of_one_photo:
        reading = (
            f"with every other tile of a letter left out {section.letters_right:.1%} are read rightly; "
            "a second photo would tell more"
        )
    else:
        reading = f"with their own photo left out {section.letters_right:.1%} are read rightly"
    return Measurement(
        section=section,
        summary=f"{len(section.labels)} tiles of {len(section.letters)} letters; {reading}",
        remarks=(*remarks, *([section.warning] if section.warning else [])),
    )


def measure_lighting(frames: Sequence[Frame], layout: Layout) -> Measurement[LightSection]:
    """Measure the light on the board of the first picture, or in the complete picture if it shows no board."""
    corners = None
    with contextlib.suppress(BoardNotFoundError):
        corners = locate(frames[0].image_bgr, layout).corners_px
    section = measure_light(frames, corners)
    remarks = []
    if corners is None:
        remarks.append("no board is seen in the first picture; the whole of it is measured")
    return Measurement(
        section=section,
        summary="to be improved" if section.advice else "the light is good",
        remarks=tuple(remarks),
    )
