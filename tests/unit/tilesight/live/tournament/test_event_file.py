"""The director's files: what they say, and what a mistake in them says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from scoring import DataFileError
from tilesight.live.match import PlayerInfo
from tilesight.live.tournament import load_event
from vision.errors import InputError

Writer = Callable[[str, str], object]


def test_an_event_with_players_in_two_files(director: Writer) -> None:
    director("players.csv", "\ufeffName;Rating;Flag\r\nJón Páll;1650;IS\r\n\r\nEva;;\r\n")
    director("results.csv", "player,points,opponent,opponent points\nEva,401,Ida,-7\n")
    path = director(
        "event.toml",
        """
title = "Cup"
round = 4
best-of = 5
challenge = 10
overtime = 0
starts = "9:30"
players = "players.csv"
results = "results.csv"
archive = "games"
[player."Anna Jóns."]
rating = 1873
club = "Reykjavík"
flag = "is"
[table.final]
players = ["Anna Jóns.", "Jón Páll"]
label = "Table 1"
round = "Final"
[table.other]
best-of = 1
""",
    )
    event = load_event(path)  # type: ignore[arg-type]
    assert event.player("Jón Páll") == PlayerInfo(name="Jón Páll", rating=1650, flag="is")
    assert event.player("Anna Jóns.").club == "Reykjavík"
    assert event.player("Ida") == PlayerInfo(name="Ida")
    final, other = event.table("final"), event.table("other")
    assert (final.players, final.round, final.best_of) == (("Anna Jóns.", "Jón Páll"), "Final", 5)
    assert (other.players, other.round, other.best_of) == (None, "4", None)
    assert event.table("third") == event.default
    assert (event.challenge, event.overtime.points, event.results[0].totals) == (
        "10",
        0,
        {"Eva": 401, "Ida": -7},
    )
    assert event.starts_s is not None
    assert datetime.fromtimestamp(event.starts_s).strftime("%H:%M") == "09:30"
    assert event.archive is not None
    assert event.archive.name == "games"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "line 1: is not valid TOML"),
        (f"best-of = {'9' * 5000}", "line 1: is not valid TOML"),
        (f"best-of = {'[' * 5000}", "line 1: is not valid TOML"),
        ('titel = "Cup"', "line 1: unknown key titel; did you mean title?"),
        ("best-of = 0", "line 1: best-of is 0; write a number from 1 to 99"),
        ('\nchallenge = "tripple"', "line 2: challenge: 'tripple' is no rule for challenges; write double"),
        ('starts = "25:99"', "line 1: starts is '25:99'; write a time such as"),
        ('starts = "half past"', "line 1: starts is 'half past'"),
        ("overtime-every = 0", "line 1: overtime-every is 0; write a number from 1 to 3600"),
        (f'title = "{"x" * 61}"', "line 1: title has 61 characters; write at most 60"),
        ('title = "a\\u0000b"', "line 1: title is 'a\\x00b', with characters that cannot be shown"),
        ('[table.final]\nplayers = ["Anna", "Anna"]', "line 2: "),
        (
            '[table.final]\nplayers = ["Anna", "J\\u202en"]',
            "line 2: a player's name is 'J\\u202en', with characters that cannot be shown; leave them out",
        ),
        (
            f'[table.final]\nplayers = ["{"x" * 61}"]',
            "line 2: a player's name has 61 characters; write at most",
        ),
        (
            '[table.a]\nplayers = ["Anna", "Eva"]\n[table.b]\nplayers = ["Jón",\n "anna"]',
            "line 5: anna plays at table a in the same round; name another player or round",
        ),
        (
            '[table.a]\nplayers = ["Anna  Lind", "Eva"]\n[table.b]\nplayers = ["Jón", "anna Lind"]',
            "line 4: anna Lind plays at table a in the same round",
        ),
        (
            '[table.a]\nplayers = ["Anna  Lind", "anna lind"]',
            "line 2: two players have one name in Anna  Lind, anna lind",
        ),
        ("[table.final]\nbest = 3", "line 2: unknown key table.final.best; did you mean best-of?"),
        ("table = 3", "line 1: "),
        ('[player."Anna"]\nflag = "Iceland"', "line 2: flag is 'Iceland'; write a country's code"),
        ('[player."Anna"]\nrating = 12345', "line 2: rating is 12345; write a number from 0 to 9999"),
    ],
)
def test_a_mistake_in_the_event_names_its_line_and_what_to_write(
    director: Writer, text: str, message: str
) -> None:
    path = director("event.toml", text)
    with pytest.raises(DataFileError) as caught:
        load_event(path)  # type: ignore[arg-type]
    assert f"event.toml, {message}" in str(caught.value)


def test_accents_may_be_characters_of_their_own(director: Writer) -> None:
    director("players.csv", "name,rating\nJo\u0301n,1650\n")
    director("results.csv", "player,points,opponent,opponent-points\nJo\u0301n,401,Åsa,7\n")
    path = director(
        "event.toml",
        'title = "I\u0301"\nplayers = "players.csv"\nresults = "results.csv"\n[player."A\u030asa"]\nrating = 1\n'
        '[table.final]\nplayers = ["Jo\u0301n", "A\u030asa"]\n',
    )
    event = load_event(path)  # type: ignore[arg-type]
    assert (event.title, event.table("final").players) == ("Í", ("Jón", "Åsa"))
    assert [event.player(name).rating for name in event.results[0].totals] == [1650, 1]


@pytest.mark.parametrize("name", ["Bye", "TBD", "tba", "N.N.", "?", "-"])
def test_a_placeholder_may_be_at_two_tables(director: Writer, name: str) -> None:
    tables = f'[table.a]\nplayers = ["Anna", "{name}"]\n[table.b]\nplayers = ["Jón", "{name}"]\n'
    event = load_event(director("event.toml", tables))  # type: ignore[arg-type]
    assert event.table("b").players == ("Jón", name)


def test_a_player_may_be_named_for_two_rounds(director: Writer) -> None:
    tables = '[table.a]\nplayers = ["Anna", "Eva"]\n[table.b]\nplayers = ["Anna", "Jón"]\nround = "Final"\n'
    assert load_event(director("event.toml", tables)).table("b").round == "Final"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("players", "", "line 1: the column name is needed once; begin with name,rating,club,flag"),
        ("players", "name,elo\n", "line 1: unknown column 'elo'; the columns are name, rating, club, flag"),
        ("players", "name,ratings\n", "line 1: unknown column 'ratings'; did you mean rating?"),
        ("players", "name,name\n", "line 1: the column name is needed once"),
        ("players", "name\nAnna\nAnna\n", "line 3: Anna is listed twice; leave one of them out"),
        ("players", "name,rating\nAnna,high\n", "line 2: rating is 'high'; write a whole number"),
        ("players", "name,flag\nAnna,Iceland\n", "line 2: flag is 'Iceland'; write a country's code"),
        ("players", "name,club\n,Hugin\n", "line 2: name is empty; fill it in"),
        ("players", "name,club\nAnna,Hugin,x\n", "line 2: has 3 cells for 2 columns; put quotation marks"),
        ("players", 'name\n"Anna\n', "close every quotation mark"),
        ("results", "player,points\n", "line 1: the column opponent is needed once"),
        (
            "results",
            "player,points,opponent,opponent-points\nEva,4OO,Ida,1\n",
            "line 2: Eva: '4OO' is no number of points; write 425",
        ),
        (
            "results",
            "player,points,opponent,opponent-points\nEva,1,Eva,2\n",
            "line 2: Eva plays against Eva; name two players",
        ),
    ],
)
def test_a_mistake_in_a_table_names_its_line_and_what_to_write(
    director: Writer, key: str, text: str, message: str
) -> None:
    director("table.csv", text)
    path = director("event.toml", f'{key} = "table.csv"')
    with pytest.raises(DataFileError) as caught:
        load_event(path)  # type: ignore[arg-type]
    assert "table.csv, line" in str(caught.value)
    assert message in str(caught.value)


def test_a_file_that_cannot_be_read(director: Writer) -> None:
    path = director("event.toml", 'players = "nowhere.csv"')
    with pytest.raises(InputError, match=r"nowhere\.csv: cannot be read \(No such file"):
        load_event(path)  # type: ignore[arg-type]
    path.write_bytes(b"title = '\xff'")  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="is not UTF-8 text; save it as UTF-8"):
        load_event(path)  # type: ignore[arg-type]
    path.write_bytes(b"#" * 20_000_001)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="larger than 20 MB"):
        load_event(path)  # type: ignore[arg-type]


def test_a_game_that_both_players_handed_in_is_refused_with_its_line(director: Writer) -> None:
    director(
        "results.csv",
        "round,player,points,opponent,opponent-points\n3,Eva,388,Ida,412\n4,Eva,388,Ida,412\n3,Ida,412,Eva,388\n",
    )
    path = director("event.toml", 'results = "results.csv"\n')
    with pytest.raises(DataFileError, match=r"line 4: this is the game of line 2 again"):
        load_event(path)  # type: ignore[arg-type]
