"""Edition files: TOML in, `Edition` out, and a refusal that names the line.

Shipped editions and a user's own have the same form::

    title = "Icelandic, 104 tiles"      # a line for people
    language = "is"
    base = "norwegian"                  # optional: start from a shipped edition; tables merge key by key
    layout = "standard"                 # a shipped layout, the path of a file, or a table [layout] as below
    rack-size = 7
    scheme = "standard"                 # or krydsord-f, krydsord-a, krydsord-b
    blanks-score = false                # whether a blank scores as its letter

    [bonus]                             # points = 0 for none
    tiles = 7                           # or "rack": all that the player holds
    points = 50

    [first-play]
    shortest = 2
    start = "any-tile"                  # or "first-letter": the first letter is on a start square

    [challenge]
    valid-points = 10                   # what a wrong challenge costs
    valid-turn = false

    [exchange]
    allowed = true
    bag-minimum = 0

    [end]
    rack-empty = true                   # false: ends as soon as the bag is empty
    pass-rounds = 2                     # 0: passes never end the game
    passes-need-empty-bag = false
    out-collects = true
    out-points = 0

    [premium-texts]
    DL = "TVÖFALT STAFGILDI"

    [layout]
    rows = ["T..d...T", ...]            # . d t q D T Q
    start = ["H8"]                      # the middle if left out

    [tiles]                             # in alphabetical order; count may be left out
    "?" = { count = 2, value = 0 }
    A = { count = 10, value = 1 }

A layout's file has the form of `scoring.layout.parse_layout`; its path starts at the edition's own folder.
"""

from __future__ import annotations

import functools
from pathlib import Path

from scoring.edition import Edition
from scoring.editions.edition_file import EditionSource
from scoring.editions.shipped import edition_names, edition_text
from scoring.errors import EditionError, UnknownEditionError

__all__ = ["load_edition"]


def load_edition(name_or_path: str | Path) -> Edition:
    """The edition of that name, or of that file.

    Parameters
    ----------
    name_or_path : str or Path
        A shipped edition's name, or the path of a TOML file.

    Raises
    ------
    UnknownEditionError
        If it is neither a shipped name nor an existing file.
    EditionError
        If the file cannot be read or makes no sense; the message names the line.
    """
    name = str(name_or_path)
    if name in edition_names():
        return _shipped(name)
    path = Path(name_or_path)
    if not path.is_file():
        raise UnknownEditionError(name, edition_names())
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise EditionError(
            path, None, f"is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    except OSError as error:
        raise EditionError(path, None, f"cannot be read: {error.strerror}") from error
    return EditionSource(path.stem, name, text, path.parent).edition()


@functools.cache
def _shipped(name: str) -> Edition:
    return EditionSource(name, f"{name}.toml", edition_text(name)).edition()
