"""Which pictures there are: files, folders, patterns, archives and lists, each picture named once."""

from __future__ import annotations

import errno
import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tilesight.digitise.results import BOARDS, THUMBNAILS, WORK, holds_results
from tilesight.digitise.sources.zip_archives import ARCHIVE_SUFFIXES, members_of, read_member
from vision.capture import IMAGE_SUFFIXES, natural_order, read_bytes
from vision.errors import InputError

__all__ = ["SourceFile", "find_source_files", "printable", "read_source"]

LIST_SUFFIXES = frozenset({".txt", ".list"})
MAX_NESTED_LISTS = 8
LINKED = "linked folders"
RESULTS, MADE = "folders of results", "pictures of results"
UNNAMED_KIND = "without an ending"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
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
    excluded : Path or None
        The folder that is no source.
    skipped : Counter of str
        Is told what is skipped by, by its kind.
    lists : set of Path
        The lists that were read: one may name itself.
    """

    excluded: Path | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    lists: set[Path] = field(default_factory=set)


def find_source_files(
    sources: Sequence[str], excluded: Path | None = None, skipped: Counter[str] | None = None
) -> list[SourceFile]:
    """Every picture of these sources, in their order, in a folder by name.

    Parameters
    ----------
    sources : sequence of str
        Picture files, folders (with their subfolders), patterns such as ``2019/**/*.jpg``, zip archives, and
        text files that list any of these, one a line. A pattern names such lists only where it ends like one's name.
    excluded : Path, optional
        The results' folder: no source where it lies in one, and the pictures that are made there never are.
    skipped : Counter of str, optional
        Is told how many files of each other kind lie there, how many links to folders, which are not followed: they
        may lead anywhere; and how many folders and pictures that another run made.

    Returns
    -------
    list of SourceFile
        What cannot be read is among them, with its problem: one bad source must not stop a thousand good ones.
        Each has a name of its own.
    """
    inner = real_path(excluded) if excluded is not None else None
    made = tuple(inner / name for name in (BOARDS, THUMBNAILS, WORK)) if inner is not None else ()
    search = Search(excluded=inner, skipped=Counter() if skipped is None else skipped)
    seen: set[tuple[Path, str | None]] = set()
    names: Counter[str] = Counter()
    items = []
    for source in sources:
        for file in files_of(source, search, depth=0):
            path = real_path(file.path)
            if any(path.is_relative_to(folder) for folder in made):
                continue
            if path.parent.name in (BOARDS, THUMBNAILS) and holds_results(path.parent.parent):
                search.skipped[MADE] += 1
            elif (path, file.member) not in seen:
                seen.add((path, file.member))
                problem = printable(file.problem) if file.problem is not None else None
                name = printable(file.name)
                names[name] += 1
                if names[name] > 1:  # what cannot be written of two names may be all that tells them apart
                    name += f" ({names[name]})"
                items.append(replace(file, name=name, problem=problem))
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


def read_source(file: SourceFile) -> bytes:
    """The picture's bytes.

    Raises
    ------
    InputError
        If there are none.
    """
    if file.problem is not None:
        raise InputError(file.problem)
    try:
        return read_bytes(file.path) if file.member is None else read_member(file.path, file.member)
    except InputError as error:
        raise InputError(printable(str(error))) from error


def files_of(
    source: str, search: Search, depth: int, list_folder: Path | None = None
) -> Iterator[SourceFile]:
    """The pictures of one source, which a list may name, relative to its folder."""
    name = source if list_folder is None else str(list_folder / source)
    path = Path(name)
    if (problem := name_problem(name)) is not None:
        yield SourceFile(name=name, path=path, problem=problem)
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
        yield SourceFile(name=name, path=path)


def like_pattern(pattern: str, name: str, search: Search, depth: int) -> Iterator[SourceFile]:
    """The pictures of all files whose names are like a pattern, in name order."""
    found = sorted(paths_like(pattern, search), key=lambda each: natural_order(Path(each)))
    if not found:
        problem = f"{name}: nothing has a name like this; check the pattern"
        yield SourceFile(name=name, path=Path(name), problem=problem)
    wants_lists = Path(pattern).suffix.lower() in LIST_SUFFIXES
    for each in found:
        suffix = Path(each).suffix.lower()
        if Path(each).is_dir():  # '**' names folders too, whose pictures it names as well
            continue
        if suffix in LIST_SUFFIXES and not wants_lists:  # any text may lie among pictures
            search.skipped[suffix] += 1
        else:
            yield from files_of(each, search, depth)


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
    folder: Path, search: Search, problems: list[SourceFile] | None = None
) -> Iterator[tuple[Path, list[Path]]]:
    """The folder and its subfolders in name order, each with its files; without what is hidden, links and results.

    Those that cannot be listed come to the problems, where these are wanted.
    """

    def refuse(error: OSError) -> None:
        name = str(error.filename or folder)
        reason = f"{name}: cannot be listed ({error.strerror or error}); check its permissions"
        if problems is not None:
            problems.append(SourceFile(name=name, path=Path(name), problem=reason))

    for where, folders, files in os.walk(folder, onerror=refuse):
        here = Path(where)
        # Hidden files and folders are another system's notes on pictures, not pictures.
        seen = [
            name
            for name in folders
            if not name.startswith(".") and not is_excluded(here / name, search.excluded)
        ]
        results = {name for name in seen if holds_results(here / name)}
        search.skipped.update({RESULTS: len(results)} if results else {})
        search.skipped[LINKED] += sum((here / name).is_symlink() for name in seen if name not in results)
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


def in_folder(folder: Path, search: Search) -> Iterator[SourceFile]:
    """The pictures and archives of a folder and its subfolders, in name order."""
    problems: list[SourceFile] = []
    for _, files in walked(folder, search, problems):
        for path in sorted(files, key=natural_order):
            if path.suffix.lower() in IMAGE_SUFFIXES:
                yield SourceFile(name=str(path), path=path)
            elif path.suffix.lower() in ARCHIVE_SUFFIXES:
                yield from in_archive(path)
            else:
                search.skipped[path.suffix.lower() or UNNAMED_KIND] += 1
    yield from problems


def is_excluded(folder: Path, excluded: Path | None) -> bool:
    """Whether the folder is the one that is no source."""
    return excluded is not None and real_path(folder) == excluded


def in_archive(path: Path) -> Iterator[SourceFile]:
    """The pictures of a zip archive, in name order; what must not be opened comes with its problem."""
    try:
        members = members_of(path)
    except InputError as error:
        yield SourceFile(name=str(path), path=path, problem=str(error))
        return
    for member in sorted(
        members, key=lambda each: [natural_order(Path(part)) for part in each.name.split("/")]
    ):
        yield SourceFile(name=f"{path}/{member.name}", path=path, member=member.name, problem=member.problem)


def in_list(path: Path, search: Search, depth: int) -> Iterator[SourceFile]:
    """The pictures of the sources that a text file lists; relative to its own folder."""
    place = real_path(path)
    if place in search.lists:
        return
    search.lists.add(place)
    if depth >= MAX_NESTED_LISTS:
        yield SourceFile(
            name=str(path), path=path, problem=f"{path}: lists within lists, {depth} deep; list pictures"
        )
        return
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except InputError as error:
        yield SourceFile(name=str(path), path=path, problem=str(error))
        return
    except UnicodeDecodeError:
        yield SourceFile(
            name=str(path), path=path, problem=f"{path}: not a text in UTF-8; list one picture a line"
        )
        return
    for line in lines:
        source = line.strip()
        # a comment, unless a file is called so
        if source and (not source.startswith("#") or (path.parent / source).is_file()):
            yield from files_of(source, search, depth + 1, path.parent)
