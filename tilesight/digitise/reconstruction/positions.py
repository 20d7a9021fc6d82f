"""Reconstruct the positions of a game from all its photos together, with the plays that lead from each to the next."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring import BLANK, EMPTY, Board, Edition, is_blank
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, PhotoEvidence, states_of
from tilesight.digitise.reconstruction.play_search import search_plays
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Floats, Square, softmax
from vision.decoding import TileAppearance, assign_letters, shipped_projection

__all__ = ["Position", "reconstruct_positions"]

BLANK_KIND = 0
"""Index of the blank among the kinds of tiles; the letters follow."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Position:
    """One position of a game, and the photos that show it."""

    photos: tuple[str, ...]
    board: Board
    confidence: Floats
    """(rows, columns) float64. Probability of each square's tile, and that it was placed by now."""
    turns: tuple[tuple[Square, ...], ...] = ()
    """What leads to it from the position before: the squares of each play, none where the last play is retracted."""
    left_out: Mapping[Square, str] = field(default_factory=dict)
    """Squares on which a letter is seen that no play explains, with the first photo that shows it."""
    overruled: tuple[tuple[str, Square, str | None], ...] = ()
    """The photos and squares of corrections that do not hold, with the photo whose correction does; None if no play
    explains them."""


def reconstruct_positions(photos: Sequence[PhotoEvidence], edition: Edition) -> list[Position]:
    """Reconstruct the positions of a game from its photos in the order of play."""
    return list(GameReconstruction(photos, edition).positions()) if photos else []


class GameReconstruction:
    """What the photos of a game, at least one, show together."""

    def __init__(self, photos: Sequence[PhotoEvidence], edition: Edition) -> None:
        self._edition, self._photos = edition, photos
        self._timelines = SquareTimelines(np.stack([photo.states for photo in photos]))
        self._hypothesis = search_plays(self._timelines, edition)
        self._kinds = self._decide_kinds()

    def positions(self) -> Iterator[Position]:
        """Yield the positions; photos that follow one another with the same tiles show one."""
        turns: list[tuple[Square, ...]] = []
        for tiles, numbers in itertools.groupby(range(len(self._photos)), key=self._hypothesis.tiles_at):
            shown = list(numbers)
            plays = self._hypothesis.plays
            turns += [() for play in plays if play.removed == shown[0]]
            turns += [tuple(map(self._square, play.squares)) for play in plays if play.placed == shown[0]]
            if tiles:
                yield self._position(tiles, shown, tuple(turns))
                turns.clear()

    def _position(
        self, tiles: Sequence[TileSpan], shown: Sequence[int], turns: tuple[tuple[Square, ...], ...]
    ) -> Position:
        """Return the position with these tiles, which these photos show and to which these turns lead."""
        layout, states = self._edition.layout, states_of(self._edition)[BLANK_STATE:]
        rows = [[EMPTY] * layout.columns for _ in range(layout.rows)]
        confidence = np.ones((layout.rows, layout.columns))
        # The rules allow no hole: tiles between the ends of a play are as sure as these, even if they are overlooked.
        ends = {
            square
            for play in self._hypothesis.plays
            for square in (play.squares[0], play.squares[-1])
            if play.placed == shown[0]
        }
        for tile in tiles:
            row, column = self._square(tile.square)
            logs = self._kinds[tile]
            token = states[logs.argmax()]
            rows[row][column] = token if token != BLANK else self._blank_token(tile)
            confidence[row, column] = softmax(logs).max()
            if tile.placed == shown[0] and tile.square in ends:
                by_photo = self._timelines.placement_probabilities(tile)
                confidence[row, column] *= by_photo[: shown[-1] + 1].sum()
        board = Board.from_rows(rows)
        photos = [self._photos[index] for index in shown]
        return Position(
            photos=tuple(name for photo in photos for name in (photo.name, *photo.others)),
            board=board,
            confidence=confidence,
            turns=turns,
            left_out={
                square: self._photos[index].name
                for index in reversed(shown)
                for square in map(self._square, self._timelines.squares_with_letter(index))
                if board[square] == EMPTY
            },
            overruled=tuple(
                (photo.name, square, self._corrected_to(square, board[square]))
                for photo in photos
                for square, token in photo.corrections.items()
                if board[square] != token and not (token == BLANK and is_blank(board[square]))
            ),
        )

    def _corrected_to(self, square: Square, token: str) -> str | None:
        """Return the first photo in which people corrected a square to this tile; None without one."""
        photos = (photo.name for photo in self._photos if photo.corrections.get(square) == token != EMPTY)
        return next(photos, None)

    def _decide_kinds(self) -> dict[TileSpan, Floats]:
        """Decide the kind of each tile that was ever on the board: the log-likelihood of a blank and of each letter.

        Of those that are on the board at the end, blanks are decided first, and then all letters together.
        """
        kinds = {tile: self._timelines.kind_log_likelihoods(tile) for tile in self._hypothesis.tiles}
        tiles = self._hypothesis.tiles_at(len(self._photos) - 1)
        # What is printed is the same question in all photos: their answers are averaged and not added.
        means = {tile: kinds[tile] / (len(self._photos) - tile.placed) for tile in tiles}
        blanks = [tile for tile in tiles if kinds[tile].argmax() == BLANK_KIND]
        blanks.sort(key=lambda tile: float(means[tile][BLANK_KIND] - means[tile][BLANK_KIND + 1 :].max()))
        count = self._edition.counts.get(BLANK)
        # Of blanks beyond the number in the bag, the least sure are letters, unless people named them blanks.
        for tile in blanks[: -count or None] if count is not None else ():
            if not any(map(is_blank, self._corrected_tokens(tile))):
                kinds[tile][BLANK_KIND] = kinds[tile].min() - 1.0
        lettered = [tile for tile in tiles if kinds[tile].argmax() != BLANK_KIND]
        letters = np.array([means[tile][BLANK_KIND + 1 :] for tile in lettered])
        counts = [self._edition.counts.get(token) for token in self._edition.tokens]
        embeddings = [embeddings_of(self._photos[tile.placed :], tile.square) for tile in lettered]
        assigned = assign_letters(letters, compare_appearance(embeddings), counts).tolist()
        for tile, letter in zip(lettered, assigned, strict=True):
            # By its own photos the letter that is decided may be no more likely than many others.
            first, decided = int(kinds[tile].argmax()), BLANK_KIND + 1 + letter
            kinds[tile][[first, decided]] = kinds[tile][[decided, first]]
        return kinds

    def _blank_token(self, tile: TileSpan) -> str:
        """Return the letter of a blank: by corrections, otherwise by most photos; ``?`` if no photo has one."""
        square = self._square(tile.square)
        read = [photo.board[square] for photo in self._photos[tile.placed : tile.removed]]
        for tokens in (self._corrected_tokens(tile), read):
            if counts := Counter(token for token in tokens if token != BLANK and is_blank(token)):
                return max(sorted(counts), key=counts.__getitem__)
        return BLANK

    def _corrected_tokens(self, tile: TileSpan) -> list[str]:
        """List the tokens that people gave for a tile."""
        square, photos = self._square(tile.square), self._photos[tile.placed : tile.removed]
        return [photo.tokens[square] for photo in photos if square in photo.tokens]

    def _square(self, index: int) -> Square:
        return divmod(index, self._edition.layout.columns)


def embeddings_of(photos: Sequence[PhotoEvidence], square: int) -> list[Floats]:
    """List the embeddings of a tile in the photos that show its letter."""
    embeddings = [photo.embedding[square] for photo in photos if photo.embedding is not None]
    return [embedding for embedding in embeddings if np.isfinite(embedding).all()]


def compare_appearance(embeddings: Sequence[Sequence[Floats]]) -> TileAppearance | None:
    """Return the appearance of tiles by the embeddings of each; None if no tile has one."""
    known = next((each[0] for each in embeddings if each), None)
    if known is None:
        return None
    return TileAppearance(
        embeddings=np.stack([np.mean(each, axis=0) if each else np.zeros_like(known) for each in embeddings]),
        photos=np.array([len(each) for each in embeddings]),
        projection=shipped_projection(),
    )
