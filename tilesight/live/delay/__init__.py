"""A game and its pictures as viewers see them: late."""

from tilesight.live.delay.game import DelayedGame
from tilesight.live.delay.pictures import DelayedPictures

__all__ = ["DelayedGame", "DelayedPictures"]
