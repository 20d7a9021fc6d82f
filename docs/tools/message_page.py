"""The index of messages, from the calls in the code that raise or print them."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vision.errors import INSTALL_AGAIN
from vision.observation import OTHER_BOARDS

__all__ = ["Message", "format_messages", "list_messages", "list_refusals"]

EXITS = {
    "BoardNotFoundError": "no board was found (exit code 4)",
    "MissingProgramError": "a program or package is missing (exit code 5)",
    "InputError": "an input cannot be read, or an output not be written (exit code 3)",
    "SettingsError": "a command or a setting is not valid (exit code 2)",
    "PictureMismatchError": "a command or a setting is not valid (exit code 2)",
    "say": "remarks; the command continues",
    "notify": "remarks; the command continues",
    "report": "remarks; the command continues",
}
"""What a call with a message means."""
PACKAGES = ("tilesight", "vision", "calibration")
MIN_CHARACTERS = 16
"""Shorter texts are parts of messages; chosen."""
MIN_REASON_CHARACTERS = 12
"""The same of the longest part between two values; chosen."""
SHARED = {"INSTALL_AGAIN": INSTALL_AGAIN, "OTHER_BOARDS": OTHER_BOARDS}
"""Texts that several messages take by their name."""
REASONS = {
    "vision/detection/diagnostics.py": EXITS["BoardNotFoundError"],
    "vision/tracking/monitors/unrest.py": EXITS["say"],
    "vision/pipeline/checks/layout.py": EXITS["say"],
    "vision/pipeline/checks/tiles.py": EXITS["say"],
}
"""Modules whose functions return messages, and what these mean."""
REMARKS = {
    "vision/capture/containers.py": EXITS["InputError"],
    "calibration/lens/target.py": EXITS["say"],
    "vision/detection/residual_distortion.py": EXITS["say"],
    "vision/observation.py": EXITS["say"],
    "tilesight/live/operator/cautions.py": EXITS["say"],
    "vision/game_events/record/board_difference.py": EXITS["say"],
    "vision/game_events/turns/owner.py": EXITS["say"],
    "vision/pipeline/any_edition.py": EXITS["say"],
    "vision/tracking/monitors/drift.py": EXITS["say"],
    "vision/tracking/monitors/source_gaps.py": EXITS["say"],
}
"""The same of modules whose messages let a photo be read, or are of the calibration, of a film's file or of a game."""


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """A message with an ellipsis for each value: its text, and what it means."""

    text: str
    meaning: str

    @property
    def longest_part(self) -> str:
        """The longest text between two values."""
        return max(self.text.split("..."), key=len).strip(" ;:,()")


@functools.cache
def list_messages(checkout: Path) -> tuple[Message, ...]:
    """List the messages of all packages, without those for people who train networks."""
    found = set()
    for package in PACKAGES:
        for path in (checkout / package).rglob("*.py"):
            if "training" not in path.parts:
                tree = ast.parse(path.read_text(encoding="utf-8"))
                found |= set(_messages(tree, _named_texts(tree)))
    return tuple(sorted(found, key=_order))


def list_refusals(checkout: Path) -> list[Message]:
    """List the reasons why no board is found, why a film cannot be read, and which edition is doubted."""
    found = {each for each in list_messages(checkout) if each.meaning == EXITS["BoardNotFoundError"]}
    return sorted(found | set(_reasons(checkout, REASONS)))


def format_messages(checkout: Path) -> str:
    """Return a table of messages for each meaning."""
    groups: dict[str, list[str]] = defaultdict(list)
    reasons = _reasons(checkout, REASONS | REMARKS)
    for message in sorted({*list_messages(checkout), *reasons}, key=_order):
        what, _, advice = message.text.partition("; ")
        groups[message.meaning].append(f"| {_cell(what)} | {_cell(advice)} |")
    parts = []
    for meaning in dict.fromkeys(EXITS.values()):
        title = meaning[0].upper() + meaning[1:]
        rows = "\n".join(dict.fromkeys(groups[meaning]))
        parts.append(f"## {title}\n\n| message | what to do |\n|---|---|\n{rows}")
    return "\n\n".join(parts)


def _reasons(checkout: Path, modules: Mapping[str, str]) -> Iterator[Message]:
    for name, meaning in modules.items():
        tree = ast.parse((checkout / name).read_text(encoding="utf-8"))
        texts = _named_texts(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                for choice in _choices(node.value):
                    message = Message(text=_text(choice, texts), meaning=meaning)
                    if len(message.longest_part) >= MIN_REASON_CHARACTERS:
                        yield message


def _order(message: Message) -> tuple[str, str]:
    return message.text.casefold(), message.meaning


def _named_texts(tree: ast.Module) -> dict[str, str]:
    """Return the texts that a module takes by their names: its own constants, and shared ones."""
    texts = dict(SHARED)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(name := node.targets[0], ast.Name):
            texts[name.id] = _text(node.value, texts)
    return texts


def _messages(tree: ast.Module, texts: Mapping[str, str]) -> Iterator[Message]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (meaning := EXITS.get(_called(node))):
            for choice in (each for argument in node.args[:1] for each in _choices(argument)):
                text = _text(choice, texts)
                if len(text) >= MIN_CHARACTERS and " " in text:
                    yield Message(text=text, meaning=meaning)


def _choices(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expression, or those between which a condition chooses."""
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    else:
        yield node


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _text(node: ast.expr, texts: Mapping[str, str]) -> str:
    """Return the text of an expression, with an ellipsis for each value in it; `texts` are those with names."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)):
            return texts.get(name, "")
        case ast.JoinedStr(values=values):
            return "".join(_text(each, texts) or "..." for each in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, texts) + _text(right, texts)
        case _:
            return ""


def _cell(text: str) -> str:
    for sign, escaped in (
        ("|", "\\|"),
        ("<", "&lt;"),
        ("*", "\\*"),
        ("[", "\\["),
        ("_", "\\_"),
        ("`", "\\`"),
    ):
        text = text.replace(sign, escaped)
    return " ".join(text.split())
