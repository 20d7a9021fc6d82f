"""The orders of play that are found from a final board and the totals of a score sheet, of games that are known."""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring import Board, Play, load_edition
from scoring.game.game import Game
from tests.sets.labelled_photos import BOARDS, SAMPLE, measure_yardstick_ms, yardstick_photo
from tests.sets.shuffled_games import play_game
from tilesight.digitise.retrograde.solver import orders_of_play
from tilesight.digitise.score_sheets.final_boards import steps_within

__all__ = ["known_games", "measure"]

LIMIT_S = 30.0
RENDERED = ("icelandic", "norwegian", "hungarian", "english", "swedish", "polish", "french")
FIRST_SEED = 1_000


@dataclass(slots=True)
class Tally:
    """What was found of some games."""

    games: int = 0
    explained: int = 0
    plays: int = 0
    plays_right: int = 0
    all_plays_right: int = 0
    orders_right: int = 0

    def add(self, game: Game) -> None:
        """Looks for the orders of play of one more game."""
        empty, steps = Board.empty(game.edition.layout), steps_within(LIMIT_S)
        orders = orders_of_play(empty, game.board, game.edition, totals=game.totals, steps=steps)
        truth = [step.scored.play for step in game.steps if step.scored]
        found = [list(way.plays) for way in orders.ways]
        self.games += 1
        self.explained += bool(found)
        self.plays += len(truth)
        self.plays_right += sum(play in found[0] for play in truth) if found else 0
        self.all_plays_right += any(set(truth) == set(plays) for plays in found)
        self.orders_right += truth in found


def known_games() -> Iterator[tuple[str, Game]]:
    """Games of which every play is known: the labelled ones, the shipped one, and random ones by the rules."""
    for path in (*sorted(BOARDS.glob("*/game.json")), SAMPLE / "game.json"):
        yield "people's games", labelled(json.loads(path.read_text(encoding="utf-8")))
    for number, name in enumerate(RENDERED):
        edition = load_edition(name)
        game = Game(edition=edition, players=("A", "B"))
        for play in play_game(edition, FIRST_SEED + number):
            game = game.play(play)
        yield "random games", game


def labelled(labels: dict[str, Any]) -> Game:
    """A labelled game: whose plays they are as labelled, or two players' in turn; what was taken back is not there."""
    players = tuple(labels.get("players", ()))
    known = len(players) > 1
    game = Game(edition=load_edition(labels["edition"]), players=players if known else ("A", "B"))
    events = list[dict[str, Any]]()
    for event in labels["events"]:
        if event["kind"] == "play":
            events.append(event)
        elif event["kind"] == "withdrawn":
            events.pop()
    for event in events:
        player = players.index(event["player"]) if known and event.get("player") in players else None
        game = game.play(Play.of(tuple(tile) for tile in event["placed"]), player=player)
    return game


def tallied() -> tuple[dict[str, Tally], float, float]:
    """What was found of all known games, the processor time of the slowest one in D, and the most memory in MB."""
    tallies: dict[str, Tally] = {}
    yardstick_ms, slowest_ms = measure_yardstick_ms(yardstick_photo(), clock=time.process_time), 0.0
    for kind, game in known_games():
        begun = time.process_time()
        tallies.setdefault(kind, Tally()).add(game)
        slowest_ms = max(slowest_ms, 1000 * (time.process_time() - begun))
    return tallies, slowest_ms / yardstick_ms, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(_: Path) -> Iterator[tuple[str, str]]:
    """How many final boards are explained, and how much of the truth is in the most plausible explanation."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:  # for its own memory
        tallies, slowest, memory = alone.submit(tallied).result()
    for kind, tally in tallies.items():
        yield f"{kind}: an order of play with the totals found", f"{tally.explained} of {tally.games}"
        yield (
            f"{kind}: plays of the most plausible order that were played so",
            f"{tally.plays_right} of {tally.plays}",
        )
        yield (
            f"{kind}: all plays right in one of the five most plausible",
            f"{tally.all_plays_right} of {tally.games}",
        )
        yield f"{kind}: and their order, too", f"{tally.orders_right} of {tally.games}"
    yield f"slowest board, with a limit of {LIMIT_S:.0f} s", f"{slowest:.0f} D"
    yield "most memory", f"{memory:.0f} MB"
