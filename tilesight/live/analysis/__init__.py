"""What commentators and operators ask about a game: words in the list, best plays, and the chance to win."""

from tilesight.live.analysis.analyst import Analyst, PlayChoices, WinChances
from tilesight.live.analysis.magpie import Magpie, MagpieError, PlayChance, find_magpie
from tilesight.live.analysis.word_list import WordList

__all__ = [
    "Analyst",
    "Magpie",
    "MagpieError",
    "PlayChance",
    "PlayChoices",
    "WinChances",
    "WordList",
    "find_magpie",
]
