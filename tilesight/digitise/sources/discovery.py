"""Find the pictures of a run in files, folders, patterns, archives and lists; each picture is named once."""

from __future__ import annotations

import errno
import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from tilesight.digitise.folder import BOARDS, THUMBNAILS, WORK, holds_results
from tilesight.digitise.sources.zip_archives import ARCHIVE_SUFFIXES, list_members, read_member, unpacked_name
from vision.capture import IMAGE_SUFFIXES, natural_order, read_bytes
from vision.core import escape_name
from vision.errors import InputError

__all__ = ["SourceFile", "find_source_files", "printable", "read_source"]

LIST_SUFFIXES = frozenset({".txt", ".list"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A picture to be read."""

    name: str
    """Its name: the path as it was given; ``photos.zip/a.jpg`` for a member of an archive."""
    path: Path
    """The file, or its archive."""
    member: str | None = None
    problem: str | None = None
    """Why it is not opened; one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What all sources of a run have in common."""

    excluded: Path | None = None
    """The folder that is no source."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Counts what is skipped, by its kind."""
    problems: list[SourceFile] = field(default_factory=list)
    """The folders that cannot be listed."""
    lists: set[Path] = field(default_factory=set)
    """The lists that were read: a list may name itself."""
    folders: dict[Path, str] = field(default_factory=dict)
    """The kinds of the folders; empty for one that is entered. Several sources and patterns may come to one."""


def find_source_files(
    sources: Sequence[str], excluded: Path | None = None, skipped: Counter[str] | None = None
) -> list[SourceFile]:
    """Find every picture of these sources, in the order of the sources and in a folder by name.

    A source is a picture file, a folder with its subfolders, a pattern such as ``2019/**/*.jpg``, a zip archive, or a
    text file that lists any of these, one a line. A pattern names a list only if it ends like one's name. Every picture
    has a unique name. One that cannot be read is among them, with its problem: it must not stop a thousand good ones.

    Pictures in `excluded`, the folder of results, are left out. `skipped` counts files of other kinds, results of
    other runs, and links to folders, which may lead anywhere and are not followed.
    """
    own = real_path(excluded) if excluded is not None else None
    search = Search(excluded=own, skipped=Counter() if skipped is None else skipped)
    names: Counter[str] = Counter()
    found: dict[tuple[Path, str | None], SourceFile] = {}
    for file in chain(*(expand_source(source, search) for source in sources), search.problems):
        path = real_path(file.path)
        known = found.get((path, file.member))
        folder = path.parent.parent
        if path.parent.name in (BOARDS, THUMBNAILS, WORK) and (folder == own or holds_results(folder)):
            search.skipped["pictures of results"] += folder != own
        elif known is None or (known.path.is_symlink() and not file.path.is_symlink()):
            found.pop((path, file.member), None)  # a link, which came before its file
            problem = printable(file.problem) if file.problem is not None else None
            name = printable(file.name)
            names[name] += 1
            if names[name] > 1:  # two names may differ only in what cannot be written
                name += f" ({names[name]})"
            found[path, file.member] = replace(file, name=name, problem=problem)
    search.skipped.update(filter(None, search.folders.values()))
    return list(found.values())


def real_path(path: Path) -> Path:
    """Resolve links; return the path itself if links form a circle or no file can have this name."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def printable(text: str) -> str:
    """Return a file name as text that can be written as UTF-8: systems allow names in any encoding."""
    return escape_name(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def read_source(file: SourceFile) -> bytes:
    """Read a picture's bytes; InputError if that is not possible."""
    if file.problem is not None:
        raise InputError(file.problem)
    try:
        return read_bytes(file.path) if file.member is None else read_member(file.path, file.member)
    except InputError as error:
        raise InputError(printable(str(error))) from error


def expand_source(source: str, search: Search, list_folder: Path | None = None) -> Iterator[SourceFile]:
    """Yield a source's pictures, one in a list relative to its folder; what cannot be opened has a problem."""
    name = source if list_folder is None else str(list_folder / source)
    path = Path(name)
    try:
        check_name(name)
        if path.is_dir():
            files = list(files_in_folder(path, search))
            if not files and all(each.path != path for each in search.problems) and not any(path.iterdir()):
                raise InputError(f"{path}: no picture there; is the disk mounted?")
            yield from files
        elif glob.has_magic(source) and not path.exists():
            # a bracket in the name of the list's folder is no pattern
            pattern = source if list_folder is None else str(Path(glob.escape(str(list_folder))) / source)
            yield from match_pattern(pattern, path, search)
        elif path.suffix.lower() in ARCHIVE_SUFFIXES:
            yield from files_in_archive(path, search)
        elif path.suffix.lower() in LIST_SUFFIXES:
            yield from files_in_list(path, search)
        else:
            yield SourceFile(name=name, path=path)
    except InputError as error:
        yield SourceFile(name=str(path), path=path, problem=str(error))


def match_pattern(pattern: str, path: Path, search: Search) -> Iterator[SourceFile]:
    """Yield the pictures of all files that match a pattern, folder by folder in name order."""
    # brackets may be those of names
    found = matching_paths(pattern, search) or matching_paths(str(path).replace("[", "[[]"), search)
    if not found:
        raise InputError(f"{path}: nothing has a name like this; check the pattern")
    wants_lists = Path(pattern).suffix.lower() in LIST_SUFFIXES
    for each in sorted(found, key=lambda each: natural_order(Path(each))):
        suffix = Path(each).suffix.lower()
        if Path(each).is_dir():
            parts = Path(pattern).parts
            if "**" not in parts or parts[-1] != "*":  # `**/*` matches the pictures in it, too
                for folder in select_folders([Path(each)], search):
                    yield from expand_source(str(folder), search)
        elif suffix in LIST_SUFFIXES and not wants_lists:  # any text file may be among pictures
            search.skipped[suffix] += 1
        else:
            yield from expand_source(each, search)


def matching_paths(pattern: str, search: Search) -> set[str]:
    """Return the files and folders that match a pattern; its ``**`` follows no links, which may form circles."""
    parts = Path(pattern).parts
    if "**" not in parts:
        return set(glob.glob(pattern))
    at = parts.index("**")
    rest = parts[at + 1 :]
    found = set[str]()
    for start in sorted(glob.glob(str(Path(*parts[:at]))) if at else ["."]):
        for where, files in walk_folder(Path(start), search):
            if rest:
                found |= matching_paths(str(Path(glob.escape(str(where)), *rest)), search)
            else:
                found.update(map(str, files))
    return found


def walk_folder(folder: Path, search: Search) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a folder and its subfolders in name order, each with its files; not what is hidden, links and results."""

    def refuse(error: OSError) -> None:
        name = str(error.filename or folder)
        problem = f"{name}: cannot be listed ({error.strerror or error}); check its permissions"
        search.problems.append(SourceFile(name=name, path=Path(name), problem=problem))

    for where, folders, files in os.walk(folder, onerror=refuse):
        here = Path(where)
        # hidden files and folders are another system's notes on pictures
        seen = [here / name for name in folders if not name.startswith(".")]
        entered = sorted(select_folders(seen, search), key=lambda path: natural_order(Path(path.name)))
        folders[:] = [path.name for path in entered]
        yield here, [here / name for name in files if not name.startswith(".")]


def select_folders(folders: Sequence[Path], search: Search) -> list[Path]:
    """Return the folders that are entered; the others hold results or are links."""
    kinds = {
        folder: "folders of results" * holds_results(folder) or "linked folders" * folder.is_symlink()
        for folder in folders
        if real_path(folder) != search.excluded
    }
    search.folders.update(kinds)
    return [folder for folder, kind in kinds.items() if not kind]


def check_name(name: str) -> None:
    """Refuse (InputError) a name that no file can have."""
    try:
        os.lstat(name)
    except (OSError, ValueError) as error:  # a ValueError: a zero byte
        if getattr(error, "errno", errno.ENAMETOOLONG) == errno.ENAMETOOLONG:
            raise InputError(f"{name[:80]}: no file can have such a name; list one picture a line") from error


def files_in_folder(folder: Path, search: Search) -> Iterator[SourceFile]:
    """Yield the pictures of a folder, its subfolders and their archives, in name order."""
    for _, files in walk_folder(folder, search):
        for path in sorted(files, key=natural_order):
            if path.suffix.lower() in IMAGE_SUFFIXES:
                yield SourceFile(name=str(path), path=path)
            elif path.suffix.lower() in ARCHIVE_SUFFIXES:
                yield from expand_source(str(path), search)
            else:
                search.skipped[path.suffix.lower() or "without an ending"] += 1


def files_in_archive(path: Path, search: Search) -> Iterator[SourceFile]:
    """Yield the pictures of a zip archive in name order; those that must not be opened have a problem."""
    for member, problem in list_members(path, search.skipped).items():
        yield SourceFile(name=f"{path}/{unpacked_name(member)}", path=path, member=member, problem=problem)


def files_in_list(path: Path, search: Search) -> Iterator[SourceFile]:
    """Yield the pictures of the sources that a text file lists, relative to its folder."""
    if (place := real_path(path)) in search.lists:
        return
    search.lists.add(place)
    try:
        lines = [line.strip() for line in read_bytes(path).decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text in UTF-8; list one picture a line") from error
    # a line with a hash is a comment, unless a file has this name
    sources = [line for line in lines if line and (line[0] != "#" or (path.parent / line).is_file())]
    if not sources:
        raise InputError(f"{path}: lists no picture; list one picture a line")
    for source in sources:
        yield from expand_source(source, search, path.parent)
