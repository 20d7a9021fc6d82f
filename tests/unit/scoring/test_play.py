"""Plays: text form, rules and scores."""

from dataclasses import replace

import pytest

from scoring import (
    Board,
    Bonus,
    Direction,
    Edition,
    IllegalPlayError,
    NotationError,
    Placement,
    Play,
    PlayRule,
    Premium,
    Scheme,
    check_play,
    format_play,
    load_edition,
    parse_layout,
    parse_play,
    score_play,
    word_score,
)
from tests.support.positions import board_after, play_of

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")
KRYDSORD = load_edition("krydsord")


def test_equal_plays_are_equal_values() -> None:
    one = Play.of([(7, 4, "R"), Placement(row=7, column=3, token="H")])
    other = Play(placements=(Placement(row=7, column=3, token="H"), Placement(row=7, column=4, token="R")))
    assert one == other
    assert hash(one) == hash(other)
    assert len(one) == 2
    assert [tile.token for tile in one] == ["H", "R"]
    assert eval(repr(one)) == one
    assert one.direction is Direction.ACROSS
    assert one.transposed().direction is Direction.DOWN
    assert one.transposed().transposed() == one
    assert Play.of([(0, 0, "A")]).direction is None
    assert Play.of([(0, 0, "A"), (1, 1, "A")]).direction is None


def test_tiles_are_counted_as_they_are_in_the_bag() -> None:
    play = Play.of([(7, 7, "A"), (7, 8, "b"), (7, 9, "A"), (7, 10, "?")])
    assert play.tile_counts == {"A": 2, "?": 2}


@pytest.mark.parametrize("text", ["8D HR.KI", "D8 HR.KI", "8D A", "1A SZ[S]Z", "O15 sz", "8D H..?"])
def test_plays_are_printed_as_they_are_read(text: str) -> None:
    alphabet = HUNGARIAN.tokens if "Z" in text.upper() else ICELANDIC.tokens
    play = parse_play(text, alphabet)
    assert parse_play(format_play(play, alphabet), alphabet) == play
    if len(play) > 1:
        assert format_play(play, alphabet) == text


def test_leading_dots_and_letters_that_lie_there_are_not_laid() -> None:
    board = board_after("8B ELADÓIK", edition=HUNGARIAN)
    expected = Play.of([(7, 0, "J"), (7, 8, "É")])
    assert play_of("8A J.......É", HUNGARIAN) == expected
    assert parse_play("8A JELADÓIKÉ", HUNGARIAN.tokens, board) == expected
    assert len(play_of("8A JELADÓIKÉ", HUNGARIAN)) == 9
    assert play_of("8A ..X") == Play.of([(7, 2, "X")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8D", "is no play; write a position and the tiles"),
        ("8D HR AKI", "is no play"),
        ("88 HRAKI", "no position"),
        ("8D WORD", "'WORD' has no tile at 'W' "),
        ("8D ...", "lays no tile"),
        ("8D A#A", "has a #"),
    ],
)
def test_what_is_no_play_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        play_of(text)


def test_a_play_off_one_line_has_no_text() -> None:
    with pytest.raises(IllegalPlayError, match="share neither"):
        format_play(Play.of([(0, 0, "A"), (1, 1, "A")]), ICELANDIC.tokens)


BOARD = board_after("8D HRAKI", "G6 LO.I")

REFUSALS = {
    "nothing": (BOARD, (), PlayRule.NO_TILES, "a turn without one is a pass or an exchange"),
    "a square twice": (
        BOARD,
        ((5, 7, "A"), (5, 7, "R")),
        PlayRule.SQUARE_TWICE,
        "A and R are both laid on H6",
    ),
    "off the board": (
        BOARD,
        ((7, 8, "N"), (7, 15, "S")),
        PlayRule.OFF_BOARD,
        "S on P8 is off the board of 15 rows and 15 columns",
    ),
    "above the board": (
        BOARD,
        ((-1, 6, "A"),),
        PlayRule.OFF_BOARD,
        "A on a square above or left of A1 is off the board",
    ),
    "a square taken": (BOARD, ((7, 3, "K"),), PlayRule.OCCUPIED, "K cannot be laid on D8, where H is"),
    "a tile of another game": (BOARD, ((7, 8, "W"),), PlayRule.UNKNOWN_TILE, "'W' is no tile of icelandic"),
    "an empty token": (BOARD, ((7, 8, "."),), PlayRule.UNKNOWN_TILE, "'.' is no tile"),
    "a corner": (BOARD, ((7, 8, "N"), (8, 9, "N")), PlayRule.NOT_ONE_LINE, "I8 J9 share neither a row nor"),
    "a gap": (BOARD, ((7, 8, "N"), (7, 10, "N")), PlayRule.GAP, "the play at 8I leaves J8 empty"),
    "a gap downwards": (BOARD, ((6, 3, "N"), (9, 3, "N")), PlayRule.GAP, "the play at D7 leaves D9 empty"),
    "far away": (BOARD, ((0, 0, "A"), (0, 1, "Ð")), PlayRule.NOT_TOUCHING, "the play at 1A touches no tile"),
    "diagonal only": (BOARD, ((8, 8, "A"), (8, 9, "Ð")), PlayRule.NOT_TOUCHING, "touches no tile"),
    "a tile too many": (
        BOARD,
        ((7, 8, "X"), (7, 9, "X")),
        PlayRule.NOT_IN_BAG,
        "the play needs 2 X and 0 are on the board, but icelandic has 1 in all",
    ),
    "blanks too many": (
        board_after("8D HrakI"),
        ((7, 8, "?"),),
        PlayRule.NOT_IN_BAG,
        "the play needs 1 blank and 3 are on the board, but icelandic has 2 in all; lower case is a blank",
    ),
    "more than a rack": (
        BOARD,
        tuple((row, 8, token) for row, token in enumerate("AREINSTU", 3)),
        PlayRule.TOO_MANY_TILES,
        "lays 8 tiles, but a rack holds 7",
    ),
    "a first word of one": (board_after(), ((7, 7, "Á"),), PlayRule.FIRST_WORD_TOO_SHORT, "needs at least 2"),
    "a first word elsewhere": (
        board_after(),
        ((6, 7, "Á"), (6, 8, "R")),
        PlayRule.START_NOT_COVERED,
        "a tile on H8",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_each_refusal_has_its_reason_and_says_what_was_seen(case: str) -> None:
    board, tiles, reason, message = REFUSALS[case]
    with pytest.raises(IllegalPlayError) as refused:
        check_play(board, Play.of(tiles), ICELANDIC)
    assert refused.value.reason is reason
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8I N", ["HRAKIN"]),
        ("9D OF", ["OF", "HO", "RF"]),
        ("D7 Á", ["ÁH"]),
        ("7H ÁR", ["OÁR", "ÁI"]),
        ("F9 ÐI", ["AÐI", "ÐI"]),
        ("G10 R", ["LOKIR"]),
        ("G5 á", ["áLOKI"]),
        ("5G ?", ["?LOKI"]),
    ],
)
def test_what_touches_is_allowed_and_forms_words(text: str, words: list[str]) -> None:
    scored = score_play(BOARD, play_of(text), ICELANDIC)
    assert [word.text for word in scored.words] == words


def test_a_gap_that_old_tiles_fill_is_none() -> None:
    scored = score_play(BOARD, play_of("8C Á.....R"), ICELANDIC)
    assert [word.text for word in scored.words] == ["ÁHRAKIR"]


def test_krydsord_starts_with_its_first_letter_on_a_green_square() -> None:
    empty = Board.empty(KRYDSORD.layout)
    for text in ("8H HUND", "I9 HUND", "H9 HUND"):
        check_play(empty, play_of(text, KRYDSORD), KRYDSORD)
    for text in ("8G HUND", "H6 HUND", "1A HUND"):
        with pytest.raises(
            IllegalPlayError, match="must have its first letter on H8 or I8 or H9 or I9"
        ) as refused:
            check_play(empty, play_of(text, KRYDSORD), KRYDSORD)
        assert refused.value.reason is PlayRule.START_NOT_COVERED
    with pytest.raises(IllegalPlayError, match="has 3 tiles; it needs at least 4"):
        check_play(empty, play_of("8H HUN", KRYDSORD), KRYDSORD)


def test_counts_that_are_not_known_refuse_nothing() -> None:
    romanian = load_edition("romanian-rosian")
    scored = score_play(Board.empty(romanian.layout), play_of("8H XXXXXXX", romanian), romanian)
    assert scored.main_word.text == "XXXXXXX"


def covered(board: Board, *squares: tuple[int, int]) -> Board:
    return board.without(squares).with_tiles(
        Placement(row=row, column=column, token="#") for row, column in squares
    )


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("8C Á.....R", (7, 5)),  # within the play
        ("12B ÁR", (11, 3)),  # its only neighbour
    ],
)
def test_what_cannot_be_seen_cannot_be_judged(text: str, hidden: tuple[int, int]) -> None:
    board = covered(BOARD, hidden)
    with pytest.raises(IllegalPlayError) as refused:
        check_play(board, play_of(text), ICELANDIC)
    assert refused.value.reason is PlayRule.COVERED


def test_a_word_that_runs_under_a_hand_is_not_scored() -> None:
    board = covered(BOARD, (7, 3))
    play = play_of("8I N")
    check_play(board, play, ICELANDIC)
    with pytest.raises(IllegalPlayError, match="word at 8D runs into a covered square") as refused:
        score_play(board, play, ICELANDIC)
    assert refused.value.reason is PlayRule.COVERED


def test_a_covered_square_is_not_free() -> None:
    with pytest.raises(IllegalPlayError, match="cannot be seen"):
        check_play(covered(BOARD, (7, 8)), play_of("8I N"), ICELANDIC)


def test_a_board_of_another_size_belongs_to_another_edition() -> None:
    with pytest.raises(NotationError, match="has 15 rows and 15 columns, krydsord has 16 and 16"):
        check_play(BOARD, play_of("8I N", KRYDSORD), KRYDSORD)
    with pytest.raises(NotationError, match="name the edition of this board"):
        score_play(BOARD, play_of("8I N", KRYDSORD), KRYDSORD, check=False)


def total(board: Board, text: str, edition: Edition, *, check: bool = True) -> int:
    return score_play(board, play_of(text, edition), edition, check=check).total


def test_a_score_keeps_what_makes_it() -> None:
    scored = score_play(BOARD, play_of("10D REIÐA"), ICELANDIC)
    assert [(word.text, word.position, word.score) for word in scored.words] == [
        ("REIÐA", "10D", 8),
        ("LOKIÐ", "G6", 12),
    ]
    assert (scored.bonus, scored.total, scored.position, scored.unvalued) == (0, 20, "10D", ())
    assert scored.main_word.tokens == ("R", "E", "I", "Ð", "A")
    assert scored.main_word.direction is Direction.ACROSS


def test_the_norwegian_bonus_is_for_all_that_a_player_holds() -> None:
    norwegian = load_edition("norwegian")
    assert norwegian.bonus == Bonus(tiles=None, points=50)
    board = Board.empty(norwegian.layout).with_tiles(play_of("8F BRETT", norwegian))
    play = play_of("F5 SKO", norwegian)
    bonuses = {count: score_play(board, play, norwegian, rack_count=count).bonus for count in (None, 3, 4, 7)}
    assert bonuses == {None: 0, 3: 50, 4: 0, 7: 0}
    for count in (0, 2):
        with pytest.raises(
            IllegalPlayError, match=f"3 tiles from a rack of {count}; leave out an unknown number"
        ):
            score_play(board, play, norwegian, rack_count=count)
    whole = play_of("F1 SKOGENE", norwegian)
    assert [score_play(board, whole, norwegian, rack_count=count).bonus for count in (None, 7)] == [50, 50]
    icelandic = score_play(BOARD, play_of("10D REIÐA"), ICELANDIC, rack_count=5)
    assert icelandic.bonus == 0


def test_the_bonus_comes_after_the_multipliers() -> None:
    scored = score_play(Board.empty(HUNGARIAN.layout), play_of("8B ELADÓIK", HUNGARIAN), HUNGARIAN)
    assert (scored.main_word.score, scored.bonus, scored.total) == (20, 50, 70)


def test_a_blank_scores_nothing_but_its_word_square_counts() -> None:
    empty = Board.empty(ICELANDIC.layout)
    assert total(empty, "8H HR", ICELANDIC) == (4 + 1) * 2
    assert total(empty, "8H hR", ICELANDIC) == (0 + 1) * 2
    assert total(empty, "8H ?R", ICELANDIC) == (0 + 1) * 2
    assert total(empty, "8D hRÁKI", ICELANDIC) == (0 + 1 + 4 + 3 + 1) * 2


def test_two_word_squares_multiply_and_four_fold_ones_exist() -> None:
    layout = parse_layout("DD..\nTT..\nQ.q.\n....\nstart: A1 A2 A3")
    edition = replace(ICELANDIC, layout=layout)
    empty = Board.empty(layout)
    assert total(empty, "1A ÁR", edition) == 5 * 4
    assert total(empty, "2A ÁR", edition) == 5 * 9
    assert total(empty, "3A ÁRI", edition) == (4 + 1 + 4) * 4


def test_one_tile_belongs_to_the_longer_word_and_to_the_one_across_if_equal() -> None:
    board = board_after("8D HRAKI", "G6 LO.I")
    across = score_play(board, play_of("6H K"), ICELANDIC)
    assert [word.text for word in across.words] == ["LK"]
    both = score_play(board_after("8H ÁR", "7I ÓS"), play_of("7H K"), ICELANDIC)
    assert [(word.text, word.position) for word in both.words] == [("KÓS", "7H"), ("KÁ", "H7")]
    down = score_play(board_after("8H ÁR", "I7 Ó"), play_of("I9 K"), ICELANDIC)
    assert [(word.text, word.position) for word in down.words] == [("ÓRK", "I7")]
    tie = score_play(board_after("8H ÁR", "9G Ó"), play_of("9H K"), ICELANDIC)
    assert [(word.text, word.position) for word in tie.words] == [("ÓK", "9G"), ("ÁK", "H8")]
    longer_down = score_play(board_after("H6 ÁR", "8G Ó"), play_of("8H K"), ICELANDIC)
    assert [(word.text, word.position) for word in longer_down.words] == [("ÁRK", "H6"), ("ÓK", "8G")]


def test_unchecked_plays_still_have_to_be_words() -> None:
    empty = Board.empty(ICELANDIC.layout)
    assert total(empty, "1A HR", ICELANDIC, check=False) == (4 + 1) * 3
    for text, reason in (("1A H", PlayRule.FIRST_WORD_TOO_SHORT), ("1A H.R", PlayRule.GAP)):
        with pytest.raises(IllegalPlayError) as refused:
            total(empty, text, ICELANDIC, check=False)
        assert refused.value.reason is reason
    with pytest.raises(NotationError, match="'W' is no tile of icelandic"):
        total(Board.from_rows(["W" + "." * 14] + ["." * 15] * 14), "1B Á", ICELANDIC, check=False)


def test_words_of_digraphs_are_distinguished() -> None:
    empty = Board.empty(HUNGARIAN.layout)
    one = score_play(empty, play_of("8G SZER", HUNGARIAN), HUNGARIAN)
    two = score_play(empty, play_of("8G [S]ZER", HUNGARIAN), HUNGARIAN)
    assert (one.main_word.text, one.total) == ("SZER", (3 + 1 + 1) * 2)
    assert (two.main_word.text, two.total) == ("[S]ZER", (1 + 4 + 1 + 1) * 2)


def danish(text: str, scheme: str, edition: Edition = KRYDSORD) -> Edition:
    return replace(edition, layout=parse_layout(text), scheme=type(edition.scheme)(scheme))


@pytest.mark.parametrize(
    ("scheme", "two_word_squares", "with_a_letter_square"),
    [
        # HUND: H4 U3 N1 D2, F = 10
        ("krydsord-f", 2 * 10 + 3 * 10, 2 * 10 + 3 * 10 + 2 * 3 + 1),
        ("krydsord-a", 2 * 10 + 3 * 10 + 3 + 1, 2 * 10 + 3 * 10 + 2 * 3 + 1),
        ("krydsord-b", 10 * 6, 13 * 6),
    ],
)
def test_two_word_squares_in_krydsord(scheme: str, two_word_squares: int, with_a_letter_square: int) -> None:
    plain = danish("D..T\n....\n....\n....\nstart: A1", scheme)
    letter = danish("Dd.T\n....\n....\n....\nstart: A1", scheme)
    empty = Board.empty(plain.layout)
    assert total(empty, "1A HUND", plain) == two_word_squares
    assert total(empty, "1A HUND", letter) == with_a_letter_square


@pytest.mark.parametrize("scheme", ["krydsord-f", "krydsord-a", "krydsord-b"])
def test_krydsord_counts_new_tiles_only_in_every_word(scheme: str) -> None:
    edition = danish("....\n....\n....\n....\nstart: A1", scheme)
    board = Board.empty(edition.layout).with_tiles(play_of("1A HUND", edition))
    scored = score_play(board, play_of("2B ND", edition), edition)
    assert [(word.text, word.score) for word in scored.words] == [("ND", 3), ("UN", 1), ("ND", 2)]


def test_krydsord_jokers_score_as_their_letter_if_it_is_known() -> None:
    edition = danish("....\n....\n....\n....\nstart: A1", "krydsord-f")
    empty = Board.empty(edition.layout)
    known = score_play(empty, play_of("1A hUND", edition), edition)
    assert (known.total, known.unvalued) == (10, ())
    unknown = score_play(empty, play_of("1A ?UND", edition), edition)
    assert (unknown.total, unknown.unvalued) == (6, (Placement(row=0, column=0, token="?"),))


def test_a_word_is_scored_from_its_values() -> None:
    new = [(2, Premium.DOUBLE_LETTER), (1, Premium.TRIPLE_WORD)]
    assert word_score(3, new, Scheme.STANDARD) == 24
