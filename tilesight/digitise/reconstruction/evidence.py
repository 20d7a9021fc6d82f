"""Evidence of one photo: log-likelihoods of what each square of the board holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring import BLANK, COVERED, EMPTY, Board, Edition, is_blank
from tilesight.digitise.reading import PhotoRecord
from vision.core import Floats, Square, SquareProbabilities
from vision.decoding import score_squares, weigh_printed_values
from vision.pipeline import find_unknown_letters

__all__ = [
    "BLANK_STATE",
    "CORRECTED",
    "EMPTY_STATE",
    "PhotoEvidence",
    "collect_evidence",
    "state_log_likelihoods",
    "states_of",
]

EMPTY_STATE, BLANK_STATE = 0, 1
"""Indices of `states_of`; the letters follow."""
CORRECTED = -1e6
"""Log-likelihood of every state that a person's correction excludes: no number of photos outweighs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """Probabilities that bound what one photo says of a square; chosen, not fitted."""

    uninformative: float = 1e-3
    """A photo does not show the square at all: a hand, a reflex, a picture that was cut."""
    min_letter: float = 1e-4
    """Floor of each letter's probability."""


SETTINGS = EvidenceSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoEvidence:
    """What one photo of a game shows."""

    name: str
    board: Board
    """The board as it was read from this photo alone."""
    states: Floats
    """(rows, columns, states) float64. Log-likelihood of each state of each square, see `states_of`."""
    letters: Floats
    """(rows, columns, letters) float64. Log-likelihood of each letter if the square holds a tile with one."""
    appearance: Floats | None = None
    """(rows, columns, k) float64. Embedding of each tile with a letter, see `vision.recognition.embedding`; NaN
    on other squares."""
    others: tuple[str, ...] = ()
    """Photos that follow it and are taken to show the same position."""
    corrections: Mapping[Square, str] = field(default_factory=dict)
    """The tokens that people gave for squares."""


def states_of(edition: Edition) -> tuple[str, ...]:
    """List what a square may hold: nothing, a blank, or one of the letters."""
    return (EMPTY, BLANK, *edition.tokens)


def state_log_likelihoods(reading: SquareProbabilities, edition: Edition) -> tuple[Floats, Floats]:
    """Compute the log-likelihoods of one photo, without the letter frequencies of the reader's training.

    Returns
    -------
    states : (rows, columns, states) float64
        Log-likelihood of each state. A square that is covered is equally likely in all of them.
    letters : (rows, columns, letters) float64
        Log-likelihood of each letter if the square holds a tile with one.
    """
    scores = weigh_printed_values(score_squares(reading, edition), reading, edition)
    probabilities = scores.probabilities()
    covered = probabilities[..., scores.tokens.index(COVERED), None]
    columns = [scores.tokens.index(state) for state in states_of(edition)]
    letters = probabilities[..., columns[BLANK_STATE + 1 :]]
    shares = letters / letters.sum(axis=-1, keepdims=True)
    states = np.log(probabilities[..., columns] + covered + SETTINGS.uninformative)
    return states, np.log(shares + SETTINGS.min_letter)


def collect_evidence(
    record: PhotoRecord, reading: SquareProbabilities, edition: Edition
) -> PhotoEvidence | None:
    """Collect what a photo, corrected, shows of a game of an edition.

    None if it shows a board of another size or was read with other letters.
    """
    layout, board = edition.layout, record.board
    has_size = reading.occupancy.shape[:2] == (layout.rows, layout.columns)
    if board is None or not has_size or find_unknown_letters(reading.tokens, edition):
        return None
    states, letters = state_log_likelihoods(reading, edition)
    index_of = {state: index for index, state in enumerate(states_of(edition))}
    corrections: dict[Square, str] = {}
    for correction in record.corrected or ():
        token, square = correction.now, correction.square
        state = index_of.get(BLANK if is_blank(token) else token)
        if state is None:
            continue
        corrections[square] = token
        states[square] = CORRECTED
        states[(*square, state)] = 0.0
        if state > BLANK_STATE:
            letters[square] = CORRECTED
            letters[(*square, state - BLANK_STATE - 1)] = 0.0
    appearance = None
    if reading.embedding is not None:
        appearance = np.where(reading.shows_letter[..., None], reading.embedding, np.nan).astype(np.float64)
    return PhotoEvidence(
        name=record.name,
        board=Board.from_rows(board.rows),
        states=states,
        letters=letters,
        appearance=appearance,
        corrections=corrections,
    )
