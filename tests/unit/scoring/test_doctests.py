"""The examples in the docstrings say what the functions do."""

import doctest
import importlib
import pkgutil

import pytest

import scoring

MODULES = ["scoring", *(f"scoring.{module.name}" for module in pkgutil.iter_modules(scoring.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
