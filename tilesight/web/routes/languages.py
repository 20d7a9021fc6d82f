"""The endpoint of the pages' language and its messages."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from tilesight.languages import LANGUAGES, SOURCE_LANGUAGE, find_language, load_catalogue, normalise_language
from tilesight.web.context import AppContext
from tilesight.web.routes.dependencies import ContextDep
from tilesight.web.schemas import Model

__all__ = ["router"]

router = APIRouter()


class LanguageView(Model):
    """The language of a page, all languages with their own names, and messages by their English texts.

    A message with a number has a text for one and a text for several. `server` has the texts that the server sends,
    for operators' pages only: viewers' pages show none of them.
    """

    language: str
    languages: dict[str, str]
    messages: dict[str, str | list[str]]
    server: dict[str, str]


@router.get("/api/language", tags=["languages"])
def show_language(
    context: ContextDep,
    request: Request,
    lang: Annotated[str | None, Query(max_length=35, description="A language such as `is`.")] = None,
    table: Annotated[str | None, Query(max_length=65, description="The table of a viewers' page.")] = None,
    reader: Annotated[
        Literal["viewer", "operator"],
        Query(description="Viewers' pages have the table's language, operators' pages the browser's."),
    ] = "viewer",
) -> LanguageView:
    """The language of a page, and its messages by their English texts."""
    language = normalise_language(lang or "")
    if language is None and reader == "operator":
        language = find_language(request.headers.get("accept-language", ""))
    if language is None:
        language = find_table_language(context, table)
    catalogue = load_catalogue(language)
    return LanguageView(
        language=language,
        languages=dict(LANGUAGES),
        messages=catalogue.pages,
        server=catalogue.server if reader == "operator" else {},
    )


def find_table_language(context: AppContext, table: str | None) -> str:
    """Return the language of a table's pages; those of the first table if there is none of that name."""
    tables = {each.name: each.language for each in context.tables}
    return tables.get(table or "", next(iter(tables.values()), SOURCE_LANGUAGE))
