"""The guided mode: one question at a time, each step optional, everything kept at once."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.prompt import Confirm, Prompt

from vision.errors import InputError, VisionError

__all__ = ["lead"]


def lead(profile: Path, edition: str, camera: str, console: Console | None = None) -> None:
    """Leads through a calibration; what goes wrong is said and asked again.

    Parameters
    ----------
    profile : Path
        The profile that is made or extended.
    edition : str
        The edition that is played.
    camera : str
        The camera's name.
    console : rich.console.Console, optional
        Where to ask; the terminal by default.
    """
    from calibration import commands

    screen = console or Console()
    screen.print(
        f"[bold]Calibrating[/bold] {profile}. Every step may be left out; an empty answer goes on.\n"
    )
    screen.print(
        "[bold]1. Lens.[/bold] Print the sheet, glue it onto something flat, and take 10 to 15 pictures of it:"
    )
    screen.print("   tilted to every side by 20 to 45 degrees, near and far, also in the picture's corners.")
    if Confirm.ask("   Write the sheet to print?", default=False, console=screen):
        sheet = Prompt.ask("   Its file", default="sheet.pdf", console=screen)
        _step(screen, lambda: commands.target(out=Path(sheet)))
    _ask(
        screen,
        "   Folder of the pictures of the sheet",
        lambda answer: commands.lens(images=[Path(answer)], profile=profile, camera=camera),
    )
    screen.print("\n[bold]2. Board.[/bold] Take everything off the board, and take one picture of it.")
    fixed = Confirm.ask("   Do camera and board stay where they are?", default=False, console=screen)
    _ask(
        screen,
        "   Picture of the empty board",
        lambda answer: commands.board(image=Path(answer), profile=profile, edition=edition, fixed=fixed),
    )
    screen.print(
        "\n[bold]3. Tiles.[/bold] Lay one tile of each letter out in order, row by row, with gaps between them;"
    )
    screen.print(
        "   take two pictures, the camera or the lamp a little otherwise, and leave the tiles as they lie."
    )
    _ask(
        screen,
        "   The pictures, a space between them; quotes around names with spaces",
        lambda answer: commands.tiles(
            images=[Path(part) for part in names_in(answer)],
            profile=profile,
            edition=edition,
            letters=["alphabet"],
        ),
    )
    screen.print(
        "\n[bold]4. Light.[/bold] Take a few pictures of the board in a row, without moving anything."
    )
    _ask(
        screen,
        "   Folder of the pictures",
        lambda answer: commands.light(images=[Path(answer)], profile=profile, edition=edition),
    )
    if profile.exists():
        page = profile.with_suffix(".html")
        screen.print(f"\n[bold]5. Report.[/bold] {page} shows what was measured and what to improve.")
        _step(screen, lambda: commands.report(profile=profile, out=page, edition=edition))
        screen.print(f"\nUse it: tilesight read photo.jpg --edition {edition} --profile {profile}")


def names_in(answer: str) -> list[str]:
    """The names in an answer, as a shell would read them.

    Raises
    ------
    InputError
        If a quotation mark has no second one.
    """
    try:
        return shlex.split(answer)
    except ValueError as error:
        raise InputError(f"{answer}: {error}; write names with spaces between quotes") from error


def _ask(screen: Console, question: str, act: Callable[[str], None]) -> None:
    """Asks until the answer works or is empty."""
    while answer := Prompt.ask(question, default="", show_default=False, console=screen).strip():
        if _step(screen, lambda given=answer: act(given)):  # type: ignore[misc]
            return


def _step(screen: Console, act: Callable[[], None]) -> bool:
    try:
        act()
    except VisionError as error:
        screen.print(f"   [red]{error}[/red]")
        return False
    return True
