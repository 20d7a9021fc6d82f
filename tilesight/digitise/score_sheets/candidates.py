"""The games and single boards of which a score sheet may be."""

from __future__ import annotations

from tilesight.digitise.games import PhotoGames
from tilesight.digitise.score_sheets.matching import GameCandidate

__all__ = ["list_candidates"]


def list_candidates(games: PhotoGames) -> list[GameCandidate]:
    """List the games in their order, then the single boards; photos that are nearly the same are of one board."""
    catalogue = games.catalogue
    photos = [[photo.index for photo in game] for game in games.games]
    place = {index: number for number, members in enumerate(photos) for index in members}
    for index, summary in enumerate(catalogue.summaries):
        if games.game_of(index) is not None or catalogue.same_as(index) is not None or not summary.tiles:
            continue
        nearly = catalogue.nearly_same_as(index)
        if nearly is not None and nearly in place:
            place[index] = place[nearly]
            photos[place[nearly]].append(index)
        else:
            place[index] = len(photos)
            photos.append([index])
    return [
        GameCandidate(
            photos=tuple(members),
            names=tuple(tuple(catalogue.names(index)) for index in members),
            rows=None if games.game_of(members[0]) is not None else board_rows(games, members[0]),
        )
        for members in photos
    ]


def board_rows(games: PhotoGames, index: int) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of the board in a photo."""
    board = games.record(index).board
    assert board is not None  # it has tiles
    return board.rows
