"""The web server: pages, an API and server-sent events for live games."""

from tilesight.web.access import ConsoleToken, Right, Sessions, spell_address
from tilesight.web.app import make_app
from tilesight.web.certificates import fingerprint, load_own_certificate
from tilesight.web.context import AppContext, Calibrator
from tilesight.web.hub import Publisher, RemoteTables, open_broker
from tilesight.web.phone import PhoneCamera, describe_problem, find_network_address
from tilesight.web.photo import PhotoService
from tilesight.web.qr_codes import draw_qr_text
from tilesight.web.server import open_listening_socket, run_server
from tilesight.web.webhook import Webhook

__all__ = [
    "AppContext",
    "Calibrator",
    "ConsoleToken",
    "PhoneCamera",
    "PhotoService",
    "Publisher",
    "RemoteTables",
    "Right",
    "Sessions",
    "Webhook",
    "describe_problem",
    "draw_qr_text",
    "find_network_address",
    "fingerprint",
    "load_own_certificate",
    "make_app",
    "open_broker",
    "open_listening_socket",
    "run_server",
    "spell_address",
]
