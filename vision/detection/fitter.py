"""Fit of grid hypotheses to the image, with a limit on effort."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from vision.core import Matrix
from vision.detection.features import ImagePyramid
from vision.detection.fitting import (
    AlignmentProblem,
    OcclusionMask,
    align_whole_lines,
    refine_jointly,
    refine_on_lines,
)
from vision.detection.proposals import GridHypothesis
from vision.detection.verification import FittedGrid, Verdict, score_fit

__all__ = ["Effort", "HypothesisFitter", "HypothesisKind", "fit_jointly"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FitterSettings:
    """Distance between hypotheses that lead to the same fit, in cells; chosen."""

    same_fit: float = 0.3
    """Distance within which two hypotheses end in the same joint fit."""


SETTINGS = FitterSettings()


class Effort(enum.Enum):
    """How much time a search for the board may take."""

    FAST = "fast"
    """Stop early: the caller refits after reading, and searches again with `THOROUGH` if that fails."""
    THOROUGH = "thorough"
    """Try all kinds of hypotheses before giving up."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HypothesisKind:
    """One way to generate hypotheses.

    Parameters
    ----------
    generate : callable
        Yields hypotheses. It gets the list of certain boards of this kind, which grows while it runs, so that it can
        leave out hypotheses on them.
    aligns_whole_lines : bool
        Whether the hypotheses may be off by 0.4 cell, so that whole lines are aligned first; otherwise by 0.2.
    """

    generate: Callable[[list[FittedGrid]], Iterator[GridHypothesis]]
    aligns_whole_lines: bool


@dataclass(slots=True, eq=False)
class HypothesisFitter:
    """Fits hypotheses on one image; no board is fitted to the colours twice.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    effort : Effort
        With `Effort.FAST` a grid that is good enough to be read is not fitted to the colours too.
    """

    pyramid: ImagePyramid
    effort: Effort = Effort.THOROUGH
    _joint_fits: list[tuple[FittedGrid, FittedGrid]] = field(default_factory=list)
    """Fits on lines alone, each with the result of the joint fit from there."""

    def fit_kinds(self, kinds: Iterable[HypothesisKind]) -> Iterator[Iterator[FittedGrid]]:
        """Fit the hypotheses kind by kind, each only when it is asked for."""
        return map(self._fit_kind, kinds)

    def _fit_kind(self, kind: HypothesisKind) -> Iterator[FittedGrid]:
        certain: list[FittedGrid] = []
        for hypothesis in kind.generate(certain):
            fitted = self.fit(hypothesis, align_lines=kind.aligns_whole_lines)
            if fitted.scores.verdict is Verdict.CERTAIN:
                certain.append(fitted)
            yield fitted

    def fit(
        self, hypothesis: GridHypothesis, *, align_lines: bool, allow_joint_fit: bool = True
    ) -> FittedGrid:
        """Fit a hypothesis to the lines, and where those are not clear, to the colours too.

        Parameters
        ----------
        hypothesis : GridHypothesis
            The hypothesis.
        align_lines : bool
            Align whole lines first, see `HypothesisKind`.
        allow_joint_fit : bool
            Fit a hypothesis that its lines alone do not verify to the colours too, which is slow.
        """
        start, on_lines = self._fit_on_lines(hypothesis, align_lines)
        if self._needs_joint_fit(on_lines, allow_joint_fit):
            return self._fit_jointly_once(start, on_lines)
        return on_lines

    def _fit_on_lines(self, hypothesis: GridHypothesis, align_lines: bool) -> tuple[Matrix, FittedGrid]:
        """Fit a hypothesis to lines, shifted by whole cells if its layout fits better there.

        Returns
        -------
        start : (3, 3) float64
            The hypothesis, after the shift.
        fitted : FittedGrid
        """
        start, problem = hypothesis.image_from_grid, AlignmentProblem.unread(self.pyramid, hypothesis.classes)
        if align_lines:
            rows, columns = hypothesis.classes.rows, hypothesis.classes.columns
            aligned = align_whole_lines(self.pyramid, start, rows, columns)
            fitted = self._score(problem, refine_on_lines(problem, aligned, problem.occlusion_at(aligned)))
        else:
            occlusion = (
                problem.occlusion_at(start)
                if hypothesis.colours is None
                else OcclusionMask.from_colours(hypothesis.colours, hypothesis.classes)
            )
            fitted = self._score(problem, refine_on_lines(problem, start, occlusion))
        if fitted.scores.better_shift is not None:
            x, y = fitted.scores.better_shift
            start = fitted.image_from_grid @ np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]])
            fitted = self._score(problem, refine_on_lines(problem, start, problem.occlusion_at(start)))
        return start, fitted

    def _needs_joint_fit(self, on_lines: FittedGrid, allow_joint_fit: bool) -> bool:
        if on_lines.scores.has_clear_lines or not on_lines.scores.is_worth_refining:
            return False
        if self.effort is Effort.FAST and on_lines.scores.is_readable:
            return False
        return allow_joint_fit or on_lines.scores.is_accepted

    def _fit_jointly_once(self, start: Matrix, on_lines: FittedGrid) -> FittedGrid:
        for known, result in self._joint_fits:
            if known.is_near(on_lines.image_from_grid, on_lines.classes, SETTINGS.same_fit):
                return result
        problem = AlignmentProblem.unread(self.pyramid, on_lines.classes)
        fits = []
        for matrix in (on_lines.image_from_grid, start):
            fits.append(fit_jointly(problem, matrix))
            if fits[-1].scores.is_accepted:
                break  # the other start leads to the same board, and to no better scores
        best = max(fits, key=lambda fit: fit.scores.rank)
        self._joint_fits.append((on_lines, best))
        return best

    def _score(self, problem: AlignmentProblem, image_from_grid: Matrix) -> FittedGrid:
        return FittedGrid(
            image_from_grid=image_from_grid,
            classes=problem.classes,
            scores=score_fit(problem, image_from_grid),
        )


def fit_jointly(problem: AlignmentProblem, image_from_grid: Matrix) -> FittedGrid:
    """Fit a grid to lines and colours, and score it.

    Parameters
    ----------
    problem : AlignmentProblem
        What the grid is aligned with.
    image_from_grid : (3, 3) float64
        A grid that is off by less than about 0.4 cell.
    """
    matrix, corner_std_cells = refine_jointly(problem, image_from_grid)
    scores = score_fit(problem, matrix, corner_std_cells=corner_std_cells)
    return FittedGrid(image_from_grid=matrix, classes=problem.classes, scores=scores)
