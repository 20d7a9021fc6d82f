"""The web application: everybody may read, and each change needs the console's token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from tilesight.live import DelayedPictures, StaleCommandError
from tilesight.web.access import SecurityMiddleware
from tilesight.web.connections import quiet_accept_errors
from tilesight.web.context import AppContext
from tilesight.web.hub import Publisher
from tilesight.web.routes import calibration, commentary, event, games, languages, operator, pages, phone
from tilesight.web.routes import photos as photo_routes
from vision.errors import InputError, SettingsError

__all__ = ["make_app"]

NO_PAGE = """
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tilesight: no such page</title>
<p>There is no such page; <a href="/">this page</a> lists the others.</p>
"""
"""What a browser shows at a mistyped address."""


def make_app(
    context: AppContext,
    *,
    hosts: Collection[str] = ("localhost",),
    notify: Callable[[str], None],
    proxies: Collection[str] = (),
    publisher: Publisher | None = None,
) -> SecurityMiddleware:
    """Build the application.

    Parameters
    ----------
    context : AppContext
        Its state.
    hosts : collection of str
        Host names of the server.
    notify : callable
        Called with one line for the user, where a message must not be sent to the web.
    proxies : collection of str
        Addresses of proxies, whose headers about clients are believed.
    publisher : Publisher, optional
        What publishes the tables to a broker.
    """
    remote, photos = context.remote, context.photos

    @asynccontextmanager
    async def run_streams(_: FastAPI) -> AsyncIterator[None]:
        quiet_accept_errors(asyncio.get_running_loop(), notify)
        for stream in context.streams.values():
            stream.open(asyncio.get_running_loop())
        if publisher is not None:
            publisher.open(asyncio.get_running_loop(), context.streams, context.tournament)
        if remote is not None:
            remote.open(asyncio.get_running_loop())
        sampling = [asyncio.create_task(sample_pictures(each)) for each in context.late_pictures.values()]
        yield
        for task in sampling:
            task.cancel()
        if publisher is not None:
            await publisher.close()
        if remote is not None:
            await remote.close()
        if photos is not None:
            photos.close()

    app = FastAPI(
        title="Tilesight",
        version=version("tilesight"),
        description="Word games on air: every table's board, scores and moves.",
        lifespan=run_streams,
        docs_url=None,  # FastAPI's page loads from another server; ours is /api
        redoc_url=None,
    )
    app.state.context = context
    for router in (
        games.router,
        event.router,
        languages.router,
        operator.router,
        commentary.router,
        operator.session_router,
        calibration.router,
        phone.router,
        photo_routes.router,
        pages.router,
    ):
        app.include_router(router)
    _handle_errors(app, notify)
    return SecurityMiddleware(app, hosts, context.identify, proxies, context.close_streams)


async def sample_pictures(pictures: DelayedPictures) -> None:
    """Take a table's pictures, to be shown later, until the server stops."""
    while True:
        await run_in_threadpool(pictures.sample)
        await asyncio.sleep(pictures.interval_s)


def _handle_errors(app: FastAPI, notify: Callable[[str], None]) -> None:
    """Answer every error in one shape, without names of files on this machine."""

    @app.exception_handler(SettingsError)
    def answer_settings_error(_: Request, error: SettingsError) -> JSONResponse:
        return make_refusal(409 if isinstance(error, StaleCommandError) else 422, str(error))

    @app.exception_handler(InputError)
    def answer_input_error(_: Request, error: InputError) -> JSONResponse:
        notify(str(error))  # it names a file
        return make_refusal(507, "this cannot be saved, so nothing was changed; the program says more")

    @app.exception_handler(RequestValidationError)
    def answer_validation_error(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "string_too_long":
            most = first["ctx"]["max_length"]
            return make_refusal(422, f"a text is too long; write at most {most} characters")
        where = ".".join(str(part) for part in first["loc"])
        return make_refusal(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def answer_http_error(request: Request, error: HTTPException) -> Response:
        if error.detail == HTTPStatus.NOT_FOUND.phrase:  # of an address that no route has
            if "text/html" in request.headers.get("accept", ""):
                return HTMLResponse(NO_PAGE, 404)
            return make_refusal(404, "there is no such page; the page / lists the others")
        return make_refusal(error.status_code, str(error.detail))


def make_refusal(status: int, message: str) -> JSONResponse:
    """Build the answer to a refused request."""
    return JSONResponse({"sequence": None, "message": message}, status_code=status)
