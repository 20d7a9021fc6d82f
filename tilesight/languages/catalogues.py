"""Load the message catalogues: gettext files, one a language and a group of pages.

A message is its English text, with the names of its values in braces. A message with a number has two English texts.
What the server sends as a text has the context ``server``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable

from tilesight.languages.choice import LANGUAGES, SOURCE_LANGUAGE

__all__ = ["Catalogue", "list_catalogue_files", "load_catalogue"]

SERVER = "server"
"""The context of the server's texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The translations of a language by their English texts.

    Parameters
    ----------
    pages : dict of str to (str or list of str)
        The messages of pages; those with a number have a text for one and a text for several.
    server : dict of str to str
        The texts that the server sends.
    """

    pages: dict[str, str | list[str]] = field(default_factory=dict)
    server: dict[str, str] = field(default_factory=dict)


def list_catalogue_files(language: str) -> list[Traversable]:
    """List the catalogue files of a language; English, in which messages are written, has none."""
    if language == SOURCE_LANGUAGE or language not in LANGUAGES:
        return []
    folder = resources.files("tilesight.languages") / "catalogues" / language
    return sorted(
        (each for each in folder.iterdir() if each.name.endswith(".po")), key=lambda each: each.name
    )


@functools.cache
def load_catalogue(language: str) -> Catalogue:
    """Load the translations of a language; untranslated messages are left out."""
    from babel.messages.pofile import read_po  # only the server needs it

    found = Catalogue()
    for path in list_catalogue_files(language):
        with path.open("rb") as file:
            for message in read_po(file, locale=language):
                strings = message.string or ""
                texts = [strings] if isinstance(strings, str) else list(strings)
                if not message.id or not all(texts) or message.fuzzy:
                    continue
                if message.context == SERVER:
                    found.server[str(message.id)] = texts[0]
                elif isinstance(message.id, str):
                    found.pages[message.id] = texts[0]
                else:
                    found.pages[message.id[0]] = texts
    return found
