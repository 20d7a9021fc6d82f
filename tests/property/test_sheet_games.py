"""Whole games of each rule sheet, compared with a replay that follows the sentences of the sheets."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import (
    ChallengeEvent,
    Edition,
    Event,
    ExchangeEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
    load_edition,
)
from tests.property.test_scoring_differential import naive_word_score, naive_words
from tests.support.random_games import random_game

pytestmark = pytest.mark.no_cover


@dataclass(frozen=True)
class Sheet:
    """What a sheet says, in its own numbers."""

    bag: int
    rack: int = 7
    bonus_tiles: int | None = 7
    """None: all tiles that the player holds."""
    bonus: int = 50
    challenger_loses: int = 0
    pass_rounds: int = 2
    passes_need_empty_bag: bool = False
    ends_with_bag: bool = False
    out_collects: bool = True
    out_points: int = 0


SHEETS = {
    # "allar sjö stafatöflurnar", "þegar allir leikmenn hafa setið hjá tvisvar í röð" (rules 17 and 9)
    "icelandic": Sheet(bag=104),
    # "alle sine brikker på en gang"; "når alle brikkene er tatt opp ... det går an å legge ut" (rules 17 and 9)
    "norwegian": Sheet(bag=100, bonus_tiles=None, pass_rounds=1, passes_need_empty_bag=True),
    # "tíz pontot veszít az a játékos, aki megkérdőjelezte"; "két egymást követő körben mindegyik játékos passzol"
    "hungarian": Sheet(bag=100, challenger_loses=10),
    # "10 bogstaver"; "når der ikke kan trækkes flere brikker, eller når ingen ..."; "10 point ekstra"
    "krydsord": Sheet(
        bag=100, rack=10, bonus=0, pass_rounds=1, ends_with_bag=True, out_collects=False, out_points=10
    ),
}


@dataclass
class Replay:
    """A game in plain numbers and a dictionary of squares."""

    sheet: Sheet
    edition: Edition
    players: int
    tiles: dict[tuple[int, int], str] = field(default_factory=dict)
    turn: int = 0
    passes: int = 0

    def __post_init__(self) -> None:
        self.totals = [0] * self.players
        self.held = [self.sheet.rack] * self.players
        self.bag = self.sheet.bag - self.players * self.sheet.rack

    def follow(self, event: Event) -> None:
        match event:
            case PlayEvent(player=player, play=play):
                self.before = dict(self.tiles), list(self.held), list(self.totals), self.bag, self.passes
                new = {(tile.row, tile.column): tile.token for tile in play}
                self.tiles |= new
                words = naive_words(self.tiles, set(new))
                self.totals[player] += sum(
                    naive_word_score(word, self.tiles, set(new), self.edition) for word in words
                )
                if len(new) == (self.sheet.bonus_tiles or self.held[player]):
                    self.totals[player] += self.sheet.bonus
                self.held[player] -= len(new)
                drawn = min(self.bag, self.sheet.rack - self.held[player])
                self.held[player], self.bag = self.held[player] + drawn, self.bag - drawn
                self.passes, self.turn = 0, (player + 1) % self.players
            case PassEvent() | ExchangeEvent():
                counts = isinstance(event, PassEvent) and not (self.sheet.passes_need_empty_bag and self.bag)
                self.passes, self.turn = self.passes + 1 if counts else 0, (event.player + 1) % self.players
            case ChallengeEvent(upheld=False):
                if event.challenger is not None:
                    self.totals[event.challenger] -= self.sheet.challenger_loses
            case ChallengeEvent() | WithdrawnEvent():
                self.tiles, self.held, self.totals, self.bag, passes = self.before
                if isinstance(event, WithdrawnEvent) and not event.turn_lost:
                    self.turn, self.passes = event.player, passes

    @property
    def is_over(self) -> bool:
        bag_decides = self.sheet.ends_with_bag or 0 in self.held
        return (self.bag == 0 and bag_decides) or self.passes >= self.sheet.pass_rounds * self.players

    def settle(self, racks: dict[int, list[str]]) -> list[int]:
        """Return the totals after the tiles left: rule 18 of the Icelandic and the Norwegian sheet."""
        values = {player: sum(self.edition.values[tile] for tile in rack) for player, rack in racks.items()}
        totals = [total - values[player] for player, total in enumerate(self.totals)]
        for player in racks:
            if not self.held[player]:
                totals[player] += self.sheet.out_points + self.sheet.out_collects * sum(values.values())
        return totals


@given(st.sampled_from(list(SHEETS)), st.integers(1, 4), st.integers(0, 90), st.integers(0, 2**32))
@settings(max_examples=60)
def test_a_whole_game_goes_as_its_sheet_says(name: str, players: int, turns: int, seed: int) -> None:
    edition, rng = load_edition(name), random.Random(seed)
    game = random_game(rng, edition, players=players, turns=turns)
    while game.ending is None and not (edition.end.passes_need_empty_bag and game.state.tiles_in_bag):
        may_exchange = edition.exchange.is_possible(game.state.tiles_in_bag)
        game = game.with_exchange(count=1) if may_exchange and rng.random() < 0.2 else game.with_pass()
    replay = Replay(SHEETS[name], edition, players)
    for step in game.steps:
        replay.follow(step.event)
        after = step.after
        assert (list(after.totals), list(after.rack_counts)) == (replay.totals, replay.held)
        assert (after.tiles_in_bag, after.turn) == (replay.bag, replay.turn)
        assert (after.ending is not None) == replay.is_over
    if replay.is_over and replay.bag == 0:
        unseen = list(Counter(game.unseen()).elements())
        rng.shuffle(unseen)
        racks = {player: [unseen.pop() for _ in range(held)] for player, held in enumerate(replay.held)}
        settled = game.with_settlement(racks)
        assert list(settled.totals) == replay.settle(racks)
        assert not settled.problems
