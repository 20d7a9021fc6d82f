"""The command `tilesight`: registers the commands, and turns errors into messages and exit codes."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys

import typer

from scoring import ScoringError
from tilesight.cli.best import best
from tilesight.cli.calibration import commands as calibrate
from tilesight.cli.digitise import digitise
from tilesight.cli.find import find
from tilesight.cli.messages import say
from tilesight.cli.read import read
from tilesight.cli.score import score
from tilesight.cli.serve import serve
from tilesight.cli.timeline import timeline
from tilesight.cli.watch import watch
from vision.errors import INSTALL_AGAIN, ExitCode, SettingsError, VisionError

__all__ = ["app", "main"]

NO_MEMORY = "not enough memory; end other programs, or name fewer or smaller files"
POSIX_MODULES = ("fcntl", "resource", "termios", "tty")
"""Modules of Python for locks, limits and terminals, which Python for Windows lacks."""

app = typer.Typer(
    name="tilesight",
    help="Point a camera at a word board: Tilesight reads it, follows the game and scores it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(read)
app.command()(watch)
app.command()(score)
app.command()(best)
app.command()(digitise)
app.command()(find)
app.command()(serve)
app.command()(timeline)
app.add_typer(calibrate.app, name="calibrate")


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", metavar="", help="Print the version and exit."),
) -> None:
    """Point a camera at a word board: Tilesight reads it, follows the game and scores it."""
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"tilesight {installed_version('tilesight')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; an expected error ends with one line on standard error and an exit code."""
    open_closed_streams()
    choose_encoding()
    try:
        try:
            # as a path, it would be the current folder
            if any(re.fullmatch(r"(--[\w-]+=)?", argument) for argument in sys.argv[1:]):
                raise SettingsError(
                    "an argument is empty, perhaps an unset variable; fill it in or leave it out"
                )
            app()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer ends with 1, which says something else
            sys.exit(ExitCode.INPUT)
        raise
    except VisionError as error:
        exit_with(str(error), error.exit_code)
    except ScoringError as error:
        is_unreadable = isinstance(error.__cause__, OSError)
        exit_with(str(error), ExitCode.INPUT if is_unreadable else ExitCode.USAGE)
    except KeyboardInterrupt:
        exit_with("stopped", ExitCode.INTERRUPTED)
    except ImportError as error:
        exit_with(*explain_failed_import(error))
    except MemoryError:
        exit_with(NO_MEMORY, ExitCode.INPUT)
    except OSError as error:
        drop_output()
        place = error.filename or "the output"
        exit_with(f"{place}: cannot be read or written ({error.strerror or error})", ExitCode.INPUT)


def open_closed_streams() -> None:
    """Open standard streams that the caller closed on the null device, in the order of their numbers.

    A file that is opened later would get such a number, and what is printed would be written into it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def choose_encoding() -> None:
    """Print UTF-8 for files and other programs in every locale, as our own commands read it.

    Not every terminal has every letter, and not every file name is text, in JSON neither: those are escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_chosen = stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if is_chosen else "utf-8", errors="backslashreplace")


def explain_failed_import(error: ImportError) -> tuple[str, ExitCode]:
    """Say that a Python package, a library of the system or memory is missing; with the exit code.

    A compiled package that Ctrl-C stops while it loads raises an ImportError, too.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return "stopped", ExitCode.INTERRUPTED
        cause = cause.__cause__ or cause.__context__
    if error.name in POSIX_MODULES:
        return "this command does not run on Windows; use Linux, also in WSL 2", ExitCode.MISSING_PROGRAM
    if isinstance(error, ModuleNotFoundError):
        return (
            f"the Python package {error.name} is missing; {INSTALL_AGAIN}",
            ExitCode.MISSING_PROGRAM,
        )
    # The linker's words for short memory; on a disk from which no program may run it adds "Operation not permitted".
    if "failed to map segment" in str(error) and "not permitted" not in str(error):
        return NO_MEMORY, ExitCode.INPUT
    return (
        f"a library of the system is missing ({error}); for OpenCV on Debian and Ubuntu, run: sudo apt-get install "
        "libgl1 libglib2.0-0",
        ExitCode.MISSING_PROGRAM,
    )


def drop_output() -> None:
    """Send what is left of the standard output nowhere: a full disk or a closed pipe would fail once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_with(message: str, code: ExitCode) -> None:
    """Print one line on standard error and end the program."""
    say(message)
    sys.exit(code)
