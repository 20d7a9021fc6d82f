"""A picture to be read, and what a process does with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilesight.digitise.reading import PhotoRecord, PhotoStatus, ReadOptions, Result, read_picture
from vision.errors import VisionError

__all__ = ["ReadFunction", "Task", "failed_result", "run_task"]

ReadFunction = Callable[[bytes, str, ReadOptions], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A picture to be read."""

    sha256: str
    name: str
    """Its name, for messages."""
    data: bytes
    options: ReadOptions
    cache_key: str
    """The cache key of the options, which takes longer to compute than handing a picture out."""


def run_task(data: bytes, name: str, options: ReadOptions, read: ReadFunction = read_picture) -> Result:
    """Read a picture; what fails for this one only is its result. Raises VisionError if no picture can be read."""
    try:
        return read(data, name, options)
    except (MemoryError, OverflowError) as error:
        return failed_result(f"the picture needs more memory than there is ({error})")
    except VisionError:
        raise
    except Exception as error:  # whatever a decoder raises for one picture must not stop the others
        return failed_result(f"reading failed ({type(error).__name__}: {' '.join(str(error).split())[:200]})")


def failed_result(reason: str) -> Result:
    """Return the result of a picture whose reading failed; another try may succeed."""
    return Result(record=PhotoRecord(status=PhotoStatus.UNREADABLE, message=reason), ms={}, is_transient=True)
