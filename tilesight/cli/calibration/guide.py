"""The guided calibration in the terminal: one question at a time, each step optional, results kept at once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.prompt import Confirm, Prompt

from calibration.profile_update import open_profile
from calibration.steps import STEPS
from scoring import load_edition
from tilesight.cli.calibration import steps
from vision.errors import InputError, VisionError

__all__ = ["run_guide"]


def run_guide(profile: Path, edition: str, camera: str, console: Console | None = None) -> None:
    """Guide through a calibration; after an error the question is asked again.

    Parameters
    ----------
    profile : Path
        The profile to make or to extend.
    edition : str
        The edition that is played.
    camera : str
        The camera's name.
    console : rich.console.Console, optional
        Where to ask; the terminal by default.

    Raises
    ------
    VisionError, ScoringError
        If the profile or the edition cannot be read; no question is asked then.
    """
    open_profile(profile)
    load_edition(edition)
    screen = console or Console()
    screen.print(
        f"[bold]Calibrating[/bold] {escape(str(profile))}. Every step may be left out; an empty answer goes on.\n"
    )
    fixed = False
    acts: dict[str, Callable[[str], None]] = {
        "lens": lambda answer: steps.calibrate_lens(
            [Path(answer)], profile, sheet=steps.describe_sheet(), edition=edition, camera=camera
        ),
        "board": lambda answer: steps.calibrate_board(
            Path(answer), profile, edition=edition, fixed=fixed, camera=camera
        ),
        "tiles": lambda answer: steps.calibrate_tiles(
            [Path(part) for part in split_names(answer)], profile, edition=edition, camera=camera
        ),
        "light": lambda answer: steps.check_light([Path(answer)], profile, edition=edition, camera=camera),
    }
    for number, step in enumerate(STEPS, start=1):
        screen.print(f"[bold]{number}. {step.title}.[/bold] {step.text}")
        if step.name == "lens" and Confirm.ask("   Write the sheet to print?", default=False, console=screen):
            sheet = Prompt.ask("   Its file", default="sheet.pdf", console=screen)
            _step(screen, partial(steps.write_target, Path(sheet), steps.describe_sheet()))
        if step.name == "board":
            fixed = Confirm.ask("   Do camera and board stay where they are?", default=False, console=screen)
        _ask(screen, f"   {step.files}", acts[step.name])
        screen.print()
    if profile.exists():
        page = profile.with_suffix(".html")
        screen.print(
            f"[bold]5. Report.[/bold] {escape(str(page))} shows what was measured and what to improve."
        )
        _step(screen, partial(steps.write_report, profile, page, edition=edition))
        command = f"tilesight read photo.jpg --edition {edition} --profile {profile}"
        screen.print(f"\nUse it: {escape(command)}")


def split_names(answer: str) -> list[str]:
    """Split an answer into names as a shell does; on Windows, a backslash stays: it is between folders.

    Raises
    ------
    InputError
        If a quotation mark is not closed.
    """
    words = shlex.shlex(answer, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if os.sep == "\\":
        words.escape = ""
    try:
        return list(words)
    except ValueError as error:
        raise InputError(f"{answer}: {error}; write names with spaces between quotes") from error


def _ask(screen: Console, question: str, act: Callable[[str], None]) -> None:
    """Ask until the answer works or is empty."""
    while answer := Prompt.ask(question, default="", show_default=False, console=screen).strip():
        if _step(screen, lambda given=answer: act(given)):  # type: ignore[misc]
            return


def _step(screen: Console, act: Callable[[], None]) -> bool:
    """Run a step, print its error, and return whether it worked."""
    try:
        act()
    except VisionError as error:
        screen.print(f"   [red]{escape(str(error))}[/red]")
        return False
    return True
