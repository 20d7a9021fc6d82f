"""Players who are renamed, and those who take a seat: whose results are whose."""

from __future__ import annotations

import pytest

from tests.unit.tilesight.live.tournament.conftest import EVENT, GAME, Hall, games_played
from tilesight.live import open_game
from tilesight.web.serializers import serialize_for_viewers


@pytest.mark.parametrize("event", [None, EVENT])
def test_a_renamed_player_keeps_the_games_won_and_the_name_in_the_next_game(
    hall: Hall, event: str | None
) -> None:
    """The settings go on to have the name of the beginning: the same command goes on with the game."""
    game = hall.open(hall.start(event), players=("Ana", "Jón"))
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Jón=RRRRRRR", "new-game")
    hall.play(game, "name Ana Anna", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game", "pass")
    for _ in range(2):
        view = serialize_for_viewers(game.state, hall.now_s)
        assert [(player.name, player.won) for player in view.players] == [("Anna", 1.0), ("Jón", 1.0)]
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament, players=("Ana", "Jón"))
        assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}
    hall.play(game, "new-game void")
    assert game.state.game.players == ("Anna", "Jón")
    game.close()
    assert hall.open(hall.start(event), players=("Anna", "Jón")).state.game.players == ("Anna", "Jón")


def test_a_new_name_is_at_once_that_of_the_match_and_keeps_what_is_known_of_the_player(hall: Hall) -> None:
    (hall.folder / "players.csv").write_text("name,flag\nAna,is\n", encoding="utf-8")
    tournament = hall.start(f'players = "players.csv"\n{EVENT}')
    game = hall.open(tournament, players=("Ana", "Jón"))
    hall.play(game, "name Ana Anna")
    for _ in range(2):
        assert [(player.name, player.flag) for player in game.state.match.players] == [
            ("Anna", "is"),
            ("Jón", ""),
        ]
        tournament.refresh()
    assert tournament.event.player("Anna").flag == "is"


@pytest.mark.parametrize("event", [None, EVENT])
def test_a_player_may_get_the_former_name_of_another_one(hall: Hall, event: str | None) -> None:
    game = hall.open(hall.start(event), players=("Ana", "Bea"))
    hall.play(
        game, "play 8D HRAKI", "end Ana=AAAAAAA Bea=RRRRRRR", "new-game", "name Ana Cid", "name Bea Ana"
    )
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Cid=RRRRRRR", "new-game", "pass")
    for _ in range(2):
        assert (game.state.game.players, game.state.match.won) == (("Cid", "Ana"), (1.0, 1.0))
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament, players=("Ana", "Bea"))
        assert {line.name: line.games for line in tournament.standings} == {"Cid": 2, "Ana": 2}


def test_results_follow_a_player_who_is_renamed_again(hall: Hall) -> None:
    game = hall.open(hall.start(EVENT), players=("Ana", "Jón"))
    hall.play(
        game, "name Ana Ann", "play 8D HRAKI", "end Ann=AAAAAAA Jón=RRRRRRR", "new-game", "name Ann Anna"
    )
    assert game.state.match.won == (0.0, 1.0)
    hall.play(game, "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game", "pass")
    game.close()
    tournament = hall.start(EVENT)
    assert hall.open(tournament, players=("Ana", "Jón")).state.match.number == 3
    assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}


def test_results_of_earlier_rounds_have_the_last_name_when_others_sit_at_the_table(hall: Hall) -> None:
    def event(players: str) -> str:
        return f"{EVENT}players = {players}\n"

    game = hall.open(hall.start(event('["Ana", "Jón"]')))
    hall.play(game, "play 8D HRAKI", "end Ana=AAAAAAA Jón=RRRRRRR", "new-game", "name Ana Anna")
    hall.play(game, "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    game.close()
    tournament = hall.start(event('["Eva", "Karl"]'))
    game = hall.play(hall.open(tournament), "new-game")
    for _ in range(2):
        assert game.state.game.players == ("Eva", "Karl")
        assert {line.name: line.games for line in tournament.standings} == {"Anna": 2, "Jón": 2}
        game.close()
        tournament = hall.start(event('["Eva", "Karl"]'))
        game = hall.open(tournament)


def test_a_player_who_was_renamed_at_one_table_is_one_player_in_all_results(hall: Hall) -> None:
    """The other results have the former name: those of a file, those of the other table, and the present game there."""

    def event(final: str, late: str) -> str:
        return f"""
            title = "Cup"
            results = "others.csv"
            player.Ana.rating = 1500
            [table.final]
            players = {final}
            [table.late]
            players = {late}
        """

    (hall.folder / "others.csv").write_text("player,points,opponent,opponent-points\nAna,400,Eva,390\n")
    first = event('["Ana", "Jón"]', '["Eva", "Karl"]')
    tournament = hall.start(first)
    final, late = hall.open(tournament), hall.open(tournament, "late")
    hall.play(final, "name Ana Anna", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR")
    hall.play(late, "play 8D HRAKI", "end Eva=AAAAAAA Karl=RRRRRRR")
    (hall.folder / "event.toml").write_text(event('["Eva", "Jón"]', '["Ana", "Karl"]'))
    hall.play(final, "new-game", "play 8D HRAKI", "end Eva=AAAAAAA Jón=RRRRRRR")
    hall.play(late, "new-game", "play 8D HRAKI", "end Ana=AAAAAAA Karl=RRRRRRR")
    for _ in range(2):
        assert {line.name: line.games for line in tournament.standings} == {
            "Anna": 3,
            "Eva": 3,
            "Jón": 2,
            "Karl": 2,
        }
        assert [tournament.event.player(name).rating for name in ("Anna", "Eva")] == [1500, None]
        final.close()
        late.close()
        tournament = hall.start(event('["Eva", "Jón"]', '["Ana", "Karl"]'))
        final, late = hall.open(tournament), hall.open(tournament, "late")


SECOND_ROUND = """
    title = "Cup"
    results = "others.csv"
    [table.final]
    players = ["Anna", "Jón"]
    round = 2
"""


@pytest.mark.parametrize(
    ("listed", "others"),
    [
        ("", "1,Anna,400,Karl,390\n1,Bára,300,Eva,310\n"),
        ("", ",Anna,400,Karl,390\n,Bára,300,Eva,310\n"),
        ("", "1,Anna,400,Bára,390\n"),
        ("", "1,Bára,300,Eva,310\n2,Anna,400,Karl,390\n"),
        ('player.Anna.rating = 1\nplayer."Bára".rating = 2\n', "1,Anna,400,Karl,390\n"),
    ],
)
def test_a_player_who_takes_the_seat_of_another_one_gets_none_of_their_results(
    hall: Hall, listed: str, others: str
) -> None:
    """Both are in the list of players, or have results in one round: it is no other spelling of one name."""
    (hall.folder / "others.csv").write_text(f"round,player,points,opponent,opponent-points\n{others}")
    tournament = hall.start(listed + SECOND_ROUND)
    game = hall.open(tournament)
    before = games_played(tournament)
    hall.play(game, "name Anna Bára")
    assert games_played(tournament) == before
    hall.play(game, "play 8D HRAKI", "end Bára=AAAAAAA Jón=RRRRRRR", "new-game")
    for _ in range(2):
        assert games_played(tournament) == before | {"Bára": before.get("Bára", 0) + 1, "Jón": 1}
        game.close()
        tournament = hall.start(listed + SECOND_ROUND)
        game = hall.open(tournament)


@pytest.mark.parametrize(("was", "now"), [("Anna", "Bára"), ("Bye", "Bára"), ("Ana", "Anna")])
def test_who_gave_a_seat_to_another_player_may_sit_there_in_the_next_round(
    hall: Hall, was: str, now: str
) -> None:
    """A misspelt name, the last one, is that of the renamed player in every round."""
    (hall.folder / "others.csv").write_text(
        "round,player,points,opponent,opponent-points\n1,Anna,400,Karl,390\n1,Bára,300,Eva,310\n"
    )
    event = SECOND_ROUND.replace("Anna", was)
    tournament = hall.start(event)
    game = hall.open(tournament)
    hall.play(game, f"name {was} {now}", "play 8D HRAKI", f"end {now}=AAAAAAA Jón=RRRRRRR")
    tournament.refresh()
    for _ in range(2):
        assert game.state.match.seats == (0, 1)
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament)
    (hall.folder / "event.toml").write_text(event.replace("Jón", "Eva").replace("round = 2", "round = 33"))
    hall.play(game, "new-game")
    assert game.state.game.players == ("Anna" if was == "Ana" else was, "Eva")


@pytest.mark.parametrize(("was", "now"), [("Bye", "Karl"), ("Karl", "TBD")])
def test_a_player_and_a_placeholder_pass_on_no_results_with_a_seat(hall: Hall, was: str, now: str) -> None:
    (hall.folder / "others.csv").write_text(f"player,points,opponent,opponent-points\nEva,50,{was},0\n")
    event = SECOND_ROUND.replace("Jón", was)
    tournament = hall.start(event.replace("round = 2", "round = 1"))
    game = hall.open(tournament)
    hall.play(game, "play 8D HRAKI", f"end Anna=AAAAAAA {was}=RRRRRRR", "new-game")
    before = games_played(tournament)
    (hall.folder / "event.toml").write_text(event)
    tournament.refresh()
    hall.play(game, f"name {was} {now}")
    assert games_played(tournament) == before


TWO_CHARACTERS = "Jo\u0301n"
"""A name whose accent is a character of its own, as some programs write it."""


def test_a_table_and_the_file_of_results_may_write_accents_as_characters_of_their_own(hall: Hall) -> None:
    (hall.folder / "others.csv").write_text(
        f"round,player,points,opponent,opponent-points\n1,{TWO_CHARACTERS},400,Eva,390\n"
    )
    tournament = hall.start('title = "Cup"\nround = 2\nresults = "others.csv"\n')
    game = hall.open(tournament, players=("Ana", TWO_CHARACTERS))
    hall.play(game, "name Ana A\u0301sa", "play 8D HRAKI", "end Ása=AAAAAAA Jón=RRRRRRR")
    assert game.state.game.players == ("Ása", "Jón")
    assert games_played(tournament) == {"Ása": 1, "Eva": 1, "Jón": 2}


@pytest.mark.parametrize("event", [None, f'{EVENT}players = ["Anna", "{TWO_CHARACTERS}"]\n'])
def test_a_match_goes_on_whose_journal_has_accents_as_characters_of_their_own(
    hall: Hall, event: str | None
) -> None:
    """An earlier version began it."""
    begun = open_game(
        "final", hall.folder / "final.db", edition="icelandic", players=("Anna", TWO_CHARACTERS)
    )
    hall.play(begun, *GAME).close()
    tournament = hall.start(event)
    game = hall.open(tournament, players=("Anna", TWO_CHARACTERS))
    hall.play(game, "new-game", "play 8D HRAKI", "end Anna=AAAAAAA Jón=RRRRRRR", "new-game")
    for _ in range(2):
        assert (game.state.match.number, game.state.match.won) == (3, (1.0, 1.0))
        assert games_played(tournament) == {"Anna": 2, "Jón": 2}
        game.close()
        tournament = hall.start(event)
        game = hall.open(tournament)
    assert not hall.notes


def test_a_name_that_several_tables_give_is_that_of_several_players(hall: Hall) -> None:
    tournament = hall.start(EVENT)
    one, other = hall.open(tournament, players=("A", "B")), hall.open(tournament, "other", players=("A", "B"))
    hall.play(one, "name A Anna", "play 8D HRAKI", "end Anna=AAAAAAA B=RRRRRRR")
    hall.play(other, "play 8D HRAKI", "end A=AAAAAAA B=RRRRRRR")
    assert {line.name for line in tournament.standings} == {"Anna", "A", "B"}
