"""Random legal games: the words mean nothing, but their geometry is that of real games."""

from __future__ import annotations

import random

from samples import anchor_squares, try_play
from scoring import BLANK, Board, Edition, Game, Play, as_blank, bag_tile

__all__ = ["random_game", "random_play"]


def random_game(rng: random.Random, edition: Edition, players: int = 2, turns: int = 40) -> Game:
    """Return a random game with every rack recorded.

    Most turns are plays; the others are passes, exchanges, plays taken back and challenges.

    Parameters
    ----------
    rng : random.Random
        The source of randomness.
    edition : Edition
        The edition; a tile whose count is not known is in the bag four times.
    players, turns : int
        The number of players, and the maximum number of turns.
    """
    bag = [tile for tile, count in edition.counts.items() for _ in range(4 if count is None else count)]
    rng.shuffle(bag)
    racks = [[bag.pop() for _ in range(edition.rack_size)] for _ in range(players)]
    game = Game(edition=edition, players=tuple(f"Player {n + 1}" for n in range(players)))
    for _ in range(turns):
        if game.ending is not None:
            break
        player, chance = game.turn, rng.random()
        rack = racks[player]
        play = random_play(rng, game.board, edition, rack)
        if play is None or chance < 0.04:
            game = game.with_pass(rack=rack)
        elif chance < 0.08 and edition.exchange.allowed and len(bag) >= max(3, edition.exchange.bag_minimum):
            tiles = rack[:3]
            game = game.with_exchange(tiles, rack=rack)
            racks[player] = rack[3:] + [bag.pop() for _ in tiles]
            bag += tiles
            rng.shuffle(bag)
        else:
            game = game.with_play(play, rack=rack)
            if chance < 0.12:
                game = game.with_withdrawal(turn_lost=rng.random() < 0.5)
            elif chance < 0.16:
                game = game.with_challenge(upheld=True)
            else:
                for placement in play:
                    rack.remove(bag_tile(placement.token))
                rack += [bag.pop() for _ in range(min(len(play), len(bag)))]
                if chance < 0.2:
                    game = game.with_challenge(upheld=False)
    return game


def random_play(rng: random.Random, board: Board, edition: Edition, rack: list[str]) -> Play | None:
    """Return a random legal play from a rack; None if 300 attempts find none.

    `samples` draws plays from a NumPy generator. This one keeps the seeds of the tests.
    """
    anchors = anchor_squares(board, edition)
    for _ in range(300):
        anchor, down = rng.choice(anchors), rng.random() < 0.5
        number = min(len(rack), rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, edition.rack_size)))
        offset = rng.randrange(number + 2)
        tokens = [
            tile if tile != BLANK else rng.choice((BLANK, as_blank(rng.choice(edition.tokens))))
            for tile in rng.sample(rack, number)
        ]
        play = try_play(board, edition, anchor, offset, tokens, down=down)
        if play is not None:
            return play
    return None
