"""The web server: pages, an API and server-sent events for live games."""

from tilesight.web.app import make_app, open_listening_socket, run_server
from tilesight.web.context import Calibrator
from tilesight.web.security import ConsoleToken

__all__ = [
    "Calibrator",
    "ConsoleToken",
    "make_app",
    "open_listening_socket",
    "run_server",
]
