"""Add sections to a profile file: other sections stay, and sections that do not fit are refused."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.capture import read_bytes, read_metadata
from vision.core import check_folder, escape_name
from vision.errors import SettingsError
from vision.profile import Origin, Profile, load_profile, save_profile

__all__ = ["check_camera", "open_profile", "origin_now", "read_camera_model", "update_profile"]


def open_profile(path: Path) -> Profile:
    """Load the profile of a file, or make a new one if there is no file.

    It is called before any work is done for the profile, so that errors come first.

    Raises
    ------
    SettingsError
        If the file is no profile of this version, or its folder does not exist.
    InputError
        If it cannot be read.
    """
    check_folder(path)
    return load_profile(path) if path.exists() else Profile(name=str(path))


def read_camera_model(pictures: Iterable[Path]) -> str:
    """Read the camera's model from the metadata of pictures; empty if none has any.

    Raises
    ------
    SettingsError
        If the pictures are of different cameras.
    InputError
        If one cannot be read.
    """
    models = {read_metadata(read_bytes(path)).camera or "" for path in pictures} - {""}
    if len(models) > 1:
        raise SettingsError(
            f"pictures of {len(models)} cameras ({', '.join(sorted(models))}): calibrate each with a profile of its own"
        )
    return models.pop() if models else ""


def check_camera(path: Path, profile: Profile, model: str) -> None:
    """Refuse pictures of another model of camera than those of a profile's file.

    Raises
    ------
    SettingsError
        If both models are known and differ.
    """
    if not profile.matches_camera(model):
        raise SettingsError(
            f"{path}: it was made with pictures of a {profile.model}, these are of a {model}; name another "
            "profile, or delete this one"
        )


def update_profile(
    path: Path,
    *,
    camera: str = "",
    size_px: tuple[int, int] | None = None,
    model: str = "",
    notify: Callable[[str], None] | None = None,
    **sections: Any,
) -> Profile:
    """Add sections to a profile's file, or replace them, and return what it is now.

    The file is read again for that: another calibration may have added a section while this one measured.
    A new lens takes the board out: its corners and its picture are as bent as the old photo. Pictures that name another
    model than the profile's are refused, also where their section replaces all that depends on the camera.

    Parameters
    ----------
    path : Path
        The file.
    camera : str
        The camera's name; the old one is kept if none is given.
    size_px : (width, height), optional
        Size of the pictures, if the sections depend on it.
    model : str
        The camera's model by the pictures' metadata.
    notify : callable, optional
        Gets one line where the board is taken out.
    **sections
        Sections by name.

    Raises
    ------
    SettingsError
        If the sections are of another camera or size than the profile; the file is not changed.
    InputError
        If it cannot be read or written.
    """
    camera = escape_name(camera)
    with _lock_folder(path):
        profile = open_profile(path)
        if camera and profile.camera and camera != profile.camera:
            raise SettingsError(
                f"{path}: it belongs to the camera {profile.camera!r}, not to {camera!r}; name another profile"
            )
        check_camera(path, profile, model)
        emptied: dict[str, Any] = dict.fromkeys(sections)
        rest = replace(profile, **emptied)
        drops_board = "lens" in sections and rest.board is not None
        if drops_board:
            profile, rest = replace(profile, board=None), replace(rest, board=None)
        if size_px is not None and rest.depends_on_size and size_px != profile.size_px:
            old = "x".join(map(str, profile.size_px or ()))
            raise SettingsError(
                f"{path}: it was made for pictures of {old} px, these have {size_px[0]}x{size_px[1]}; "
                "take them at that size, or name another profile"
            )
        extended = replace(
            profile,
            camera=camera or profile.camera,
            size_px=size_px or profile.size_px,
            # the model of a camera that nothing depends on any more is forgotten
            model=model or (profile.model if rest.depends_on_size else ""),
            **sections,
        )
        save_profile(path, extended)
    if drops_board and notify is not None:
        notify("the board was measured without this lens and no longer fits; measure the board again")
    return extended


@contextlib.contextmanager
def _lock_folder(path: Path) -> Iterator[None]:
    """Let no other calibration write in the file's folder; some network drives, and Windows, have no such locks."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            # The file itself is replaced, and a file for the lock would stay behind.
            folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def origin_now(sources: Sequence[str]) -> Origin:
    """Return the origin of a section that is made now from these pictures."""
    return Origin(
        made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), sources=tuple(sources)
    )
