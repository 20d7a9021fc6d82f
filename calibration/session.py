"""A calibration led from a page: pictures are taken from the running camera, and what they tell is kept at once."""

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

from calibration.empty_board import learn_board
from calibration.lens import (
    MIN_VIEWS,
    Target,
    View,
    build_lens_section,
    describe_missing_views,
    detect_target,
    encode_sheet,
    fit_lens,
)
from calibration.lighting import measure_light
from calibration.profile_update import open_profile, update_profile
from calibration.report import compare_tiles, draw_tiles, render_report
from calibration.steps import STEPS, Step
from calibration.tiles import ALPHABET, Example, alphabet_layout, cut_examples, enrol, parse_rows
from scoring import Edition, ScoringError
from vision.capture import Frame
from vision.detection import locate
from vision.drawing import stack_panels
from vision.errors import BoardNotFoundError, InputError, VisionError
from vision.pipeline import GameContext, read_photo
from vision.profile import Profile, UndistortedView
from vision.recognition import CascadeReader

__all__ = ["CalibrationSession"]

_PAPER = "a4"
_WIDEST = 1280
_QUALITY = 85
_PANEL_PX = 420
_PATIENCE_S = 3.0
"""How long the next picture of the camera is waited for."""

_LIGHT_PICTURES = 5
_MIN_TILE_PICTURES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """One step as the page shows it."""

    step: Step
    taken: tuple[str, ...] = ()
    missing: str = ""
    ready: bool = False
    result: str = ""
    advice: tuple[str, ...] = ()
    picture: int = 0

    def to_record(self) -> dict[str, Any]:
        return {
            "name": self.step.name,
            "title": self.step.title,
            "text": self.step.text,
            "taken": list(self.taken),
            "missing": self.missing,
            "ready": self.ready,
            "result": self.result,
            "advice": list(self.advice),
            "picture": self.picture,
        }


@dataclass(slots=True)
class _Taken:
    """What the pictures told that no measurement has used yet."""

    views: list[View] = field(default_factory=list)
    sheet_bgr: NDArray[np.uint8] | None = None
    photos: list[tuple[str, list[Example]]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)


class CalibrationSession:
    """Calibrates one camera, one step after the other, in any order and as often as wanted.

    Parameters
    ----------
    path : Path
        The profile that is made or extended.
    edition : Edition
        What is played.
    look : callable
        Gives the camera's newest frame as the camera gave it; None before the first.
    check : callable
        Raises a SettingsError where the table can use no profile; asked before anything is done.
    use : callable
        Has the table go on with a profile.
    """

    def __init__(
        self,
        path: Path,
        edition: Edition,
        *,
        look: Callable[[], Frame | None],
        check: Callable[[], None],
        use: Callable[[Profile], None],
    ) -> None:
        self._path, self._edition, self._look, self._check, self._use = path, edition, look, check, use
        self._lock = threading.Lock()
        self._taken = _Taken()
        self._shown = {step.name: _Shown(step=step, missing=_wanted(step)) for step in STEPS}
        self._pictures: dict[str, bytes] = {}

    def state(self) -> dict[str, Any]:
        """The steps, what was taken for each, and what came of it.

        Raises
        ------
        SettingsError
            If the table can use no profile.
        """
        self._check()
        return {"profile": self._path.name, "steps": [shown.to_record() for shown in self._shown.values()]}

    def act(self, step: str, action: str, text: str = "", *, fixed: bool = False) -> dict[str, Any]:
        """The state after an action; what goes wrong is in its message.

        Parameters
        ----------
        step : str
            One of `calibration.steps.STEPS`, by its name.
        action : str
            ``take`` a picture, ``again`` to forget those that were taken, ``measure``, or ``read`` the board in view.
        text : str
            For tiles: ``alphabet``, or the rows of the board.
        fixed : bool
            For the board: whether it and the camera stay where they are.

        Raises
        ------
        SettingsError
            If the table can use no profile; then no picture is taken.
        """
        self._check()
        acts: dict[tuple[str, str], Callable[[], dict[str, str] | None]] = {
            ("lens", "take"): self._take_view,
            ("lens", "measure"): self._measure_lens,
            ("board", "take"): lambda: self._take_board(fixed),
            ("tiles", "take"): lambda: self._take_tiles(text),
            ("tiles", "read"): self._read_rows,
            ("tiles", "measure"): self._measure_tiles,
            ("light", "take"): self._take_light,
        }
        more: dict[str, str] | None = None
        with self._lock:
            try:
                if action == "again":
                    self._forget(step)
                elif (step, action) in acts:
                    more = acts[step, action]()
                else:
                    raise InputError(f"{step}: there is nothing to {action}; take a picture")
            except (VisionError, ScoringError) as error:
                more = {"message": str(error)}
            return {**self.state(), "step": step, **(more or {})}

    def camera(self) -> bytes | None:
        """The newest picture as a JPEG, at a size for a page."""
        frame = self._look()
        if frame is None:
            return None
        scale = min(1.0, _WIDEST / frame.image_bgr.shape[1])
        return _jpeg(
            np.asarray(
                cv2.resize(frame.image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
            )
        )

    def picture(self, step: str) -> bytes | None:
        """What came of a step, as a JPEG."""
        return self._pictures.get(step)

    def sheet(self) -> bytes:
        """The sheet to print, as a PDF."""
        return encode_sheet(Target.for_paper(_PAPER), _PAPER, "pdf")

    def report(self) -> str:
        """All that was measured, as a page of its own."""
        profile = open_profile(self._path)
        trial = None
        if profile.tiles is not None:
            trial = compare_tiles(profile.tiles, self._edition, _network())
        return render_report(profile, trial=trial)

    # The steps

    def _take_view(self) -> None:
        frame = self._next("lens")
        view = detect_target(frame.image_bgr, frame.source, Target.for_paper(_PAPER))
        self._taken.views.append(view)
        self._taken.sheet_bgr = frame.image_bgr
        self._tell_views(f"{len(view.pixels)} corners")

    def _tell_views(self, note: str) -> None:
        views = self._taken.views
        self._show(
            "lens",
            taken=(*self._shown["lens"].taken, note),
            ready=len(views) >= MIN_VIEWS,
            missing=describe_missing_views(views, None),
        )

    def _measure_lens(self) -> None:
        fitted = fit_lens(self._taken.views)
        section = build_lens_section(fitted)
        self._keep(lens=section, size_px=fitted.lens.size_px)
        if self._taken.sheet_bgr is not None:
            straight = UndistortedView.of(fitted.lens, 800).undistort(self._taken.sheet_bgr)
            panels = [("as the camera sees it", self._taken.sheet_bgr), ("with the lens known", straight)]
            self._draw("lens", stack_panels(panels, _PANEL_PX))
        self._show(
            "lens",
            result=f"{len(fitted.used)} pictures, points lie {fitted.error_px:.2f} px off; focal length "
            f"{fitted.lens.focal_px[0]:.1f} px, deviation {fitted.uncertainty['fx']:.1f}",
            advice=tuple(f"{name}: left out, {reason}" for name, reason in fitted.left_out.items()),
        )

    def _take_board(self, fixed: bool) -> None:
        frame, known = self._next("board"), open_profile(self._path)
        section = learn_board(frame, self._edition.layout, _network(), fixed=fixed, profile=known)
        height, width = frame.image_bgr.shape[:2]
        self._keep(board=section, size_px=(width, height) if fixed else None)
        panels = [("the picture", frame.image_bgr), ("the empty board from above", section.empty_bgr)]
        self._draw("board", stack_panels(panels, _PANEL_PX))
        place = "its place is kept" if fixed else "it may be moved about"
        self._show(
            "board",
            taken=("1 picture",),
            missing="",
            result=f"lines on {section.fit:.0%} of its edges; {place}",
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
        kinds = len({example.token for example in examples})
        self._show(
            "tiles",
            taken=(*self._shown["tiles"].taken, f"{len(examples)} tiles of {kinds} letters"),
            ready=len(self._taken.photos) >= _MIN_TILE_PICTURES,
            missing=""
            if len(self._taken.photos) >= self._shown["tiles"].step.pictures
            else "one more picture, the camera or the lamp a little otherwise, tells how well they are read",
        )

    def _measure_tiles(self) -> None:
        photos = self._taken.photos
        if not photos:
            raise InputError("tiles: no picture was taken yet; take one of tiles whose letters are known")
        examples = [example for _, found in photos for example in found]
        section, remarks = enrol(examples, self._edition, _network(), [name for name, _ in photos])
        self._keep(tiles=section)
        self._draw("tiles", draw_tiles(section))
        right = section.letters_right
        told = (
            "a second picture would tell how well they are read"
            if np.isnan(right)
            else f"with their own picture left out {right:.1%} are read rightly"
        )
        letters = len(set(section.labels))
        self._show(
            "tiles", result=f"{len(section.labels)} tiles of {letters} letters; {told}", advice=tuple(remarks)
        )

    def _read_rows(self) -> dict[str, str]:
        context = GameContext(edition=self._edition, recognizer=_network(), profile=open_profile(self._path))
        found = read_photo(self._next("tiles"), context)
        return {"rows": "\n".join(" ".join(row) for row in found.decoded.board.rows)}

    def _take_light(self) -> None:
        frames = [self._next("light") for _ in range(_LIGHT_PICTURES)]
        try:
            corners = locate(frames[0].image_bgr, self._edition.layout).corners_px
        except BoardNotFoundError:  # then the whole picture is measured
            corners = None
        section = measure_light(frames, corners)
        self._keep(light=section)
        measured = ", ".join(
            f"{name} {section.measures[name]:.3g}"
            for name in ("bright", "sharpness", "noise", "flicker")
            if name in section.measures
        )
        self._show(
            "light",
            taken=(f"{len(frames)} pictures",),
            missing="",
            result=f"{'the light is good' if not section.advice else 'to be improved'} ({measured})",
            advice=section.advice,
        )

    # What the steps share

    def _next(self, step: str) -> Frame:
        """The camera's next frame, called by its number: not the one that was there, which may be of long ago."""
        until = time.monotonic() + _PATIENCE_S
        old = self._look()
        while time.monotonic() < until:
            frame = self._look()
            if frame is not None and (old is None or frame.index != old.index):
                number = len(self._shown[step].taken) + 1
                return replace(frame, source=f"{step} {number}")
            time.sleep(0.03)
        raise InputError(
            "the camera has given no new picture for a while; look at the console whether it is seen"
        )

    def _keep(self, size_px: tuple[int, int] | None = None, **sections: Any) -> None:
        """Writes the profile with new sections, and has the table go on with it."""
        known = open_profile(self._path)
        self._use(update_profile(self._path, known, size_px=size_px, **sections))

    def _forget(self, step: str) -> None:
        if step == "lens":
            self._taken.views.clear()
        elif step == "tiles":
            self._taken.photos.clear()
        self._show(step, taken=(), ready=False, missing=_wanted(self._shown[step].step))

    def _show(self, step: str, **changes: Any) -> None:
        self._shown[step] = replace(self._shown[step], **changes)

    def _draw(self, step: str, image_bgr: NDArray[np.uint8]) -> None:
        self._pictures[step] = _jpeg(image_bgr)
        self._show(step, picture=self._shown[step].picture + 1)


@functools.cache
def _network() -> CascadeReader:
    """The network; loaded when the first step needs it."""
    return CascadeReader.load(features=True)


def _wanted(step: Step) -> str:
    """What is missing while nothing was taken."""
    return f"{step.pictures} picture{'s' if step.pictures > 1 else ''}"


def _jpeg(image_bgr: NDArray[np.uint8]) -> bytes:
    _, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(data.tobytes())
