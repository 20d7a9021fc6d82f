"""Which edition a GCG file is of: what it says of its tiles, else the name of its word list."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.shipped import edition_names

__all__ = ["edition_of"]

_DEFAULT = "english"

# Beginnings of word lists' names and the edition whose tiles go with them, as Macondo, MAGPIE, Quackle and
# Woogles name them; digits are years or versions.
_LEXICA = {
    "english": ("CSW", "NWL", "NSWL", "TWL", "OTCWL", "OWL", "OSWI", "OSPD", "SOWPODS", "ECWL", "CEL"),
    "french": ("FRA", "ODS"),
    "german": ("RD", "DEUTSCH"),
    "norwegian": ("NSF",),
    "polish": ("OSPS",),
    "spanish": ("FILE", "FISE"),
    "swedish": ("SAOL",),
    "dutch": ("SWL",),
}
# Word lists whose tiles no shipped edition has.
_ELSEWHERE = {"DISC": "Catalan"}


def edition_of(distribution: str, notes: Iterable[str], lexicon: str) -> tuple[str, str]:
    """The name of a shipped edition, and one line on why it is a guess, empty where it is none.

    Parameters
    ----------
    distribution, lexicon : str
        The pragmas ``#tile-distribution`` and ``#lexicon``, empty where there is none.
    notes : iterable of str
        The notes before the first event, where Macondo wrote ``LetterDistribution: name`` before there was
        the pragma.
    """
    labels = (note.partition(":") for note in notes)
    named = [value for label, _, value in labels if label.strip() == "LetterDistribution"]
    for name in (distribution, *named):
        if name.strip().lower() in edition_names():
            return name.strip().lower(), ""
    guess = _edition_of_lexicon(lexicon)
    if distribution:
        return guess or _DEFAULT, _unknown(f"#tile-distribution {distribution}", guess)
    if lexicon and guess is None:
        return _DEFAULT, _unknown(f"#lexicon {lexicon}", guess)
    return guess or _DEFAULT, ""


def _edition_of_lexicon(lexicon: str) -> str | None:
    if lexicon.lower() in edition_names():
        return lexicon.lower()
    return next((tiles for tiles, starts in _LEXICA.items() if lexicon.upper().startswith(starts)), None)


def _unknown(pragma: str, guess: str | None) -> str:
    name = pragma.partition(" ")[2].upper()
    language = next((f"; it is {where}" for start, where in _ELSEWHERE.items() if name.startswith(start)), "")
    return f"'{pragma}' is no edition known here{language}; {guess or _DEFAULT} is taken instead"
