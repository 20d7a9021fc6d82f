"""A calibration led from a web page: pictures come from the running camera, and each result is kept at once."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.actions import Measurement, measure_board, measure_lens, measure_lighting, measure_tiles
from calibration.lens import (
    MIN_VIEWS,
    Target,
    View,
    describe_missing_views,
    detect_target,
    encode_sheet,
)
from calibration.profile_update import open_profile, update_profile
from calibration.report import compare_tiles, draw_tiles, render_report
from calibration.steps import STEPS, Step
from calibration.tiles import ALPHABET, Example, alphabet_layout, cut_examples, parse_rows
from scoring import BLANK, Edition, ScoringError
from vision.capture import Frame
from vision.core import encode_jpeg
from vision.drawing import stack_panels
from vision.errors import InputError, VisionError
from vision.pipeline import GameContext, read_photo
from vision.profile import (
    BoardSection,
    LensSection,
    LightSection,
    Profile,
    TilesSection,
    UndistortedView,
    load_profile,
)
from vision.recognition import CascadeReader

__all__ = ["CalibrationSession", "CalibrationState", "StepState"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Settings of a calibration from the page; chosen."""

    paper: str = "a4"
    """Paper of the printed sheet."""
    max_width_px: int = 1280
    """Width to which the camera's pictures are reduced for the page."""
    jpeg_quality: int = 85
    panel_px: int = 420
    """Width of each of two pictures side by side."""
    frame_timeout_s: float = 3.0
    """Longest wait for the next picture of the camera."""
    light_pictures: int = 5
    """Pictures for one measurement of the light."""
    straight_px: int = 800
    """Longest side of the picture that shows the sheet without the lens's distortion."""
    min_tile_pictures: int = 1
    """Pictures of tiles from which on these can be measured."""


SETTINGS = SessionSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepState:
    """The state of one step, as the page shows it.

    Parameters
    ----------
    step : Step
        The step.
    taken : tuple of str
        A note for each picture that was taken.
    missing : str
        What is still to be taken; empty if nothing is.
    ready : bool
        Whether the pictures suffice for a measurement.
    result : str
        The summary of the last measurement.
    advice : tuple of str
        What to do better.
    picture : int
        Number of times that the result's picture was drawn.
    """

    step: Step
    taken: tuple[str, ...] = ()
    missing: str = ""
    ready: bool = False
    result: str = ""
    advice: tuple[str, ...] = ()
    picture: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationState:
    """The state of a calibration, as the page shows it.

    Parameters
    ----------
    profile : str
        Name of the profile's file.
    steps : tuple of StepState
        All steps, in order.
    step : str
        Name of the step of the last action; empty without one.
    message : str
        Why that action failed; empty if it did not.
    rows : str
        The rows of a board that it read, a line each.
    """

    profile: str
    steps: tuple[StepState, ...]
    step: str = ""
    message: str = ""
    rows: str = ""


@dataclass(slots=True)
class _Evidence:
    """What was seen in the pictures that were taken, until a measurement uses it."""

    views: list[View] = field(default_factory=list)
    sheet_bgr: NDArray[np.uint8] | None = None
    photos: list[tuple[str, list[Example]]] = field(default_factory=list)


class CalibrationSession:
    """The calibration of one camera, its steps in any order and as often as wanted.

    Parameters
    ----------
    path : Path
        The profile that is made or extended.
    edition : Edition
        The edition that is played.
    newest_frame : callable
        Returns the camera's newest frame; None before the first.
    check : callable
        Raises a SettingsError if the table can use no profile; called before anything is done.
    use : callable
        Makes the table use a profile.
    """

    def __init__(
        self,
        path: Path,
        edition: Edition,
        *,
        newest_frame: Callable[[], Frame | None],
        check: Callable[[], None],
        use: Callable[[Profile], None],
    ) -> None:
        self._path = path
        self._edition = edition
        self._newest_frame = newest_frame
        self._check = check
        self._use = use
        self._lock = threading.Lock()
        self._taken = _Evidence()
        known = load_profile(path) if path.exists() else Profile()
        self._shown = {step.name: _begin(step, getattr(known, step.name)) for step in STEPS}
        self._pictures: dict[str, bytes] = {}

    def state(self) -> CalibrationState:
        """Return the steps, with the pictures taken for each and the results.

        Raises
        ------
        SettingsError
            If the table can use no profile.
        """
        self._check()
        return CalibrationState(profile=self._path.name, steps=tuple(self._shown.values()))

    def act(self, step: str, action: str, text: str = "", *, fixed: bool = False) -> CalibrationState:
        """Take an action and return the state after it; an error is in its message.

        Parameters
        ----------
        step : str
            One of `calibration.steps.STEPS`, by its name.
        action : str
            ``take`` a picture, ``again`` to forget those that were taken, ``measure``, or ``read`` the board in view.
        text : str
            For tiles: ``alphabet``, or the rows of the board.
        fixed : bool
            For the board: whether board and camera stay where they are.

        Raises
        ------
        SettingsError
            If the table can use no profile; no picture is taken then.
        """
        self._check()
        acts: dict[tuple[str, str], Callable[[], None]] = {
            ("lens", "take"): self._take_view,
            ("lens", "measure"): self._measure_lens,
            ("board", "take"): lambda: self._take_board(fixed),
            ("tiles", "take"): lambda: self._take_tiles(text),
            ("tiles", "measure"): self._measure_tiles,
            ("light", "take"): self._take_light,
        }
        message = rows = ""
        with self._lock:
            try:
                if action == "again":
                    self._forget(step)
                elif (step, action) == ("tiles", "read"):
                    rows = self._read_rows()
                elif (step, action) in acts:
                    acts[step, action]()
                else:
                    raise InputError(f"{step}: there is nothing to {action}; take a picture")
            except (VisionError, ScoringError) as error:
                message = str(error)
            return replace(self.state(), step=step, message=message, rows=rows)

    def camera(self) -> bytes | None:
        """Return the newest picture as a JPEG, at a size for a page."""
        frame = self._newest_frame()
        if frame is None:
            return None
        scale = min(1.0, SETTINGS.max_width_px / frame.image_bgr.shape[1])
        small = cv2.resize(frame.image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        return encode_jpeg(np.asarray(small, np.uint8), SETTINGS.jpeg_quality)

    def picture(self, step: str) -> bytes | None:
        """Return the picture of a step's result as a JPEG."""
        return self._pictures.get(step)

    def sheet(self) -> bytes:
        """Return the sheet to print as a PDF."""
        return encode_sheet(Target.for_paper(SETTINGS.paper), SETTINGS.paper, "pdf")

    def report(self) -> str:
        """Return the report as a page of its own."""
        profile = open_profile(self._path)
        trial = None
        if profile.tiles is not None:
            trial = compare_tiles(profile.tiles, self._edition, _network())
        return render_report(profile, trial=trial)

    # The steps

    def _take_view(self) -> None:
        frame = self._next("lens")
        view = detect_target(frame.image_bgr, frame.source, Target.for_paper(SETTINGS.paper))
        self._taken.views.append(view)
        self._taken.sheet_bgr = frame.image_bgr
        self._show_views(f"{len(view.pixels)} corners")

    def _show_views(self, note: str) -> None:
        views = self._taken.views
        self._show(
            "lens",
            taken=(*self._shown["lens"].taken, note),
            ready=len(views) >= MIN_VIEWS,
            missing=describe_missing_views(views, None, self._shown["lens"].step.pictures),
        )

    def _measure_lens(self) -> None:
        measured = measure_lens(self._taken.views)
        remarks = self._keep(measured, "lens")
        section = measured.section
        if self._taken.sheet_bgr is not None:
            straight = UndistortedView.of(section.lens, SETTINGS.straight_px).undistort(self._taken.sheet_bgr)
            panels = [("as the camera sees it", self._taken.sheet_bgr), ("with the lens known", straight)]
            self._draw("lens", stack_panels(panels, SETTINGS.panel_px))
        self._show(
            "lens",
            missing="",
            result=f"{len(section.view_errors_px)} pictures, {measured.summary}",
            advice=(*measured.remarks, *remarks),
        )
        if remarks:
            self._show(
                "board", taken=(), missing=_count_wanted(self._shown["board"].step), result="", advice=()
            )

    def _take_board(self, fixed: bool) -> None:
        frame, profile = self._next("board"), open_profile(self._path)
        measured = measure_board(frame, self._edition.layout, _network(), fixed=fixed, profile=profile)
        self._keep(measured, "board")
        panels = [
            ("the picture", frame.image_bgr),
            ("the empty board from above", measured.section.empty_bgr),
        ]
        self._draw("board", stack_panels(panels, SETTINGS.panel_px))
        self._show(
            "board", taken=("1 picture",), missing="", result=measured.summary, advice=measured.remarks
        )

    def _take_tiles(self, text: str) -> None:
        frame = self._next("tiles")
        written = text.strip() or ALPHABET
        rows = (
            alphabet_layout(self._edition, frame.source)
            if written == ALPHABET
            else parse_rows(written, self._edition, "the rows")
        )
        number = len(self._taken.photos)
        examples = cut_examples(frame, rows, self._edition, _network(), number, open_profile(self._path))
        self._taken.photos.append((frame.source, examples))
        kinds = len({example.token for example in examples} - {BLANK})
        self._show(
            "tiles",
            taken=(*self._shown["tiles"].taken, f"{len(examples)} tiles of {kinds} letters"),
            ready=len(self._taken.photos) >= SETTINGS.min_tile_pictures,
            missing=""
            if len(self._taken.photos) >= self._shown["tiles"].step.pictures
            else "one more picture, with the camera or the lamp moved a little, tells how well they are read",
        )

    def _measure_tiles(self) -> None:
        photos = self._taken.photos
        if not photos:
            raise InputError("tiles: no picture was taken yet; take one of tiles whose letters are known")
        examples = [example for _, found in photos for example in found]
        measured = measure_tiles(examples, self._edition, _network(), [name for name, _ in photos])
        self._keep(measured, "tiles")
        self._draw("tiles", draw_tiles(measured.section))
        self._show("tiles", result=measured.summary, advice=measured.remarks)

    def _read_rows(self) -> str:
        context = GameContext(edition=self._edition, recognizer=_network(), profile=open_profile(self._path))
        found = read_photo(self._next("tiles"), context)
        return "\n".join(" ".join(row) for row in found.decoded.board.rows)

    def _take_light(self) -> None:
        frames = [self._next("light") for _ in range(SETTINGS.light_pictures)]
        measured = measure_lighting(frames, self._edition.layout)
        self._keep(measured, "light")
        section = measured.section
        values = ", ".join(
            f"{name} {section.measures[name]:.3g}"
            for name in ("bright", "sharpness", "noise", "flicker")
            if name in section.measures
        )
        self._show(
            "light",
            taken=(f"{len(frames)} pictures",),
            missing="",
            result=f"{measured.summary} ({values})",
            advice=(*measured.remarks, *section.advice),
        )

    # What the steps share

    def _next(self, step: str) -> Frame:
        """Wait for the camera's next frame: the newest one may be old. Its source is the step and a number."""
        until = time.monotonic() + SETTINGS.frame_timeout_s
        old = self._newest_frame()
        while time.monotonic() < until:
            frame = self._newest_frame()
            if frame is not None and frame is not old:
                number = len(self._shown[step].taken) + 1
                return replace(frame, source=f"{step} {number}")
            time.sleep(0.03)
        raise InputError(
            "the camera has given no new picture for a while; check on the console that it sends pictures"
        )

    def _keep(self, measured: Measurement[Any], name: str) -> list[str]:
        """Write the profile with a new section, let the table use it, and return remarks about other sections."""
        remarks: list[str] = []
        sections = {name: measured.section}
        self._use(update_profile(self._path, size_px=measured.size_px, notify=remarks.append, **sections))
        return remarks

    def _forget(self, step: str) -> None:
        if step == "lens":
            self._taken.views.clear()
        elif step == "tiles":
            self._taken.photos.clear()
        self._show(step, taken=(), ready=False, missing=_count_wanted(self._shown[step].step))

    def _show(self, step: str, **changes: Any) -> None:
        self._shown[step] = replace(self._shown[step], **changes)

    def _draw(self, step: str, image_bgr: NDArray[np.uint8]) -> None:
        self._pictures[step] = encode_jpeg(image_bgr, SETTINGS.jpeg_quality)
        self._show(step, picture=self._shown[step].picture + 1)


@functools.cache
def _network() -> CascadeReader:
    """Load the network when the first step needs it."""
    return CascadeReader.load(features=True)


def _begin(step: Step, section: LensSection | BoardSection | TilesSection | LightSection | None) -> StepState:
    """Return the state of a step before its first picture, with the section that the profile has already."""
    if section is None:
        return StepState(step=step, missing=_count_wanted(step))
    return StepState(step=step, result=f"in the profile since {section.origin.made[:10]}")


def _count_wanted(step: Step) -> str:
    """Return what is missing while no picture was taken."""
    return f"{step.pictures} picture{'s' if step.pictures > 1 else ''}"
