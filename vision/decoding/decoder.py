"""The stage that decides: probabilities in, the most probable board out.

Every state of a square (empty, blank, covered, or a letter) has a log-weight. It starts with what the picture alone
gives (`scores`). `TERMS` then add everything else that is known: how the other tiles are read, the start square, the
share of blanks, the board before, the connection of tiles, the bag, and the lexicon. They are soft, so that a clear
picture wins against them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from scoring import BLANK, Board, Edition, Lexicon, is_blank
from vision.core import (
    Candidate,
    DecodedBoard,
    Floats,
    Mask,
    Square,
    SquareProbabilities,
    connected_groups,
    lines_through,
    log_sum,
    neighbours_of,
    softmax,
    squares_in,
)
from vision.decoding.bag import bag_capacity, enforce_bag, letter_frequencies
from vision.decoding.flags import SETTINGS as FLAG_SETTINGS
from vision.decoding.flags import Decision, flag_squares
from vision.decoding.kinds import weigh_letter_turns, weigh_tile_kinds
from vision.decoding.letter_clusters import weigh_letters
from vision.decoding.scores import (
    BLANK_STATE,
    COVERED_STATE,
    EMPTY_STATE,
    FIRST_LETTER,
    Scores,
    blank_log_odds,
    score_squares,
    shift_to_blanks,
    weigh_frequencies,
)
from vision.errors import SettingsError

__all__ = ["SETTINGS", "TERMS", "decode", "score_kinds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingSettings:
    """Weights of the terms: natural logarithms of odds, unless stated otherwise.

    They are chosen, not fitted. A reader that is 99.9% sure has 6.9, so that each of them loses against a clear picture
    and wins against a vague one.

    Parameters
    ----------
    blank_on_start_penalty : float
        Against a blank on a start square, whose star looks like the face of a joker.
    usual_blank_share : float
        Share of blanks among the tiles, for which the reader's probabilities hold.
    blank_shares : tuple of float
        Shares in sets in which blanks stand for lost tiles.
    many_blanks : float
        Probability of such a set. Without such sets, six more blanks of 208 labelled boards are read as letters.
    prior_bonus : float
        For a tile that was there before: it is 20 times as probable as any other state.
    floating_penalty : float
        Against a group of tiles that is detached from the start, shared among its tiles; and against an empty square
        that alone detaches it. Without it, 156 squares of 552 rendered and labelled boards are wrong in place of 153.
    max_detached : int
        Number of clear detached groups up to which the tiles of a board should be connected.
    word_bonus : float
        For each word that the lexicon has.
    min_alternative : float
        Probability from which a state is an alternative.
    max_alternatives : int
        Number of alternatives of a square, at most.
    """

    blank_on_start_penalty: float = 1.5
    usual_blank_share: float = 1 / 31
    blank_shares: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    many_blanks: float = 0.0001
    prior_bonus: float = 3.0
    floating_penalty: float = 3.0
    max_detached: int = 2
    word_bonus: float = 2.0
    min_alternative: float = 0.01
    max_alternatives: int = 5


SETTINGS = DecodingSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Evidence:
    """The scores so far, and what is known besides the picture.

    Parameters
    ----------
    scores : Scores
        After the terms so far.
    reading : SquareProbabilities
        What was read.
    edition : Edition
        The edition.
    prior_board : Board or None
        The board before.
    lexicon : Lexicon or None
        The words.
    """

    scores: Scores
    reading: SquareProbabilities
    edition: Edition
    prior_board: Board | None
    lexicon: Lexicon | None

    def with_weights(self, weights: Floats) -> _Evidence:
        """Return the same with other weights."""
        return replace(self, scores=replace(self.scores, weights=weights))


def decode(
    reading: SquareProbabilities,
    edition: Edition,
    prior_board: Board | None = None,
    lexicon: Lexicon | None = None,
) -> DecodedBoard:
    """Return the most probable board of an edition, given what a reader saw.

    Parameters
    ----------
    reading : SquareProbabilities
        Probabilities of every square.
    edition : Edition
        The letters, the values printed on them, and how many the bag holds.
    prior_board : Board, optional
        The board at the last read: tiles rarely change. A blank keeps the letter that it was given.
    lexicon : Lexicon, optional
        Words that are a little more probable than others.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition, or the sizes differ.
    """
    rows, columns = reading.occupancy.shape[:2]
    if prior_board is not None and prior_board.size != (rows, columns):
        raise SettingsError(
            f"board before: it has {prior_board.size[0]}x{prior_board.size[1]} squares, the picture {rows}x{columns}; "
            "use the layout of the same game"
        )
    scores = _apply_terms(TERMS, reading, edition, prior_board, lexicon)
    return _decide(scores, reading, edition, prior_board)


def score_kinds(reading: SquareProbabilities, edition: Edition) -> Scores:
    """Score each square by its picture, and blanks also by how the board's other tiles are read.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    edition : Edition
        The letters, and the values printed on them.
    """
    return _apply_terms(KIND_TERMS, reading, edition)


def _apply_terms(
    terms: Sequence[_Term],
    reading: SquareProbabilities,
    edition: Edition,
    prior_board: Board | None = None,
    lexicon: Lexicon | None = None,
) -> Scores:
    """Score each square by its picture, and apply these terms."""
    evidence = _Evidence(
        scores=score_squares(reading, edition),
        reading=reading,
        edition=edition,
        prior_board=prior_board,
        lexicon=lexicon,
    )
    for term in terms:
        evidence = term(evidence)
    return evidence.scores


def _weigh_letter_frequencies(evidence: _Evidence) -> _Evidence:
    """Make letters of which the bag holds more tiles more probable."""
    frequencies = letter_frequencies(evidence.edition)
    return evidence.with_weights(weigh_frequencies(evidence.scores.weights, frequencies))


def _weigh_tile_kinds(evidence: _Evidence) -> _Evidence:
    """Make tiles that are read less clearly than the others more probably blanks."""
    return evidence.with_weights(weigh_tile_kinds(evidence.scores.weights, evidence.reading))


def _weigh_letter_turns(evidence: _Evidence) -> _Evidence:
    """Make tiles whose letter lies on its side, unlike the others, more probably blanks."""
    return evidence.with_weights(weigh_letter_turns(evidence.scores.weights, evidence.reading))


def _tile_squares(weights: Floats) -> Mask:
    """(rows, columns) squares that more probably hold a tile than nothing or what covers it."""
    tiles = log_sum(weights[..., FIRST_LETTER:])
    return np.asarray(
        np.maximum(tiles, weights[..., BLANK_STATE]) > weights[..., [EMPTY_STATE, COVERED_STATE]].max(axis=-1)
    )


def _penalize_blank_on_start(evidence: _Evidence) -> _Evidence:
    """Make blanks on start squares less probable."""
    weights = evidence.scores.weights.copy()
    for square in evidence.edition.layout.start:
        weights[square][BLANK_STATE] -= SETTINGS.blank_on_start_penalty
    return evidence.with_weights(weights)


def _weigh_blank_share(evidence: _Evidence) -> _Evidence:
    """Make tiles more probably blanks on a board with many: one of a set in which blanks stand for lost tiles.

    One by one, a letter written on a blank by hand looks like a thin printed one. The number of blanks is therefore
    estimated over all tiles of the board, with a strong prior for the usual share.
    """
    weights = evidence.scores.weights
    odds = np.exp(np.clip(blank_log_odds(weights), -30, 30))[_tile_squares(weights)]
    # For each share: how it changes the probabilities of blank and letter, which hold for the usual share.
    usual, shares = SETTINGS.usual_blank_share, (SETTINGS.usual_blank_share, *SETTINGS.blank_shares)
    factors = np.array([[share / usual, (1 - share) / (1 - usual)] for share in shares])
    is_blank_usually = odds / (1 + odds)
    gains = np.log(factors[:, :1] * is_blank_usually + factors[:, 1:] * (1 - is_blank_usually)).sum(axis=1)
    gains[1:] += np.log(SETTINGS.many_blanks / len(SETTINGS.blank_shares))
    posterior = softmax(gains)
    log_odds = float(np.log(posterior @ (factors[:, 0] / factors[:, 1])))
    return evidence.with_weights(shift_to_blanks(weights, np.full(weights.shape[:2], log_odds)))


def _add_prior_board(evidence: _Evidence) -> _Evidence:
    """Make the tiles that were there before more probable."""
    if evidence.prior_board is None:
        return evidence
    weights = evidence.scores.weights.copy()
    states = {token: number for number, token in enumerate(evidence.scores.tokens)}
    for tile in evidence.prior_board.tiles():
        state = BLANK_STATE if is_blank(tile.token) else states.get(tile.token)
        if state is not None:
            weights[tile.row, tile.column, state] += SETTINGS.prior_bonus
    return evidence.with_weights(weights)


def _penalize_detached(evidence: _Evidence) -> _Evidence:
    """Make groups of tiles less probable that are detached from the start, or the empty square that detaches them.

    A few covered squares that touch no tile are less probable, too: a hand is larger, and a lamp's reflection is not.
    Where several groups are clear all the same, the tiles lie loosely, and detached ones are as probable as others.
    """
    weights, start = evidence.scores.weights.copy(), evidence.edition.layout.start
    best = evidence.scores.best()
    lead = np.delete(weights, [EMPTY_STATE, COVERED_STATE], axis=-1).max(axis=-1) - weights[..., EMPTY_STATE]
    filled, covered = set(squares_in(best != EMPTY_STATE)), set(squares_in(best == COVERED_STATE))
    while (link := _missing_link(lead, filled, covered, start)) is not None:
        weights[link][EMPTY_STATE] -= SETTINGS.floating_penalty
        lead[link] += SETTINGS.floating_penalty
        filled.add(link)
    detached = [group - covered or group for group in connected_groups(filled) if not group & start]
    are_clear = [min(lead[square] for square in group) > SETTINGS.floating_penalty for group in detached]
    if sum(are_clear) <= SETTINGS.max_detached:
        for group in detached:
            for square in group:
                weights[square][EMPTY_STATE] += SETTINGS.floating_penalty / len(group)
    return evidence.with_weights(weights)


def _missing_link(
    lead: Floats, filled: Set[Square], covered: Set[Square], start: Set[Square]
) -> Square | None:
    """Return the empty square that would connect a detached group with the start and is most nearly a tile.

    None where a detached group is more probable than a tile on any such square.
    """
    connected = frozenset().union(*(group for group in connected_groups(filled) if group & start))
    near_detached = neighbours_of(filled - connected - covered)
    links = [
        (float(lead[square]), square)
        for square in (near_detached & (neighbours_of(connected) | start)) - filled
    ]
    largest, link = max(links, default=(-np.inf, None))
    return link if largest > -SETTINGS.floating_penalty else None


def _decide_letters_together(evidence: _Evidence) -> _Evidence:
    """Make letters more probable that fit the appearance of the other tiles, and what the bag holds."""
    capacity = bag_capacity(evidence.scores, evidence.edition)
    counts = [capacity.get(state) for state in range(FIRST_LETTER, len(evidence.scores.tokens))]
    return evidence.with_weights(weigh_letters(evidence.scores.weights, evidence.reading, counts))


def _enforce_bag(evidence: _Evidence) -> _Evidence:
    """Make the least certain tiles beyond the bag's count less probable."""
    return evidence.with_weights(enforce_bag(evidence.scores, evidence.edition))


def _prefer_words(evidence: _Evidence) -> _Evidence:
    """Make letters that form known words more probable, on uncertain squares, the most uncertain first."""
    if evidence.lexicon is None:
        return evidence
    tokens, weights = evidence.scores.tokens, evidence.scores.weights.copy()
    probabilities = evidence.scores.probabilities()
    uncertain = squares_in(probabilities.max(axis=-1) < FLAG_SETTINGS.min_confidence)
    for square in sorted(uncertain, key=lambda square: float(probabilities[square].max())):
        best = weights.argmax(axis=-1)
        if best[square] < FIRST_LETTER:
            continue
        lines = [
            line
            for line in lines_through(best != EMPTY_STATE, square)
            if all(best[each] >= FIRST_LETTER for each in line)
        ]
        for state in np.flatnonzero(probabilities[square] >= SETTINGS.min_alternative):
            if state < FIRST_LETTER:
                continue
            best[square] = state
            for line in lines:
                if evidence.lexicon.contains(tuple(tokens[best[each]] for each in line)):
                    weights[square][state] += SETTINGS.word_bonus
    return evidence.with_weights(weights)


_Term = Callable[[_Evidence], _Evidence]
KIND_TERMS: tuple[_Term, ...] = (_weigh_tile_kinds, _weigh_letter_turns)
"""The terms by which a photo shows blanks; what is known before it is seen would count anew in each photo of a game."""
TERMS: tuple[_Term, ...] = (
    _weigh_letter_frequencies,
    *KIND_TERMS,
    _penalize_blank_on_start,
    _weigh_blank_share,
    _add_prior_board,
    _penalize_detached,
    _decide_letters_together,
    _enforce_bag,
    _prefer_words,
)
"""The terms in the order in which they are applied; each sees the scores of those before it."""


def _decide(
    scores: Scores, reading: SquareProbabilities, edition: Edition, prior_board: Board | None
) -> DecodedBoard:
    """Take the best state of each square; list the alternatives, and the squares that should be checked."""
    states, probabilities = scores.best(), scores.probabilities()
    confidence = probabilities.max(axis=-1)
    rows = [[scores.tokens[state] for state in line] for line in states]
    if prior_board is not None:
        for tile in prior_board.tiles():
            if is_blank(tile.token) and rows[tile.row][tile.column] == BLANK:
                rows[tile.row][tile.column] = tile.token
    decision = Decision(
        reading=reading, edition=edition, tokens=scores.tokens, states=states, confidence=confidence
    )
    return DecodedBoard(
        board=Board.from_rows(rows),
        confidence=confidence,
        alternatives={
            square: _candidates(scores.tokens, probabilities[square])
            for square in squares_in(confidence < FLAG_SETTINGS.min_confidence)
        },
        doubts=flag_squares(decision),
    )


def _candidates(tokens: tuple[str, ...], probabilities: Floats) -> tuple[Candidate, ...]:
    """Return the likely tokens of a square, best first."""
    return tuple(
        Candidate(token=tokens[state], probability=float(probabilities[state]))
        for state in np.argsort(-probabilities)[: SETTINGS.max_alternatives]
        if probabilities[state] >= SETTINGS.min_alternative
    )
