"""The pages for browsers: static files of the package, which are read once.

No path of a request ever reaches the file system.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from fastapi import APIRouter, HTTPException, Request, Response

from tilesight.digitise.report import CORRECTION_ASSETS

__all__ = ["Asset", "load_assets", "router"]

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A static file: its content, its media type and its ETag."""

    content: bytes
    media_type: str
    tag: str


@functools.cache
def load_assets() -> dict[str, Asset]:
    """Load every static file, by its path below ``pages``; those that a digitising report shares are among them."""
    own = _list_assets(resources.files("tilesight.web") / "pages", "")
    return dict(own) | {path.name: load_asset(path, path.suffix) for path in CORRECTION_ASSETS}


def load_asset(entry: Traversable, suffix: str) -> Asset:
    """Load a static file, whose name ends with `suffix`."""
    content = entry.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return Asset(content=content, media_type=MEDIA_TYPES[suffix], tag=tag)


def _list_assets(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _list_assets(entry, f"{prefix}{entry.name}/")
        elif (suffix := "." + entry.name.rpartition(".")[2]) in MEDIA_TYPES:
            found.append((prefix + entry.name, load_asset(entry, suffix)))
    return found


PAGES = {
    "/": "index.html",
    "/overlay": "overlay.html",
    "/console": "console.html",
    "/start": "break.html",
    "/break": "break.html",
    "/hall": "hall.html",
    "/commentary": "commentary.html",
    "/calibrate": "calibrate.html",
    "/phone": "phone.html",
    "/photo": "photo.html",
    "/api": "api.html",
    "/obs/{table}/{field}": "field.html",
}

router = APIRouter(include_in_schema=False)


def answer_asset(name: str, request: Request) -> Response:
    """Answer with a static file, or with 304 if the browser has it.

    Raises
    ------
    HTTPException
        If there is no such file.
    """
    asset = load_assets().get(name)
    if asset is None:
        raise HTTPException(404, "there is no such page")
    headers = {"etag": asset.tag, "cache-control": "no-cache"}
    if name == "phone.html":  # no other page may use a camera
        headers["permissions-policy"] = "camera=(self), microphone=(), geolocation=()"
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def make_page_route(name: str) -> Callable[[Request], Response]:
    """Make the endpoint of one page."""

    def show_page(request: Request) -> Response:
        return answer_asset(name, request)

    return show_page


for path, file_name in PAGES.items():
    router.add_api_route(path, make_page_route(file_name), methods=["GET"], response_class=Response)


@router.get("/assets/{name:path}", response_class=Response)
def show_asset(name: str, request: Request) -> Response:
    """A style sheet, a script or a font."""
    return answer_asset(name, request)
