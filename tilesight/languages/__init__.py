"""The languages of the pages: which one a page is shown in, and the catalogue of its messages."""

from tilesight.languages.catalogues import Catalogue, list_catalogue_files, load_catalogue
from tilesight.languages.choice import (
    LANGUAGES,
    SOURCE_LANGUAGE,
    choose_language,
    find_language,
    normalise_language,
)

__all__ = [
    "LANGUAGES",
    "SOURCE_LANGUAGE",
    "Catalogue",
    "choose_language",
    "find_language",
    "list_catalogue_files",
    "load_catalogue",
    "normalise_language",
]
