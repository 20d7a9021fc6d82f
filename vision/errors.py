"""What can go wrong between a picture and a score.

::

    VisionError
    ├── InputError              a file, folder or camera that could not be read       (exit 3)
    ├── BoardNotFoundError      no board, or none that fits well enough               (exit 4)
    ├── MissingProgramError     an external program or its language is not installed  (exit 5)
    └── SettingsError           an option, profile or settings file makes no sense    (exit 2)

Each message says what is wrong, the value that was seen, and what to do next, in one line.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BoardNotFoundError",
    "ExitCode",
    "InputError",
    "MissingProgramError",
    "SettingsError",
    "VisionError",
]


class ExitCode(enum.IntEnum):
    """How the command line ends; other programs rely on these numbers."""

    OK = 0
    USAGE = 2
    INPUT = 3
    BOARD_NOT_FOUND = 4
    MISSING_PROGRAM = 5
    INTERRUPTED = 130


class VisionError(Exception):
    """The root of this package's errors; `exit_code` is what the command line ends with."""

    exit_code = ExitCode.INPUT


class InputError(VisionError):
    """A file, folder, camera or stream that cannot be read."""

    exit_code = ExitCode.INPUT


class BoardNotFoundError(VisionError):
    """The picture holds no board, or none whose fit is good enough to be trusted.

    `tried_px` are the (4, 2) corners of the best guess that was refused; None if there was none.
    """

    exit_code = ExitCode.BOARD_NOT_FOUND
    tried_px: NDArray[np.float64] | None = None


class MissingProgramError(VisionError):
    """An external program, or a language of it, is not installed or does not answer."""

    exit_code = ExitCode.MISSING_PROGRAM


class SettingsError(VisionError):
    """An option, a profile or a settings file that makes no sense."""

    exit_code = ExitCode.USAGE
