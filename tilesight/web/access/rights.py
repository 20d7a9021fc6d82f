"""What a signed-in device may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Identity", "Right"]


class Right(StrEnum):
    """The right that a code, and the session that it opens, gives to a device."""

    OPERATOR = "operator"
    """Everything."""
    CAMERA = "camera"
    """To send a camera's pictures to the tables that wait for some, and nothing else."""
    COMMENTATOR = "commentator"
    """To see every table at once, with racks, and nothing else."""
    PHOTOGRAPHER = "photographer"
    """To have photos read, and nothing else."""

    def covers(self, other: Right) -> bool:
        """Whether a device with this right may do what needs the other one."""
        return self is Right.OPERATOR or self is other


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who sent a request.

    Parameters
    ----------
    name : str
        The name of the session; ``token`` for a program with the token itself.
    right : Right
        What it may do.
    """

    name: str
    right: Right
