"""Reconstruction of a game from its photos: soft readings of all photos to positions, plays and a game record.

From the `evidence` of each photo, `play_search` finds when tiles were placed, by the `square_timelines`. The result is
a sequence of `positions`, with the letters of all tiles, which `game_record` turns into plays.
"""

from tilesight.digitise.reconstruction.found_games import ReconstructedGames, add_conflicts, reconstruct_games

__all__ = ["ReconstructedGames", "add_conflicts", "reconstruct_games"]
