"""Games: the start board, the ending, and the settlement of the tiles left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scoring import (
    Board,
    ClockPenalty,
    Edition,
    EndBonus,
    Ending,
    EndRack,
    EndRule,
    ExchangeRule,
    Game,
    GameError,
    GameProblemKind,
    Placement,
    PlayEvent,
    load_edition,
)
from scoring.game.settlement import correct_racks
from tests.support.positions import game_of, play_of, problem_kinds

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")


class TestStartBoard:
    def test_play_goes_on_from_it(self) -> None:
        board = Board.empty(ICELANDIC.layout).with_tiles(play_of("8D HRAKI"))
        game = Game(edition=ICELANDIC, players=("A",), start=board).with_play(play_of("G6 LO.I"))
        assert game.totals == (15,)
        assert game.board[7, 3] == "H"

    def test_its_tiles_are_not_in_the_bag(self) -> None:
        board = Board.empty(ICELANDIC.layout).with_tiles(play_of("8D HRaKI"))
        game = Game(edition=ICELANDIC, players=("A", "B"), start=board)
        assert (game.state.tiles_in_bag, game.state.rack_counts) == (104 - 5 - 14, (7, 7))
        romanian = load_edition("romanian-rosian")
        unknown = Game(
            edition=romanian, players=("A",), start=Board.empty(romanian.layout).with_tiles(board.tiles())
        )
        assert (unknown.state.tiles_in_bag, unknown.state.rack_counts) == (None, (7,))

    @pytest.mark.parametrize(
        ("count", "bag", "hands"),
        [(30, 4, (7, 7, 7)), (25, 0, (7, 7, 6)), (7, 0, (1, 1, 0)), (5, 0, (0, 0, 0)), (4, 0, (0, 0, 0))],
    )
    def test_what_is_left_fills_the_racks_as_far_as_it_goes(
        self, count: int, bag: int, hands: tuple[int, ...]
    ) -> None:
        edition = replace(ICELANDIC, counts={token: count * (token == "A") for token in ICELANDIC.counts})
        board = Board.empty(ICELANDIC.layout).with_tiles(play_of("8D AAAAA"))
        game = Game(edition=edition, players=("A", "B", "C"), start=board)
        assert (game.state.tiles_in_bag, game.state.rack_counts) == (bag, hands)

    def test_it_must_fit_and_be_seen(self) -> None:
        with pytest.raises(GameError, match="2 rows and 2 columns"):
            Game(edition=ICELANDIC, players=("A",), start=Board.from_rows(["..", ".."]))
        covered = Board.empty(ICELANDIC.layout).with_tiles([Placement(row=0, column=0, token="#")])
        with pytest.raises(GameError, match="covered"):
            Game(edition=ICELANDIC, players=("A",), start=covered)


class TestEndings:
    def test_all_pass_two_rounds_running(self) -> None:
        game = game_of().with_pass().with_pass().with_pass()
        assert game.ending is None
        assert game.with_no_play().ending is None  # it may have been an exchange
        assert game.with_pass().ending is Ending.PASSES

    @pytest.mark.parametrize("edition", [ICELANDIC, HUNGARIAN])
    def test_an_exchange_between_passes_breaks_their_row(self, edition: Edition) -> None:
        """The Icelandic sheet, rule 9 ("tvisvar í röð"), and the Hungarian ("két egymást követő körben")."""
        game = game_of(edition=edition).with_pass().with_pass().with_pass().with_exchange(count=1)
        for _ in range(3):
            game = game.with_pass()
            assert game.ending is None
        assert game.with_pass().ending is Ending.PASSES

    def test_a_turn_without_a_play_is_a_pass_where_no_exchange_is_possible(self) -> None:
        def after(edition: Edition) -> Ending | None:
            return game_of(edition=edition).with_no_play().with_no_play().ending

        one_round = replace(ICELANDIC, end=EndRule(pass_rounds=1))
        assert after(one_round) is None
        assert after(replace(one_round, exchange=ExchangeRule(allowed=False))) is Ending.PASSES
        assert after(replace(one_round, exchange=ExchangeRule(bag_minimum=91))) is Ending.PASSES
        assert after(replace(one_round, exchange=ExchangeRule(bag_minimum=90))) is None
        counts = {token: 14 * (token == "A") for token in ICELANDIC.counts}
        assert after(replace(one_round, counts=counts)) is Ending.PASSES
        assert after(replace(load_edition("romanian-rosian"), end=EndRule(pass_rounds=1))) is None

    def test_a_play_after_the_end_is_named_and_a_pass_is_not(self) -> None:
        over = game_of().with_pass().with_pass().with_pass().with_pass()
        assert problem_kinds(over.with_play(play_of("8D HRAKI"))) == [GameProblemKind.AFTER_THE_END]
        (problem,) = over.with_exchange(count=1).problems
        assert problem.message == "this exchange came after the game was over: everybody passed"
        assert not over.with_pass().problems

    def test_norwegian_passes_count_once_the_bag_is_empty(self) -> None:
        norwegian = load_edition("norwegian")
        assert game_of(edition=norwegian).with_pass().with_pass().ending is None
        small = replace(norwegian, counts={"?": 0} | dict.fromkeys("HUSA", 4) | {"B": 0})
        game = game_of(edition=replace(small, rack_size=8)).with_pass()
        assert game.state.tiles_in_bag == 0
        assert game.with_pass().ending is Ending.PASSES

    def small_edition(self, **changes: object) -> Edition:
        """Return an edition with four each of H, R, A, K and I: fourteen tiles on two racks, six in the bag."""
        counts = {token: 4 * (token in "HRAKI") for token in ICELANDIC.counts}
        return replace(ICELANDIC, counts=counts, **changes)  # type: ignore[arg-type]

    def played_out(self, edition: Edition) -> Game:
        game = game_of(edition=edition)
        for text in ("8D HRAKI", "D8 .RAKI", "12D .HRAKIHK"):
            game = game.with_event(PlayEvent(player=game.turn, play=play_of(text)))
        return game

    def test_the_bag_and_a_rack_are_empty(self) -> None:
        game = self.played_out(self.small_edition())
        assert (game.state.tiles_in_bag, game.state.rack_counts) == (0, (0, 4))
        assert game.ending is Ending.OUT

    def test_an_edition_may_end_with_the_bag(self) -> None:
        game = game_of(edition=self.small_edition(end=EndRule(rack_empty=False)))
        game = game.with_play(play_of("8D HRAKI"))
        assert game.ending is None
        assert game.with_event(PlayEvent(player=1, play=play_of("D9 RAK"))).ending is Ending.BAG_EMPTY

    def test_tiles_left_are_taken_off_and_go_to_who_went_out(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI")).with_pass()
        settled = game.with_settlement({0: [], 1: ["B", "?", "A"]})
        assert [event.kind for event in settled.events[2:]] == ["end-rack", "end-rack"]
        assert settled.totals == (28 + 7, -7)
        assert settled.ending is Ending.SETTLED
        assert settled.with_pass().ending is Ending.SETTLED

    def test_nobody_out_means_everybody_loses(self) -> None:
        assert game_of().with_settlement({0: ["A"], 1: ["B"]}).totals == (-1, -6)
        assert game_of().with_settlement({"Jón": ["B"], "Anna": ["A"]}).totals == (-1, -6)

    @pytest.mark.parametrize("players", [2, 3, 4])
    @pytest.mark.parametrize(
        ("name", "points"),
        [
            ("icelandic", {2: (7, -7), 3: (8, -7, -1), 4: (10, -7, -1, -2)}),  # H4 K3
            ("norwegian", {2: (5, -5), 3: (6, -5, -1), 4: (8, -5, -1, -2)}),  # H3 K2
            ("hungarian", {2: (4, -4), 3: (5, -4, -1), 4: (7, -4, -1, -2)}),  # H3 K1
            ("english", {2: (9, -9), 3: (10, -9, -1), 4: (12, -9, -1, -2)}),  # H4 K5
            ("krydsord", {2: (10, -7), 3: (10, -7, -1), 4: (10, -7, -1, -2)}),  # H4 K3, and ten points
        ],
    )
    def test_tiles_left_count_for_any_number_of_players(
        self, name: str, points: dict[int, tuple[int, ...]], players: int
    ) -> None:
        racks = {0: "", 1: "HK", 2: "A?", 3: "NN"}
        game = Game(name, ["Anna", "Jón", "Eva", "Ulf"][:players])
        assert game.with_settlement({each: racks[each] for each in range(players)}).totals == points[players]

    @pytest.mark.parametrize("players", [3, 4])
    @pytest.mark.parametrize(
        ("name", "rounds"),
        [("icelandic", 2), ("norwegian", 1), ("hungarian", 2), ("english", 2), ("krydsord", 1)],
    )
    def test_the_passes_of_all_players_end_a_game(self, name: str, rounds: int, players: int) -> None:
        edition = load_edition(name)
        if name == "norwegian":  # whose passes count once the bag is empty
            edition = replace(
                edition, counts={token: 7 * players * (token == "A") for token in edition.counts}
            )
        game = Game(edition, ["Anna", "Jón", "Eva", "Ulf"][:players])
        for _ in range(rounds * players):
            assert game.ending is None
            game = game.with_pass()
        assert game.ending is Ending.PASSES

    def test_the_sheets_example_of_tiles_left(self) -> None:
        game = game_of(edition=HUNGARIAN).with_settlement({0: ["A", "ZS"], 1: []})
        assert game.totals == (-9, 9)

    def test_the_danish_way_gives_ten_for_an_empty_rack(self) -> None:
        game = game_of(edition=load_edition("krydsord")).with_settlement({0: [], 1: ["H"]})
        assert game.totals == (10, -4)

    def test_an_edition_file_can_let_the_danish_game_go_on_until_a_rack_is_empty(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "to-the-end.toml"
        path.write_text('base = "krydsord"\n[end]\nrack-empty = true\n', encoding="utf-8")
        for edition, ending in ((load_edition("krydsord"), Ending.BAG_EMPTY), (load_edition(path), None)):
            few = replace(edition, counts={token: 24 * (token == "A") for token in edition.counts})
            game = Game(few, ["Anna", "Jón"]).with_play("8H AAAA")
            assert (game.state.tiles_in_bag, game.state.rack_counts, game.ending) == (0, (10, 10), ending)
        out = game.with_play("8A AAAAAAA....AAA")
        assert out.ending is Ending.OUT
        assert out.with_settlement().totals == (out.totals[0] - 10, out.totals[1] + 10)

    def test_tiles_left_follow_from_the_count_where_they_can(self) -> None:
        game = self.played_out(self.small_edition())
        settled = game.with_settlement()
        gain, loss = settled.events[-2:]
        assert isinstance(gain, EndRack)
        assert isinstance(loss, EndRack)
        assert (gain.player, sorted(gain.tiles), gain.gained) == (0, ["A", "H", "I", "R"], True)
        assert (loss.player, loss.tiles, loss.gained) == (1, gain.tiles, False)
        assert settled.totals == (game.totals[0] + 7, game.totals[1] - 7)

    def test_the_norwegian_bonus_for_a_rack_that_is_no_longer_full(self) -> None:
        """With fourteen tiles on two racks and an empty bag, the last three tiles are the complete rack."""
        norwegian = load_edition("norwegian")
        counts = {token: {"A": 7, "B": 7}.get(token, 0) for token in norwegian.counts}
        game = game_of(edition=replace(norwegian, counts=counts))
        for text in ("8F ABAB", "F9 BAB"):
            game = game.with_play(play_of(text, game.edition))
        scored = game.steps[-1].scored
        assert scored is not None
        assert (game.state.tiles_in_bag, game.state.rack_counts, scored.bonus) == (0, (3, 4), 0)
        game = game.with_play(play_of("12F ABA", game.edition))
        assert (game.ending, game.steps[-1].scored.bonus) == (Ending.OUT, 50)  # type: ignore[union-attr]
        once_more = game.with_event(PlayEvent(player=0, play=play_of("I12 A", game.edition)))
        assert once_more.steps[-1].scored.bonus == 0  # type: ignore[union-attr]

    def test_tiles_left_that_nobody_knows(self) -> None:
        with pytest.raises(GameError, match="not known for Anna, Jón"):
            game_of().with_settlement()
        with pytest.raises(GameError, match="not known for Jón"):
            game_of().with_settlement({0: []})
        with pytest.raises(GameError, match="player 5 does not exist"):
            game_of().with_settlement({5: []})
        with pytest.raises(GameError, match="'Eva' does not play here; the players are Anna, Jón"):
            game_of().with_settlement({"Eva": []})

    def test_tiles_are_settled_once(self) -> None:
        left = {0: "AAAINNR", 1: "RRRNNSS"}
        game = game_of().with_settlement(left)
        with pytest.raises(GameError, match="were settled before; remove those events"):
            game.with_settlement(left)
        again = game.with_event(EndRack(player=0, tiles=tuple("AAAINNR")))
        assert problem_kinds(again) == [GameProblemKind.SETTLED_TWICE]
        assert (
            again.problems[0].message == "the tiles left of Anna were settled before; remove one of the two"
        )
        assert not game.without_event(1).without_event(0).with_settlement(left).problems
        small = self.small_edition()
        bonus = replace(small, end=replace(small.end, out_points=10))
        danish = self.played_out(bonus).with_settlement()
        assert problem_kinds(danish.with_event(EndBonus(player=0, points=10))) == [
            GameProblemKind.SETTLED_TWICE
        ]

    def settled(self) -> Game:
        return self.played_out(self.small_edition()).with_settlement()

    def problems_of(self, game: Game) -> list[tuple[int, str]]:
        assert {problem.kind for problem in game.problems} <= {GameProblemKind.TILES_DO_NOT_ADD_UP}
        return [(problem.index, problem.message) for problem in game.problems]

    def test_a_play_that_is_taken_back_after_the_settlement_is_named(self) -> None:
        game = self.settled()
        for taken_back in (game.with_withdrawal(), game.with_challenge(upheld=True)):
            assert [(problem.kind, problem.message) for problem in taken_back.problems] == [
                (
                    GameProblemKind.AFTER_THE_END,
                    "the play of Anna was taken back after the tiles left were settled; settle again",
                )
            ]

    def test_a_correction_that_the_settlement_contradicts_is_named(self) -> None:
        game = self.settled()
        assert not game.problems
        # an H was played instead of the R, so the rack that was derived as A H I R is now A I R R
        other = game.with_correction(2, PlayEvent(player=0, play=play_of("12D .HHAKIHK")))
        assert self.problems_of(other) == [
            (3, "H cannot be left on a rack, as no such tile is out of sight; settle again"),
            (4, "H cannot be left on a rack, as no such tile is out of sight; settle again"),
        ]
        # one tile less was played, so no player went out
        fewer = game.with_correction(2, PlayEvent(player=0, play=play_of("12D .HRAKIH")))
        assert self.problems_of(fewer) == [
            (3, "Anna has 1 tile left, so nothing is added for an empty rack; settle again"),
        ]
        settled = fewer.without_event(4).without_event(3).with_settlement({0: ["K"]})
        assert not settled.problems
        assert settled.totals == (fewer.steps[2].after.totals[0] - 3, fewer.steps[2].after.totals[1] - 7)

    def test_tiles_left_follow_a_correction_where_it_is_known_whose_they_are(self) -> None:
        game = self.settled()
        anew = game.with_correction(
            2, PlayEvent(player=0, play=play_of("12D .HHAKIHK"))
        ).with_new_settlement()
        assert not anew.problems
        assert [(e.player, sorted(e.tiles)) for e in anew.events[3:] if isinstance(e, EndRack)] == [
            (0, ["A", "I", "R", "R"]),
            (1, ["A", "I", "R", "R"]),
        ]
        before = anew.steps[2].after.totals
        assert anew.totals == (before[0] + 4, before[1] - 4)
        assert anew.with_correction(2, game.events[2]).with_new_settlement().totals == game.totals
        assert game.with_new_settlement() is game
        assert game_of().with_new_settlement().events == ()

    def test_tiles_left_follow_the_plays_to_other_players(self) -> None:
        game = self.settled()
        others = [replace(event, player=1 - event.player) for event in game.events[:3]]
        anew = game.with_events((*others, *game.events[3:])).with_new_settlement()
        assert anew.totals == game.totals[::-1]

    def test_tiles_left_that_do_not_follow_stay_with_what_is_wrong_about_them(self) -> None:
        fewer = self.settled().with_correction(2, PlayEvent(player=0, play=play_of("12D .HRAKIH")))
        assert fewer.with_new_settlement() is fewer
        assert fewer.problems

    @pytest.mark.parametrize(
        ("racks", "anew"),
        [
            (("AH", "IR"), ("AH", "IR")),
            (("AH", "IK"), ("AH", "IR")),
            (("KK", "AH"), ("IR", "AH")),
            (("AK", "HK"), None),  # which of the two has the I, and which the R?
            (("AA", "AH"), None),  # two of the three A are I and R
            (("A", "HI"), None),
        ],
    )
    def test_whose_tiles_are_others(self, racks: tuple[str, ...], anew: tuple[str, ...] | None) -> None:
        edition = self.small_edition()
        state = self.played_out(edition).state  # A, H, I and R are out of sight
        left = {player: tuple(tiles) for player, tiles in enumerate(racks)}
        expected = None if anew is None else {player: tuple(tiles) for player, tiles in enumerate(anew)}
        assert correct_racks(left, state, edition) == expected

    def test_what_may_be_in_the_bag_is_on_no_rack(self) -> None:
        game = game_of().with_settlement({0: ["A"], 1: ["B"]})
        assert correct_racks({0: ("A",), 1: ("B",)}, game.opening, ICELANDIC) is None
        assert game.with_new_settlement() is game

    def test_tiles_left_that_are_too_many_or_too_few(self) -> None:
        game = self.played_out(self.small_edition())
        few = game.with_event(EndRack(player=1, tiles=("A", "H")))
        assert self.problems_of(few) == [
            (3, "2 tiles are settled for Jón, but 4 are left there; settle again")
        ]
        one = game.with_event(EndRack(player=1, tiles=("A",)))
        assert self.problems_of(one) == [(3, "1 tile is settled for Jón, but 4 are left there; settle again")]
        gain = game.with_event(EndRack(player=0, tiles=("A", "H"), gained=True))
        assert "2 tiles are settled for the others than Anna, but 4" in self.problems_of(gain)[0][1]
        last = self.played_out(self.small_edition()).with_correction(
            2, PlayEvent(player=0, play=play_of("12D .HRAKIH"))
        )
        assert self.problems_of(last.with_event(EndRack(player=0, tiles=("A", "H")))) == [
            (3, "2 tiles are settled for Anna, but 1 is left there; settle again")
        ]
        many = game_of().with_event(EndRack(player=1, tiles=("A",) * 8))
        assert self.problems_of(many) == [
            (0, "8 tiles are settled for Jón, but 7 are left there; settle again")
        ]
        both = game_of().with_settlement({0: "XAAAAAA", 1: "XRRRRRR"})
        assert self.problems_of(both) == [
            (1, "X cannot be left on a rack, as no such tile is out of sight; settle again")
        ]
        assert (
            not game_of(edition=load_edition("romanian-rosian"))
            .with_settlement({0: ["X"], 1: ["X"]})
            .problems
        )

    def test_nobody_went_out_while_the_bag_holds_tiles(self) -> None:
        game = game_of().with_play(play_of("8D HRAKI"))
        settled = game.with_settlement({0: (), 1: ("S", "A")})
        assert self.problems_of(settled) == [
            (1, "Anna has 7 tiles left, so nothing is added for an empty rack; settle again"),
            (1, "2 tiles are settled for the others than Anna, but 7 are left there; settle again"),
            (2, "2 tiles are settled for Jón, but 7 are left there; settle again"),
        ]
        danish = game_of(edition=load_edition("krydsord")).with_settlement({0: [], 1: []})
        assert self.problems_of(danish) == [
            (0, "Anna has 10 tiles left, so nothing is added for an empty rack; settle again"),
            (1, "Jón has 10 tiles left, so nothing is added for an empty rack; settle again"),
        ]
        unknown = game_of(edition=load_edition("romanian-rosian"))
        assert not unknown.with_settlement({0: (), 1: ("S", "A")}).problems
        assert not game.with_settlement({0: "AAAAAAA", 1: "RRRRRRR"}).problems
        assert not game.with_event(EndRack(player=1, tiles=("R",) * 7)).problems

    def test_a_tournaments_double_gain(self) -> None:
        game = game_of().with_event(EndRack(player=1, tiles=("B",), gained=True, doubled=True))
        assert game.totals == (0, 12)

    def test_the_clock_costs_points(self) -> None:
        game = game_of().with_clock_penalty(10, player=1)
        assert game.totals == (0, -10)
        assert game.turn == 0
        assert game.events[0].kind == "clock"
        assert not game.problems

    def test_points_gained_by_the_clock_are_named(self) -> None:
        for points in (0, -5):
            with pytest.raises(
                GameError, match=f"a clock penalty of {points} points is no loss; give 1 or more"
            ):
                game_of().with_clock_penalty(points, player=1)
        game = game_of().with_event(ClockPenalty(player=1, points=-5))  # a game file may have it
        assert problem_kinds(game) == [GameProblemKind.TIME_GAINED]
        assert game.problems[0].message == "Jón gains 5 points by the clock, which can only cost some"
