"""The orders of play that are found from a final board and the totals of a score sheet, of games that are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scoring import Board, Play, load_edition
from scoring.game import Game
from tests.benchmarks.boards import BOARDS, SAMPLE
from tests.benchmarks.shuffled_games import play_game
from vision.digitise.assembly import steps_within
from vision.digitise.orders import orders_of_play

__all__ = ["known_games", "measure"]

LIMIT_S = 30.0
RENDERED = (("icelandic", 1_000), ("norwegian", 1_001), ("hungarian", 1_002))


def known_games() -> Iterator[Game]:
    """Games of which every play is known: the labelled ones, the shipped one, and random ones by the rules."""
    for path in (*sorted(BOARDS.glob("*/game.json")), SAMPLE / "game.json"):
        labels = json.loads(path.read_text(encoding="utf-8"))
        plays: list[Play] = []
        for event in labels["events"]:
            if event["kind"] == "play":
                plays.append(Play.of(tuple(tile) for tile in event["placed"]))
            elif event["kind"] == "withdrawn":
                plays.pop()
        yield played(labels["edition"], plays)
    for edition, seed in RENDERED:
        yield played(edition, play_game(load_edition(edition), seed))


def played(edition: str, plays: list[Play]) -> Game:
    """The game of these plays, by two players in turn."""
    game = Game(edition=load_edition(edition), players=("A", "B"))
    for play in plays:
        game = game.play(play)
    return game


def measure(_: Path) -> Iterator[tuple[str, str]]:
    """How many final boards are explained, and how much of the truth is in the most plausible explanation."""
    games, explained, exact, right, plays = 0, 0, 0, 0, 0
    for game in known_games():
        empty, tiles = Board.empty(game.edition.layout), sum(1 for _ in game.board.tiles())
        steps = steps_within(LIMIT_S, tiles)
        orders = orders_of_play(empty, game.board, game.edition, totals=game.totals, steps=steps)
        truth = [step.scored.play for step in game.steps if step.scored]
        found = [list(way.plays) for way in orders.ways]
        games += 1
        explained += bool(found)
        exact += truth in found
        right += sum(play in found[0] for play in truth) if found else 0
        plays += len(truth)
    yield (
        f"final boards of known games: an order of play with the totals found in {LIMIT_S:.0f} s",
        f"{explained} of {games}",
    )
    yield "the same: plays of the most plausible order that were played so", f"{right} of {plays}"
    yield "the same: the true order among the five most plausible", f"{exact} of {games}"
