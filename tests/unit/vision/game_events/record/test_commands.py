"""Commands: what people at the table tell, and what follows from it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scoring import ChallengeEvent, Ending, ExchangeEvent, Game, PlayEvent, load_edition, parse_play
from tilesight.output import format_event, to_text
from vision.errors import SettingsError
from vision.game_events.record import Command, Verb, apply_command, parse_command
from vision.game_events.updates import UpdateKind

KIND = UpdateKind
EDITION = load_edition("icelandic")


def played() -> Game:
    game = Game(edition=EDITION, players=("Anna", "Jón"))
    return game.with_play(parse_play("8D HRAKI", EDITION.tokens)).with_play(
        parse_play("G6 LO.I", EDITION.tokens)
    )


def told(text: str, game: Game | None = None) -> Game:
    return apply_command(parse_command(text), game or played())[-1].game


def test_a_command_is_read_and_printed() -> None:
    command = parse_command("  Correct 8D HRAKA ")
    assert command == Command(verb=Verb.CORRECT, words=("8D", "HRAKA"))
    assert str(command) == "correct 8D HRAKA"


@pytest.mark.parametrize(
    ("text", "message"),
    [("chalenge", "did you mean challenge"), ("dance", "write one of play, pass"), ("", "empty line")],
)
def test_what_is_no_command_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_command(text)


@pytest.mark.parametrize("verb", Verb)
def test_a_refusal_advises_the_verbs_that_a_game_without_a_table_takes(verb: Verb) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_command("dance")
    is_advised = verb.value in str(refused.value).split("write one of ")[1].split(", ")
    try:
        apply_command(Command(verb=verb), played())
        needs_table = False
    except SettingsError as error:
        needs_table = "are kept by tilesight serve" in str(error)
    # the history of `watch` redoes, and the game by itself does not
    assert is_advised is (not needs_table or verb is Verb.REDO)


@pytest.mark.parametrize(
    ("text", "kinds", "totals", "turn"),
    [
        ("pass", [KIND.PASS], (28, 15), 1),
        ("exchange", [KIND.EXCHANGE], (28, 15), 1),
        ("exchange 3", [KIND.EXCHANGE], (28, 15), 1),
        ("exchange AÐ", [KIND.EXCHANGE], (28, 15), 1),
        ("challenge", [KIND.WITHDRAWN], (28, 0), 0),
        ("challenge lost", [KIND.CHALLENGE], (28, 15), 0),
        ("withdraw", [KIND.WITHDRAWN], (28, 0), 1),
        ("clock jón 10", [KIND.CLOCK], (28, 5), 0),
        ("turn Jón", [KIND.PASS], (28, 15), 1),
        ("turn Anna", [], (28, 15), 0),
        ("undo", [KIND.UNDONE], (28, 0), 1),
        ("end Anna=AB Jón=", [KIND.SETTLED] * 2, None, None),
    ],
)
def test_what_is_reported_happens(
    text: str, kinds: list[UpdateKind], totals: tuple[int, ...] | None, turn: int | None
) -> None:
    updates = apply_command(parse_command(text), played())
    assert [update.kind for update in updates][: len(kinds)] == kinds
    if totals is not None:
        game = updates[-1].game if updates else played()
        assert (game.totals, game.turn) == (totals, turn)
    for update in updates:
        event = format_event(update, "camera 0", 3, 0.1)
        assert event["event"] == update.kind.value
        assert event["player"] in to_text(update, "camera 0")


def test_turns_that_are_over_without_a_play_were_passes() -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón"))
    for name in ("Jón", "Anna", "Jón", "Anna"):
        assert game.ending is None
        game = told(f"turn {name}", game)
    assert game.ending is Ending.PASSES


def test_at_a_table_of_three_it_is_reported_who_lost_the_challenge() -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón", "Eva")).with_play(
        parse_play("8D HRAKI", EDITION.tokens)
    )
    for text, challenger in (("challenge Lost", 1), ("challenge lost eva", 2)):
        (update,) = apply_command(parse_command(text), game)
        event = update.game.events[-1]
        assert isinstance(event, ChallengeEvent)
        assert event.challenger == challenger
    with pytest.raises(SettingsError, match="does not play"):
        apply_command(parse_command("challenge lost Ulf"), game)


@pytest.mark.parametrize(
    "text", ["challenge lost Anna", "challenge lost anna", "insert 2 Anna challenge lost"]
)
def test_a_lost_challenge_by_the_player_of_the_play_is_refused(text: str) -> None:
    """The Hungarian sheet: "tíz pontot veszít az a játékos, aki megkérdőjelezte a szót", which is another player."""
    hungarian = load_edition("hungarian")
    game = Game(edition=hungarian, players=("Anna", "Béla")).with_play("8D ELADÓ")
    with pytest.raises(SettingsError, match="Anna cannot challenge a play of Anna; name who did"):
        told(text, game)
    for right in ("challenge lost", "challenge lost Béla", "insert 2 Béla challenge lost"):
        assert told(right, game).totals == (16, -10)
    passed = game.with_pass()
    with pytest.raises(SettingsError, match="Anna cannot challenge a play of Anna; name who did"):
        told("change 2 Anna challenge lost", passed)
    assert told("change 2 challenge lost", passed).totals == (16, -10)


def test_a_player_loses_a_challenge_of_a_play_once() -> None:
    game = Game(edition=load_edition("hungarian"), players=("Anna", "Béla", "Csaba")).with_play("8D ELADÓ")
    game = told("challenge lost Csaba", told("challenge lost", game))
    assert game.totals == (16, -10, -10)
    for text, player in (
        ("challenge lost", "Béla"),
        ("challenge lost béla", "Béla"),
        ("challenge lost Csaba", "Csaba"),
    ):
        with pytest.raises(SettingsError, match=f"{player} challenged this play in vain already"):
            told(text, game)
    later = game.with_play("E7 OLÓ")
    assert told("challenge lost Csaba", later).totals == (16, -6, -20)
    with pytest.raises(SettingsError, match="give the command insert 2 Béla challenge lost"):
        told("challenge lost Anna", told("challenge", later))
    for text in ("insert 2 Béla challenge lost", "insert 4 challenge lost", "change 4 Béla challenge lost"):
        with pytest.raises(SettingsError, match=f"^{text}: Béla challenged this play in vain already"):
            told(text, game.with_pass())
    assert told("insert 5 Anna challenge lost", later).totals == (6, -6, -10)


def test_a_word_is_corrected_and_the_scores_follow() -> None:
    updates = apply_command(parse_command("correct 8D HRAKA"), played())
    assert [update.kind for update in updates] == [KIND.CORRECTION]
    event = format_event(updates[0], "camera 0", 3)
    assert (event["square"], event["was"], event["now"]) == ([7, 7], "I", "A")
    assert event["totals"] == {"Anna": updates[0].game.totals[0], "Jón": 15}


def test_tiles_left_follow_a_correction_after_the_end() -> None:
    counts = {token: 4 * (token in "HRAKI") for token in EDITION.counts}
    game = Game(edition=replace(EDITION, counts=counts), players=("Anna", "Jón"))
    for text in ("8D HRAKI", "D8 .RAKI", "12D .HRAKIHK"):
        game = game.with_event(PlayEvent(player=game.turn, play=parse_play(text, EDITION.tokens, game.board)))
    ended = told("end", game)  # A, H, I and R are left
    corrected = apply_command(parse_command("letter F12 H"), ended)[-1]
    assert not corrected.game.problems
    assert "problems" not in format_event(corrected, "camera 0", 3)
    assert corrected.game.totals[1] == ended.totals[1] + EDITION.values["H"] - EDITION.values["R"]


def test_a_blank_is_named() -> None:
    game = told("letter G8 k")
    assert game.board[7, 6] == "k"
    assert game.totals[0] < 28


def test_a_tile_of_the_first_board_is_corrected() -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón"), start=played().board).with_play("6H OG")
    (update,) = apply_command(parse_command("letter D8 Ð"), game)
    assert update.game.start is not None
    assert update.game.start[7, 3] == update.game.board[7, 3] == "Ð"
    assert update.game.events == game.events
    event = format_event(update, "", -1)
    assert (event["square"], event["was"], event["now"]) == ([7, 3], "H", "Ð")
    assert apply_command(parse_command("letter D8 H"), game) == ()


def test_undoing_gives_the_points_back() -> None:
    (undone,) = apply_command(parse_command("undo"), played())
    assert format_event(undone, "camera 0", 3)["score"] == -15


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pass now", "does not follow"),
        ("exchange 1 2", "does not follow"),
        ("exchange 5X@", "exchange 5X@"),
        ("challenge me", "challenge lost"),
        ("correct 1A OG", "no play on the board begins"),
        ("letter A1 N", "no play laid a tile"),
        ("letter G8 NN", "name one letter"),
        ("clock Anna much", "give a number from 1 to 1000"),
        ("clock Siggi 5", "'Siggi' does not play"),
        ("end Anna", "write a player and the tiles"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        told(text)
    assert "\n" not in str(caught.value)


def test_another_end_settles_the_tiles_left_anew() -> None:
    game = told("end Anna=AB Jón=", played())
    updates = apply_command(parse_command("end Anna=A Jón=ÐÐ"), game)
    assert [update.kind for update in updates] == [KIND.EDITED, KIND.SETTLED, KIND.SETTLED]
    assert updates[-1].game == told("end Anna=A Jón=ÐÐ", played())
    with pytest.raises(SettingsError, match="not known for Jón"):
        told("end Anna=A", game)


@pytest.mark.parametrize("text", ["undo", "withdraw", "challenge"])
def test_a_game_without_events_has_nothing_to_take_back(text: str) -> None:
    with pytest.raises(SettingsError):
        told(text, Game(edition=EDITION, players=("Anna", "Jón")))


@pytest.mark.parametrize(
    "word", ["0", "", "9" * 60, "9" * 6000, "A" * 500, ".", "-1", "\u0663", "\u00b2", "\0"]
)
@pytest.mark.parametrize("verb", list(Verb))
def test_words_that_mean_nothing_are_refused_and_never_an_accident(verb: Verb, word: str) -> None:
    for words in ((word,), (word, word), ("Anna", word), ("8D", word), (f"Anna={word}",)):
        try:
            told = apply_command(Command(verb=verb, words=words), played())
        except SettingsError:
            continue
        assert all(abs(total) < 2000 for update in told for total in update.game.totals)


@pytest.mark.parametrize(
    "text",
    ["exchange 0", "exchange 8", "exchange 99999", "exchange AAAAAAAA", "exchange A.", "exchange 00000"],
)
def test_an_exchange_is_of_as_many_tiles_as_a_rack_holds(text: str) -> None:
    with pytest.raises(SettingsError, match="1 to 7"):
        told(text)


@pytest.mark.parametrize("points", ["0", "1001", "9" * 60])
def test_a_penalty_is_a_number_of_points_that_somebody_may_lose(points: str) -> None:
    with pytest.raises(SettingsError, match="1 to 1000"):
        told(f"clock Anna {points}")


def test_what_is_undone_and_a_challenge_in_vain_are_reported_with_their_points() -> None:
    (undone,) = apply_command(parse_command("undo"), played())
    assert to_text(undone, "a").split() == ["Jón", "undone:", "G6", "LOKI", "-15", "0"]
    game = Game(edition=load_edition("icelandic+challenge-5"), players=("Anna", "Jón"))
    game = game.with_play(parse_play("8D HRAKI", EDITION.tokens))
    (vain,) = apply_command(parse_command("challenge lost Jón"), game)
    assert "challenged in vain by Jón (-5)" in to_text(vain, "a")


@pytest.mark.parametrize("verb", ["insert 1", "insert 1 Jón", "change 1"])
@pytest.mark.parametrize("tiles", ["0", "8", "AAAAAAAA", "A."])
def test_an_exchange_in_the_list_of_moves_is_checked_like_one_at_the_table(verb: str, tiles: str) -> None:
    with pytest.raises(SettingsError, match="1 to 7"):
        told(f"{verb} exchange {tiles}")


LONG_NAMES = Game(edition=EDITION, players=("Anna Jónsdóttir", "Jón Ó Lee"))


@pytest.mark.parametrize(
    ("text", "totals", "turn"),
    [
        ("clock Anna Jónsdóttir 10", (18, 0), 1),
        ("clock jón ó lee 10", (28, -10), 1),
        ("turn Anna Jónsdóttir", (28, 0), 0),
        ("challenge lost Jón Ó Lee", (28, 0), 1),
        ("end Anna Jónsdóttir=AB Jón Ó Lee=", (21, 7), None),
        ("end Anna Jónsdóttir=AB, Jón Ó Lee=", (21, 7), None),
        ("end Anna Jónsdóttir=AB,Jón Ó Lee= ,", (21, 7), None),
    ],
)
def test_names_may_have_several_words(text: str, totals: tuple[int, int], turn: int | None) -> None:
    after = told(text, LONG_NAMES.with_play(parse_play("8D HRAKI", EDITION.tokens)))
    assert after.totals == totals
    assert turn is None or after.turn == turn


def test_commas_and_further_spaces_in_a_name_are_left_out_of_account() -> None:
    game = Game(edition=EDITION, players=("Lee, Anna", "Jón  Ó"))
    game = game.with_play(parse_play("8D HRAKI", EDITION.tokens))
    for text in ("end Lee, Anna=AB, Jón Ó=", "end lee anna=AB Jón  Ó="):
        assert told(text, game).totals == (21, 7)
    assert told("clock Jón Ó 10", game).totals == (28, -10)


@pytest.mark.parametrize(
    "text", ["clock Anna 10", "clock", "clock 10", "turn Anna", "turn", "end Anna=AB", "end Jón Ó", "end =A"]
)
def test_a_part_of_a_name_is_no_name(text: str) -> None:
    with pytest.raises(SettingsError, match=r"does not play|more must follow|write a player"):
        told(text, LONG_NAMES)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("turn", "more must follow this command; write 'turn Anna'"),
        ("play 8D", "more must follow this command; write 'play 8D WORD'"),
        ("play 8D HR AKI", "'8D HR AKI' does not follow this command; write 'play 8D WORD'"),
        ("clock 10", "'10' does not play; the players are Anna, Jón; write 'clock Anna 10'"),
        ("challenge lost Ulf", "'Ulf' does not play; the players are Anna, Jón; write 'challenge lost NAME'"),
        (
            "end",
            "not known for Anna, Jón; name them, or say there are none; an example is 'end Anna=AB Jón='",
        ),
        ("end Anna:AB", "write a player and the tiles left, such as 'end Anna=AB Jón='"),
        (
            "end Anna = AB Jón = Ð",
            "'AB Jón' does not play; the players are Anna, Jón; write 'end Anna=AB Jón='",
        ),
        ("delete", "delete: give the number of a move from 1 to 2, such as 'delete 2'"),
        ("change 3 pass", "change: give the number of a move from 1 to 2, such as 'change 2 pass'"),
        ("insert 4 pass", "insert: give the number of a move from 1 to 3, such as 'insert 3 pass'"),
        ("change 2", "such as change 2 pass"),
    ],
)
def test_a_refused_command_has_an_example_that_fits_the_game(text: str, advice: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(advice)):
        told(text, played())
    with pytest.raises(SettingsError, match="delete: there is no move yet"):
        told("delete 1", Game(edition=EDITION, players=("Anna", "Jón")))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("play 9C raki", "RAKII"),
        ("play 9C ra", "ra"),
        ("correct 8d hraka", "HRAKA"),
        ("insert 3 PLAY 9c raki", "RAKII"),
        ("change 2 JÓN Play g6 lo.i", "LOKI"),
        ("insert 3 play 15A raki STOOD", "RAKI"),
    ],
)
def test_a_word_in_lower_case_is_of_tiles_where_it_cannot_be_of_blanks(text: str, word: str) -> None:
    """Keyboards of phones write in lower case."""
    game = told(text)
    assert word in [step.scored.main_word.text for step in game.steps if step.scored is not None]


def test_an_edition_that_does_not_count_its_blanks_has_two_for_typed_words() -> None:
    game = Game(edition=load_edition("romanian-rosian"), players=("Anna", "Jón"))
    for text, word in (("play 8E casa", "CASA"), ("play 8H as", "as")):
        assert [step.scored.main_word.text for step in told(text, game).steps if step.scored] == [word]


@pytest.mark.parametrize("turn", ["exchange 3", "pass", "turn Anna"])
@pytest.mark.parametrize("text", ["challenge lost", "challenge lost Jón"])
def test_a_challenge_in_vain_after_another_turn_is_refused(turn: str, text: str) -> None:
    game = Game(edition=load_edition("icelandic+challenge-5"), players=("Anna", "Jón"))
    game = told(turn, told("play 8D HRAKI", game))
    with pytest.raises(
        SettingsError, match=f"^{text}: there was another turn .* insert 2 Jón challenge lost$"
    ):
        told(text, game)
    assert told("insert 2 Jón challenge lost", game).totals == (28, -5)
    with pytest.raises(SettingsError, match="there was another turn"):
        told(text, told("challenge", told("play G6 LO.I", told("play 8D HRAKI", game.with_events(())))))


@pytest.mark.parametrize(("name", "challenger"), [("", "Jón"), (" jón", "Jón"), (" eva", "Eva")])
def test_a_late_challenge_in_vain_is_advised_for_the_player_who_made_it(name: str, challenger: str) -> None:
    game = Game(edition=load_edition("icelandic+challenge-5"), players=("Anna", "Jón", "Eva"))
    game = told("pass", told("play 8D HRAKI", game))
    with pytest.raises(SettingsError, match=f"give the command insert 2 {challenger} challenge lost$"):
        told(f"challenge lost{name}", game)


def test_a_number_that_is_written_as_a_word_is_not_taken_for_tiles() -> None:
    game = Game(edition=load_edition("english"), players=("Anna", "Ben")).with_play("8E HORN")
    for text in (
        "exchange three",
        "exchange Three",
        "insert 2 exchange three",
        "insert 2 Ben exchange three",
    ):
        with pytest.raises(
            SettingsError, match=r"write exchange 3, or exchange THREE if these are the tiles$"
        ):
            told(text, game)
    for text, tiles in (("exchange THREE", "THREE"), ("exchange ore", "ORE")):
        event = told(text, game).events[-1]
        assert isinstance(event, ExchangeEvent)
        assert event.tiles == tuple(tiles)


def test_a_challenge_that_is_entered_late_is_inserted() -> None:
    game = Game(edition=load_edition("icelandic+challenge-double"), players=("Anna", "Jón"))
    game = told("play G6 LO.I", told("play 8D HRAKI", game))
    off = told("insert 2 Jón challenge", game)
    assert [(event.kind, event.player) for event in off.events] == [
        ("play", 0),
        ("challenge", 0),
        ("play", 1),
    ]
    assert off.totals[0] == 0
    in_vain = told("insert 2 Jón challenge lost", game)
    assert [(event.kind, event.player) for event in in_vain.events] == [
        ("play", 0),
        ("challenge", 0),
        ("play", 0),
    ]
    with pytest.raises(SettingsError, match="no play is on the board"):
        told("insert 1 Jón challenge", game)


@pytest.mark.parametrize(
    ("text", "totals", "challenged"),
    [
        ("change 1 Anna play 8H KALAP", (21, 5), 1),
        ("delete 3", (14, 5), 1),
        ("insert 1 pass", (5, 21), 0),
        ("change 1 Jón", (5, 21), 0),
    ],
)
def test_a_challenge_in_vain_stays_with_its_play_after_one_that_was_missed(
    text: str, totals: tuple[int, int], challenged: int
) -> None:
    game = Game(edition=load_edition("hungarian"), players=("Anna", "Jón"))
    for before in ("play 8H KALAP", "play H8 .ÉR", "challenge lost Anna", "insert 3 play L8 .ED"):
        game = told(before, game)
    after = told(text, game)
    assert after.totals == totals
    assert [event.player for event in after.events if event.kind == "challenge"] == [challenged]


@pytest.mark.parametrize("ending", ["challenge", "withdraw", "challenge lost"])
@pytest.mark.parametrize("text", ["delete 4", "change 4 pass", "change 4 exchange 2"])
def test_a_play_that_was_none_takes_its_challenge_and_no_older_play_with_it(ending: str, text: str) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón"))
    for command in ("play 8D HRAKI", "play G6 LO.I", "play 9D A"):
        game = told(command, game)
    after = told(text, told(ending, told("play F9 SI", game)))
    assert after.totals == game.totals == (33, 15)
    assert after.board == game.board
    assert after.events[:3] == game.events
    assert len(after.events) == (3 if text == "delete 4" else 4)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("insert 2 Jón challenge", "Jón challenged Anna's play off"),
        ("insert 2 Jón challenge lost", "Jón challenged Anna's play in vain"),
        ("insert 2 Anna challenge", "Anna's play was challenged off"),
    ],
)
def test_an_inserted_challenge_is_answered_with_who_challenged_whom(text: str, answer: str) -> None:
    game = Game(edition=load_edition("icelandic"), players=("Anna", "Jón"))
    (update,) = apply_command(parse_command(text), told("play 8D HRAKI", game))
    assert update.message == f"inserted before move 2: {answer}"


def test_a_game_without_tiles_left_has_nothing_to_settle() -> None:
    with pytest.raises(SettingsError, match="nobody has tiles left"):
        told("end Anna= Jón=")


def test_a_settlement_is_deleted_whole_and_its_parts_are_not_changed() -> None:
    settled = told("end Anna=ab Jón=")
    assert settled.totals == (21, 22), "small letters are tiles, too"
    assert told("delete 3", settled).events == played().events
    assert told("delete 4", settled).events == played().events
    for text in ("change 3 Jón", "change 4 pass"):
        with pytest.raises(SettingsError, match="tiles left are not changed"):
            told(text, settled)


@pytest.mark.parametrize("command", ["challenge", "withdraw"])
def test_a_play_that_was_taken_off_is_given_to_nobody_else(command: str) -> None:
    with pytest.raises(SettingsError, match="a withdrawal and tiles left are not changed"):
        told("change 3 Anna", told(command))


def test_a_correction_is_checked_by_the_rules_and_mends_a_play_without_a_word() -> None:
    for text in ("correct G6 L", "correct 8D QQQQQ"):
        with pytest.raises(SettingsError, match=text):
            told(text)
    alone = played().with_event(PlayEvent(player=0, play=parse_play("A1 L", EDITION.tokens)))
    assert alone.steps[2].scored is None
    for text in ("correct A1 L", "correct 1A LO"):  # found, but not connected with the other tiles
        with pytest.raises(SettingsError, match=r"connect|touch"):
            told(text, alone)


def test_a_name_in_its_own_letters_is_that_player() -> None:
    game = Game(edition=EDITION, players=("Anna", "anna"))
    assert told("clock anna 10", game).totals == (0, -10)
    assert told("clock Anna 10", game).totals == (-10, 0)
    assert told("clock ANNA 10", game).totals == (-10, 0)
    assert told("clock lee, a 10", Game(edition=EDITION, players=("Lee A", "Lee, A"))).totals == (0, -10)


def test_a_settled_game_is_settled_again_where_a_forgotten_pass_is_inserted() -> None:
    counts = {token: {"H": 3, "R": 3, "A": 4, "K": 3, "I": 3}.get(token, 0) for token in EDITION.counts}
    game = Game(edition=replace(EDITION, counts=counts), players=("Anna", "Jón"))
    for text in ("8D HRAKI", "D8 .RAKI"):
        game = told(f"play {text.replace('.', 'H')}", game)
    game = told("play 12D IHAKA", game)
    settled = told("end", game)
    anew = told("insert 3 pass", settled)
    assert anew.totals == told("end", told("insert 3 pass", game)).totals != settled.totals


def test_a_name_with_a_comma_is_refused_and_one_with_an_equals_sign_settles() -> None:
    with pytest.raises(SettingsError, match="cannot have a comma"):
        told("name Anna Lind, Anna")
    assert told("end A=B=AÐ Jón=", told("name Anna A=B")).totals == told("end Anna=AÐ Jón=").totals


def test_a_name_that_differs_in_spaces_and_capitals_is_that_of_another_player() -> None:
    with pytest.raises(SettingsError, match="is the name of another player"):
        told("name Jón anna lind", Game(edition=EDITION, players=("Anna  Lind", "Jón")))


def test_who_does_not_play_is_named_with_those_who_do() -> None:
    with pytest.raises(
        SettingsError,
        match=r"write a player \(Anna, Jón\) or nothing, and then a move: pass, exchange 3, challenge,",
    ):
        told("insert 1 Carl pass")


def test_a_correction_that_leaves_a_later_move_illegal_is_refused() -> None:
    game = told("play I7 RAR", played())
    with pytest.raises(
        SettingsError, match=r"move \d would be illegal .*; correct or delete that move first"
    ):
        told("correct 8D HRAKIR", game)
