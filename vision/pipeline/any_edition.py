"""Read a photo of which no edition is named: its tiles show which one it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scoring import Edition, Layout
from vision.capture import Frame
from vision.core import Occupancy, SquareProbabilities, Stopwatch
from vision.decoding import EditionGuess, guess_editions
from vision.detection import fits_other_layout, measure_edge_share
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext

__all__ = ["AnyEditionReading", "read_any_edition", "select_probable_editions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyEditionSettings:
    """All are chosen."""

    min_certain: float = 0.9
    """Probability from which an edition is named without others."""
    min_named: float = 0.05
    """Probability from which another edition is named too."""
    min_sure_fit: float = 0.75
    """Share of the grid's edges with a line, from which on no other layout is tried. On 109 rendered boards of 16 x 16
    that were read as 15 x 15 it was 0.45 to 0.73; on labelled photos it is 0.60 to 0.98."""
    min_letter_probability: float = 0.972
    """Mean probability of the letters from which on none is tried either. On 180 rendered boards of 16 x 16 that
    were read as 15 x 15 it was 0.967 at most; 34 of 36 others whose lines are not clear have more."""
    max_covered_share: float = 0.5
    """Share of covered squares above which a board is not taken for one of a layout after the first: the grid is not
    where the squares are."""


SETTINGS = AnyEditionSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AnyEditionReading:
    """A board that was read, and the editions that its tiles may be of.

    Parameters
    ----------
    observation : BoardObservation
        The board, decided by the most probable edition.
    guesses : tuple of EditionGuess
        The editions of its layout, the most probable first.
    """

    observation: BoardObservation
    guesses: tuple[EditionGuess, ...]

    @property
    def edition(self) -> Edition:
        """The edition that the board was decided by; of an empty board, English if it was given."""
        return self.guesses[0].edition

    @property
    def shows_edition(self) -> bool:
        """Whether there are tiles with letters, which show an edition."""
        return bool(self.observation.probabilities.shows_letter.any())

    @property
    def remark(self) -> str:
        """What is known of the edition, for the user."""
        if not self.shows_edition:
            return "no tile shows the edition; name it with --edition"
        named = select_probable_editions({guess.edition.name: guess.probability for guess in self.guesses})
        shown = ", ".join(f"{name} ({share:.0%})" for name, share in named.items())
        if len(named) == 1:
            return f"the tiles are of edition {shown}"
        return f"the tiles may be of several editions: {shown}; the first is taken; name it with --edition"


def select_probable_editions(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the editions that are named to the user: one that is certain alone, otherwise all that are probable.

    Parameters
    ----------
    shares : mapping of str to float
        The probability of each edition, the most probable first; at least one.
    """
    best, *others = shares.items()
    if best[1] >= SETTINGS.min_certain:
        return dict([best])
    return dict([best, *((name, share) for name, share in others if share >= SETTINGS.min_named)])


def read_any_edition(
    frame: Frame,
    editions: Sequence[Edition],
    load_context: Callable[[Sequence[Edition]], GameContext],
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    stopwatch: Stopwatch | None = None,
) -> AnyEditionReading:
    """Read the board in a photo with the edition that its tiles are of.

    Parameters
    ----------
    frame : Frame
        The photo.
    editions : sequence of Edition
        The editions that it may be.
    load_context : callable
        Gives what boards of some editions of one layout are read with; called once for each layout that is tried.
    corners_px : four (x, y), optional
        As for `read_photo`.
    stopwatch : Stopwatch, optional
        As for `read_photo`.

    Raises
    ------
    BoardNotFoundError
        If no board of any layout is found.

    Notes
    -----
    A board's place and the look of its tiles depend on the layout only. The photo is therefore read once for each
    layout, until a board is found whose lines or letters are clear. One of another size may be squeezed into the first
    layout: where neither is clear, each layout that has more lines in the same place is tried too, and the board with
    the most lines is taken. A board whose premium squares no layout explains is of the first one that has its lines.
    """
    refusal: BoardNotFoundError | None = None
    by_lines: AnyEditionReading | None = None
    unsure: list[AnyEditionReading] = []
    for number, group in enumerate(_group_by_layout(editions)):
        if unsure and not _may_be_of(group[0].layout, unsure[0].observation):
            continue
        try:
            found = _read_layout(frame, group, load_context(group), corners_px, stopwatch)
        except BoardNotFoundError as error:
            refusal = refusal or error
            continue
        if number and _covered_share(found.observation) > SETTINGS.max_covered_share:
            continue
        if not found.observation.shows_layout:
            by_lines = by_lines or found
        elif _is_sure(found.observation):
            return found
        else:
            unsure.append(found)
    if unsure:
        return max(unsure, key=lambda found: found.observation.grid.fit)
    if by_lines is not None:
        return by_lines
    assert refusal is not None  # there is at least one edition
    raise refusal


def _read_layout(
    frame: Frame,
    editions: Sequence[Edition],
    context: GameContext,
    corners_px: Sequence[Sequence[float]] | None,
    stopwatch: Stopwatch | None,
) -> AnyEditionReading:
    """Read the board with editions of one layout; the most probable one decides what the squares hold."""

    @functools.lru_cache(maxsize=1)  # asked for by the decision and for the result
    def guess(reading: SquareProbabilities) -> tuple[EditionGuess, ...]:
        return guess_editions(reading, editions)

    found = read_photo(
        frame,
        context,
        corners_px=corners_px,
        choose_edition=lambda reading: guess(reading)[0].edition,
        stopwatch=stopwatch,
    )
    if corners_px is not None:  # a grid that is given fits by definition
        fit = measure_edge_share(found.frame.image_bgr, found.grid, context.edition.layout)
        found = replace(found, grid=replace(found.grid, fit=fit))
    return AnyEditionReading(observation=found, guesses=guess(found.probabilities))


def _is_sure(found: BoardObservation) -> bool:
    """Whether the lines or the letters of a board are so clear that it has no other number of squares."""
    return (
        found.grid.fit >= SETTINGS.min_sure_fit
        or (found.mean_letter_probability or 0.0) >= SETTINGS.min_letter_probability
    )


def _may_be_of(layout: Layout, found: BoardObservation) -> bool:
    """Whether a board that was read with one layout has more lines of another one."""
    return fits_other_layout(found.frame.image_bgr, found.grid, layout)


def _covered_share(found: BoardObservation) -> float:
    """Return the share of squares that are read as covered."""
    return float((found.probabilities.occupancy.argmax(axis=-1) == Occupancy.COVERED).mean())


def _group_by_layout(editions: Sequence[Edition]) -> list[list[Edition]]:
    """Group editions by the board on which they are played."""
    groups: dict[Layout, list[Edition]] = {}
    for edition in editions:
        groups.setdefault(edition.layout, []).append(edition)
    return list(groups.values())
