"""What people read in a terminal is shown as it is written, and obeyed by no terminal."""

from __future__ import annotations

import pytest

from scoring import Game, load_edition
from tilesight.cli.messages import sanitize
from tilesight.cli.reporting import print_end


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
