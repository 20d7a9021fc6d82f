"""Editions from TOML files: the shipped ones and those that a user writes."""

from scoring.editions.loading import CHALLENGE, TOURNAMENT, load_edition, locate_edition
from scoring.editions.shipped import edition_names
from scoring.editions.toml_file import ANY_KEY, TomlFile

__all__ = [
    "ANY_KEY",
    "CHALLENGE",
    "TOURNAMENT",
    "TomlFile",
    "edition_names",
    "load_edition",
    "locate_edition",
]
