"""Tesseract for tests: whether its program and the data of a language are installed."""

from __future__ import annotations

import pytest

from vision.errors import MissingProgramError
from vision.recognition.tesseract import installed_languages

__all__ = ["needs_tesseract"]


def needs_tesseract(language: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test where Tesseract or this language, such as ``isl``, is not installed."""
    try:
        is_installed = language in installed_languages()
    except MissingProgramError:
        is_installed = False
    return pytest.mark.skipif(
        not is_installed,
        reason=f"Tesseract's data are not installed (apt-get install tesseract-ocr-{language})",
    )
