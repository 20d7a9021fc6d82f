"""Correct the evidence for blanks by comparing the squares of one game.

The reader knows what blanks look like in most sets. In some sets, bare squares of one colour are taken for blanks in
photo after photo. In others, blanks have nearly the board's colour and are missed. Both show once the squares of one
game are compared. All values are natural logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, Edition, Layout, Premium
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, CORRECTED, EMPTY_STATE
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Floats, Mask, Square

__all__ = [
    "BLANK_KIND",
    "KindLogs",
    "exclude_kinds",
    "margin_of",
    "raise_faint_blanks",
    "separate_blanks",
    "suppress_misleading_blanks",
]

BLANK_KIND = 0
"""Index of the blank among the kinds of tiles; the letters follow."""

KindLogs = dict[TileSpan, Floats]
"""By tile: log-likelihood of each kind, a blank or one of the letters, or of each letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankSettings:
    """Log-odds of blanks, chosen by rendered games whose seeds no reported result uses."""

    misleading_log_odds: float = -0.2
    """Log-odds of a blank on a kind of square of which several look like blanks where none can be."""
    min_misleading: int = 2
    """Squares of one premium that must look like isolated blanks to make all of that premium misleading."""
    seen: float = 1.0
    """Log-odds from which a square looks like a blank: what a hand covers may be either."""
    bare_margin: float = 2.0
    """By this much a blank is more likely than on the bare squares of its premium."""
    bare_quantile: float = 0.99
    """Quantile of the bare squares' log-odds that blanks are compared with; what is above it is chance."""
    max_raise: float = 3.5
    """Cap on the correction for blanks of nearly the board's colour."""
    reader_prior: float = 1.8
    """Prior against blanks that the reader has already applied. Added back on squares where two groups of photos of
    this game show a blank. Of 540 rendered games three more had every play right, also with 2.7, and two with 0.9."""
    max_evidence_against: float = 2.0
    """Cap on one photo's evidence against a raised blank: it may be lost in glare. Of 540 rendered games two more had
    every play right, together with `chance_cost`."""
    chance_cost: float = 1.5
    """Cost of a raised blank: one of many bare squares stands out by chance."""
    min_print_margin: float = 6.0
    """A letter that leads all others by this much is printed or written on the tile. On 134 rendered blanks
    the margin was below 3.7, or 6.6 where jokers bear a sign; on letters nearly taken for blanks 6.7 and more."""
    min_written_log_odds: float = 3.0
    """Log-odds, averaged over the photos, of a blank on which somebody wrote a letter: they are rare."""
    min_photo_log: float = -100.0
    """Letters below this log-likelihood are excluded by people: the tile is no example of its letter's appearance."""


SETTINGS = BlankSettings()


def suppress_misleading_blanks(states: Floats, layout: Layout) -> Floats:
    """Remove the evidence for blanks on premium squares that look like blanks when they are bare.

    Photos of one set are not independent: a bare square of some colour may be taken for a blank in all of them. That is
    so if several squares of one premium look like blanks apart from all other tiles, where no tile can be.

    Parameters
    ----------
    states : (groups, rows, columns, states) float64
        Log-likelihood of each state.
    layout : Layout
        The board.

    Returns
    -------
    (groups, rows, columns, states) float64
        The corrected log-likelihoods.
    """
    isolated: dict[Premium, set[Square]] = {}
    best = states.argmax(axis=-1)
    log_odds = states[..., BLANK_STATE] - states[..., EMPTY_STATE]
    seen = (best == BLANK_STATE) & (log_odds > SETTINGS.seen)
    for occupied, blanks in zip(best != EMPTY_STATE, seen, strict=True):
        for row, column in np.argwhere(blanks).tolist():
            if not has_neighbour(occupied, row, column) and (row, column) not in layout.start:
                isolated.setdefault(layout[row, column], set()).add((row, column))
    misleading = {kind for kind, squares in isolated.items() if len(squares) >= SETTINGS.min_misleading}
    if not misleading:
        return states
    is_misleading = np.array(
        [
            [layout[row, column] in misleading for column in range(layout.columns)]
            for row in range(layout.rows)
        ]
    )
    affected = is_misleading & (states.min(axis=-1) > CORRECTED / 2)  # corrections stay
    corrected = states.copy()
    corrected[affected, BLANK_STATE] = np.minimum(
        corrected[affected, BLANK_STATE], corrected[affected, EMPTY_STATE] + SETTINGS.misleading_log_odds
    )
    return corrected


def raise_faint_blanks(states: Floats, photo_counts: Sequence[int], layout: Layout, blanks: int) -> Floats:
    """Raise the evidence for blanks on squares that stand out from the bare squares of their premium.

    A blank of nearly the board's colour is doubted in photo after photo, and these photos are not independent. Its
    log-odds are therefore compared with those of the bare squares of this game and not with those of other sets.

    Parameters
    ----------
    states : (groups, rows, columns, states) float64
        Log-likelihood of each state, summed over the photos of a group.
    photo_counts : sequence of int
        Number of photos of each group.
    layout : Layout
        The board.
    blanks : int
        Number of blanks in the bag: no more squares of a premium than this are candidates.

    Returns
    -------
    (groups, rows, columns, states) float64
        The corrected log-likelihoods.
    """
    raised = states.copy()
    if len(states) < 2:
        return raised
    counts = np.array(photo_counts)
    log_odds = (states[..., BLANK_STATE] - states[..., EMPTY_STATE]) / counts[:, None, None]
    has_letter = (states[..., BLANK_STATE + 1 :].max(axis=-1) > states[..., EMPTY_STATE]).any(axis=0)
    is_corrected = (states.min(axis=-1) < CORRECTED / 2).any(axis=0)
    is_open = ~has_letter & ~is_corrected
    second = np.partition(log_odds, -2, axis=0)[-2]
    seen_twice = (second > SETTINGS.seen) & is_open
    raised[:, seen_twice, BLANK_STATE] += SETTINGS.reader_prior * counts[:, None]
    for square, bare in faint_candidates(log_odds, is_open, layout, blanks):
        own = log_odds[:, *square]
        amount = faint_blank_raise(own, bare, counts)
        if amount is not None:
            raised[:, *square, BLANK_STATE] = raise_blank(raised[:, *square], counts, amount)
    return raised


def faint_candidates(
    log_odds: Floats, is_open: Mask, layout: Layout, blanks: int
) -> Iterator[tuple[Square, Floats]]:
    """Yield the squares of each premium that look most like blanks, with the log-odds of its bare squares.

    Parameters
    ----------
    log_odds : (groups, rows, columns) float64
        Log-odds of a blank, averaged over the photos of a group.
    is_open : (rows, columns) bool
        Squares without a letter or a correction.
    layout : Layout
        The board.
    blanks : int
        Number of candidates by their highest log-odds, and number by their second highest.

    Yields
    ------
    square : (row, column)
        The candidate.
    bare : (squares, groups) float64
        Log-odds of the other squares of the same premium.
    """
    squares_of: dict[Premium, list[Square]] = {}
    for row, column in np.argwhere(is_open).tolist():
        squares_of.setdefault(layout[row, column], []).append((row, column))
    second, first = np.partition(log_odds, -2, axis=0)[-2:]
    for squares in squares_of.values():
        candidates = {
            square
            for ranks in (second, first)
            for square in sorted(squares, key=ranks.__getitem__, reverse=True)[:blanks]
        }
        bare = np.array([log_odds[:, *square] for square in squares if square not in candidates])
        if bare.size:
            yield from ((square, bare) for square in sorted(candidates))


def faint_blank_raise(own: Floats, bare: Floats, photo_counts: NDArray[np.intp]) -> float | None:
    """Return by how much the evidence of a blank is raised, None if it does not stand out from the bare squares.

    Parameters
    ----------
    own : (groups,) float64
        Log-odds of a blank on the square.
    bare : (squares, groups) float64
        The same of bare squares.
    photo_counts : (groups,) int
        Number of photos of each group.
    """
    level = float(np.quantile(bare, SETTINGS.bare_quantile))
    if photo_counts[own > level + SETTINGS.bare_margin].sum() == 1:
        level = float(bare.max())  # a single photo must show more than any photo of a bare square
    shows = own > level + SETTINGS.bare_margin
    if not shows.any():
        return None
    middle = (float(np.median(own[shows])) + level) / 2
    return float(np.clip(-middle, 0, SETTINGS.max_raise))


def raise_blank(states: Floats, photo_counts: NDArray[np.intp], amount: float) -> Floats:
    """Return the raised log-likelihood of a blank on one square, (groups,).

    Parameters
    ----------
    states : (groups, states) float64
        Log-likelihood of each state of the square.
    photo_counts : (groups,) int
        Number of photos of each group.
    amount : float
        By how much each photo's evidence is raised.
    """
    raised = np.maximum(
        states[:, BLANK_STATE] + amount * photo_counts,
        states[:, EMPTY_STATE] - SETTINGS.max_evidence_against * photo_counts,
    )
    raised[-1] -= SETTINGS.chance_cost if amount else 0.0
    return raised


def has_neighbour(occupied: Mask, row: int, column: int) -> bool:
    """Return whether a tile shares an edge with the square."""
    near = (
        occupied[max(0, row - 1) : row + 2, column].sum()
        + occupied[row, max(0, column - 1) : column + 2].sum()
    )
    return bool(near > 2 * occupied[row, column])


def separate_blanks(
    timelines: SquareTimelines, removed: Sequence[TileSpan], on_board: Sequence[TileSpan], edition: Edition
) -> KindLogs:
    """Decide which tiles are blanks.

    Parameters
    ----------
    timelines : SquareTimelines
        The evidence of all photos.
    removed, on_board : sequence of TileSpan
        The tiles that were removed, and those that are on the board at the end.
    edition : Edition
        The tiles of the bag.

    Returns
    -------
    mapping of TileSpan to (states - 1,) float64
        Log-likelihood of each kind of each tile.
    """
    logs = {tile: timelines.kind_log_likelihoods(tile) for tile in (*removed, *on_board)}
    # Whether a letter was printed is the same question in all photos: their answers are averaged and not added.
    log_odds = {tile: blank_log_odds(logs[tile]) / timelines.photo_count(tile) for tile in logs}
    for tile in printed_letters(timelines, log_odds):
        logs[tile] = exclude_kinds(logs[tile], [BLANK_KIND])
    count = edition.counts.get(BLANK)
    blanks = sorted(
        (tile for tile in on_board if logs[tile].argmax() == BLANK_KIND), key=log_odds.__getitem__
    )
    # Of blanks beyond the number in the bag, the least sure are letters.
    for tile in blanks[: len(blanks) - count] if count is not None and len(blanks) > count else ():
        logs[tile] = exclude_kinds(logs[tile], [BLANK_KIND])
    return logs


def printed_letters(timelines: SquareTimelines, log_odds: dict[TileSpan, float]) -> Iterator[TileSpan]:
    """Yield the tiles that are read as blanks but bear a printed letter.

    A written letter must be more doubtful than any other tile with the same letter: where several of them nearly look
    like blanks, the letter was printed.

    Parameters
    ----------
    timelines : SquareTimelines
        The evidence of all photos.
    log_odds : dict of TileSpan to float
        Log-odds of a blank against the best letter, averaged over the photos.
    """
    by_letter: dict[int, list[TileSpan]] = {}
    for tile in log_odds:
        means = timelines.mean_letter_log_likelihoods(tile)
        if means.min() > SETTINGS.min_photo_log and margin_of(means) > SETTINGS.min_print_margin:
            by_letter.setdefault(int(means.argmax()), []).append(tile)
    least = SETTINGS.min_written_log_odds
    for tiles in by_letter.values():
        highest = max((log_odds[tile] for tile in tiles if log_odds[tile] < least), default=0.0)
        yield from (tile for tile in tiles if 0 < log_odds[tile] < least + max(0.0, highest))


def blank_log_odds(logs: Floats) -> float:
    """Return the log-odds of a blank against the most likely letter."""
    return float(logs[BLANK_KIND] - logs[BLANK_KIND + 1 :].max())


def exclude_kinds(logs: Floats, kinds: Sequence[int]) -> Floats:
    """Return the log-likelihoods with these kinds below all others."""
    changed = logs.copy()
    changed[list(kinds)] = logs.min() - 1.0
    return changed


def margin_of(logs: Floats) -> float:
    """Return the difference of the two highest values."""
    second, first = np.partition(logs, -2)[-2:]
    return float(first - second)
