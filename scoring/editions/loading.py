"""Load editions from TOML files.

Shipped editions and those that a user writes have the same format. Only ``[tiles]`` is required. A key that
is left out has the value of the base, or without a base the default below (unless marked as an example)::

    title = "Icelandic, 104 tiles"      # example; one line of description, by default the name of the file
    language = "is"                     # example; the language code, by default "und"
    base = "norwegian"                  # example; a shipped edition to start from; tables merge key by key
    layout = "standard"                 # a shipped layout, the path of a layout file, or a table [layout]
    rack-size = 7
    scheme = "standard"                 # or krydsord-f, krydsord-a, krydsord-b (see scoring.score)
    blanks-score = false                # whether a blank scores as its letter

    [bonus]                             # for playing many tiles at once
    tiles = 7                           # by default rack-size; "rack" means all tiles of the player
    points = 50                         # example; by default 0, no bonus

    [first-play]
    shortest = 2                        # the minimum number of tiles
    start = "any-tile"                  # or "first-letter": the tile that must be on a start square

    [challenge]                         # the cost of challenging a valid play
    valid-points = 0
    valid-turn = false                  # whether the next turn is lost
    valid-gain = 0                      # the points that the challenged player gains

    [exchange]
    allowed = true
    bag-minimum = 0                     # the number of tiles that the bag must hold

    [end]
    rack-empty = true                   # false: the game ends as soon as the bag is empty
    pass-rounds = 2                     # rounds of passes that end the game; 0 for never
    passes-need-empty-bag = false       # whether passes count only once the bag is empty
    out-collects = true                 # a player without tiles gains the value of the others'
    out-points = 0                      # fixed points for a player without tiles
    out-doubles = false                 # of two players, one without tiles gains twice the other's instead

    [premium-texts]                     # the texts printed on premium squares: DL, TL, DW, TW
    DL = "TVÖFALT STAFGILDI"            # example

    [layout]                            # instead of the name of a layout
    rows = ["T..d...T", ...]            # one sign per square: . d t q D T Q (see scoring.layout.Premium)
    start = ["H8"]                      # by default the middle

    [tiles]                             # in alphabetical order; leave out a count that is not known;
                                        # with the count 0, a letter of the base is left out
    "?" = { count = 2, value = 0 }      # the blank
    A = { count = 10, value = 1 }       # example

A layout file has the format of `scoring.layout.parse_layout`. Its path is relative to the folder of the edition
file.
"""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path

from scoring.edition import ChallengeRule, Edition
from scoring.editions.edition_file import parse_edition
from scoring.editions.shipped import edition_names, edition_text
from scoring.errors import DataFileError, UnknownEditionError
from scoring.files import read_text

__all__ = ["CHALLENGE", "TOURNAMENT", "load_edition", "locate_edition"]

TOURNAMENT = "+tournament"
"""End of the name of an edition whose tiles left are settled as in tournaments of two players."""
CHALLENGE = "+challenge-"
"""What begins the end of the name of an edition with another rule for challenges; see `ChallengeRule.named`."""


def load_edition(name_or_path: str | Path | Edition, *, any_name: bool = False) -> Edition:
    """Load a shipped edition by name, or an edition file by path; an edition is returned as it is.

    Parameters
    ----------
    name_or_path : str, Path or Edition
        The name of a shipped edition, in any case, or the path of a TOML file. With ``+tournament`` at its
        end, tiles left are settled as in tournaments of two players (``out-doubles``). With ``+challenge-double``
        at its end, or another name of `ChallengeRule.named`, that is the rule for challenges.
    any_name : bool
        Whether a file may have the name of a shipped edition and other rules, as that of a game which goes on.

    Raises
    ------
    UnknownEditionError
        If it is neither a shipped edition nor an existing file.
    DataFileError
        If the file cannot be read or is invalid; the message names the line.
    EditionError
        If there is no such rule for challenges.
    """
    if isinstance(name_or_path, Edition):
        return name_or_path
    name = str(name_or_path)
    if name.lower() in edition_names():
        return _shipped(name.lower())
    if not isinstance(name_or_path, str | os.PathLike):
        raise UnknownEditionError(name, edition_names())
    path = Path(name_or_path)
    base, rule = _split_rule(name)
    if rule and not os.path.exists(path):
        edition = load_edition(base, any_name=any_name)
        if rule == TOURNAMENT:
            return replace(edition, end=replace(edition.end, out_doubles=True))
        return replace(edition, challenge=ChallengeRule.named(rule.removeprefix(CHALLENGE)))
    if not os.path.isfile(path):
        raise UnknownEditionError(name, edition_names())
    return _load_file(path, name, any_name=any_name)


def locate_edition(name_or_path: str | Path, folder: Path = Path()) -> str | None:
    """Return the name by which `load_edition` finds an edition from any folder; None if there is no such edition.

    Parameters
    ----------
    name_or_path : str or Path
        As for `load_edition`.
    folder : Path
        The folder that the path of a file is relative to.

    Returns
    -------
    str or None
        The name of a shipped edition in lower case, or the full path of a file; with the rules at its end.
    """
    name = str(name_or_path)
    if name.lower() in edition_names():
        return name.lower()
    if os.path.isfile(folder / name):
        return str((folder / name).resolve())
    base, rule = _split_rule(name)
    found = locate_edition(base, folder) if rule else None
    return None if found is None else found + rule


def _load_file(path: Path, name: str, *, any_name: bool) -> Edition:
    """Load an edition file; a shipped edition under its own name is that edition."""
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        raise DataFileError(
            path, None, f"is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    except OSError as error:
        raise DataFileError(path, None, f"cannot be read: {error.strerror}") from error
    edition = parse_edition(path.stem, name, text, path.parent)
    shipped = path.stem.lower()
    # Game files and results name only the edition: the shipped rules would be taken with this name.
    if shipped in edition_names():
        if replace(edition, name=shipped) == _shipped(shipped):
            return _shipped(shipped)
        if not any_name:
            raise DataFileError(path, None, f"{shipped} is the name of a shipped edition; rename the file")
    return edition


def _split_rule(name: str) -> tuple[str, str]:
    """Split the last rule off the end of the name of an edition; it is empty without one."""
    if name.endswith(TOURNAMENT):
        return name.removesuffix(TOURNAMENT), TOURNAMENT
    base, mark, rule = name.rpartition(CHALLENGE)
    return (base, mark + rule) if mark else (name, "")


@functools.cache
def _shipped(name: str) -> Edition:
    return parse_edition(name, f"{name}.toml", edition_text(name))
