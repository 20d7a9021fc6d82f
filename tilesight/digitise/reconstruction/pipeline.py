"""The positions that a game's photos show, read together: which tiles lay on the board at each of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, EMPTY, Board, Edition, is_blank
from tilesight.digitise.reading.square_colours import colours_of_text
from tilesight.digitise.reconstruction.blank_tiles import raise_faint_blanks, suppress_misleading_blanks
from tilesight.digitise.reconstruction.colour_changes import score_tiles_by_colour
from tilesight.digitise.reconstruction.play_search import Hypothesis, search_plays
from tilesight.digitise.reconstruction.square_timelines import (
    BLANK_STATE,
    CORRECTED,
    EMPTY_STATE,
    Square,
    SquareTimelines,
    Tile,
    state_log_likelihoods,
    states_of,
)
from tilesight.digitise.reconstruction.tile_letters import letters_of
from vision.core import Candidate, DecodedBoard, Occupancy, SquareProbabilities
from vision.pipeline import unknown_letters

__all__ = ["PhotoEvidence", "Position", "collect_evidence", "reconstruct_positions"]

MAY_HOLD = -7.0
"""A square of which all photos say that it is emptier than this has no history."""
MAY_BE_MORE = -3.0
"""The same: photos that differ in it are not alike, for a tile may have been laid that only later ones tell."""
BETTER_ORDER = 3.0
"""Photos are put into another order if all that they show is so much likelier then."""
UNPRINTED = 1.0
"""A tile that only its colour tells is so much likelier a blank: a letter would have been read."""
IS_TILE = 0.5
"""A square looks like its tile where it shows a letter at least as probably."""
SHOWN_FROM = 0.01
"""Tiles less probable than this are no alternative."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoEvidence:
    """What one photo of a game says.

    Parameters
    ----------
    name : str
        The photo.
    board : Board
        The board as it was read by itself.
    states : (rows, columns, states) float64
        The logarithm of how likely each state of each square is, see `square_timelines.states_of`.
    letters : (rows, columns, letters) float64
        The same of each letter if a tile with one lies there.
    appearance : (rows, columns, k) float64 or None
        How each tile with a letter looks, see `vision.recognition.embedding`; NaN on other squares.
    colours : (rows, columns, 3) uint8 or None
        The colours of its squares.
    by_colour : (rows, columns) float64 or float
        By how much a tile on each square is likelier than none by its colours and those of the game's other photos.
    others : tuple of str
        Photos that follow it and are taken to show the same.
    said : mapping of (row, column) to str
        What people said of squares.
    """

    name: str
    board: Board
    states: NDArray[np.float64]
    letters: NDArray[np.float64]
    appearance: NDArray[np.float64] | None = None
    colours: NDArray[np.uint8] | None = None
    by_colour: NDArray[np.float64] | float = 0.0
    others: tuple[str, ...] = ()
    said: Mapping[Square, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Position:
    """One position of a game, and the photos that show it.

    Parameters
    ----------
    photos : tuple of str
        Their names.
    decoded : DecodedBoard
        The board, with what else its tiles may be.
    left_out : tuple of (row, column)
        Squares on which a letter is seen that no play explains.
    plays : tuple of tuple of (row, column)
        The most plausible plays that lead to it from an empty board, in order, without those that are taken back later.
    overruled : tuple of (str, (row, column))
        The photos and squares of corrections that no play explains.
    """

    photos: tuple[str, ...]
    decoded: DecodedBoard
    left_out: tuple[Square, ...] = ()
    plays: tuple[tuple[Square, ...], ...] = ()
    overruled: tuple[tuple[str, Square], ...] = ()


def collect_evidence(
    record: Mapping[str, Any], reading: SquareProbabilities, edition: Edition
) -> PhotoEvidence | None:
    """What a photo says of a game of this edition; None if it shows another board, or was read for other letters.

    Parameters
    ----------
    record : mapping
        The photo's JSON object, corrected.
    reading : BoardReading
        What the reader saw.
    edition : Edition
        The game's.
    """
    layout = edition.layout
    if reading.occupancy.shape[:2] != (layout.rows, layout.columns) or unknown_letters(
        reading.tokens, edition
    ):
        return None
    states, letters = state_log_likelihoods(reading, edition)
    column = {state: number for number, state in enumerate(states_of(edition))}
    said: dict[Square, str] = {}
    for each in record.get("corrected", ()):
        token, square = each["now"], (int(each["square"][0]), int(each["square"][1]))
        state = column.get(BLANK if is_blank(token) else token)
        if state is None:
            continue
        said[square] = token
        states[square] = CORRECTED
        states[(*square, state)] = 0.0
        if state > BLANK_STATE:
            letters[square] = CORRECTED
            letters[(*square, state - BLANK_STATE - 1)] = 0.0
    return PhotoEvidence(
        name=record["image"],
        board=Board.from_rows(record["rows"]),
        states=states,
        letters=letters,
        appearance=appearance_of(reading),
        colours=colours_of_text(record["square_colours"], layout.rows, layout.columns)
        if "square_colours" in record
        else None,
        said=said,
    )


def reconstruct_positions(
    photos: Sequence[PhotoEvidence], edition: Edition, progress: Callable[[float], None] = lambda share: None
) -> list[Position]:
    """The positions that a game's photos show, in the order of play.

    Parameters
    ----------
    photos : sequence of Sighting
        In the order of play, as far as it is known.
    edition : Edition
        Whose rules.
    progress : callable
        Is told what share is done; of poor photos it takes seconds.
    """
    if not photos:
        return []
    told = GameReconstruction.of(photos, edition, lambda share: progress(share / 2))
    order = told.better_order()
    if order != sorted(order):
        again = GameReconstruction.of(
            [photos[at] for at in order], edition, lambda share: progress((1 + share) / 2)
        )
        if again.likelihood > told.likelihood + BETTER_ORDER:
            told = again
    return told.looks()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GameReconstruction:
    """What the photos of a game tell together, in one order.

    Parameters
    ----------
    groups : tuple of tuple of Sighting
        The photos; those that follow one another and were read alike are one look.
    edition : Edition
        Whose letters.
    squares : tuple of (row, column)
        Those that may hold a tile.
    histories : Histories
        What all photos say of them.
    course : Course
        When tiles were laid.
    letters : mapping
        What the tiles are, see `letters_of`.
    """

    groups: tuple[tuple[PhotoEvidence, ...], ...]
    edition: Edition
    squares: tuple[Square, ...]
    histories: SquareTimelines
    course: Hypothesis
    letters: Mapping[Tile, NDArray[np.float64]]

    @classmethod
    def of(
        cls, photos: Sequence[PhotoEvidence], edition: Edition, progress: Callable[[float], None]
    ) -> GameReconstruction:
        """What the photos tell in this order."""
        photos = with_colours(photos, edition)
        groups = grouped(photos)
        states, letters, by_colour = (
            np.stack([np.sum([getattr(photo, name) for photo in group], axis=0) for group in groups])
            for name in ("states", "letters", "by_colour")
        )
        states = suppress_misleading_blanks(states, edition.layout)
        photos_of = [len(group) for group in groups]
        states = raise_faint_blanks(states, photos_of, edition.layout, edition.counts.get(BLANK) or 0)
        states[..., EMPTY_STATE] -= by_colour
        unprinted = UNPRINTED * np.array(photos_of)[:, None, None]
        states[..., BLANK_STATE] += np.clip(by_colour, 0.0, unprinted)
        held = (states[..., BLANK_STATE:].max(axis=-1) - states[..., EMPTY_STATE] > MAY_HOLD).any(axis=0)
        squares = tuple((row, column) for row, column in np.argwhere(held).tolist())
        appearance = together([photo.appearance for group in groups for photo in group], states.shape[1:3])
        histories = SquareTimelines(states[:, held], letters[:, held], photos_of, appearance[:, held])
        course = search_plays(histories, squares, edition, progress)
        return cls(
            groups=groups,
            edition=edition,
            squares=squares,
            histories=histories,
            course=course,
            letters=letters_of(histories, course, edition),
        )

    @property
    def likelihood(self) -> float:
        """The logarithm of how likely all photos are."""
        return float(self.histories.rest[0].sum()) - self.course.lost

    def better_order(self) -> list[int]:
        """The photos, by number, in the order of how many of the tiles they show that lie there at last.

        Of those that show as many, one overlooks tiles that photos before it show, and shows new ones: it comes later.
        """
        last = self.course.lying_at(self.histories.looks)
        rows, columns = np.array([self.squares[at] for at, _, _ in last], np.intp).reshape(-1, 2).T
        kinds = np.array([BLANK_STATE + self.letters[tile].argmax() for tile in last], np.intp)
        photos = [photo for group in self.groups for photo in group]
        lead = [
            photo.states[rows, columns, kinds] - photo.states[rows, columns, EMPTY_STATE] for photo in photos
        ]
        colour = [np.broadcast_to(photo.by_colour, photo.states.shape[:2])[rows, columns] for photo in photos]
        shown = np.array(lead) + np.array(colour) > 0
        number = shown.sum(axis=1)
        before = np.array([shown[number < each].any(axis=0) for each in number])
        new = (shown & ~before).sum(axis=1)
        return sorted(range(len(photos)), key=lambda at: (int(number[at]), int(new[at])))

    def looks(self) -> list[Position]:
        """The positions, and for each the photos that show it."""
        looks: list[Position] = []
        before: frozenset[Tile] = frozenset()
        for number, group in enumerate(self.groups):
            names = tuple(name for photo in group for name in (photo.name, *photo.others))
            lying = frozenset(self.course.lying_at(number))
            if lying and lying == before:
                looks[-1] = replace(
                    looks[-1],
                    photos=(*looks[-1].photos, *names),
                    overruled=(*looks[-1].overruled, *self.overruled(number, looks[-1].decoded.board)),
                )
            elif lying:
                left_out = tuple(
                    self.squares[at]
                    for at in self.histories.letters_at(number)
                    if at not in {square for square, _, _ in lying}
                )
                decoded = self.decoded(number)
                overruled = self.overruled(number, decoded.board)
                plays = tuple(
                    tuple(self.squares[at] for at in play)
                    for play in self.course.plays
                    if self.course.laid[play[0]] <= number
                )
                looks.append(
                    Position(
                        photos=names, decoded=decoded, left_out=left_out, plays=plays, overruled=overruled
                    )
                )
            before = lying
        return looks

    def decoded(self, look: int) -> DecodedBoard:
        """The board at a look, with what else its tiles may be."""
        layout, kinds = self.edition.layout, states_of(self.edition)[BLANK_STATE:]
        rows = [[EMPTY] * layout.columns for _ in range(layout.rows)]
        confidence = np.ones((layout.rows, layout.columns))
        alternatives = {}
        for tile in self.course.lying_at(look):
            row, column = self.squares[tile[0]]
            shares = np.exp(self.letters[tile] - np.logaddexp.reduce(self.letters[tile]))
            order = np.argsort(-shares, kind="stable")
            tokens = [kinds[kind] if kinds[kind] != BLANK else self.blank_at(tile) for kind in order]
            rows[row][column] = tokens[0]
            laid_now = self.histories.laid_at(tile)[tile[1]] if tile[1] == look else 1.0
            confidence[row, column] = shares[order[0]] * laid_now
            if shares[order[0]] < 1 - SHOWN_FROM:
                alternatives[row, column] = tuple(
                    Candidate(token=token, probability=float(shares[kind]))
                    for token, kind in zip(tokens, order, strict=True)
                    if shares[kind] >= SHOWN_FROM
                )
        return DecodedBoard(
            board=Board.from_rows(rows), confidence=confidence, alternatives=alternatives, doubts=()
        )

    def overruled(self, look: int, board: Board) -> tuple[tuple[str, Square], ...]:
        """The photos and squares of corrections that the board at a look does not agree with."""
        return tuple(
            (photo.name, square)
            for photo in self.groups[look]
            for square, token in photo.said.items()
            if board[square] != token and not (token == BLANK and is_blank(board[square]))
        )

    def blank_at(self, tile: Tile) -> str:
        """The letter that a blank stands for, by people, else by most photos that name one; ``?`` where none does."""
        at, laid, end = tile
        for photo in (photo for group in self.groups[laid:end] for photo in group):
            token = photo.said.get(self.squares[at], BLANK)
            if token != BLANK and is_blank(token):
                return token
        names = Counter(
            token
            for group in self.groups[laid:end]
            for photo in group
            if (token := photo.board[self.squares[at]]) != BLANK and is_blank(token)
        )
        return max(sorted(names), key=names.__getitem__, default=BLANK)


def appearance_of(reading: SquareProbabilities) -> NDArray[np.float64] | None:
    """How each tile with a letter looks, (rows, columns, k); NaN on other squares."""
    if reading.embedding is None:
        return None
    is_tile = reading.occupancy[..., Occupancy.TILE] > IS_TILE
    return np.where(is_tile[..., None], reading.embedding, np.nan).astype(np.float64)


def together(appearances: Sequence[NDArray[np.float64] | None], size: tuple[int, ...]) -> NDArray[np.float64]:
    """How the tiles look in all photos, (photos, rows, columns, k); k is 0 where no photo tells it."""
    known = next((each for each in appearances if each is not None), np.zeros((*size, 0)))
    unknown = np.full(known.shape, np.nan)
    return np.stack([each if each is not None else unknown for each in appearances])


def with_colours(photos: Sequence[PhotoEvidence], edition: Edition) -> list[PhotoEvidence]:
    """The photos, each saying of its squares what their colours say beside those of the others."""
    states = np.stack([photo.states for photo in photos])
    best = states.argmax(axis=-1)
    bare, lettered = best <= BLANK_STATE, best > BLANK_STATE
    colours, blanks = [photo.colours for photo in photos], edition.counts.get(BLANK) or 0
    said = score_tiles_by_colour(colours, bare, lettered, edition.layout, blanks)
    said[states.min(axis=-1) < CORRECTED / 2] = 0.0  # what people say is certain
    return [replace(photo, by_colour=each) for photo, each in zip(photos, said, strict=True)]


def grouped(photos: Sequence[PhotoEvidence]) -> tuple[tuple[PhotoEvidence, ...], ...]:
    """The photos, those that follow one another and were read alike, in what is doubtful as well, together."""

    def read(photo: PhotoEvidence) -> tuple[Board, bytes]:
        lead = photo.states[..., BLANK_STATE:].max(axis=-1) - photo.states[..., EMPTY_STATE]
        lead = lead + photo.by_colour
        return photo.board, (lead > MAY_BE_MORE).tobytes()

    return tuple(tuple(group) for _, group in itertools.groupby(photos, key=read))
