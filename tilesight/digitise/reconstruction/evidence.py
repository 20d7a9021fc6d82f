"""Evidence of one photo: log-likelihoods of what each square of the board holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring import BLANK, COVERED, EMPTY, Board, Edition, bag_tile
from tilesight.digitise.reading import PhotoRecord, SquareCorrection
from vision.core import Floats, Square, SquareProbabilities
from vision.decoding import score_kinds
from vision.pipeline import find_unknown_letters

__all__ = ["BLANK_STATE", "EMPTY_STATE", "PhotoEvidence", "collect_evidence", "states_of"]

EMPTY_STATE, BLANK_STATE = 0, 1
"""Indices of `states_of`; the letters follow."""
CORRECTED = -1e6
"""Log-likelihood of every state that a person's correction excludes: no number of photos outweighs it."""
UNINFORMATIVE = 1e-3
"""Probability that a photo does not show a square at all: a hand, a reflex, a picture that was cut. Chosen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoEvidence:
    """What one photo of a game shows."""

    name: str
    board: Board
    """The board as it was read from this photo alone."""
    states: Floats
    """(squares, states) float64. Log-likelihood of each state of each square, see `states_of`. The squares are counted
    row by row."""
    embedding: Floats | None = None
    """(squares, k) float64. Embedding of each tile with a letter, see `vision.recognition.embedding`; NaN on other
    squares."""
    others: tuple[str, ...] = ()
    """Photos that follow it and are taken to show the same position."""
    corrections: Mapping[Square, str] = field(default_factory=dict)
    """The tokens that people gave for squares in this photo, and for the same tile in no other one later."""
    tokens: Mapping[Square, str] = field(default_factory=dict)
    """The tokens that count for these, and for squares whose tile was corrected in other photos."""


def states_of(edition: Edition) -> tuple[str, ...]:
    """List what a square may hold: nothing, a blank, or one of the letters."""
    return (EMPTY, BLANK, *edition.tokens)


def state_log_likelihoods(reading: SquareProbabilities, edition: Edition) -> Floats:
    """Compute the log-likelihood of each state, (squares, states), without the letter frequencies of the training.

    A square that is covered is equally likely in all states.
    """
    scores = score_kinds(reading, edition)
    probabilities = scores.probabilities()
    covered = probabilities[..., scores.tokens.index(COVERED), None]
    columns = [scores.tokens.index(state) for state in states_of(edition)]
    logs = np.log(probabilities[..., columns] + covered + UNINFORMATIVE)
    return np.asarray(logs.reshape(-1, len(columns)))


def collect_evidence(
    record: PhotoRecord,
    reading: SquareProbabilities,
    edition: Edition,
    own_corrections: Iterable[SquareCorrection] = (),
) -> PhotoEvidence | None:
    """Collect what a photo, corrected as its game is, shows of a game of an edition.

    None if it shows a board of another size or was read with other letters.
    """
    layout, board = edition.layout, record.board
    has_size = reading.occupancy.shape[:2] == (layout.rows, layout.columns)
    if board is None or not has_size or find_unknown_letters(reading.tokens, edition):
        return None
    states = state_log_likelihoods(reading, edition)
    names = states_of(edition)
    tokens = {each.square: each.now for each in record.corrected or () if bag_tile(each.now) in names}
    for (row, column), token in tokens.items():
        index = row * layout.columns + column
        states[index] = CORRECTED
        states[index, names.index(bag_tile(token))] = 0.0
    embedding = None
    if reading.embedding is not None:
        embedding = np.where(reading.shows_letter[..., None], reading.embedding, np.nan).astype(np.float64)
        embedding = embedding.reshape(len(states), -1)
    return PhotoEvidence(
        name=record.name,
        board=Board.from_rows(board.rows),
        states=states,
        embedding=embedding,
        corrections={at: now for at, _, now in own_corrections if tokens.get(at) == now},
        tokens=tokens,
    )
