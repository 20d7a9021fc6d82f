"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the source tree."""
    return CHECKOUT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of labelled photos and rule facts beside the checkout, which users don't have."""
    folder = CHECKOUT.parent / "shared"
    if not (folder / "boards").is_dir():
        pytest.skip("the labelled boards are not beside this checkout (../shared)")
    return folder
