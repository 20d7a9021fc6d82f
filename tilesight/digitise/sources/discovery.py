"""Which pictures there are: files, folders, patterns, archives and lists, each picture named once."""

from __future__ import annotations

import errno
import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tilesight.digitise.results.result_store import BOARDS, THUMBNAILS, WORK, holds_results
from tilesight.digitise.sources.zip_archives import ARCHIVE_SUFFIXES, members_of, read_member
from vision.capture import IMAGE_SUFFIXES, natural_order, read_bytes
from vision.errors import InputError

__all__ = ["Item", "find_items", "printable", "read_item"]

LIST_SUFFIXES = frozenset({".txt", ".list"})
MAX_NESTED_LISTS = 8
LINKED = "linked folders"
RESULTS, MADE = "folders of results", "pictures of results"
UNNAMED_KIND = "without an ending"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What holds for all sources.

    Parameters
    ----------
    leave_out : Path or None
        The folder that is no source.
    passed : Counter of str
        Is told what is passed by, by its kind.
    lists : set of Path
        The lists that were read: one may name itself.
    """

    leave_out: Path | None = None
    passed: Counter[str] = field(default_factory=Counter)
    lists: set[Path] = field(default_factory=set)


def find_items(
    sources: Sequence[str], leave_out: Path | None = None, passed: Counter[str] | None = None
) -> list[Item]:
    """Every picture of these sources, in their order, in a folder by name.

    Parameters
    ----------
    sources : sequence of str
        Picture files, folders (with their subfolders), patterns such as ``2019/**/*.jpg``, zip archives, and
        text files that list any of these, one a line. A pattern names such lists only where it ends like one's name.
    leave_out : Path, optional
        The results' folder: no source where it lies in one, and the pictures that are made there never are.
    passed : Counter of str, optional
        Is told how many files of each other kind lie there, how many links to folders, which are not followed: they
        may lead anywhere; and how many folders and pictures that another run made.

    Returns
    -------
    list of Item
        What cannot be read is among them, with its problem: one bad source must not stop a thousand good ones.
        Each has a name of its own.
    """
    inner = real_path(leave_out) if leave_out is not None else None
    made = tuple(inner / name for name in (BOARDS, THUMBNAILS, WORK)) if inner is not None else ()
    search = Search(leave_out=inner, passed=Counter() if passed is None else passed)
    seen: set[tuple[Path, str | None]] = set()
    names: Counter[str] = Counter()
    items = []
    for source in sources:
        for item in items_of(source, search, depth=0):
            path = real_path(item.path)
            if any(path.is_relative_to(folder) for folder in made):
                continue
            if path.parent.name in (BOARDS, THUMBNAILS) and holds_results(path.parent.parent):
                search.passed[MADE] += 1
            elif (path, item.member) not in seen:
                seen.add((path, item.member))
                problem = printable(item.problem) if item.problem is not None else None
                name = printable(item.name)
                names[name] += 1
                if names[name] > 1:  # what cannot be written of two names may be all that tells them apart
                    name += f" ({names[name]})"
                items.append(replace(item, name=name, problem=problem))
    return items


def real_path(path: Path) -> Path:
    """Where the file lies, links followed; the path itself where links lead in a circle or no file can be so named."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def printable(text: str) -> str:
    """The text of a file name as UTF-8 that can be written: systems allow names in any other encoding."""
    return os.fsencode(text).decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def read_item(item: Item) -> bytes:
    """The picture's bytes.

    Raises
    ------
    InputError
        If there are none.
    """
    if item.problem is not None:
        raise InputError(item.problem)
    try:
        return read_bytes(item.path) if item.member is None else read_member(item.path, item.member)
    except InputError as error:
        raise InputError(printable(str(error))) from error


def items_of(source: str, search: Search, depth: int, list_folder: Path | None = None) -> Iterator[Item]:
    """The pictures of one source, which a list may name, relative to its folder."""
    name = source if list_folder is None else str(list_folder / source)
    path = Path(name)
    if (problem := name_problem(name)) is not None:
        yield Item(name=name, path=path, problem=problem)
    elif path.is_dir():
        yield from in_folder(path, search)
    elif glob.has_magic(source) and not path.exists():
        # a bracket in the name of the list's folder is no pattern
        pattern = source if list_folder is None else str(Path(glob.escape(str(list_folder))) / source)
        yield from like_pattern(pattern, name, search, depth)
    elif path.suffix.lower() in ARCHIVE_SUFFIXES:
        yield from in_archive(path)
    elif path.suffix.lower() in LIST_SUFFIXES:
        yield from in_list(path, search, depth)
    else:
        yield Item(name=name, path=path)


def like_pattern(pattern: str, name: str, search: Search, depth: int) -> Iterator[Item]:
    """The pictures of all files whose names are like a pattern, in name order."""
    found = sorted(paths_like(pattern, search), key=lambda each: natural_order(Path(each)))
    if not found:
        problem = f"{name}: nothing has a name like this; check the pattern"
        yield Item(name=name, path=Path(name), problem=problem)
    wants_lists = Path(pattern).suffix.lower() in LIST_SUFFIXES
    for each in found:
        suffix = Path(each).suffix.lower()
        if Path(each).is_dir():  # '**' names folders too, whose pictures it names as well
            continue
        if suffix in LIST_SUFFIXES and not wants_lists:  # any text may lie among pictures
            search.passed[suffix] += 1
        else:
            yield from items_of(each, search, depth)


def paths_like(pattern: str, search: Search) -> set[str]:
    """The files and folders whose names are like a pattern; its ``**`` enters no links, which may lead in circles."""
    parts = Path(pattern).parts
    if "**" not in parts:
        return set(glob.glob(pattern))
    at = parts.index("**")
    rest = parts[at + 1 :]
    found = set[str]()
    for start in sorted(glob.glob(str(Path(*parts[:at]))) if at else ["."]):
        for where, files in walked(Path(start), search):
            if rest:
                found |= paths_like(str(Path(glob.escape(str(where)), *rest)), search)
            else:
                found.update(map(str, files))
    return found


def walked(
    folder: Path, search: Search, problems: list[Item] | None = None
) -> Iterator[tuple[Path, list[Path]]]:
    """The folder and its subfolders in name order, each with its files; without what is hidden, links and results.

    Those that cannot be listed come to the problems, where these are wanted.
    """

    def refuse(error: OSError) -> None:
        name = str(error.filename or folder)
        reason = f"{name}: cannot be listed ({error.strerror or error}); check its permissions"
        if problems is not None:
            problems.append(Item(name=name, path=Path(name), problem=reason))

    for where, folders, files in os.walk(folder, onerror=refuse):
        here = Path(where)
        # Hidden files and folders are another system's notes on pictures, not pictures.
        seen = [
            name
            for name in folders
            if not name.startswith(".") and not is_left_out(here / name, search.leave_out)
        ]
        results = {name for name in seen if holds_results(here / name)}
        search.passed.update({RESULTS: len(results)} if results else {})
        search.passed[LINKED] += sum((here / name).is_symlink() for name in seen if name not in results)
        folders[:] = sorted(set(seen) - results, key=lambda name: natural_order(Path(name)))
        yield here, [here / name for name in files if not name.startswith(".")]


def name_problem(name: str) -> str | None:
    """Why there can be no file of that name, None if there can."""
    try:
        os.lstat(name)
    except ValueError:
        return f"{name}: no file can have a name with a zero byte in it; list one picture a line"
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return f"{name[:80]}...: {len(name)} characters are too many for a name; list one picture a line"
    return None


def in_folder(folder: Path, search: Search) -> Iterator[Item]:
    """The pictures and archives of a folder and its subfolders, in name order."""
    problems: list[Item] = []
    for _, files in walked(folder, search, problems):
        for path in sorted(files, key=natural_order):
            if path.suffix.lower() in IMAGE_SUFFIXES:
                yield Item(name=str(path), path=path)
            elif path.suffix.lower() in ARCHIVE_SUFFIXES:
                yield from in_archive(path)
            else:
                search.passed[path.suffix.lower() or UNNAMED_KIND] += 1
    yield from problems


def is_left_out(folder: Path, leave_out: Path | None) -> bool:
    """Whether the folder is the one that is no source."""
    return leave_out is not None and real_path(folder) == leave_out


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


def in_list(path: Path, search: Search, depth: int) -> Iterator[Item]:
    """The pictures of the sources that a text file lists; relative to its own folder."""
    place = real_path(path)
    if place in search.lists:
        return
    search.lists.add(place)
    if depth >= MAX_NESTED_LISTS:
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
        # a comment, unless a file is called so
        if source and (not source.startswith("#") or (path.parent / source).is_file()):
            yield from items_of(source, search, depth + 1, path.parent)
