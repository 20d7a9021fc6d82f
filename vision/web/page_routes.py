"""The pages for browsers: shipped files, the same for everybody; what they show they ask for."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, HTTPException, Request, Response

from vision.web.assets import load_assets

__all__ = ["router"]

PAGES = {
    "/": "index.html",
    "/overlay": "overlay.html",
    "/console": "console.html",
    "/calibrate": "calibrate.html",
    "/api": "api.html",
    "/obs/{table}/{field}": "field.html",
}

router = APIRouter(include_in_schema=False)


def shipped(name: str, request: Request) -> Response:
    """A shipped file, or word that the browser has it already."""
    asset = load_assets().get(name)
    if asset is None:
        raise HTTPException(404, "there is no such page")
    headers = {"etag": asset.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def page(name: str) -> Callable[[Request], Response]:
    """What answers with one page."""

    def show_page(request: Request) -> Response:
        return shipped(name, request)

    return show_page


for path, file_name in PAGES.items():
    router.add_api_route(path, page(file_name), methods=["GET"], response_class=Response)


@router.get("/assets/{name:path}", response_class=Response)
def show_asset(name: str, request: Request) -> Response:
    """A style sheet, a script or a font."""
    return shipped(name, request)
