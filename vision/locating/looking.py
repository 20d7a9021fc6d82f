"""One look at a guessed grid, and the corrections that it allows: a small one needs no other look."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.locating.offsets import Pull, explained
from vision.locating.pattern import Pattern
from vision.locating.registering import colour_pull
from vision.locating.seen_edges import Lying, SeenEdges
from vision.locating.small_projections import projection
from vision.locating.views import Views

__all__ = ["Look", "Subject"]

_SETTLED = 0.008
"""Of the eight numbers of a correction, which at 1 move a corner by a cell."""

_MOVED, _MOVED_FAR = 0.02, 0.1
"""The same, from which edges are looked at anew, and from which squares lie elsewhere and are as well. By less a step
across an edge is only shifted, and colours change as their slope says. Of 240 fits of boards without lines 190 ended
within 0.1 cell without this, 188 with 0.02 and 174 with 0.06, which is a tenth quicker."""

Matrix = NDArray[np.float64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is looked at.

    Parameters
    ----------
    views : Views
        The picture.
    pattern : Pattern
        The layout as it lies in the grid.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    """

    views: Views
    pattern: Pattern
    hidden: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What a picture shows at a guess of the grid, and how the guess was since corrected.

    Parameters
    ----------
    subject : Subject
        What is looked at.
    guess : (3, 3) float64
        From the grid to the picture, as it was looked at.
    lying : Lying
        The squares on which something lies.
    edges : SeenEdges
        What lies across the grid's edges there.
    colours : bool
        Whether the squares' colours are asked where they want the grid.
    pull : Pull or None
        What they say; None where they were not asked or say nothing.
    numbers : (8,) float64
        The small projection by which the guess has been corrected.
    covariance : (8, 8) float64
        How sure these are.
    moved : float
        By how much the last correction changed the largest of them.
    """

    subject: Subject
    guess: Matrix
    lying: Lying
    edges: SeenEdges
    colours: bool
    pull: Pull | None
    numbers: Floats
    covariance: Floats
    moved: float = np.inf

    @classmethod
    def at(cls, subject: Subject, guess: Matrix, *, colours: bool, lying: Lying | None = None) -> Look:
        """A look at a guess; at its colours, too, where these are asked for, or nothing tells what lies there."""
        if lying is None:
            lying = Lying.on(subject.views, guess, subject.pattern, subject.hidden)
        return cls(
            subject=subject,
            guess=guess,
            lying=lying,
            edges=SeenEdges.of(subject.views, guess, subject.pattern, lying),
            colours=colours,
            pull=colour_pull(subject.views, guess, subject.pattern, subject.hidden) if colours else None,
            numbers=np.zeros(8),
            covariance=np.zeros((8, 8)),
        )

    @property
    def image_from_grid(self) -> Matrix:
        """The corrected guess."""
        return self.guess @ projection(self.numbers, self.subject.pattern.rows, self.subject.pattern.columns)

    @property
    def settled(self) -> bool:
        """Whether another correction would hardly change anything."""
        return self.moved < _SETTLED

    def without_colours(self) -> Look:
        """The same, from where lines alone decide."""
        return replace(self, colours=False, pull=None)

    def corrected(self, *, unclear: bool) -> Look:
        """The same with its guess corrected, looked at anew first where it has moved far.

        Parameters
        ----------
        unclear : bool
            Lines may be blurred: look a little farther and less closely.
        """
        look = self
        moved = float(np.abs(self.numbers).max())
        if moved > _MOVED:
            lying = None if moved > _MOVED_FAR else self.lying
            look = Look.at(self.subject, self.image_from_grid, colours=self.colours, lying=lying)
        pattern = self.subject.pattern
        offsets = look.edges.offsets(unclear=unclear, near=look.numbers)
        numbers, covariance = explained(offsets, pattern.rows, pattern.columns, look.pull)
        change = float(np.abs(numbers - look.numbers).max())
        return replace(look, numbers=numbers, covariance=covariance, moved=change)
