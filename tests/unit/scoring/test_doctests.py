"""The examples in the docstrings are right."""

import doctest
import importlib
import pkgutil

import pytest

import scoring

MODULES = ["scoring", *(module.name for module in pkgutil.walk_packages(scoring.__path__, "scoring."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
