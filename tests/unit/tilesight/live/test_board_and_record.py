"""The board and the record: undo of what a camera saw, labels of withdrawals, redo, and edits of the list of moves."""

from __future__ import annotations

import pytest

from scoring import Board, Play, load_edition, parse_play
from tests.support.on_air import send_commands
from tests.support.simulated_camera import SimulatedCamera
from tilesight.live import LiveGame, StaleCommandError
from tilesight.web.serializers import serialize_for_operator
from vision.errors import SettingsError
from vision.game_events import Command, Verb

EDITION = load_edition("icelandic")
PLAYS = ("8D HRAKI", "G6 LO.I", "10G ÞÚ", "12A VÆL")


class Desk:
    """A table with a camera; plays are laid on the board."""

    def __init__(self, players: tuple[str, ...] = ("Anna", "Jón")) -> None:
        self.now_s = 1000.0
        self.table = LiveGame("table", EDITION, None, players=players, now=lambda: self.now_s)
        self.camera = SimulatedCamera(self.table)

    def lay(self, text: str, rest_s: float = 4.0) -> Play:
        play = parse_play(text, EDITION.tokens, self.camera.board)
        self.camera.show(self.camera.board.with_tiles(play), rest_s)
        return play

    def lift(self, play: Play, rest_s: float = 4.0) -> None:
        self.camera.show(self.camera.board.without(play), rest_s)

    def moves(self) -> list[tuple[str, str, int]]:
        game = self.table.state.game
        return [
            (
                game.players[step.event.player],
                step.scored.position if step.scored is not None else step.event.kind,
                step.score,
            )
            for step in game.steps
        ]

    def send(self, *commands: str) -> None:
        send_commands(self.table, *commands)

    def attention(self) -> str:
        return serialize_for_operator(self.table.state, self.now_s).attention

    @property
    def board(self) -> Board:
        return self.table.state.game.board


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_undo_of_a_play_that_is_still_on_the_board_asks_at_once(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    desk.send("undo")
    assert "still on the board: D8 E8 F8 G8 H8" in desk.attention()
    assert "misread, or taken off?" in desk.attention()
    view = serialize_for_operator(desk.table.state, 0.0).difference
    assert view is not None
    assert (view.undone, view.play, view.missing) == (True, "8D HRAKI", [])


def test_the_tiles_of_an_undone_play_count_again_when_the_next_one_is_laid(desk: Desk) -> None:
    whole = Desk()
    for text in PLAYS[:3]:
        whole.lay(text)
    for text in PLAYS[:2]:
        desk.lay(text)
    desk.send("undo")
    desk.lay(PLAYS[2])
    assert desk.moves() == whole.moves()
    assert desk.table.state.difference is None


def test_a_play_that_was_challenged_off_and_stays_counts_again_with_the_next_one(desk: Desk) -> None:
    whole = Desk()
    for text in PLAYS[:3]:
        whole.lay(text)
    for text in PLAYS[:2]:
        desk.lay(text)
    desk.send("challenge")
    desk.camera.rest(4.0)
    assert "still on the board" in desk.attention()
    desk.lay(PLAYS[2])
    assert desk.moves() == whole.moves()


def test_undo_of_four_plays_a_pass_and_one_key_put_a_forgotten_pass_in(desk: Desk) -> None:
    for text in PLAYS[:3]:
        desk.lay(text)
    scores = [score for _, _, score in desk.moves()]
    desk.send("undo", "undo", "pass", "board")
    assert desk.moves() == [
        ("Anna", "8D", scores[0]),
        ("Jón", "pass", 0),
        ("Anna", "G6", scores[1]),
        ("Jón", "10G", scores[2]),
    ]
    assert desk.table.state.difference is None


def test_a_misread_play_is_undone_and_typed(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    desk.send("undo", "play 8D KRAKI")
    desk.camera.rest(5.0)
    assert desk.table.state.difference is None
    assert desk.board[7, 3] == "K"
    desk.lay("G6 LO.I")
    assert len(desk.moves()) == 2


def test_tiles_that_are_taken_off_after_an_undo_end_the_question(desk: Desk) -> None:
    play = desk.lay("8D HRAKI")
    desk.send("undo", "board wait")
    assert desk.attention() == ""
    desk.camera.rest(10.0)
    assert desk.attention() == "", "who said so is asked again after half a minute only"
    desk.lift(play)
    assert desk.table.state.difference is None
    assert desk.moves() == []
    desk.lay("8D HRAKI")
    desk.send("undo", "board wait")
    desk.camera.rest(31.0)
    assert "still on the board" in desk.attention()


def test_tiles_that_are_taken_off_one_after_the_other_raise_no_alarm(desk: Desk) -> None:
    play = desk.lay("8D HRAKI")
    desk.send("undo", "board wait")
    for tile in play.placements[:3]:
        desk.lift(Play(placements=(tile,)), rest_s=5.0)
        assert desk.attention() == ""
    desk.camera.show(desk.camera.board.with_tiles(play.placements[:1]), rest_s=5.0)
    assert "still on the board: D8 G8 H8" in desk.attention(), "a tile came back"


def test_tiles_that_stay_after_a_challenge_raise_no_alarm_while_they_are_taken_off(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    desk.send("challenge", "board wait")
    desk.camera.rest(10.0)
    assert desk.attention() == ""


def test_the_alarm_comes_after_three_seconds_and_goes_by_itself(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    desk.send("play G6 LO.I")
    desk.camera.rest(2.5)
    assert desk.attention() == ""
    desk.camera.rest(1.0)
    assert (
        "the board lacks tiles that the record has: G6 G7 G9; if they are there, straighten them or take away what "
        "covers them; the command board"
    ) in desk.attention()
    desk.lay("G6 LO.I")
    assert desk.attention() == ""
    assert len(desk.moves()) == 2


def test_tiles_that_no_turn_explains_are_taken_by_one_command(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    far = Play.of([(0, 0, "A"), (2, 2, "B"), (4, 4, "E")])
    desk.camera.show(desk.camera.board.with_tiles(far), 6.0)
    assert "the board holds tiles that the record lacks: A1 C3 E5; the command board" in desk.attention()
    desk.send("board")
    assert desk.board == desk.camera.board
    assert desk.attention() == ""


def test_blanks_that_the_record_lacks_may_be_something_that_lies_on_the_board(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    far = Play.of([(0, 0, "A"), (2, 2, "?"), (4, 4, "?")])
    desk.camera.show(desk.camera.board.with_tiles(far), 6.0)
    assert "A1 C3 E5; if no blank is on C3 E5, take away what is there; the command board" in desk.attention()


def test_a_tile_in_the_middle_of_the_game_that_is_gone_leaves_the_record_by_one_command(desk: Desk) -> None:
    for text in PLAYS[:3]:
        desk.lay(text)
    desk.camera.show(desk.camera.board.without(Play.of([(7, 3, "H")])), 12.0)
    assert "lacks" in desk.attention()
    desk.send("board")
    assert desk.board == desk.camera.board


def test_a_play_that_is_taken_off_after_the_next_one_may_have_been_challenged(desk: Desk) -> None:
    plays = [desk.lay(text) for text in PLAYS[:3]]
    desk.lift(plays[1], rest_s=15.0)
    assert "if move 2 was challenged off, the command insert 3 challenge takes it back" in desk.attention()
    desk.send("insert 3 challenge")
    assert [what for _, what, _ in desk.moves()] == ["8D", "G6", "challenge", "10G"]
    desk.camera.rest(5.0)
    assert desk.attention() == ""


def test_undo_takes_back_what_the_command_board_did_though_that_was_an_undo_itself(desk: Desk) -> None:
    desk.lay("8D HRAKI")
    desk.send("exchange", "challenge")
    challenged = desk.moves()
    desk.camera.rest(4.0)
    desk.send("board")
    assert len(desk.moves()) == len(challenged) - 1
    desk.send("undo")
    assert desk.moves() == challenged


@pytest.mark.parametrize("command", ["undo", "challenge"])
def test_the_tiles_of_a_play_that_board_restores_leave_the_rack_again(desk: Desk, command: str) -> None:
    def rack() -> str:
        return "".join(sorted(desk.table.state.operator.rack(0, desk.now_s)))

    desk.send("rack Anna HRAKIEN")
    desk.lay("8D HRAKI")
    assert rack() == "EN"
    desk.send(command)
    desk.camera.rest(4.0)
    desk.send("board")
    assert rack() == "EN"
    desk.send("undo")
    assert rack() == "AEHIKNR"


@pytest.mark.parametrize("players", [("Anna", "Jón"), ("Anna", "Jón", "Eva")])
@pytest.mark.parametrize("typed", ["8E HRAKI", "H8 HRAKI"])
def test_a_play_that_was_typed_on_other_squares_is_moved_by_one_command(
    typed: str, players: tuple[str, ...]
) -> None:
    desk, right = Desk(players), Desk(players)
    for each in (desk, right):
        each.send("rack Anna HRAKIEN")
    right.lay("8D HRAKI")
    desk.send(f"play {typed}")
    desk.camera.show(right.camera.board, 9.0)
    assert "lacks tiles that the record has" in desk.attention()
    desk.send("board")
    assert desk.moves() == right.moves()
    assert desk.table.state.game.turn == 1
    assert desk.table.state.operator.rack(0, desk.now_s) == right.table.state.operator.rack(0, right.now_s)
    desk.camera.rest(5.0)
    assert desk.attention() == ""
    desk.lay("G6 LO.I")
    right.lay("G6 LO.I")
    assert desk.moves() == right.moves()


def test_a_later_play_that_was_typed_on_other_squares_stays_with_its_player(desk: Desk) -> None:
    right = Desk()
    for text in PLAYS[:3]:
        right.lay(text)
    for text in PLAYS[:2]:
        desk.lay(text)
    desk.send("play 10F ÞÚ")
    desk.lay("10G ÞÚ")
    desk.send("board")
    assert desk.moves() == right.moves()


def test_a_word_that_was_put_right_after_the_next_play_is_moved_by_the_command_board(desk: Desk) -> None:
    right = Desk()
    for each, word in ((desk, "10E REIÐA"), (right, "10D REIÐA")):
        for text in (*PLAYS[:2], word, "6G .AR"):
            each.lay(text)
    desk.camera.show(right.camera.board)
    desk.lay("I4 TÓ.")
    right.lay("I4 TÓ.")
    assert len(desk.moves()) == len(right.moves())
    desk.send("board")
    assert desk.moves() == right.moves()
    assert desk.board == right.board


def test_a_play_after_which_somebody_passed_is_not_moved_by_the_command_board(desk: Desk) -> None:
    desk.send("play 8E HRAKI", "pass")
    desk.lay("8D HRAKI")
    desk.send("board")
    assert [who for who, _, _ in desk.moves()][:2] == ["Anna", "Jón"]
    assert ("Jón", "pass", 0) in desk.moves()


@pytest.mark.parametrize(
    ("laid", "commands", "rack"),
    [
        ("8D KRAKI", ("letter D8 H",), "EN"),
        ("8D KRAKI", ("correct 8D HRAKI",), "EN"),
        ("8D HRAKI", ("correct 8D HRAKIN",), "E"),
        ("8D HRAKI", ("correct 8D HRAKIN", "undo"), "EN"),
        ("8D HRAKIN", ("correct 8D HRAKI",), "EN"),
        ("8D HRAKI", ("correct 8D HRAKINN",), "EN"),
        ("8D HRAKI", ("rack Anna NEÞÚTAR", "letter D8 N"), "AENRTÚÞ"),
        ("8D HRAKI", ("pass", "rack Anna NEÞÚTAR", "play G6 LO.I", "correct 8D HRAKIN"), "AENRTÚÞ"),
        ("8D HRAKIN", ("pass", "rack Anna NELOIAR", "play G6 LO.I", "correct 8D HRAKI"), "AENR"),
    ],
)
def test_the_rack_follows_a_correction_of_its_players_latest_play(
    desk: Desk, laid: str, commands: tuple[str, ...], rack: str
) -> None:
    desk.send("rack Anna HRAKIEN")
    desk.lay(laid)
    desk.send(*commands)
    assert "".join(sorted(desk.table.state.operator.rack(0, desk.now_s))) == rack


def test_board_without_a_camera_is_refused() -> None:
    table = LiveGame("table", EDITION, None, players=("Anna", "Jón"))
    with pytest.raises(SettingsError, match="no camera follows"):
        send_commands(table, "board")


# Labels of a withdrawal


@pytest.mark.parametrize(("command", "kind"), [("challenge", "challenge"), ("withdraw", "withdrawn")])
def test_challenge_and_withdraw_shortly_after_the_camera_label_its_withdrawal(
    desk: Desk, command: str, kind: str
) -> None:
    desk.lay(PLAYS[0])
    play = desk.lay(PLAYS[1])
    desk.lift(play)
    assert [kind for _, kind, _ in desk.moves()] == ["8D", "G6", "withdrawn"]
    desk.now_s += 9.5
    desk.send(command)
    assert [what for _, what, _ in desk.moves()] == ["8D", "G6", kind]
    assert desk.table.state.game.totals == (28, 0)
    assert desk.table.state.game.turn == (1 if command == "withdraw" else 0)
    desk.send("undo")
    assert [what for _, what, _ in desk.moves()] == ["8D", "G6", "withdrawn"]


def test_a_challenge_later_than_that_is_for_the_play_before(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    desk.lift(desk.lay(PLAYS[1]))
    desk.now_s += 10.5
    desk.send("challenge")
    assert [what for _, what, _ in desk.moves()] == ["8D", "G6", "withdrawn", "challenge"]


def test_a_challenge_that_was_pressed_before_the_page_showed_the_withdrawal_labels_it(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    play = desk.lay(PLAYS[1])
    sequence = desk.table.state.sequence
    desk.lift(play)
    desk.table.apply_command(Command(verb=Verb.CHALLENGE), sequence=sequence)
    assert [what for _, what, _ in desk.moves()] == ["8D", "G6", "challenge"]
    with pytest.raises(StaleCommandError):
        desk.table.apply_command(Command(verb=Verb.CHALLENGE), sequence=sequence)


# Redo


def test_redo_puts_back_what_was_undone_before_what_the_camera_reported(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    desk.send("pass")
    desk.send("undo")
    desk.lay(PLAYS[1])
    assert desk.table.state.redoable
    desk.send("redo")
    assert [(who, what) for who, what, _ in desk.moves()] == [("Anna", "8D"), ("Jón", "pass"), ("Anna", "G6")]
    desk.send("undo")
    assert [(who, what) for who, what, _ in desk.moves()] == [("Anna", "8D"), ("Jón", "G6")]


def test_redo_says_why_it_is_not_possible(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    play = desk.lay(PLAYS[1])
    desk.send("undo")
    desk.lift(play)
    desk.lay("7G TA")
    before = desk.moves()
    with pytest.raises(
        SettingsError, match=r"redo: Jón: G6 LOKI does not fit .*put it into the list of moves"
    ):
        desk.send("redo")
    assert desk.moves() == before


def test_redo_of_a_play_that_counts_again_says_so(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    desk.lay(PLAYS[1])
    desk.send("undo")
    desk.lay(PLAYS[2])
    with pytest.raises(SettingsError, match="Jón: G6 LOKI is in the record already"):
        desk.send("redo")


# The list of moves


def moves_after(*commands: str, players: tuple[str, ...] = ("Anna", "Jón")) -> list[tuple[str, str, int]]:
    desk = Desk(players)
    desk.send(*commands)
    return desk.moves()


TYPED = tuple(f"play {text}" for text in PLAYS[:3])


def test_a_forgotten_pass_moves_all_later_plays_to_the_right_players() -> None:
    scores = [score for _, _, score in moves_after(*TYPED)]
    assert moves_after(*TYPED, "insert 2 Jón pass") == [
        ("Anna", "8D", scores[0]),
        ("Jón", "pass", 0),
        ("Anna", "G6", scores[1]),
        ("Jón", "10G", scores[2]),
    ]
    assert moves_after(*TYPED, "insert 2 pass") == moves_after(*TYPED, "insert 2 Jón pass")
    assert moves_after(*TYPED, "insert 4 exchange 3")[3] == ("Jón", "exchange", 0)


def test_a_move_gets_another_player_kind_or_tiles() -> None:
    assert [who for who, _, _ in moves_after(*TYPED, "change 2 Anna")] == ["Anna", "Anna", "Jón"]
    assert moves_after(*TYPED[:2], "change 2 pass")[1] == ("Jón", "pass", 0)
    changed = moves_after(*TYPED, "change 1 play 8D KRAKI")
    assert [what for _, what, _ in changed] == ["8D", "G6", "10G"]
    assert changed[0] != moves_after(*TYPED)[0]
    assert moves_after(*TYPED, "pass", "change 4 Jón exchange ABÐ")[3] == ("Jón", "exchange", 0)


def test_a_deleted_move_takes_its_withdrawal_with_it() -> None:
    assert moves_after("play 8D HRAKI", "withdraw", "play 8D KRAKI", "delete 1")[0][1] == "8D"
    assert len(moves_after("play 8D HRAKI", "withdraw", "play 8D KRAKI", "delete 1")) == 1
    assert [who for who, _, _ in moves_after("pass", *TYPED, "delete 1")] == ["Anna", "Jón", "Anna"]


def test_three_players_go_on_in_their_order_and_so_do_challenges() -> None:
    three = ("Anna", "Jón", "Ása Lind")
    moves = moves_after(*TYPED, "challenge lost Anna", "insert 2 pass", players=three)
    assert [(who, what) for who, what, _ in moves] == [
        ("Anna", "8D"),
        ("Jón", "pass"),
        ("Ása Lind", "G6"),
        ("Anna", "10G"),
        ("Anna", "challenge"),
    ]
    assert moves_after(*TYPED[:1], "insert 2 Ása Lind pass", players=three)[1][0] == "Ása Lind"
    assert moves_after(*TYPED[:1], "challenge lost Ása Lind", players=three)[1][1] == "challenge"


def test_an_illegal_play_that_stood_is_accepted() -> None:
    desk = Desk()
    desk.send("play 8D HRAKI", "play G6 LO.I", "insert 3 play A1 TAL stood")
    problems = serialize_for_operator(desk.table.state, 0.0).problems
    assert problems == []
    desk.send("delete 3", "delete 1")
    assert "move 1" in serialize_for_operator(desk.table.state, 0.0).problems[0]
    desk.send("accept 1")
    assert serialize_for_operator(desk.table.state, 0.0).problems == []
    with pytest.raises(SettingsError, match="the rules allow"):
        moves_after("pass", "accept 1")


@pytest.mark.parametrize(
    "command",
    ["insert", "insert 0 pass", "insert 9 pass", "insert 1", "insert 1 Anna", "insert 1 play 8D", "delete 5",
     "delete 1 2", "change 1", "change 1 Anna jump", "change 1 exchange 99", "insert 1 play A1 TAL", "accept 1",
     "change 99999999999999999999 pass"],
)  # fmt: skip
def test_an_edit_that_makes_no_sense_is_refused_with_its_reason(command: str) -> None:
    desk = Desk()
    desk.send("play 8D HRAKI")
    with pytest.raises(SettingsError, match=r"\w+"):
        desk.send(command)
    assert desk.moves() == [("Anna", "8D", 28)]


def test_an_edit_is_undone_and_survives_a_restart(desk: Desk) -> None:
    desk.lay(PLAYS[0])
    desk.lay(PLAYS[1])
    desk.send("insert 2 pass")
    assert desk.table.state.difference is None
    desk.lay(PLAYS[2])
    assert [who for who, _, _ in desk.moves()] == ["Anna", "Jón", "Anna", "Jón"]
    desk.send("undo", "undo")
    assert [who for who, _, _ in desk.moves()] == ["Anna", "Jón"]
