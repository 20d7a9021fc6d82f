"""The paths to which pictures may be sent, with their limits. Every other request is a short JSON text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tilesight.web.access.rights import Right
from tilesight.web.settings import SETTINGS

__all__ = ["UPLOADS", "Upload", "find_upload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A path to which pictures may be sent.

    Parameters
    ----------
    path : Pattern
        The path.
    media_types : frozenset of str
        What may be sent.
    right : Right
        The right that the device needs.
    max_body : int
        Bytes of one picture.
    limit : (float, float)
        Pictures of one device: per second, and at once.
    timeout_s : float
        Seconds in which a picture must arrive.
    """

    path: re.Pattern[str]
    media_types: frozenset[str]
    right: Right
    max_body: int
    limit: tuple[float, float]
    timeout_s: float = SETTINGS.body_timeout_s


UPLOADS = (
    Upload(
        path=re.compile(r"/api/tables/[a-z0-9-]{1,32}/phone/picture"),
        media_types=frozenset({"image/jpeg"}),
        right=Right.CAMERA,
        max_body=SETTINGS.max_picture,
        limit=SETTINGS.picture_limit,
    ),
    Upload(
        path=re.compile("/api/photo"),
        media_types=frozenset({"application/octet-stream"}),
        right=Right.PHOTOGRAPHER,
        max_body=SETTINGS.max_photo,
        limit=SETTINGS.change_limit,
        timeout_s=SETTINGS.photo_timeout_s,
    ),
)


def find_upload(path: str) -> Upload | None:
    """Return the upload that a path is for; None for any other path."""
    return next((upload for upload in UPLOADS if upload.path.fullmatch(path)), None)
