"""Photos to games: which photos show one game, in which order and orientation, and of which edition it is."""

from tilesight.digitise.games.catalogue import Photo, PhotoCatalogue
from tilesight.digitise.games.orientation import OrientationSearch
from tilesight.digitise.games.photo_games import PhotoGames

__all__ = ["OrientationSearch", "Photo", "PhotoCatalogue", "PhotoGames"]
