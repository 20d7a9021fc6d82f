"""One more section for a profile: what was there stays, and what does not fit is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.capture import read_bytes, read_metadata
from vision.core import check_folder
from vision.errors import SettingsError
from vision.profile import Profile, load_profile, save_profile

__all__ = ["open_profile", "read_camera_model", "update_profile"]


def open_profile(path: Path) -> Profile:
    """The profile in a file, or a new one where there is none; asked before any work is done for it.

    Raises
    ------
    SettingsError
        If the file is no profile of this version, or there is no such folder.
    InputError
        If it cannot be read.
    """
    check_folder(path)
    return load_profile(path) if path.exists() else Profile(name=str(path))


def read_camera_model(pictures: Iterable[Path]) -> str:
    """The model of the camera that pictures name; empty where none names any.

    Raises
    ------
    SettingsError
        If they are of different cameras.
    InputError
        If one cannot be read.
    """
    models = {read_metadata(read_bytes(path)).camera or "" for path in pictures} - {""}
    if len(models) > 1:
        raise SettingsError(
            f"pictures of {len(models)} cameras ({', '.join(sorted(models))}): calibrate each with a profile of its own"
        )
    return models.pop() if models else ""


def update_profile(
    path: Path,
    profile: Profile,
    *,
    camera: str = "",
    size_px: tuple[int, int] | None = None,
    model: str = "",
    **sections: Any,
) -> Profile:
    """Writes a profile with new sections, and gives it back.

    Parameters
    ----------
    path : Path
        The file.
    profile : Profile
        What it holds now.
    camera : str
        Its camera's name; the old one is kept where none is given.
    size_px : (width, height), optional
        Of the pictures that the sections were made from, where they speak of places in them.
    model : str
        The camera's model as those pictures name it.
    **sections
        Sections by their names.

    Raises
    ------
    SettingsError
        If the sections are of another camera or another size than the profile; the file stays as it is.
    InputError
        If it cannot be written.
    """
    if camera and profile.camera and camera != profile.camera:
        raise SettingsError(
            f"{path}: it belongs to the camera {profile.camera!r}, not to {camera!r}; name another profile"
        )
    emptied: dict[str, Any] = dict.fromkeys(sections)
    rest = replace(profile, **emptied)
    if size_px is not None and rest.depends_on_size and size_px != profile.size_px:
        old = "x".join(map(str, profile.size_px or ()))
        raise SettingsError(
            f"{path}: it was made for pictures of {old} px, these have {size_px[0]}x{size_px[1]}; "
            "take them at that size, or name another profile"
        )
    if not rest.is_of(model):
        raise SettingsError(
            f"{path}: it was made with pictures of a {profile.model}, these are of a {model}; name another profile"
        )
    extended = replace(
        profile,
        camera=camera or profile.camera,
        size_px=size_px or profile.size_px,
        model=model or profile.model,
        **sections,
    )
    save_profile(path, extended)
    return extended
