"""The web application: everything that is only looked at is open, every change needs the token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tilesight.live import LiveGame, MovedOnError, SnapshotCache
from tilesight.web.context import AppContext, Calibrator
from tilesight.web.routes import calibration, games, operator, pages
from tilesight.web.security import ConsoleToken, SecurityMiddleware
from tilesight.web.sse import GameStream
from vision.errors import InputError, SettingsError

__all__ = ["make_app"]


def make_app(
    tables: Sequence[LiveGame],
    token: ConsoleToken,
    *,
    hosts: Collection[str] = ("localhost",),
    notify: Callable[[str], None],
    calibrators: Mapping[str, Calibrator] | None = None,
) -> SecurityMiddleware:
    """The application for these tables.

    Parameters
    ----------
    tables : sequence of Table
        What is on air.
    token : ConsoleToken
        What every change needs.
    hosts : collection of str
        Names by which the server may be called.
    notify : callable
        Gets one line for whoever runs the program: what must not be told to the web.
    calibrators : mapping of str to Calibrator, optional
        What calibrates the tables that have a camera, by their names.
    """
    air = AppContext(
        channels={table.state.name: GameStream(table) for table in tables},
        pictures={table.state.name: SnapshotCache(table) for table in tables},
        token=token,
        notify=notify,
        calibrators=calibrators or {},
    )

    @asynccontextmanager
    async def on_air(_: FastAPI) -> AsyncIterator[None]:
        for channel in air.channels.values():
            channel.open(asyncio.get_running_loop())
        yield
        for channel in air.channels.values():
            channel.close()

    app = FastAPI(
        title="Tilesight",
        description="Word games on air: every table's board, scores and moves.",
        lifespan=on_air,
        docs_url=None,  # its page is another server's; ours is /api
        redoc_url=None,
    )
    app.state.air = air
    for router in (
        games.router,
        operator.router,
        operator.session_router,
        calibration.router,
        pages.router,
    ):
        app.include_router(router)
    _explain_refusals(app, notify)
    return SecurityMiddleware(app, hosts)


def _explain_refusals(app: FastAPI, notify: Callable[[str], None]) -> None:
    """Gives every refusal one shape, and keeps the machine's own matters to itself."""

    @app.exception_handler(SettingsError)
    def not_sensible(_: Request, error: SettingsError) -> JSONResponse:
        return answer(409 if isinstance(error, MovedOnError) else 422, str(error))

    @app.exception_handler(InputError)
    def not_writable(_: Request, error: InputError) -> JSONResponse:
        notify(str(error))  # it names a file
        return answer(507, "the journal cannot be written, so nothing was changed; the program says more")

    @app.exception_handler(RequestValidationError)
    def not_valid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return answer(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> JSONResponse:
        return answer(error.status_code, str(error.detail))


def answer(status: int, message: str) -> JSONResponse:
    """A refusal in the shape of every refusal."""
    return JSONResponse({"sequence": None, "message": message}, status_code=status)
