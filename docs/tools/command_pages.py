"""The reference of the commands, from the program's own functions, options, keys and verbs."""

from __future__ import annotations

import enum
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from tilesight.cli.keyboard import KEYS
from tilesight.cli.main import app
from vision.game_events.record import commands as game_commands
from vision.game_events.record import move_editing

__all__ = ["format_commands", "format_verbs", "list_commands", "list_options", "option_names"]


def format_commands() -> str:
    """Return a section for each command: what it does, an example, arguments and options."""
    sections = (_format_section(name, function) for name, function in list_commands(app, "tilesight"))
    return "\n\n".join(sections)


def format_verbs() -> str:
    """Return the tables of the commands that are typed or pressed during a game."""
    blocks = re.findall(r"^Commands .*?::\n\n(.*?)(?=\n\n|\Z)", game_commands.__doc__ or "", re.M | re.S)
    heads = (
        "These change the game:",
        "Only `tilesight serve` has these, for clocks, racks, uncertain tiles and the title:",
        "These edit the list of moves, which are numbered from 1:",
    )
    blocks += re.findall(r"^The commands::\n\n(.*?)(?=\n\n|\Z)", move_editing.__doc__ or "", re.M | re.S)
    return "\n\n".join(f"{head}\n\n{_format_verbs(block)}" for head, block in zip(heads, blocks, strict=True))


def _format_verbs(block: str) -> str:
    keys = {str(command): f"`{key}`" for key, command in KEYS.items()}
    lines = ["| command | key | meaning |", "|---|---|---|"]
    for line in block.splitlines():
        verb, meaning = [*re.split(r"\s{2,}", line.strip(), maxsplit=1), ""][:2]
        lines.append(
            f"| `{_cell(verb)}` | {keys.get(verb.split(' [')[0], '')} | {meaning.replace('`move_editing`', 'below')} |"
        )
    return "\n".join(lines)


def list_commands(group: typer.Typer, name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """List the commands of an application and of the groups in it, with their functions."""
    for command in group.registered_commands:
        assert command.callback is not None
        yield f"{name} {command.name or command.callback.__name__.replace('_', '-')}", command.callback
    for child in group.registered_groups:
        assert child.typer_instance is not None
        yield from list_commands(child.typer_instance, f"{name} {child.name}")


def list_options(
    function: Callable[..., Any],
) -> Iterator[tuple[str, Any, ArgumentInfo | OptionInfo, Any]]:
    """List the parameters of a command: name, type, argument or option, and default."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, *extras = typing.get_args(hints[name]) or (hints[name],)
        for extra in extras:
            if isinstance(extra, ArgumentInfo | OptionInfo):
                yield name, kind, extra, parameter.default


def option_names(name: str, info: OptionInfo) -> list[str]:
    """List what is typed for an option."""
    # Within Annotated, Typer takes the first name as the default.
    given = (info.default, *(info.param_decls or ()))
    names = [each for each in given if isinstance(each, str) and each.startswith("-")]
    return names or [f"--{name.replace('_', '-')}"]


def _format_section(name: str, function: Callable[..., Any]) -> str:
    lines = [f"## {name}", ""]
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(function) or ""):
        text = " ".join(paragraph.split())
        example = text.removeprefix("Example: ")
        lines += [example if example == text else f"```sh\n{example}\n```", ""]
    lines += ["| argument or option | meaning | default |", "|---|---|---|"]
    for option in list_options(function):
        lines.append(f"| {_name(*option)} | {_cell(option[2].help or '')} | {_default(option[3])} |")
    return "\n".join(lines)


def _name(name: str, kind: Any, info: ArgumentInfo | OptionInfo, _: Any) -> str:
    metavar = info.metavar or name.upper()
    if isinstance(info, ArgumentInfo):
        return f"`{_cell(metavar.strip('[]'))}`"
    names = ", ".join(f"`{each}`" for each in option_names(name, info))
    kinds = [each for each in (typing.get_args(kind) or (kind,)) if each is not type(None)]
    if kinds == [bool]:
        return names
    if isinstance(kinds[0], type) and issubclass(kinds[0], enum.Enum):
        return f"{names} {' or '.join(f'`{each.value}`' for each in kinds[0])}"
    return f"{names} `{_cell(metavar)}`"


def _default(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return "required"
    if default in (None, "", False):
        return ""
    return f"`{getattr(default, 'value', default)}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
