"""Cut the tiles with known letters out of a photo."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.tiles.label_checks import agreement_share, latin_twin, permutation_z_score
from scoring import COVERED, EMPTY, Edition, bag_tile, format_square, is_blank
from vision.capture import Frame
from vision.core import Mask, Occupancy, RectifiedBoard, Square, SquareProbabilities, mirror_corners
from vision.errors import BoardNotFoundError, InputError
from vision.pipeline import CameraModel
from vision.profile import Profile
from vision.recognition import (
    CascadeReader,
    crop_cells,
    rotate_upright,
    vote_turn,
)
from vision.rectification import rectify_at_tile_height

__all__ = ["Example", "Rows", "cut_examples"]

Rows = Sequence[Sequence[str]]
"""The tokens of a board, row by row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleSettings:
    """Limits of the examples of one photo; chosen."""

    min_empty: float = 0.9
    """Probability of an empty square from which a given tile is missing."""
    max_missing: float = 0.15
    """Share of the given tiles that may be missing; above it the letters are of another board."""
    min_upright_gain: float = 0.3
    """A tile is rotated back if the probability of its letter rises by this much."""
    min_mirror_gain: float = 4.0
    """Standard deviations by which the letters must fit the mirror image better than the picture."""


SETTINGS = ExampleSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Example:
    """One tile of a photo.

    Parameters
    ----------
    photo : int
        Index of the photo.
    row, column : int
        Its square.
    token : str
        Its letter as it was given; a blank is ``?``.
    cell_bgr : (side, side, 3) uint8
        Its pixels, upright, as the network takes them, BGR.
    letters : (n,) float32
        The network's own probabilities of its letters.
    """

    photo: int
    row: int
    column: int
    token: str
    cell_bgr: NDArray[np.uint8]
    letters: NDArray[np.float32]


def cut_examples(
    frame: Frame,
    given: Rows | Callable[[Mask], Rows],
    edition: Edition,
    network: CascadeReader,
    photo: int,
    profile: Profile | None = None,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> list[Example]:
    """Cut the tiles whose letters are known out of a photo.

    Parameters
    ----------
    frame : Frame
        The photo.
    given : rows of tokens, or callable
        The tokens of the board. A callable gets the (rows, columns) mask of the squares on which tiles are seen, as for
        an alphabet that was laid out in order.
    edition : Edition
        The edition of the letters.
    network : CascadeReader
        Loaded with features.
    photo : int
        Index of the photo.
    profile : Profile, optional
        What is known of the lens, and of where the board is.
    corners_px : four (x, y), optional
        The grid's corners.

    Returns
    -------
    list of Example
        The examples, from the orientation of the board in which the letters agree best with the network. It may be in
        the mirror image, as many webcams show it.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the photo.
    InputError
        If the tiles are not where the letters were given.
    """

    def cut(picture: Frame, corners_px: Sequence[Sequence[float]] | None) -> list[Example]:
        return _cut_best_turn(picture, given, edition, network, photo, profile or Profile(), corners_px)

    found, refusal = list[Example](), None
    try:
        found = cut(frame, corners_px)
    except InputError as error:
        refusal = error
    if corners_px is not None:
        corners_px = mirror_corners(corners_px, frame.size_px[0]).tolist()
    with contextlib.suppress(BoardNotFoundError, InputError):
        mirrored = cut(frame.mirror(), corners_px)
        # where the letters were laid or given backwards, their tiles as the picture shows them fit better still
        choices = (found, mirrored, _flip(mirrored, network))
        z_found, z_mirrored, z_backwards = (permutation_z_score(each, network.tokens) for each in choices)
        if z_mirrored > max(z_found + SETTINGS.min_mirror_gain, z_backwards):
            return mirrored
    if refusal is not None:
        raise refusal
    return found


def _flip(examples: Sequence[Example], network: CascadeReader) -> list[Example]:
    """Return the mirror images of tiles."""
    cells = [example.cell_bgr[:, ::-1] for example in examples]
    letters = network.letter_probabilities(np.stack(cells)) if cells else ()
    return [
        replace(example, cell_bgr=cell, letters=probabilities)
        for example, cell, probabilities in zip(examples, cells, letters, strict=True)
    ]


def _cut_best_turn(
    frame: Frame,
    given: Rows | Callable[[Mask], Rows],
    edition: Edition,
    network: CascadeReader,
    photo: int,
    profile: Profile,
    corners_px: Sequence[Sequence[float]] | None,
) -> list[Example]:
    """Cut the tiles from the side of the board in which the letters agree best with the network."""
    detection = CameraModel.of(profile, frame.size_px).find(frame, edition.layout, corners_px)
    image_bgr, grid = detection.frame.image_bgr, detection.grid
    rectified = rectify_at_tile_height(image_bgr, grid, network)
    reading = network.read(rectified)
    orientations = [(rectified, reading)]
    vote = vote_turn(reading)
    if corners_px is None and not vote.is_upright:
        for quarter in (vote.clear_turns,) if vote.clear_turns else (1, 2, 3):
            if grid.rows == grid.columns or quarter == 2:
                rotated = rectify_at_tile_height(image_bgr, grid.rotate(quarter), network)
                orientations.append((rotated, network.read(rotated)))
    fitting: list[tuple[float, list[Example]]] = []
    refusals: list[InputError] = []
    for board, seen in orientations:
        try:
            rows = given(seen.shows_tile) if callable(given) else given
            squares = _labelled_squares(rows, seen, edition, frame.source)
        except InputError as error:
            refusals.append(error)
            continue
        examples = _cut_squares(squares, rows, board, seen, network, photo)
        fitting.append((_mean_upright(seen) + agreement_share(examples, network.tokens), examples))
    if not fitting:
        raise refusals[0]
    return max(fitting, key=lambda choice: choice[0])[1]


def _mean_upright(reading: SquareProbabilities) -> float:
    """Return the mean probability that tiles are upright."""
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    return float(reading.turns[tiles][:, 0].mean()) if tiles.any() else 0.0


def _labelled_squares(rows: Rows, reading: SquareProbabilities, edition: Edition, name: str) -> list[Square]:
    """List the squares with a given letter on which a tile is seen.

    Raises
    ------
    InputError
        If the rows do not fit the board, their letters are not of the edition, or too many tiles are missing.
    """
    shape = reading.occupancy.shape[:2]
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        raise InputError(
            f"{name}: the letters given fill {len(rows)} rows of {max(map(len, rows), default=0)}, the board has "
            f"{shape[0]} of {shape[1]}; give one token for each square"
        )
    squares = [
        (row, column)
        for row, tokens in enumerate(rows)
        for column, token in enumerate(tokens)
        if token not in (EMPTY, COVERED)
    ]
    unknown = sorted({rows[r][c] for r, c in squares if not is_blank(rows[r][c])} - {*edition.tokens})
    if unknown:
        raise InputError(
            f"{name}: the letters {' '.join(unknown)} are none of edition {edition.name}; "
            "correct them, or name the edition with --edition"
        )
    missing = [
        square for square in squares if reading.occupancy[square][Occupancy.EMPTY] > SETTINGS.min_empty
    ]
    if len(missing) > SETTINGS.max_missing * len(squares):
        places = ", ".join(
            f"{format_square(*square)} ({rows[square[0]][square[1]]})" for square in missing[:5]
        )
        raise InputError(
            f"{name}: {len(missing)} of the {len(squares)} squares with letters look empty: {places}; "
            "are the letters of this photo, and from its first row on?"
        )
    return [square for square in squares if square not in missing]


def _cut_squares(
    squares: Sequence[Square],
    rows: Rows,
    rectified: RectifiedBoard,
    reading: SquareProbabilities,
    network: CascadeReader,
    photo: int,
) -> list[Example]:
    """Cut the tiles of these squares, and rotate those that are not upright."""
    if not squares:
        return []
    index = np.array([row * reading.occupancy.shape[1] + column for row, column in squares])
    cells = crop_cells(rectified, network.margin_px, index)
    letters = network.letter_probabilities(cells)
    turns = np.array([int(reading.turns[square].argmax()) for square in squares])
    rotated = rotate_upright(cells, turns)
    letters_rotated = network.letter_probabilities(rotated)
    examples = []
    for number, (row, column) in enumerate(squares):
        token, cell, probabilities = rows[row][column], cells[number], letters[number]
        twin = latin_twin(token)
        if twin in network.tokens:
            letter = network.tokens.index(twin)
            if letters_rotated[number, letter] > probabilities[letter] + SETTINGS.min_upright_gain:
                cell, probabilities = rotated[number], letters_rotated[number]
        examples.append(
            Example(
                photo=photo,
                row=row,
                column=column,
                token=bag_tile(token),
                cell_bgr=cell,
                letters=probabilities,
            )
        )
    return examples
