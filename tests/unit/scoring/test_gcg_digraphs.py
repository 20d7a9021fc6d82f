"""GCG: a written SZ may be one tile or two; the printed score decides."""

from __future__ import annotations

from itertools import islice

import pytest

from scoring import (
    EndRack,
    ExchangeEvent,
    Game,
    GcgHeader,
    PlayEvent,
    format_gcg,
    load_edition,
    parse_gcg,
    parse_play,
)
from scoring.gcg.plays import find_tile_readings, find_word_readings

HUNGARIAN = load_edition("hungarian")
HEAD = "#player1 a Ann\n#player2 b Bo\n"


def word(line: str) -> tuple[list[str], list[int]]:
    record = parse_gcg(HEAD + line, HUNGARIAN)
    (event,) = record.game.events
    assert isinstance(event, PlayEvent)
    assert not any(problem.lost for problem in record.problems)
    return [each.token for each in event.play], [problem.line for problem in record.problems]


def score_of(word: str) -> int:
    play = parse_play(f"8F {word}", HUNGARIAN.tokens)
    return Game(edition=HUNGARIAN, players=("Ann", "Bo")).with_play(play).totals[0]


def test_one_tile_is_read_where_nothing_speaks_against_it() -> None:
    assert word(">a: 8F SZAVA\n") == (["SZ", "A", "V", "A"], [])
    assert word(f">a: 8F SZAVA +{score_of('SZAVA')} 0\n")[0] == ["SZ", "A", "V", "A"]


def test_two_tiles_are_read_where_only_they_give_the_score() -> None:
    score = score_of("[S]ZAVA")
    assert score != score_of("SZAVA")
    assert word(f">a: 8F SZAVA +{score} {score}\n") == (["S", "Z", "A", "V", "A"], [3])


def test_two_tiles_are_read_where_one_would_miss_the_start() -> None:
    assert word(">a: 8F SZÓ\n") == (["S", "Z", "Ó"], [3])


def test_brackets_leave_no_doubt() -> None:
    score = score_of("[S]ZAVA")
    assert word(f">a: 8F [SZ]AVA +{score} {score}\n")[0] == ["SZ", "A", "V", "A"]


def test_a_tile_of_three_letters_has_every_reading_that_its_letters_allow() -> None:
    letters = ("D", "DZ", "DZS", "S", "ZS", "AB", "A")
    readings = [tuple(token for token, _ in word) for word in find_word_readings("dzs.AB", letters)]
    assert readings == [("dzs", ".", "AB"), ("dz", "s", ".", "AB"), ("d", "zs", ".", "AB")]
    assert [old for _, old in next(find_word_readings("(AB)D.", letters))] == [True, False, True]


def test_no_reading_that_fits_leaves_the_first() -> None:
    assert word(">a: 8F SZAVA +99 99\n")[0] == ["SZ", "A", "V", "A"]


def second(line: str) -> tuple[list[str], list[int]]:
    record = parse_gcg(HEAD + ">a: 8F ALMA\n" + line, HUNGARIAN)
    event = record.game.events[1]
    assert isinstance(event, PlayEvent)
    return [each.token for each in event.play], [problem.line for problem in record.problems]


def test_a_reading_that_meets_old_tiles_wrongly_is_passed_over() -> None:
    assert second(">b: G7 SZ.A +99 99\n") == (["SZ", "A"], [])
    assert second(">b: G6 SZ.A\n") == (["S", "Z", "A"], [4])


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("SZS", ["SZ S", "S ZS", "S Z S"]),
        ("ZSZ", ["ZS Z", "Z SZ", "Z S Z"]),
        ("CSZS", ["CS ZS", "CS Z S", "C SZ S", "C S ZS", "C S Z S"]),
        ("[S]ZS", ["S ZS"]),
        ("sZS", ["s ZS", "s Z S"]),
    ],
)
def test_letters_are_grouped_in_every_way(text: str, readings: list[str]) -> None:
    assert [" ".join(tiles) for tiles in find_tile_readings(text, HUNGARIAN.tokens)] == readings
    assert [
        " ".join(token for token, _ in word) for word in find_word_readings(text, HUNGARIAN.tokens)
    ] == readings


def test_a_word_of_endless_readings_is_given_up_after_some() -> None:
    assert len(list(islice(find_word_readings("SZ" * 40, HUNGARIAN.tokens), 1000))) == 64
    assert len(find_tile_readings("SZ" * 2000, HUNGARIAN.tokens)) == 64


@pytest.mark.parametrize(
    "tiles", ["[S]ZSÍR", "SZSÍR", "[Z]SZAB", "ZSZAB", "[C][SZ]SAB", "[C]SZSAB", "CS[Z]SAB"]
)
def test_the_score_tells_how_the_letters_are_grouped(tiles: str) -> None:
    bare = tiles.replace("[", "").replace("]", "")
    play = parse_play(f"8G {tiles}", HUNGARIAN.tokens)
    score = score_of(tiles)
    found = word(f">a: {bare} 8G {bare} +{score} {score}\n")[0]
    assert sum(map(HUNGARIAN.value_of, found)) == sum(HUNGARIAN.value_of(each.token) for each in play)
    record = parse_gcg(HEAD + f">a: {bare} 8G {bare} +{score} {score}\n", HUNGARIAN)
    assert (record.differences, record.game.problems) == ((), ())


def test_a_sharp_consonant_after_another() -> None:
    """ZSÍR (grease) after an S, which the letters of the rack group in another way."""
    line = ">a: SZSÍR 8G SZSÍR +30 30\n"
    assert word(line) == (["S", "ZS", "Í", "R"], [3])
    record = parse_gcg(HEAD + line, HUNGARIAN)
    assert (record.differences, record.game.totals) == ((), (30, 0))
    assert "is read as [S]ZSÍR" in record.problems[0].message
    again = parse_gcg(format_gcg(record.game), HUNGARIAN)
    assert (again.game, again.problems) == (record.game, ())


def test_the_rack_tells_where_no_score_is_printed() -> None:
    assert word(">a: [S]ZSABDEF 8G SZSAB\n") == (["S", "ZS", "A", "B"], [3])
    assert word(">a: SZSABDEF 8G SZSAB\n") == (["SZ", "S", "A", "B"], [])


def test_of_readings_that_score_wrongly_a_legal_one_is_taken() -> None:
    # SZ would put the last tile of the word on A
    record = parse_gcg(HEAD + ">a: 8F ALMA\n>b: G6 SZ.A +99 99\n", HUNGARIAN)
    assert [problem.lost for problem in record.problems] == [False]
    assert not record.game.problems


def test_exchanged_tiles_are_grouped_as_on_the_rack() -> None:
    record = parse_gcg(HEAD + ">a: [S]ZSABDEF -SZS +0 0\n", HUNGARIAN)
    assert record.game.events == (
        ExchangeEvent(player=0, tiles=("S", "ZS"), rack=("S", "ZS", "A", "B", "D", "E", "F")),
    )
    assert record.problems == ()
    assert parse_gcg(HEAD + ">a: ABDEF -SZS +0 0\n", HUNGARIAN).game.events == (
        ExchangeEvent(player=0, tiles=("SZ", "S"), rack=("A", "B", "D", "E", "F")),
    )


@pytest.mark.parametrize(
    ("printed", "tiles"),
    [("+9", ("S", "ZS")), ("+18", ("S", "ZS")), ("+4", ("SZ", "S")), ("+99", ("SZ", "S"))],
)
def test_tiles_left_are_grouped_as_their_value_says(printed: str, tiles: tuple[str, ...]) -> None:
    record = parse_gcg(HEAD + f">a: (SZS) {printed}\n", HUNGARIAN)
    (event,) = record.game.events
    assert isinstance(event, EndRack)
    assert (event.tiles, event.doubled) == (tiles, printed == "+18")


def test_single_letters_on_a_rack_at_the_end_stay_single() -> None:
    game = Game(edition=HUNGARIAN, players=("Ann", "Bo")).with_play("8G TÓ")
    for rack in (("S", "Z", "A"), ("SZ", "A")):
        text = format_gcg(game, GcgHeader(racks=(rack, None)))
        assert parse_gcg(text, HUNGARIAN).header.racks == (rack, None)


def test_a_semicolon_in_a_name_does_not_lose_who_challenged() -> None:
    game = Game(edition=load_edition("icelandic"), players=("Ann; B", "Bo")).with_play("8D HRAKI")
    game = game.with_challenge(upheld=False, challenger=1)
    assert parse_gcg(format_gcg(game), game.edition).game.events == game.events


def test_brackets_of_a_rack_at_the_end_count_too() -> None:
    game = Game("spanish", ["a", "b"]).with_play("8G [C][H]A").with_exchange(["C", "H", "A"])
    read = parse_gcg(format_gcg(game, GcgHeader(racks=(("LL", "A"), None)))).game
    assert read.events[1] == game.events[1]
