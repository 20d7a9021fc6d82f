"""Games of real words: each turn is one of the best plays of the rack, as people find some of them."""

from __future__ import annotations

import random
from pathlib import Path

from scoring import Edition, Game, Lexicon, WordIndex, bag_tile, best_plays, index_words

__all__ = ["load_words", "word_game", "word_index"]

SKIP = 0.3
"""Chance that a player overlooks a play and takes the next one; 2 plays on average, as people at home."""
PASSING, EXCHANGING = 0.01, 0.03
"""Chances of a turn without a play."""


def load_words(path: Path, *, longest: int = 9) -> Lexicon:
    """Load the words in small letters of a list, one a line, or of a Hunspell dictionary.

    Parameters
    ----------
    path : Path
        The list.
    longest : int
        The longest words that people play, in characters.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("iso-8859-1")
    words = (line.split("/")[0].split("\t")[0].strip() for line in text.splitlines())
    return Lexicon.of(
        {word.upper() for word in words if word.islower() and word.isalpha() and 2 <= len(word) <= longest}
    )


def word_index(path: Path, edition: Edition) -> WordIndex:
    """Index the words of a list that an edition's letters spell."""
    return index_words(load_words(path), edition)


def word_game(rng: random.Random, edition: Edition, index: WordIndex, *, players: int = 2) -> Game:
    """Return a complete game.

    Parameters
    ----------
    rng : random.Random
        The source of randomness.
    edition : Edition
        The edition; all its counts must be known.
    index : WordIndex
        The words.
    players : int
        Number of players.
    """
    bag = [tile for tile, count in edition.counts.items() for _ in range(count or 0)]
    rng.shuffle(bag)
    racks = [[bag.pop() for _ in range(edition.rack_size)] for _ in range(players)]
    game = Game(edition=edition, players=tuple(f"Player {n + 1}" for n in range(players)))
    while game.ending is None and len(game.events) < 80:
        rack = racks[game.turn]
        ranked = best_plays(game.board, rack, edition, index)
        chance = rng.random()
        if chance < EXCHANGING and len(bag) >= edition.rack_size:
            game = game.with_exchange(rack[:3])
            bag += rack[:3]
            del rack[:3]
            rng.shuffle(bag)
        elif not ranked or chance > 1 - PASSING:
            game = game.with_pass()
        else:
            place = 0
            while rng.random() > SKIP:
                place += 1
            play = ranked[place % len(ranked)].play
            game = game.with_play(play)
            for placement in play:
                rack.remove(bag_tile(placement.token))
        rack += [bag.pop() for _ in range(min(edition.rack_size - len(rack), len(bag)))]
    return game
