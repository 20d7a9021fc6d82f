"""Which pictures there are: files, folders, patterns, archives and lists, each picture named once."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vision.capture import IMAGE_SUFFIXES, natural_order, read_bytes
from vision.digitise.archives import ARCHIVE_SUFFIXES, members_of, read_member
from vision.errors import InputError

__all__ = ["Item", "find_items", "read_item"]

LIST_SUFFIXES = frozenset({".txt", ".list"})
MOST_NESTED_LISTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A picture that is to be read.

    Parameters
    ----------
    name : str
        What people call it: its path as it was given, for a member of an archive ``photos.zip/a.jpg``.
    path : Path
        The file, or the archive that holds it.
    member : str or None
        Its name in the archive.
    problem : str or None
        Why it is not even opened; one line.
    """

    name: str
    path: Path
    member: str | None = None
    problem: str | None = None


def find_items(sources: Sequence[str], leave_out: Path | None = None) -> list[Item]:
    """Every picture of these sources, in their order, in a folder by name.

    Parameters
    ----------
    sources : sequence of str
        Picture files, folders (with their subfolders), patterns such as ``2019/**/*.jpg``, zip archives, and
        text files that list any of these, one a line.
    leave_out : Path, optional
        A folder that is no source even where it lies in one: the results'.

    Returns
    -------
    list of Item
        What cannot be read is among them, with its problem: one bad source must not stop a thousand good ones.
    """
    inner = leave_out.resolve() if leave_out is not None else None
    seen: set[tuple[Path, str | None]] = set()
    items = []
    for source in sources:
        for item in items_of(source, inner, depth=0):
            key = item.path.resolve(), item.member
            if key not in seen:
                seen.add(key)
                items.append(item)
    return items


def read_item(item: Item) -> bytes:
    """The picture's bytes.

    Raises
    ------
    InputError
        If there are none.
    """
    if item.problem is not None:
        raise InputError(item.problem)
    if item.member is not None:
        return read_member(item.path, item.member)
    return read_bytes(item.path)


def items_of(source: str, leave_out: Path | None, depth: int) -> Iterator[Item]:
    """The pictures of one source."""
    path = Path(source)
    if path.is_dir():
        yield from in_folder(path, leave_out)
    elif path.suffix.lower() in ARCHIVE_SUFFIXES:
        yield from in_archive(path)
    elif path.suffix.lower() in LIST_SUFFIXES:
        yield from in_list(path, leave_out, depth)
    elif not path.exists() and glob.has_magic(source):
        found = sorted(glob.glob(source, recursive=True), key=lambda name: natural_order(Path(name)))
        if not found:
            yield Item(
                name=source, path=path, problem=f"{source}: nothing has a name like this; check the pattern"
            )
        for name in found:
            if not Path(name).is_dir():  # '**' names folders too, whose pictures it names as well
                yield from items_of(name, leave_out, depth)
    else:
        yield Item(name=source, path=path)


def in_folder(folder: Path, leave_out: Path | None) -> Iterator[Item]:
    """The pictures and archives of a folder and its subfolders, in name order."""
    problems: list[Item] = []

    def refuse(error: OSError) -> None:
        name = str(error.filename or folder)
        reason = f"{name}: cannot be listed ({error.strerror or error}); check its permissions"
        problems.append(Item(name=name, path=Path(name), problem=reason))

    for where, folders, files in os.walk(folder, onerror=refuse):
        here = Path(where)
        # Hidden files and folders are another system's notes on pictures, not pictures.
        folders[:] = sorted(
            (
                name
                for name in folders
                if not name.startswith(".") and not is_left_out(here / name, leave_out)
            ),
            key=lambda name: natural_order(Path(name)),
        )
        for path in sorted((here / name for name in files if not name.startswith(".")), key=natural_order):
            if path.suffix.lower() in IMAGE_SUFFIXES:
                yield Item(name=str(path), path=path)
            elif path.suffix.lower() in ARCHIVE_SUFFIXES:
                yield from in_archive(path)
    yield from problems


def is_left_out(folder: Path, leave_out: Path | None) -> bool:
    """Whether the folder is the one that is no source."""
    return leave_out is not None and folder.resolve() == leave_out


def in_archive(path: Path) -> Iterator[Item]:
    """The pictures of a zip archive, in name order; what must not be opened comes with its problem."""
    try:
        members = members_of(path)
    except InputError as error:
        yield Item(name=str(path), path=path, problem=str(error))
        return
    for member in sorted(
        members, key=lambda each: [natural_order(Path(part)) for part in each.name.split("/")]
    ):
        yield Item(name=f"{path}/{member.name}", path=path, member=member.name, problem=member.problem)


def in_list(path: Path, leave_out: Path | None, depth: int) -> Iterator[Item]:
    """The pictures of the sources that a text file lists; relative to its own folder."""
    if depth >= MOST_NESTED_LISTS:
        yield Item(
            name=str(path), path=path, problem=f"{path}: lists within lists, {depth} deep; list pictures"
        )
        return
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except InputError as error:
        yield Item(name=str(path), path=path, problem=str(error))
        return
    except UnicodeDecodeError:
        yield Item(name=str(path), path=path, problem=f"{path}: not a text in UTF-8; list one picture a line")
        return
    for line in lines:
        source = line.strip()
        if source and not source.startswith("#"):
            yield from items_of(str(path.parent / source), leave_out, depth + 1)
