"""The surface of the library: what a value looks like, what an argument may be, and what a mistake says."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

import scoring
from scoring import (
    Board,
    DataFileError,
    EditionError,
    ExchangeEvent,
    Game,
    GameError,
    IllegalPlayError,
    NotationError,
    PassEvent,
    Placement,
    Play,
    PlayEvent,
    PlayRule,
    ScoringError,
    UnknownEditionError,
    count_common_events,
    format_play,
    infer,
    is_legal,
    load_edition,
    load_lexicon,
    parse_board,
    parse_cgp,
    parse_gcg,
    parse_layout,
    parse_play,
    parse_tokens,
    score_play,
    write_gcg,
)

ENGLISH = load_edition("english")
HUNGARIAN = load_edition("hungarian")
QUIZ = parse_play("8E QUIZ", ENGLISH)
BOARD = Board.empty(ENGLISH).with_tiles(QUIZ)


class TestTexts:
    def test_a_board_is_shown_with_its_coordinates(self) -> None:
        board = Board.empty(parse_layout("...\n...")).with_tiles([(0, 1, "SZ"), (1, 1, "a")])
        assert str(board) == "  A  B  C\n1 .  SZ .\n2 .  a  ."
        lines = str(BOARD).splitlines()
        assert lines[0].split() == list("ABCDEFGHIJKLMNO")
        assert lines[8].split() == ["8", *"....QUIZ......."]
        assert {line[2] for line in lines[1:]} == {" "}

    @pytest.mark.parametrize(
        "value",
        [
            BOARD,
            Board.empty(HUNGARIAN).with_tiles(parse_play("8E SZ[S]Zgy", HUNGARIAN)),
            Board.from_rows([".#A", "?#."]),
            QUIZ,
            QUIZ.placements[0],
            score_play(Board.empty(ENGLISH), QUIZ, ENGLISH),
            infer(Board.empty(ENGLISH), BOARD, ENGLISH),
            ENGLISH,
            ENGLISH.layout,
            Game(ENGLISH, ["A", "B"]).with_play(QUIZ).with_pass().with_exchange(count=2),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_a_repr_can_be_pasted_back(self, value: object) -> None:
        names = {name: getattr(scoring, name) for name in scoring.__all__}
        assert eval(repr(value), names) == value
        assert len(repr(value)) < 700

    def test_an_error_can_be_pasted_back_too(self) -> None:
        found = infer(BOARD, Board.empty(ENGLISH).with_tiles([(0, 0, "A")]), ENGLISH)
        assert repr(found.problem).startswith("IllegalPlayError(PlayRule.")

    def test_values_go_to_other_processes(self) -> None:
        game = Game(ENGLISH, ["A", "B"]).with_play(QUIZ)
        assert pickle.loads(pickle.dumps(game)) == game
        assert pickle.loads(pickle.dumps(BOARD)) == BOARD


class TestExports:
    def test_the_types_of_public_attributes_are_exported(self) -> None:
        step = Game(ENGLISH, ["A"]).with_play(QUIZ).steps[0]
        values = [step, step.event, step.before, step.scored, *step.after.plays]
        for value in values:
            assert type(value).__name__ in scoring.__all__
        kinds = [name for name, value in vars(scoring).items() if inspect.isclass(value)]
        assert set(kinds) <= set(scoring.__all__)

    def test_every_argument_is_explained(self) -> None:
        """A function or value with two arguments or more lists them, or names the one that does."""
        silent = []
        for name in scoring.__all__:
            value = getattr(scoring, name)
            functions: dict[str, Callable[..., object]] = {name: value} if inspect.isfunction(value) else {}
            if inspect.isclass(value):
                members = {each: getattr(value, each) for each in vars(value) if not each.startswith("_")}
                functions = {f"{name}.{each}": found for each, found in members.items() if callable(found)}
                if is_dataclass(value) and len(fields(value)) > 1:
                    functions[name] = value
            for label, function in functions.items():
                text = inspect.getdoc(function) or ""
                arguments = inspect.signature(function).parameters.keys() - {"self"}
                if len(arguments) > 1 and not re.search("Parameters\n---|[Pp]arameters.* as for", text):
                    silent.append(label)
        assert silent == []


class TestPlays:
    def test_the_square_is_that_of_the_word(self) -> None:
        board = Board.empty(ENGLISH).with_tiles([(7, 5, "U"), (7, 6, "N")])
        play = Play.of([(8, 5, "P"), (9, 5, "S")])
        assert format_play(play, ENGLISH) == "F9 PS"
        assert format_play(play, ENGLISH, board) == "F8 .PS"
        assert score_play(board, play, ENGLISH).position == "F8"
        assert parse_play("F8 .PS", ENGLISH, board) == play
        single = Play.of([(6, 6, "A")])
        assert format_play(single, ENGLISH, board) == "G7 A."
        assert format_play(Play.of([(7, 4, "G"), (7, 7, "S")]), ENGLISH, board) == "8E G..S"

    def test_a_play_is_read_and_shown(self) -> None:
        assert Play.parse("8E QUIZ", ENGLISH) == QUIZ
        assert Play.parse("8E QUIZ", ENGLISH, BOARD.without([(7, 5)])) == Play.of([(7, 5, "U")])
        assert str(QUIZ) == "8E QUIZ"
        play = Play.parse("H8 [SZ].gy?", HUNGARIAN)
        assert str(play) == "H8 [SZ].[gy]?"
        assert Play.parse(str(play), HUNGARIAN) == play
        assert str(Play.of([(0, 0, "A"), (1, 1, "B")])) == "A1 A B2 B"

    def test_whether_a_play_is_legal(self) -> None:
        assert is_legal(BOARD, parse_play("9E IT", ENGLISH), ENGLISH)
        assert not is_legal(BOARD, parse_play("1A IT", ENGLISH), ENGLISH)

    def test_an_edition_serves_as_alphabet(self) -> None:
        assert parse_tokens("SZÓ", HUNGARIAN) == ("SZ", "Ó")
        assert parse_board(". A\n. .", ENGLISH).size == (2, 2)
        assert parse_cgp("/".join(["15"] * 15) + " / 0/0 0", ENGLISH).board == Board.empty(ENGLISH)

    def test_what_is_swapped_is_named(self) -> None:
        with pytest.raises(
            TypeError, match="a board, a play and an edition in this order, got Edition, Play, Board"
        ):
            score_play(ENGLISH, QUIZ, BOARD)  # type: ignore[arg-type]


class TestBoards:
    def test_spaces_between_tiles_do_not_count(self) -> None:
        assert parse_board(". . .\n. A .\n\n", ENGLISH) == Board.from_rows(["...", ".A."])

    def test_squares_are_given_in_one_way(self) -> None:
        placed = BOARD.with_tiles([(0, 0, "A")])
        assert placed == BOARD.with_tiles([Placement(0, 0, "A")])
        assert placed.without([(0, 0)]) == placed.without([Placement(0, 0, "A")]) == BOARD
        for square in ((20, 3), (-1, -1)):
            with pytest.raises(IllegalPlayError) as refused:
                BOARD.without([square])
            assert refused.value.reason is PlayRule.OFF_BOARD

    def test_rows_of_cgp_that_differ_are_refused(self) -> None:
        with pytest.raises(NotationError, match="one length"):
            Board.from_cgp("3/4")


class TestGames:
    def test_names_and_texts_are_taken(self) -> None:
        game = Game("English", ["Ann", "Bo"]).with_play("8E QUIZ", player="Ann")
        assert game.players == ("Ann", "Bo")
        assert game == Game(edition=ENGLISH, players=("Ann", "Bo")).with_play(QUIZ)
        assert hash(game) == hash(Game(ENGLISH, ("Ann", "Bo")).with_play(QUIZ))
        assert game.with_clock_penalty(5, player="Bo").totals == (44, -5)
        assert game.with_withdrawal(player="Ann").totals == (0, 0)

    def test_mistakes_are_named(self) -> None:
        with pytest.raises(GameError, match="players is the text 'AB'; give a list of names"):
            Game(ENGLISH, "AB")
        game = Game(ENGLISH, ["A", "B"])
        with pytest.raises(GameError, match="'Ann' does not play here; the players are A, B"):
            game.with_pass(player="Ann")
        with pytest.raises(NotationError, match="is no play"):
            game.with_play("pass")
        with pytest.raises(GameError, match="of 0 tiles"):
            ExchangeEvent(player=0, count=0)

    def test_the_steps_of_equal_first_events_are_kept(self) -> None:
        game = Game(ENGLISH, ["A", "B"]).with_play(QUIZ).with_pass()
        other = game.with_events([game.events[0], PassEvent(player=1, note="x")])
        assert other.steps[0] is game.steps[0]
        assert count_common_events(game.events, other.events) == 1
        assert count_common_events(game.events, game.events[:1]) == 1
        assert count_common_events(game.events, ()) == 0
        assert game.with_events(game.events[:1]) == Game(ENGLISH, ["A", "B"]).with_play(QUIZ)
        assert other == Game(
            ENGLISH, ["A", "B"], events=(PlayEvent(player=0, play=QUIZ), PassEvent(player=1, note="x"))
        )

    def test_a_file_of_a_named_edition(self) -> None:
        assert parse_gcg("#player1 a Ann\n", "icelandic").game.edition is load_edition("icelandic")
        with pytest.raises(NotationError, match="to read a file, use read_gcg"):
            parse_gcg("/home/ann/game.gcg")


class TestErrors:
    def test_all_are_value_errors(self) -> None:
        assert issubclass(ScoringError, ValueError)

    def test_names_of_editions_are_taken_in_any_case(self) -> None:
        assert load_edition("English") is ENGLISH
        with pytest.raises(UnknownEditionError) as unknown:
            load_edition("Engish")
        assert unknown.value.suggestions == ("english",)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"tokens": (), "values": {"?": 0}, "counts": {}}, "it has no letters"),
            ({"tokens": ("A",), "values": {}, "counts": {}}, "A . has no value"),
            (
                {"values": {**ENGLISH.values, "Ñ": 8}},
                "'Ñ' has a value or a count but is not among the tokens",
            ),
            ({"counts": {**ENGLISH.counts, "A": -1}}, "the bag holds -1 of A"),
            ({"rack_size": 0}, "a rack holds 0 tiles"),
        ],
    )
    def test_an_edition_checks_itself(self, changes: dict[str, object], words: str) -> None:
        with pytest.raises(EditionError, match=f"edition english: {words}"):
            replace(ENGLISH, **changes)  # type: ignore[arg-type]

    def test_a_file_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(OSError, match=r"No such file or directory: '.*/none/x.gcg'"):
            write_gcg(tmp_path / "none" / "x.gcg", Game(ENGLISH, ["A"]))

    def test_a_word_list_is_a_data_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataFileError):
            load_lexicon(tmp_path / "none", ENGLISH)
