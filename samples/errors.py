"""Errors of rendering.

::

    SamplesError
    ├── FontsMissingError    no usable font is installed
    └── SpecificationError   a board, style or camera cannot be drawn

Each message is one line: what is wrong, the value, and what to do next.
"""

from __future__ import annotations

__all__ = ["FontsMissingError", "SamplesError", "SpecificationError"]


class SamplesError(Exception):
    """Base class of this package's errors."""


class FontsMissingError(SamplesError):
    """No installed font can draw the text."""


class SpecificationError(SamplesError):
    """A board, a style or a camera that cannot be drawn."""
