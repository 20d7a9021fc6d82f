"""The games among the photos of a catalogue, and the edition of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scoring import Edition
from tilesight.digitise.games.catalogue import PhotoCatalogue
from tilesight.digitise.games.edition_vote import most_named, pool_editions
from tilesight.digitise.games.grouping import group_photos
from tilesight.digitise.games.photo_summary import BoardKey, PhotoSummary
from tilesight.digitise.reading import MIN_EDITION_PROBABILITY, PhotoRecord

__all__ = ["PhotoGames"]


class PhotoGames:
    """The games among the photos of a catalogue, as it is when they are grouped.

    Parameters
    ----------
    catalogue : PhotoCatalogue
        The photos.
    """

    def __init__(self, catalogue: PhotoCatalogue) -> None:
        self.catalogue = catalogue
        comparable = [index for index in range(len(catalogue)) if catalogue.is_comparable(index)]
        summaries = [catalogue.summaries[index] for index in comparable]
        self.games: list[list[PhotoSummary]] = group_photos(summaries, catalogue.codes_of(comparable))
        self._named = [
            most_named(catalogue.named_edition(photo.index) for photo in game) for game in self.games
        ]
        self.edition_shares: list[Mapping[str, float]] = [
            {named: 1.0} if named is not None else pool_editions(game, catalogue.editions)
            for game, named in zip(self.games, self._named, strict=True)
        ]
        self._game_of = {photo.index: number for number, game in enumerate(self.games) for photo in game}

    def edition(self, game: int) -> Edition:
        """Return the most probable edition of a game."""
        return self.catalogue.edition(next(iter(self.edition_shares[game])))

    def game_of(self, index: int) -> int | None:
        """Return the number of a photo's game, None if it has none."""
        return self._game_of.get(index)

    def by_key(self) -> dict[BoardKey, dict[int, list[int]]]:
        """Return the photos of each game by their folder and the size of their board."""
        members: dict[BoardKey, dict[int, list[int]]] = {}
        for number, game in enumerate(self.games):
            for photo in game:
                members.setdefault(photo.key, {}).setdefault(number, []).append(photo.index)
        return members

    def record(self, index: int) -> PhotoRecord:
        """Load a photo's record, corrected, with the probabilities of its game's edition."""
        record, game = self.catalogue.record(index), self.game_of(index)
        board = record.board
        is_decided = len(self.catalogue.editions) == 1 or self.catalogue.named_edition(index) is not None
        if board is None or game is None or is_decided:
            return record
        if self._named[game] is not None:
            return replace(record, board=replace(board, editions=None, edition_probability=None))
        shares = self.edition_shares[game]
        editions = {
            name: round(share, 4) for name, share in shares.items() if share >= MIN_EDITION_PROBABILITY
        }
        probability = round(shares.get(board.edition, 0.0), 4)
        return replace(record, board=replace(board, editions=editions, edition_probability=probability))

    def editions_to_read_again(self) -> dict[int, Edition]:
        """Return the photos that were read with another edition than people named or their game has."""
        catalogue, wanted = self.catalogue, dict[int, Edition]()
        for index, summary in enumerate(catalogue.summaries):
            if summary.edition is None:
                continue
            first = catalogue.same_as(index)
            game = self.game_of(index if first is None else first)
            of_game = self.edition(game).name if game is not None and len(catalogue.editions) > 1 else None
            name = catalogue.named_edition(index) or of_game or summary.edition
            if name != summary.edition:
                wanted[index] = catalogue.edition(name)
        return wanted
