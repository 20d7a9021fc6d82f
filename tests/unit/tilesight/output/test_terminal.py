"""The view in the terminal: the board, all numbers and what is typed are never cut."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from scoring import Game, load_edition
from tilesight.output import TerminalView
from vision.game_events import Notice, NoticeKind, UpdateBatch
from vision.game_events.record import apply_command, parse_command

EDITION = load_edition("icelandic")
FOUR = ("Gunnlaugur", "Kristín", "Margrét", "Sigríður")
COMMANDS = ("play 8D HRAKI", "play 8D HRAKIÐAN")
NUMBERS = [["+28", "28"], ["+14", "14"]]


def show(
    size: tuple[int, int],
    players: Sequence[str],
    commands: Sequence[str],
    confidence: float = 1.0,
    **texts: str,
) -> list[str]:
    """Return the lines of a terminal of this size, the texts being `notice` and `typed`."""
    width, height = size
    output = io.StringIO()
    screen = Console(
        width=width, height=height, force_terminal=True, color_system=None, legacy_windows=False, file=output
    )
    game = Game(edition=EDITION, players=tuple(players))
    notices = (Notice(NoticeKind.UNCLEAR, texts["notice"]),) if "notice" in texts else ()
    with TerminalView("film", screen, typed=lambda: texts.get("typed")) as view:
        for command in commands:
            made = apply_command(parse_command(command), game)
            updates = tuple(replace(update, confidence=confidence) for update in made)
            game = updates[-1].game
            batch = UpdateBatch(
                source="film", index=0, time_s=1.0, game=game, updates=updates, notices=notices
            )
            output.seek(0)
            output.truncate()
            view.show(batch)
        shown = output.getvalue()
    return [line.rsplit("\x1b[2K", 1)[-1] for line in shown.lstrip("\r\n").splitlines()]


def board_of(lines: list[str], width: int = 80) -> list[str]:
    """Return the rows of the board without their numbers, which a narrow terminal lacks."""
    first = 0 if width < 48 else 3
    top = 2 if lines[1].split()[:3] == ["A", "B", "C"] else 1
    return [line[first : first + 45].rstrip() for line in lines[top : top + 15]]


@pytest.mark.parametrize("size", [(46, 24), (64, 24), (70, 20), (80, 24), (97, 23), (120, 40)])
def test_the_board_is_never_wrapped(size: tuple[int, int]) -> None:
    lines = show(size, FOUR, COMMANDS)
    rows = [""] * 15
    rows[7] = " " * 10 + "  ".join("HRAKIÐAN")
    assert board_of(lines, size[0]) == rows
    assert len(lines) <= size[1]


@pytest.mark.parametrize("size", [(48, 24), (60, 24), (80, 20), (80, 24), (120, 40)])
def test_the_squares_that_commands_name_are_found_on_the_board(size: tuple[int, int]) -> None:
    lines = show(size, FOUR, COMMANDS)
    row = next(line for line in lines if line.startswith(" 8 "))
    assert row.index("H") == lines[1].index("D"), "HRAKI begins on D8"
    assert [line[:3] for line in lines[2:17]] == [f"{number:>2} " for number in range(1, 16)]


@pytest.mark.parametrize("width", range(73, 133))
def test_remarks_of_a_move_cut_no_number(width: int) -> None:
    lines = show((width, 24), FOUR, COMMANDS, confidence=0.6)
    moves = [line[49:].rstrip(" │") for line in lines if "8D" in line]
    for line, numbers in zip(moves, NUMBERS, strict=True):
        assert set(numbers) <= set(line.split())
    if width >= 115:
        assert all(line.endswith("in doubt (60%)") for line in moves)


@pytest.mark.parametrize("width", [80, 97, 123])
def test_names_and_plays_are_shortened_and_numbers_are_not(width: int) -> None:
    names = ("Guðrún Þorgerður Sigurðardóttir", "Jón")
    lines = [line[49:] for line in show((width, 24), names, COMMANDS)]
    assert all(len(line) <= width - 49 for line in lines)
    moves = [line for line in lines if "8D" in line]
    assert [line.rstrip(" │").split()[-2:] for line in moves] == NUMBERS
    assert [line[:5] for line in moves] == ["│ Guð", "│ Jón"]
    assert ("…" in moves[0]) == (width < 123)


def test_a_wide_terminal_shows_names_plays_and_remarks_in_full() -> None:
    names = ("Guðrún Sigurðardóttir", "Jón Þorsteinsson")
    lines = show((123, 40), names, ("play 8D HRAKI", "challenge lost"))
    assert any("Guðrún Sigurðardóttir  challenged in vain by Jón Þorsteinsson" in line for line in lines)


def test_a_narrow_terminal_has_the_totals_and_the_last_move_below_the_board() -> None:
    lines = show((60, 24), FOUR, COMMANDS[:1])
    assert lines[17] == "Gunnlaugur 28, Kristín 0, Margrét 0, Sigríður 0"
    assert lines[18].split() == ["Gunnlaugur", "8D", "HRAKI", "+28", "28"]


NOTICE = (
    "the hand seems to have come from Kristín's side, though it was the turn of Gunnlaugur; if Gunnlaugur passed or "
    "exchanged, give the commands undo and turn Kristín"
)


@pytest.mark.parametrize("size", [(60, 24), (80, 18), (80, 24), (120, 20)])
def test_what_is_typed_is_shown_below_a_long_notice(size: tuple[int, int]) -> None:
    lines = show(size, FOUR, COMMANDS, notice=NOTICE, typed="correct 8D HRAKI")
    assert lines[-1].rstrip() == ":correct 8D HRAKI_"
    assert len(lines) <= size[1]
    assert "HRAKIÐAN" in board_of(lines)[7].replace(" ", "")
