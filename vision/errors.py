"""Errors between a picture and a score.

::

    VisionError
    ├── InputError              a file, folder or camera cannot be read               (exit 3)
    ├── BoardNotFoundError      no board, or none that fits well enough               (exit 4)
    ├── MissingProgramError     an external program or its language is not installed  (exit 5)
    └── SettingsError           an option, profile or settings file is not valid      (exit 2)
        └── PictureMismatchError    a profile or corners do not fit this picture

Each message names the fault, the value that was seen, and what to do next, in one line.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "INSTALL_AGAIN",
    "BoardNotFoundError",
    "ExitCode",
    "InputError",
    "MissingProgramError",
    "PictureMismatchError",
    "SettingsError",
    "VisionError",
    "summarize_error",
]


INSTALL_AGAIN = (
    "install Tilesight again with all parts: pipx install --force './tilesight[all]' "
    "(in a checkout's .venv: .venv/bin/python -m pip install -e '.[all]')"
)
"""The advice of a message about a missing Python package: never next to other packages, see docs/install.md."""


class ExitCode(enum.IntEnum):
    """Exit codes of the command line; other programs rely on these numbers."""

    OK = 0
    USAGE = 2
    INPUT = 3
    BOARD_NOT_FOUND = 4
    MISSING_PROGRAM = 5
    INTERRUPTED = 130


class VisionError(Exception):
    """Base class of this package's errors; `exit_code` is the exit code of the command line."""

    exit_code = ExitCode.INPUT


class InputError(VisionError):
    """A file, folder, camera or stream cannot be read."""

    exit_code = ExitCode.INPUT


class BoardNotFoundError(VisionError):
    """The picture shows no board, or none whose fit is good enough to be trusted.

    Parameters
    ----------
    message : str
        What is wrong, and what to do next.
    tried_px : (4, 2) float64, optional
        Corners of the best hypothesis that was rejected, in pixels of the photo; None if there was none.
    is_mirrored : bool
        Whether there is another board than was expected, in a mirrored picture.
    """

    exit_code = ExitCode.BOARD_NOT_FOUND

    def __init__(
        self, message: str = "", *, tried_px: NDArray[np.float64] | None = None, is_mirrored: bool = False
    ) -> None:
        super().__init__(message)
        self.tried_px = tried_px
        self.is_mirrored = is_mirrored

    def convert(self, in_photo: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> BoardNotFoundError:
        """Return the error of a photo of which another view was searched; `in_photo` converts points of that view."""
        tried_px = None if self.tried_px is None else in_photo(self.tried_px)
        return BoardNotFoundError(str(self), tried_px=tried_px, is_mirrored=self.is_mirrored)


class MissingProgramError(VisionError):
    """An external program or one of its languages is not installed, or the program does not answer."""

    exit_code = ExitCode.MISSING_PROGRAM


class SettingsError(VisionError):
    """An option, a profile or a settings file is not valid."""

    exit_code = ExitCode.USAGE


class PictureMismatchError(SettingsError):
    """A profile or corners that a user gave do not fit a picture; they may fit others."""


def summarize_error(error: Exception | str) -> str:
    """Return the text of an error in one line of at most 160 characters, all of which can be shown."""
    text = "".join(sign if sign.isprintable() and sign != "\ufffd" else " " for sign in str(error))
    return " ".join(text.split())[:160]
