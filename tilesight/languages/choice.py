"""Choose the language of a page.

References
----------
RFC 9110, section 12.5.4: ``Accept-Language`` lists languages with a weight from 0 to 1.
RFC 5646: language tags; their first part is the language.
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["LANGUAGES", "choose_language", "find_language", "normalise_language"]

LANGUAGES = MappingProxyType(
    {"en": "English", "is": "íslenska", "nb": "norsk bokmål", "da": "dansk", "hu": "magyar"}
)
"""The languages of the pages, each by its tag and with its own name (CLDR)."""
SOURCE_LANGUAGE = "en"
"""The language that messages are written in."""
ALIASES = MappingProxyType({"no": "nb", "nn": "nb"})
"""Tags of Norwegian; its pages are in Bokmål."""


def normalise_language(tag: str) -> str | None:
    """Return the language of a tag such as ``nb-NO``; None if the pages do not have it."""
    language = tag.strip().lower().replace("_", "-").partition("-")[0]
    language = ALIASES.get(language, language)
    return language if language in LANGUAGES else None


def choose_language(option: str, edition_language: str) -> str:
    """Return the language of a table's pages.

    Parameters
    ----------
    option : str
        The table's option; empty for the language of the edition, or English if the pages do not have that.
    edition_language : str
        The language of the edition.
    """
    return normalise_language(option) or normalise_language(edition_language) or SOURCE_LANGUAGE


def find_language(accepted: str) -> str:
    """Return the language that a browser prefers, by its header ``Accept-Language``; English without one."""
    weighted = [_parse_range(part) for part in accepted[:200].split(",")]
    for _, tag in sorted(weighted, key=lambda pair: -pair[0]):
        language = normalise_language(tag)
        if language is not None:
            return language
    return SOURCE_LANGUAGE


def _parse_range(part: str) -> tuple[float, str]:
    """Return the weight and the tag of one part of the header; weight 0 if it cannot be read."""
    tag, _, parameter = part.partition(";")
    name, _, value = parameter.strip().partition("=")
    if not name:
        return 1.0, tag
    try:
        return (float(value) if name == "q" else 0.0), tag
    except ValueError:
        return 0.0, tag
