"""The limits of the web server."""

from __future__ import annotations

from dataclasses import dataclass

from vision.capture import MAX_PUSHED_BYTES

__all__ = ["SETTINGS", "WebSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """The limits of the web server; all numbers are chosen.

    Parameters
    ----------
    min_token : int
        Characters of the console's token.
    commentary_token : int
        Characters of the commentators' token, of four bits each.
    cookie_age_s : int
        Seconds that a browser keeps the session's cookie.
    max_body : int
        Bytes of a request's body.
    body_timeout_s : float
        Seconds in which the body must arrive.
    max_picture : int
        Bytes of a picture that a phone sends.
    picture_limit : (float, float)
        Pictures of one device: per second, and at once.
    max_pictures_at_once, max_pictures_at_once_per_device : int
        Pictures that are being received.
    phone_pictures_per_s : float
        Pictures that a phone is asked to send.
    max_photo : int
        Bytes of a photo that is sent to be read.
    photo_timeout_s : float
        Seconds in which it must arrive.
    max_photos_waiting : int
        Photos that are read or wait for that, one of each device.
    max_head : int
        Bytes of a request's line and headers.
    max_path : int
        Characters of the path with its query.
    read_limit, change_limit, wrong_token_limit : (float, float)
        GET requests, POST requests and wrong tokens of one address: per second, and at once.
    head_timeout_s : float
        Seconds in which the head of a request must arrive; a connection that sends nothing is cut after them.
    max_connections, max_connections_per_address, min_connections : int
        Connections at once; this machine and named proxies may have all of them. A system that allows fewer open files
        lowers the first, not below the last.
    kept_descriptors : int
        Open files that connections leave for journals, cameras and pages.
    accept_error_every_s : float
        Seconds between two reports that connections cannot be accepted.
    max_sessions, max_device : int
        Sessions that are listed, and characters of a device's name.
    code_lifetime_s : float
        Seconds for which a code for another device is good.
    max_codes : int
        Codes at once.
    max_addresses : int
        Addresses whose requests are counted; the least recent one is forgotten first.
    max_streams : int
        Open connections of viewers, over all games.
    max_streams_per_address : int
        Open connections of viewers from one address. This machine has no such limit, since it may be a proxy.
    max_operator_streams : int
        Open connections of operators, which viewers cannot use up.
    keep_alive_s : float
        Seconds without an event after which an event `alive` is sent. A page that gets nothing three times as long
        connects again (`connection.js`).
    max_waiting : int
        Messages that wait for a slow listener; with more, it is disconnected, and its browser reconnects.
    retry_ms : int
        Milliseconds after which a browser reconnects.
    max_replayed : int
        Journal entries that a listener gets one by one after a reconnection; after more, it gets the state only.
    shutdown_s : int
        Seconds that open requests have when the server stops.
    start_check_s : float
        Seconds between two checks whether a server has started.
    """

    min_token: int = 16
    commentary_token: int = 32
    cookie_age_s: int = 14 * 24 * 3600
    max_body: int = 8192
    body_timeout_s: float = 10.0
    max_picture: int = MAX_PUSHED_BYTES
    picture_limit: tuple[float, float] = (20, 40)
    max_pictures_at_once: int = 64
    phone_pictures_per_s: float = 8.0
    max_pictures_at_once_per_device: int = 2
    max_photo: int = 32_000_000
    photo_timeout_s: float = 60.0
    max_photos_waiting: int = 8
    max_head: int = 16 * 1024
    max_path: int = 2048
    read_limit: tuple[float, float] = (300, 1500)
    change_limit: tuple[float, float] = (10, 40)
    wrong_token_limit: tuple[float, float] = (0.1, 10)
    head_timeout_s: float = 10.0
    max_connections: int = 2048
    max_connections_per_address: int = 256
    min_connections: int = 32
    kept_descriptors: int = 128
    accept_error_every_s: float = 60.0
    max_sessions: int = 100
    max_device: int = 120
    code_lifetime_s: float = 300.0
    max_codes: int = 20
    max_addresses: int = 4096
    max_streams: int = 1000
    max_streams_per_address: int = 100
    max_operator_streams: int = 50
    keep_alive_s: float = 5.0
    max_waiting: int = 256
    retry_ms: int = 500
    max_replayed: int = 500
    shutdown_s: int = 2
    start_check_s: float = 0.05


SETTINGS = WebSettings()
