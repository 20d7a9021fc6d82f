"""Words: word lists, their index, and the plays that they allow."""

from scoring.words.best_plays import best_plays
from scoring.words.lexicon import Lexicon, load_lexicon
from scoring.words.ranked_plays import FoundPlay, RankedPlays
from scoring.words.word_index import WordIndex, index_words, load_word_index

__all__ = [
    "FoundPlay",
    "Lexicon",
    "RankedPlays",
    "WordIndex",
    "best_plays",
    "index_words",
    "load_lexicon",
    "load_word_index",
]
