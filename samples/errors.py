"""What can go wrong while rendering.

::

    SamplesError
    ├── FontsMissingError    no usable font is installed; names the packages that bring one
    └── SpecificationError   a board, style or camera that cannot be drawn

Each message says what is wrong, the value that was seen, and what to do next, in one line.
"""

from __future__ import annotations

__all__ = ["FontsMissingError", "SamplesError", "SpecificationError"]


class SamplesError(Exception):
    """The root of this package's errors."""


class FontsMissingError(SamplesError):
    """No installed font can draw what is asked for."""


class SpecificationError(SamplesError):
    """A board, a style or a camera that cannot be drawn."""
