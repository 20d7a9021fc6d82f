"""The web application: everybody may read, and each change needs the console's token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tilesight.live import LiveGame, SnapshotCache, StaleCommandError
from tilesight.web.context import AppContext, Calibrator
from tilesight.web.routes import calibration, games, operator, pages
from tilesight.web.security import ConsoleToken, SecurityMiddleware
from tilesight.web.sse import GameStream
from vision.errors import InputError, SettingsError

__all__ = ["make_app"]


def make_app(
    live_games: Sequence[LiveGame],
    token: ConsoleToken,
    *,
    hosts: Collection[str] = ("localhost",),
    notify: Callable[[str], None],
    calibrators: Mapping[str, Calibrator] | None = None,
) -> SecurityMiddleware:
    """Build the application for these games.

    Parameters
    ----------
    live_games : sequence of LiveGame
        The games.
    token : ConsoleToken
        The token that each change needs.
    hosts : collection of str
        Host names of the server.
    notify : callable
        Called with one line for the user, where a message must not be sent to the web.
    calibrators : mapping of str to Calibrator, optional
        The calibrations of the games that have a camera, by the game's name.
    """
    context = AppContext(
        streams={game.state.name: GameStream(game) for game in live_games},
        snapshots={game.state.name: SnapshotCache(game) for game in live_games},
        token=token,
        calibrators=calibrators or {},
    )

    @asynccontextmanager
    async def run_streams(_: FastAPI) -> AsyncIterator[None]:
        for stream in context.streams.values():
            stream.open(asyncio.get_running_loop())
        yield
        for stream in context.streams.values():
            stream.close()

    app = FastAPI(
        title="Tilesight",
        description="Word games on air: every table's board, scores and moves.",
        lifespan=run_streams,
        docs_url=None,  # FastAPI's page loads from another server; ours is /api
        redoc_url=None,
    )
    app.state.context = context
    for router in (
        games.router,
        operator.router,
        operator.session_router,
        calibration.router,
        pages.router,
    ):
        app.include_router(router)
    _handle_errors(app, notify)
    return SecurityMiddleware(app, hosts)


def _handle_errors(app: FastAPI, notify: Callable[[str], None]) -> None:
    """Answer every error in one shape, without names of files on this machine."""

    @app.exception_handler(SettingsError)
    def answer_settings_error(_: Request, error: SettingsError) -> JSONResponse:
        return make_refusal(409 if isinstance(error, StaleCommandError) else 422, str(error))

    @app.exception_handler(InputError)
    def answer_input_error(_: Request, error: InputError) -> JSONResponse:
        notify(str(error))  # it names a file
        return make_refusal(
            507, "the journal cannot be written, so nothing was changed; the program says more"
        )

    @app.exception_handler(RequestValidationError)
    def answer_validation_error(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return make_refusal(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def answer_http_error(_: Request, error: HTTPException) -> JSONResponse:
        return make_refusal(error.status_code, str(error.detail))


def make_refusal(status: int, message: str) -> JSONResponse:
    """Build the answer to a refused request."""
    return JSONResponse({"sequence": None, "message": message}, status_code=status)
