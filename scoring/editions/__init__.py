"""Editions: the shipped ones and those that a user writes as a TOML file."""

from scoring.editions.loading import Edition, load_edition
from scoring.editions.shipped import edition_names

__all__ = [
    "Edition",
    "edition_names",
    "load_edition",
]
