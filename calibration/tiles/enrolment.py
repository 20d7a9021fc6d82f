"""A set of tiles from photos whose letters are known: cut out, checked against what they look like, enrolled."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.tiles.homoglyphs import latin_twin
from calibration.tiles.label_checks import agreement_share, check_letters, check_order, find_contradictions
from scoring import BLANK, COVERED, EMPTY, Edition, format_square, is_blank
from vision.capture import Frame
from vision.core import Grid, Occupancy, RectifiedBoard, SquareProbabilities
from vision.errors import InputError
from vision.pipeline import CameraModel
from vision.profile import Origin, Profile, TilesSection
from vision.recognition import (
    CascadeReader,
    crop_cells,
    enrol_prototypes,
    rotate_upright,
    vote_turn,
)
from vision.rectification import rectify_at_tile_height

__all__ = ["Example", "Rows", "cut_examples", "enrol"]

Rows = Sequence[Sequence[str]]

_MIN_LETTERS = 5
_SURELY_EMPTY = 0.9
_CLEARER_UPRIGHT = 0.3
_MAX_MISSING = 0.15
"""Of the known tiles that may look like empty squares; more, and it is another board."""

_MIN_ALIKE = 0.55
"""Of the examples that other photos explain: tiles of one letter must look alike."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Example:
    """One tile of a photo.

    Parameters
    ----------
    photo : int
        Number of the photo.
    row, column : int
        Its square.
    token : str
        Its letter, as it was given; a blank is ``?``.
    cell_bgr : (side, side, 3) uint8
        Its pixels, upright, as the network takes them.
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
    given: Rows | Callable[[NDArray[np.bool_]], Rows],
    edition: Edition,
    network: CascadeReader,
    photo: int,
    profile: Profile | None = None,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> list[Example]:
    """The tiles of a photo whose letters are known.

    Parameters
    ----------
    frame : Frame
        The photo.
    given : rows of tokens, or a callable
        What lies on the board; a callable gets the (rows, columns) mask of the squares where tiles are seen, as for
        an alphabet that was laid out in order.
    edition : Edition
        Whose letters they are.
    network : NetworkReader
        Loaded with features.
    photo : int
        Number of the photo.
    profile : Profile, optional
        What is known of the lens, and of where the board lies.
    corners_px : four (x, y), optional
        The grid's corners.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the photo.
    InputError
        If the tiles do not lie where the letters were given.
    """
    height, width = frame.image_bgr.shape[:2]
    sighted = CameraModel.of(profile or Profile(), (width, height)).find(frame, edition.layout, corners_px)
    grid, straight = sighted.grid, sighted.frame
    rectified = rectify_at_tile_height(straight.image_bgr, grid, network)
    reading = network.read(rectified)
    choices = [(grid, rectified, reading)]
    vote = vote_turn(reading)
    if corners_px is None and not vote.is_upright:
        turn = vote.clear_turns
        for quarter in (turn,) if turn else (1, 2, 3):
            if grid.rows == grid.columns or quarter == 2:
                turned: Grid = grid.rotate(quarter)
                again = rectify_at_tile_height(straight.image_bgr, turned, network)
                choices.append((turned, again, network.read(again)))
    fitting: list[tuple[float, list[Example]]] = []
    refusals: list[InputError] = []
    for _, cut, seen in choices:
        try:
            tokens = given(_tiles(seen)) if callable(given) else given
            examples = _cut(cut, seen, tokens, edition, network, photo, frame.source)
        except InputError as error:
            refusals.append(error)
            continue
        fitting.append((_upright_share(seen) + agreement_share(examples, network.tokens), examples))
    if not fitting:
        raise refusals[0]
    return max(fitting, key=lambda choice: choice[0])[1]


def _tiles(reading: SquareProbabilities) -> NDArray[np.bool_]:
    return np.asarray(
        reading.occupancy[..., [Occupancy.TILE, Occupancy.BLANK]].sum(axis=-1) > 0.5, dtype=np.bool_
    )


def _upright_share(reading: SquareProbabilities) -> float:
    """The mean probability that tiles stand upright."""
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    return float(reading.turns[tiles][:, 0].mean()) if tiles.any() else 0.0


def _cut(
    rectified: RectifiedBoard,
    reading: SquareProbabilities,
    rows: Rows,
    edition: Edition,
    network: CascadeReader,
    photo: int,
    name: str,
) -> list[Example]:
    shape = reading.occupancy.shape[:2]
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        raise InputError(
            f"{name}: the letters given fill {len(rows)} rows of {max(map(len, rows), default=0)}, the board has "
            f"{shape[0]} of {shape[1]}; give one token for each square"
        )
    squares = [
        (row, column)
        for row in range(shape[0])
        for column in range(shape[1])
        if rows[row][column] not in (EMPTY, COVERED)
    ]
    unknown = sorted({rows[r][c] for r, c in squares if not is_blank(rows[r][c])} - {*edition.tokens})
    if unknown:
        raise InputError(
            f"{name}: the letters {' '.join(unknown)} are none of edition {edition.name}; "
            "correct them, or name the edition with --edition"
        )
    bare = [square for square in squares if reading.occupancy[square][Occupancy.EMPTY] > _SURELY_EMPTY]
    if len(bare) > _MAX_MISSING * len(squares):
        places = ", ".join(f"{format_square(*square)} ({rows[square[0]][square[1]]})" for square in bare[:5])
        raise InputError(
            f"{name}: {len(bare)} of the {len(squares)} squares with letters look empty: {places}; "
            "are the letters of this photo, and from its first row on?"
        )
    squares = [square for square in squares if square not in bare]
    if not squares:
        return []
    index = np.array([row * shape[1] + column for row, column in squares])
    cells = crop_cells(rectified, network.margin_px)[index]
    letters = network.letter_probabilities(cells)
    turns = np.array([int(reading.turns[square].argmax()) for square in squares])
    upright = rotate_upright(cells, turns)
    again = network.letter_probabilities(upright)
    for number, (row, column) in enumerate(squares):
        # a tile was turned if it shows its letter the more clearly when it is turned back
        token = latin_twin(rows[row][column])
        if token in network.tokens:
            letter = network.tokens.index(token)
            if again[number, letter] > letters[number, letter] + _CLEARER_UPRIGHT:
                cells[number], letters[number] = upright[number], again[number]
    return [
        Example(
            photo=photo,
            row=row,
            column=column,
            token=BLANK if is_blank(rows[row][column]) else rows[row][column],
            cell_bgr=cell,
            letters=said,
        )
        for (row, column), cell, said in zip(squares, cells, letters, strict=True)
    ]


def enrol(
    examples: Sequence[Example], edition: Edition, network: CascadeReader, sources: Sequence[str]
) -> tuple[TilesSection, list[str]]:
    """The set that the examples are of, and what is doubtful about them.

    Parameters
    ----------
    examples : sequence of Example
        Of one set, from one photo or more.
    edition : Edition
        Whose letters they are.
    network : NetworkReader
        Loaded with features.
    sources : sequence of str
        Names of the photos.

    Returns
    -------
    section : TilesSection
        For a profile.
    remarks : list of str
        Lines for people: letters without an example, examples that look like other letters.

    Raises
    ------
    InputError
        If there are too few letters, or they are not those that the photos show.
    """
    letters = [example for example in examples if example.token != BLANK]
    if len({example.token for example in letters}) < _MIN_LETTERS:
        raise InputError(
            f"tiles: {len({e.token for e in letters})} different letters are shown, {_MIN_LETTERS} at least are "
            "needed; lay out the alphabet, or take a photo of a board with more tiles"
        )
    check_order(examples, network.tokens, sources)
    check_letters(examples, network.tokens, sources)
    cells = np.stack([example.cell_bgr for example in examples])
    labels = tuple(example.token for example in examples)
    photos = tuple(example.photo for example in examples)
    result = enrol_prototypes(cells, labels, photos, network, edition.tokens)
    if result.letters_right < _MIN_ALIKE:
        raise InputError(
            f"tiles: of {len(result.left_out)} tiles only {result.letters_right:.0%} look like others of the same "
            "letter; the letters given for one of the photos are wrong, or the photos show different sets"
        )
    remarks = find_contradictions(examples, network.tokens, dict(result.left_out), sources)
    missing = [token for token in edition.tokens if token not in labels]
    if missing:
        unknown = [token for token in missing if token not in network.tokens]
        remarks.append(
            f"no example of {' '.join(missing)}"
            + (f"; {' '.join(unknown)} cannot be read" if unknown else "; the network alone reads these")
        )
    known = [example for example in letters if example.token in network.tokens]
    right = [network.tokens[int(example.letters.argmax())] == example.token for example in known]
    section = TilesSection(
        edition=edition.name,
        prototypes=result.prototypes,
        network=network.fingerprint,
        examples_bgr=cells,
        labels=labels,
        photos=photos,
        letters_right=result.letters_right,
        network_right=float(np.mean(right)) if right else math.nan,
        origin=Origin(
            made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), sources=tuple(sources)
        ),
    )
    return section, remarks
