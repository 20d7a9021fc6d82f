"""What people read in a terminal is shown as it is written, and obeyed by no terminal."""

from __future__ import annotations

import pytest

from scoring import Game, load_edition
from tilesight.cli.messages import sanitize
from tilesight.cli.watching import print_end
from tilesight.output import to_text
from vision.game_events import GameUpdate, UpdateKind


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", "a\ufffd[31mred"),
        ("two\nlines\u2028more", "two\ufffdlines\ufffdmore"),
        ("\u202etxt.exe\u2066\u200f", "\ufffdtxt.exe\ufffd\ufffd"),
        ("\udcff", "\ufffd"),  # a byte of a name that is no UTF-8
        ("क्\u200dष 👩\u200d👧 Spiel\u00adbrett", "क्\u200dष 👩\u200d👧 Spiel\u00adbrett"),
        ("Jón Þórsdóttir 日本", "Jón Þórsdóttir 日本"),
    ],
)
def test_only_what_a_terminal_obeys_is_replaced(text: str, shown: str) -> None:
    assert sanitize(text) == shown


def test_players_names_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game(edition=load_edition("english"), players=("An\x1b[2Jna", "Bea"))
    print_end(game, as_json=False)
    assert capsys.readouterr().out == "total: An\ufffd[2Jna 0, Bea 0\n"


def test_the_end_of_a_game_is_printed_with_what_is_left_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game("icelandic", ("Anna", "Bea")).with_play("8D HRAKI").with_pass().with_pass().with_pass()
    print_end(game, as_json=True)
    assert '"ending": null' in capsys.readouterr().out
    over = game.with_pass()
    update = GameUpdate.of_last_step(UpdateKind.PASS, over)
    assert to_text(update, "film").endswith("   [the game is over: everybody passed]")
    print_end(over, as_json=False)
    ending = "total: Anna 28, Bea 0; over: everybody passed"
    assert capsys.readouterr().out == f"{ending}; name the tiles left with the command end\n"
    print_end(over, as_json=True)
    assert '"ending": "passes"' in capsys.readouterr().out
    print_end(over.with_settlement({0: "AAAAAAA", 1: "RRRRRRR"}), as_json=False)
    assert capsys.readouterr().out.endswith("; over: the tiles left were settled\n")
    print_end(over.with_settlement({0: "A", 1: "A"}), as_json=False)
    settled = "; over: the tiles left were settled; name the tiles left again with the command end\n"
    assert capsys.readouterr().out.endswith(settled)
