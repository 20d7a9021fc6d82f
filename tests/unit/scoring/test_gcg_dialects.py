"""GCG as other programs write it: brackets, words after the total, bonus rules, nicknames, files without an edition."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import (
    Bonus,
    ChallengeEvent,
    Ending,
    EndRack,
    ExchangeEvent,
    Game,
    GameProblemKind,
    PassEvent,
    Play,
    PlayEvent,
    format_gcg,
    load_edition,
    parse_gcg,
)
from tests.support.positions import game_of, play_of
from tests.support.random_games import random_game

HEAD = "#player1 a Ann\n#player2 b Bo\n"
HUNGARIAN = load_edition("hungarian")
NORWEGIAN = load_edition("norwegian")


def placed(text: str, index: int = 0) -> list[str]:
    event = parse_gcg(text).game.events[index]
    assert isinstance(event, PlayEvent)
    return [tile.token for tile in event.play]


class TestBrackets:
    def test_macondo_declares_its_tiles(self) -> None:
        """Two bare L are two tiles, and the bracket is one."""
        text = (
            "#tile-distribution spanish\n#tile [LL] [ll]\n" + HEAD + ">a: LLAEIOR -LL +0 0\n"
            ">b: [LL]AMAROS 8H [LL]AMA +26 26\n"
        )
        record = parse_gcg(text)
        assert record.game.events[0] == ExchangeEvent(
            player=0, tiles=("L", "L"), rack=("L", "L", "A", "E", "I", "O", "R")
        )
        assert placed(text, 1) == ["LL", "A", "M", "A"]
        assert (record.differences, record.problems) == ((), ())

    def test_one_bracket_speaks_for_the_whole_file(self) -> None:
        text = "#tile-distribution spanish\n" + HEAD + ">a: CAL[LL]O 8G CAL +10 10\n>b: LLANO I9 LANO +9 9\n"
        assert placed(text) == ["C", "A", "L"]
        event = parse_gcg(text).game.events[1]
        assert isinstance(event, PlayEvent)
        assert event.rack == ("L", "L", "A", "N", "O")

    def test_a_bracket_around_one_letter_is_of_an_earlier_version(self) -> None:
        text = "#tile-distribution hungarian\n" + HEAD + ">a: SZ[S]ZÓ 8E SZ[S]ZÓ +20 20\n>b: SZ F7 SZ.\n"
        assert placed(text) == ["SZ", "S", "Z", "Ó"]
        assert placed(text, 1) == ["SZ"]

    def test_a_bare_letter_that_is_no_tile_is_of_an_earlier_version(self) -> None:
        text = (
            "#tile-distribution hungarian\n" + HEAD + ">a: SZÓGYÁR 8G SZÓ +10 10\n"
            ">b: Z[SZ]AT I7 Z[SZ]A +21 21\n"
        )
        assert placed(text) == ["SZ", "Ó"]
        assert placed(text, 1) == ["Z", "SZ", "A"]
        record = parse_gcg(text)
        assert (record.differences, record.problems) == ((), ())


class TestWordsAfterTheTotal:
    @pytest.mark.parametrize(
        "line",
        [
            ">b: EEIMNOU 7h MEOU +17 17  MO, EL, OD",
            ">b: EEIMNOU 7h MEOU +17 17 /MO/EL/OD",
            ">b: EEIMNOU 7h MEOU +17 17 MO 2 3 EL 4 OD",
        ],
    )
    def test_they_do_not_lose_the_line(self, line: str) -> None:
        record = parse_gcg(HEAD + ">a: OLD 8H OLD +8 8\n" + line + "\n")
        assert [problem.message for problem in record.problems if problem.lost] == []
        assert (record.lines[1].score, record.lines[1].total) == (17, 17)
        assert record.differences == ()

    def test_an_exchange_of_a_number_is_no_score(self) -> None:
        record = parse_gcg(HEAD + ">a: ABC -3 +0 0 words\n")
        assert record.game.events == (ExchangeEvent(player=0, count=3, rack=("A", "B", "C")),)


def norwegian_game(bonus_tiles: int | None) -> Game:
    """Return a game whose last play empties a rack of fewer than seven tiles."""
    edition = replace(NORWEGIAN, bonus=Bonus(tiles=bonus_tiles, points=50))
    game = random_game(random.Random(5), edition, turns=80)
    last = [step for step in game.steps if step.scored is not None][-1]
    assert game.ending is Ending.OUT
    assert last.scored is not None
    assert len(last.scored.play) < 7
    assert last.scored.bonus == (0 if bonus_tiles else 50)
    return game


class TestNorwegianBonus:
    @pytest.mark.parametrize("pragma", ["#lexicon NSF23", "#tile-distribution norwegian"])
    def test_files_of_others_have_it_for_seven_tiles(self, pragma: str) -> None:
        text = format_gcg(norwegian_game(7)).replace("#tile-distribution norwegian", pragma)
        record = parse_gcg(text)
        assert record.differences == ()
        assert record.game.edition.bonus == Bonus(tiles=7, points=50)
        assert parse_gcg(format_gcg(record.game, record.header)).game == record.game
        assert parse_gcg(text, NORWEGIAN).differences == ()
        unnamed = parse_gcg(text.replace(pragma + "\n", ""))
        assert (unnamed.game.edition, unnamed.differences) == (record.game.edition, ())

    def test_ours_keep_the_sheet(self) -> None:
        record = parse_gcg(format_gcg(norwegian_game(None)))
        assert record.differences == ()
        assert record.game.edition == NORWEGIAN

    def test_a_wrong_score_elsewhere_leaves_the_sheet(self) -> None:
        text = format_gcg(norwegian_game(None)).replace("+", "+1", 1)
        record = parse_gcg(text)
        assert record.game.edition == NORWEGIAN
        assert len(record.differences) == 1


class TestEditionNotNamed:
    def test_letters_and_scores_decide(self) -> None:
        game = random_game(random.Random(3), load_edition("german"), turns=8)
        record = parse_gcg(format_gcg(game).replace("#tile-distribution german\n", ""))
        assert record.game == game
        assert [(each.line, each.lost, each.message) for each in record.problems] == [
            (1, False, "no edition is named; german is taken, whose letters and scores fit")
        ]

    def test_near_misses_are_named(self) -> None:
        game = random_game(random.Random(3), NORWEGIAN, turns=8)
        record = parse_gcg(format_gcg(game).replace("#tile-distribution norwegian\n", "#lexicon KLI1\n"))
        assert record.game.board == game.board
        assert record.problems[0].message == (
            "'#lexicon KLI1' is no edition known here; norwegian is taken instead, whose letters and scores "
            "fit; near misses: norwegian-damm (0 wrong lines)"
        )

    def test_the_edition_that_fits_best_is_taken(self) -> None:
        game = random_game(random.Random(3), load_edition("german"), turns=8)
        text = format_gcg(game).replace("#tile-distribution german\n", "").replace("+", "+1", 1)
        (problem,) = parse_gcg(text).problems
        assert problem.message == "no edition is named; german is taken, which fits best (1 wrong lines)"

    def test_one_wrong_score_is_no_reason_to_leave_english(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +11 11\n>b: S 8J S +6 6\n")
        assert record.game.edition.name == "english"
        assert record.problems == ()

    def test_one_line_that_is_not_english_is_reason_enough(self) -> None:
        record = parse_gcg(HEAD + ">a: SNAR 8E SNAR +8 8\n>b: ÞÆ 7G ÞÆ +34 34\n")
        assert record.game.totals == (8, 34)
        (problem,) = record.problems
        assert "no edition is named; icelandic is taken" in problem.message

    def test_a_slip_in_a_line_of_english_is_no_reason(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n>b: É 7C É +3 3\n")
        assert record.game.edition.name == "english"
        assert [problem.line for problem in record.problems if problem.lost] == [4]

    def test_the_file_of_an_own_edition_is_asked_for(self) -> None:
        (problem,) = parse_gcg("#tile-distribution club\n" + HEAD).problems
        assert problem.message == (
            "'#tile-distribution club' is no edition known here; if it is your own, name its file; "
            "english is taken instead"
        )

    def test_a_name_that_is_nearly_one(self) -> None:
        (problem,) = parse_gcg("#tile-distribution icelandik\n" + HEAD).problems
        assert problem.message == (
            "'#tile-distribution icelandik' is no edition known here; did you mean icelandic?; "
            "english is taken instead"
        )

    @pytest.mark.parametrize(
        ("lexicon", "name"),
        [
            ("DSW", "dutch"),
            ("OSW", "english"),
            ("America", "english"),
            ("D25WL04", "german"),
            ("CSW24", "english"),
        ],
    )
    def test_word_lists(self, lexicon: str, name: str) -> None:
        record = parse_gcg(f"#lexicon {lexicon}\n{HEAD}")
        assert (record.game.edition.name, record.problems) == (name, ())

    def test_another_board_is_named(self) -> None:
        text = f"#board-layout SuperCrosswordGame\n#lexicon CSW24\n{HEAD}"
        (problem,) = parse_gcg(text).problems
        assert (problem.lost, problem.message) == (
            False,
            "'#board-layout SuperCrosswordGame' is not the board of english, which is taken; "
            "name an edition file with its layout",
        )
        assert parse_gcg(text, "english").problems == ()
        assert parse_gcg(text.replace("Super", "")).problems == ()

    def test_a_list_of_slovene(self) -> None:
        (problem,) = parse_gcg(f"#lexicon SLV\n{HEAD}").problems
        assert "it is Slovene" in problem.message


class TestOddities:
    def test_a_play_taken_back_for_nothing_with_the_right_total(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n>a: CAT -- +0 0\n")
        assert record.differences == ()
        wrong = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n>a: CAT -- +0 10\n")
        assert [each.line for each in wrong.differences] == [4]

    def test_names_that_differ_in_capitals_only_are_two_players(self) -> None:
        assert parse_gcg("#player1 a Ann\n#player2 b ann\n>a: CAT 8G CAT +10 10\n").game.players == (
            "Ann",
            "ann",
        )

    def test_two_players_of_one_nickname_are_distinguished_by_order(self) -> None:
        text = (
            "#player1 x Ann\n#player2 x Bo\n>x: CAT 8G CAT +10 10\n>x: ABLE H9 ABLE +8 8\n"
            ">x: S 8J S +6 16\n>x: S -- -6 10\n>x: QI - +0 8\n>x: QI - +0\n>x: IQ (time) -10 0\n"
        )
        record = parse_gcg(text)
        assert record.game.players == ("Ann", "Bo")
        assert record.header.nicks == ("x", "x_2")
        assert [line.player for line in record.lines] == [0, 1, 0, 0, 1, 0, 0]
        assert record.differences == ()
        assert record.problems == ()
        same = parse_gcg(text.replace("Bo", "Ann"))
        assert same.game.players == ("Ann (x)", "Ann (x_2)")

    def test_without_a_total_the_latest_play_is_taken_back(self) -> None:
        record = parse_gcg("#player1 x Ann\n#player2 x Bo\n>x: CAT 8G CAT\n>x: CAT --\n")
        assert [line.player for line in record.lines] == [0, 0]

    def test_racks_that_the_bag_cannot_give(self) -> None:
        record = parse_gcg(HEAD + ">a: ZZCAT 8G CAT +10 10\n>b: QQ - +0 0\n#rack1 ZZZZZZZ\n")
        assert [(each.line, each.message) for each in record.problems] == [
            (3, "the rack Z Z C A T is not in the bag: Z is too much"),
            (4, "the rack Q Q is not in the bag: Q is too much"),
            (5, "the rack ZZZZZZZ is not in the bag: Z Z Z Z Z Z is too much"),
        ]
        assert {each.kind for each in record.game.problems} == {GameProblemKind.RACK_NOT_IN_BAG}

    def test_an_end_rack_other_than_in_brackets(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n>b: BATERIN (BASERIN) -9 -9\n")
        assert isinstance(record.game.events[1], EndRack)
        assert record.game.events[1].tiles == tuple("BASERIN")
        assert [each.message for each in record.problems] == [
            "the rack BATERIN and the tiles left (BASERIN) differ; the latter count"
        ]

    def test_a_note_of_a_challenge_by_the_own_player(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n#note [tilesight] challenge-failed a\n")
        assert record.game.events[1] == ChallengeEvent(player=0, upheld=False)
        assert [problem.line for problem in record.problems] == [3]


def test_a_note_of_a_pass_by_a_stranger_is_left_out() -> None:
    lines = (
        "#player1 a Ann",
        "#player2 b Bo",
        ">a: QUIZ 8E QUIZ +44 44",
        "#note [tilesight] passed-after-end b c",
    )
    record = parse_gcg("\n".join(lines), "english")
    assert [(event.kind, event.player) for event in record.game.events] == [("play", 0), ("pass", 1)]


def test_files_of_other_programs_are_read_without_a_problem() -> None:
    folder = Path(__file__).parents[2] / "golden" / "data" / "dialects"
    files = sorted(folder.glob("*.gcg"))
    assert len(files) >= 5
    for file in files:
        record = parse_gcg(file.read_bytes())
        assert record.problems == (), file.name
        assert record.differences == (), file.name


def test_tiles_that_form_no_play_are_read_back() -> None:
    game = game_of("Anna", "Jón", edition=HUNGARIAN).with_play(play_of("8G SZÓ", HUNGARIAN))
    taken = PlayEvent(player=1, play=Play.of([(2, 2, "SZ"), (4, 9, "gy"), (9, 6, "?")]), note="taken")
    game = game.with_event(taken).with_play(play_of("3C .Ó", HUNGARIAN), player=0)
    assert format_gcg(game).splitlines()[5:] == [
        ">Jón: A - +0 0",
        "#note [tilesight] unplayable C3 [SZ], J5 [gy], G10 ?; rack-unknown",
        "#note taken",
        f">Anna: Ó 3C .Ó +{game.steps[2].score} {game.totals[0]}",
    ]
    record = parse_gcg(format_gcg(game))
    assert (record.game, record.differences) == (game, ())
    assert not any(problem.lost for problem in record.problems)
    withdrawn = game.with_withdrawal(player=1)
    assert parse_gcg(format_gcg(withdrawn)).game.board == withdrawn.board
    known = game_of().with_event(
        PlayEvent(player=0, play=Play.of([(7, 7, "A"), (8, 8, "B")]), rack=("A", "B", "I"))
    )
    assert parse_gcg(format_gcg(known)).game == known


@pytest.mark.parametrize("squares", ["C3", "C3 D7 H10", "C3 A, D7", "C3 AB, D7 A", "C3 Q"])
def test_squares_without_tiles_are_read_as_a_pass(squares: str) -> None:
    text = format_gcg(game_of().with_pass(rack=("A",)))
    record = parse_gcg(f"{text}#note [tilesight] unplayable {squares}\n")
    assert record.game.events == (PassEvent(player=0, rack=("A",)),)
