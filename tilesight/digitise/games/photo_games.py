"""The games among the photos of a catalogue, and the edition of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from scoring import Edition
from tilesight.digitise.games.catalogue import PhotoCatalogue
from tilesight.digitise.games.grouping import group_photos
from tilesight.digitise.reading import BoardRecord, PhotoRecord
from tilesight.digitise.results import CorrectedTiles, collect_corrected_tiles
from vision.core import softmax

__all__ = ["PhotoGames"]

MIN_VOTE = 1e-4
"""Probability of an edition that a photo does not name: no single photo can exclude one (chosen)."""
FULL_SHARE = 0.9
"""Boards with at least this share of the tiles of the fullest board vote (chosen)."""


class PhotoGames:
    """The games among the photos of a catalogue, as it is when they are grouped."""

    def __init__(self, catalogue: PhotoCatalogue) -> None:
        self.catalogue = catalogue
        comparable = [index for index in range(len(catalogue)) if catalogue.is_comparable(index)]
        boards = {index: board for index in comparable if (board := catalogue.summaries[index].board)}
        found = group_photos(
            [catalogue.summaries[index] for index in comparable],
            catalogue.boards[comparable],
            [catalogue.editions[board.edition].rack_size for board in boards.values()],
        )
        self.games = [[comparable[at] for at in game] for game in found]
        """The indices of the photos of each game."""
        self.game_of: dict[int, int] = {}
        """The number of the game of each photo that has one, also of files with the same bytes."""
        self.edition_shares: list[Mapping[str, float]] = []
        self._corrected_tiles: list[CorrectedTiles] = []
        for number, game in enumerate(self.games):
            self.game_of |= {copy: number for index in game for copy in catalogue.copies_of(index)}
            self._corrected_tiles.append(collect_corrected_tiles(catalogue.corrected_photos(game)))
            named = catalogue.named_edition(*game)
            possible = [named] if named is not None else catalogue.editions
            self.edition_shares.append(pool_editions([boards[index] for index in game], possible))

    def edition(self, game: int) -> Edition:
        """Return the most probable edition of a game."""
        return self.catalogue.editions[next(iter(self.edition_shares[game]))]

    def record(self, index: int) -> PhotoRecord:
        """Load a photo's record, corrected as its game is, with the probabilities of its game's edition."""
        game = self.game_of.get(index)
        record = self.catalogue.record(index, self._corrected_tiles[game] if game is not None else None)
        board = record.board
        is_decided = len(self.catalogue.editions) == 1 or self.catalogue.named_edition(index) is not None
        if board is None or game is None or is_decided:
            return record
        shares = self.edition_shares[game]
        # of one edition, people named it
        return replace(record, board=board.with_edition_shares(shares if len(shares) > 1 else None))

    def editions_to_read_again(self) -> dict[int, Edition]:
        """Return the photos that were read with another edition than people named or their game has."""
        catalogue, wanted = self.catalogue, dict[int, Edition]()
        for index, summary in enumerate(catalogue.summaries):
            if summary.board is None:
                continue
            game = self.game_of.get(index)
            of_game = self.edition(game).name if game is not None and len(catalogue.editions) > 1 else None
            name = of_game or catalogue.named_edition(index) or summary.board.edition
            if name != summary.board.edition:
                wanted[index] = catalogue.editions[name]
        return wanted


def pool_editions(game: Sequence[BoardRecord], editions: Collection[str]) -> dict[str, float]:
    """Return the probability of each edition by the boards of a game, the most probable first.

    The fullest boards vote, as they hold the tiles of all others; those that were read with a given edition do not. The
    logarithms of their probabilities are averaged and not added: ten photos of one tile are not ten independent
    observations.
    """
    voters = [(board.tiles, board.editions) for board in game if board.editions]
    most = max((tiles for tiles, _ in voters), default=0)
    fullest = [shares for tiles, shares in voters if tiles >= FULL_SHARE * most] or [{}]
    chances = [[shares.get(name, 0.0) for name in editions] for shares in fullest]
    pooled = softmax(np.log(np.maximum(chances, MIN_VOTE)).mean(axis=0)).tolist()
    return dict(sorted(zip(editions, pooled, strict=True), key=lambda pair: -pair[1]))
