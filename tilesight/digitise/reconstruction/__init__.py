"""Reconstruction of a game from its photos: soft readings of all photos to positions, plays and a game record.

From the `evidence` of each photo, `play_search` finds when tiles were placed, by the `square_timelines`, and
`tile_letters` decides what the tiles are. The result is a sequence of `positions`, which `game_record` turns into
plays.
"""

from tilesight.digitise.reconstruction.found_games import ReconstructedGames, reconstruct_games

__all__ = ["ReconstructedGames", "reconstruct_games"]
