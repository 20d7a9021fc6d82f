"""What an operator is warned of after a command: it may have been meant for another moment."""

from __future__ import annotations

import re

import pytest

from scoring import Game, load_edition
from tilesight.live.operator import find_caution
from vision.game_events import apply_command, label_withdrawal, parse_command

PLAYS = ("play 8D HRAKI", "play G6 LO.I")


@pytest.mark.parametrize(
    ("commands", "caution"),
    [
        (
            (*PLAYS, "challenge"),
            "LOKI was challenged; if HRAKI was meant, undo that, and insert .* before move 2",
        ),
        ((*PLAYS, "challenge lost"), "LOKI was challenged; if HRAKI was meant"),
        ((PLAYS[0], "challenge"), "^$"),
        ((*PLAYS, "challenge", "challenge"), "HRAKI was not the last move; undo this if it was given twice"),
        ((*PLAYS, "withdraw", "withdraw"), "HRAKI was not the last move"),
        ((*PLAYS, "withdraw"), "^$"),
        ((PLAYS[0], "pass", "challenge"), "^$"),
        (
            (*PLAYS, "end Anna=AAAAAAA Jón=RRRRRRR"),
            "ended with 82 tiles in the bag; undo that if it goes on$",
        ),
        ((*PLAYS, "end Anna=AB Jón="), "82 tiles .* goes on, or accept move 3 if the tiles left are right"),
        (("pass",) * 4 + ("end Anna=AB Jón=",), "^$"),
        (PLAYS, "^$"),
        (
            (PLAYS[0], "end Anna=AB Jón=", PLAYS[1]),
            "the settlement at move 2 still counts; the command delete 2 ",
        ),
        ((PLAYS[0], "end Anna=AB Jón=", PLAYS[1], "play 9C ÁR"), "^$"),
        (
            (*PLAYS, "end Anna=AB Jón=", "challenge"),
            "the settlement at move 3 still counts; the command delete 3 ",
        ),
        ((*PLAYS, "end Anna=AB Jón=", "withdraw"), "the settlement at move 3 still counts"),
        ((PLAYS[0], "end Anna=AB Jón=", "challenge lost"), "^$"),
        (
            (PLAYS[0], "letter D8 ?", "letter D8 H"),
            "^D8 is a tile and no blank now; .* as in letter D8 h$",
        ),
        ((PLAYS[0], "letter D8 ?", "letter D8 h"), "^$"),
        ((PLAYS[0], "letter D8 Þ"), "^$"),
        ((PLAYS[0], "letter H8 ?", "correct 8D HRAKI"), "^H8 is a tile and no blank now; .* letter H8 i$"),
        ((PLAYS[0], "letter H8 ?", "correct 8D HRAKi"), "^$"),
        ((PLAYS[0], "correct 8D HRAKA"), "^$"),
        ((PLAYS[0], "letter D8 H"), "^nothing changes: the record has this already$"),
    ],
)
def test_a_command_that_may_come_at_another_moment_is_warned_of(
    commands: tuple[str, ...], caution: str
) -> None:
    game = Game(edition=load_edition("icelandic"), players=("Anna", "Jón"))
    for text in commands:
        command = parse_command(text)
        updates = apply_command(command, game)
        game = updates[-1].game if updates else game
    assert re.search(caution, find_caution(command, updates))


def test_a_challenge_of_the_play_that_came_off_the_board_is_not_warned_of() -> None:
    game, command = (
        Game(edition=load_edition("icelandic"), players=("Anna", "Jón")),
        parse_command("challenge"),
    )
    for text in PLAYS:
        game = apply_command(parse_command(text), game)[-1].game
    assert find_caution(command, label_withdrawal(command, game.with_withdrawal())) == ""
