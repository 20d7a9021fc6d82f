"""Commands from standard input: keys of a terminal, and lines of a pipe."""

from __future__ import annotations

import io
import os
import pty
from collections.abc import Iterator

import pytest

from tests.support.serving import wait_until
from tilesight.cli.keyboard import CommandInput
from vision.game_events.record import Command, Verb


def waited_for(console: CommandInput, count: int) -> Iterator[Command]:
    found: list[Command] = []

    def has_enough() -> bool:
        found.extend(console.commands())
        return len(found) >= count

    wait_until(has_enough)
    return iter(found)


def test_lines_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with CommandInput(io.StringIO("pass\n\nfly away\nexchange 2\n")) as console:
        assert [command.verb for command in waited_for(console, 2)] == [Verb.PASS, Verb.EXCHANGE]
        list(console.commands())
    assert "'fly' is no command" in capsys.readouterr().err


def test_a_line_may_begin_with_the_colon_that_the_view_needs() -> None:
    with CommandInput(io.StringIO(":end Anna= Ben=QZ\n  :undo\n")) as console:
        assert [str(command) for command in waited_for(console, 2)] == ["end Anna= Ben=QZ", "undo"]


def test_a_long_line_that_is_no_command_is_cut_in_its_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    with CommandInput(io.StringIO("x" * 5000 + "\npass\n")) as console:
        assert [command.verb for command in waited_for(console, 1)] == [Verb.PASS]
    refusal = capsys.readouterr().err
    assert f"'{'x' * 20}' is no command" in refusal
    assert len(refusal) < 500


def test_advice_names_only_commands_that_watch_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with CommandInput(io.StringIO("dance\nstarts\nstart\n")) as console:
        assert [command.verb for command in waited_for(console, 1)] == [Verb.START], "its refusal names serve"
    advice = capsys.readouterr().err
    assert "write one of play, pass" in advice
    assert not [verb for verb in ("start", "rack", "countdown", "new-game") if f" {verb}" in advice]


def test_a_line_in_another_encoding_ends_no_others() -> None:
    lines = "\ufeffpass\n".encode() + b"turn J\xf3n\n" + "turn Jón\n".encode()
    with CommandInput(io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8")) as console:
        assert [str(command) for command in waited_for(console, 3)] == ["pass", "turn J\ufffdn", "turn Jón"]


def test_letters_of_any_alphabet_are_typed_and_shown() -> None:
    primary, secondary = pty.openpty()
    with os.fdopen(secondary, "r") as terminal, CommandInput(terminal) as console:
        assert console.typed is None
        os.write(primary, ":letter E8 ÁÐ\x7f".encode())
        wait_until(lambda: console.typed == "letter E8 Á")
        os.write(primary, b"\n")
        assert [str(command) for command in waited_for(console, 1)] == ["letter E8 Á"]
        assert console.typed is None
    os.close(primary)


def test_keys_are_commands_and_a_colon_begins_a_line() -> None:
    primary, secondary = pty.openpty()
    with os.fdopen(secondary, "r") as terminal, CommandInput(terminal) as console:
        os.write(primary, b"pqv:correkt\x7f\x7fct 8D HRAKA\nu")
        got = list(waited_for(console, 4))
    os.close(primary)
    assert [str(command) for command in got] == ["pass", "challenge lost", "correct 8D HRAKA", "undo"]


def test_escape_leaves_a_line_and_arrows_do_nothing() -> None:
    primary, secondary = pty.openpty()
    with os.fdopen(secondary, "r") as terminal, CommandInput(terminal) as console:
        os.write(primary, b":pass\x1b\x1b[C\x1bOP\x1b[3~p:name Jon\x1b[D\x1b[1;5Ca Jon\nx")
        got = list(waited_for(console, 3))
    os.close(primary)
    assert [str(command) for command in got] == ["pass", "name Jona Jon", "exchange"]
