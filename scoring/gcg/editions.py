"""Find the edition of a GCG file, from what it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.editions import edition_names
from scoring.errors import similar_names

__all__ = ["DEFAULT", "NamedEdition", "find_edition", "is_foreign_norwegian"]

DEFAULT = "english"

# By edition, the prefixes of the names of its word lists in Macondo, MAGPIE, Quackle, Woogles and scrabscrap. The
# rest of a name is a year or version.
_LEXICA = {
    "english": (
        *("CSW", "NWL", "NSWL", "TWL", "OTCWL", "OWL", "OSWI", "OSW", "OSPD", "SOWPODS", "ECWL", "CEL"),
        "AMERICA",
    ),
    "french": ("FRA", "ODS"),
    "german": ("RD", "DEUTSCH", "D25WL"),
    "norwegian": ("NSF",),
    "polish": ("OSPS",),
    "spanish": ("FILE", "FISE"),
    "swedish": ("SAOL",),
    "dutch": ("SWL", "DSW"),
}
# Word lists of languages without a shipped edition.
_OTHER_LANGUAGES = {"DISC": "Catalan", "SLV": "Slovene"}


@dataclass(frozen=True, slots=True)
class NamedEdition:
    """The edition that a file names.

    Parameters
    ----------
    name : str or None
        The name of a shipped edition; None if the file names none that is known.
    unknown : str
        The pragma that names something unknown; empty if there is none.
    """

    name: str | None
    unknown: str = ""

    def describe_guess(self, taken: str) -> str:
        """Return why `taken` is a guess."""
        pragma, _, name = self.unknown.partition(" ")
        language = next(
            (f"; it is {what}" for start, what in _OTHER_LANGUAGES.items() if name.upper().startswith(start)),
            "",
        )
        near = similar_names(name, edition_names())
        hint = "; if it is your own, name its file" if pragma == "#tile-distribution" else ""
        if near and near != (taken,):
            hint = f"; did you mean {' or '.join(near)}?"
        return f"'{self.unknown}' is no edition known here{language}{hint}; {taken} is taken instead"


def find_edition(distribution: str, notes: Iterable[str], lexicon: str) -> NamedEdition:
    """Return the edition that a file names.

    Parameters
    ----------
    distribution, lexicon : str
        The pragmas ``#tile-distribution`` and ``#lexicon``, empty if missing.
    notes : iterable of str
        The notes before the first event. Macondo wrote ``LetterDistribution: name`` there before the pragma
        existed.
    """
    labels = (note.partition(":") for note in notes)
    named = [value for label, _, value in labels if label.strip() == "LetterDistribution"]
    for name in (distribution, *named):
        if name.strip().lower() in edition_names():
            return NamedEdition(name.strip().lower())
    guess = _edition_of_lexicon(lexicon)
    if distribution:
        return NamedEdition(guess, f"#tile-distribution {distribution}")
    return NamedEdition(guess, f"#lexicon {lexicon}" if lexicon and guess is None else "")


def is_foreign_norwegian(lexicon: str) -> bool:
    """Return whether the word list is that of Norwegian tournaments, whose bonus is for seven tiles only."""
    return lexicon.upper().startswith(_LEXICA["norwegian"])


def _edition_of_lexicon(lexicon: str) -> str | None:
    if lexicon.lower() in edition_names():
        return lexicon.lower()
    return next((tiles for tiles, starts in _LEXICA.items() if lexicon.upper().startswith(starts)), None)
