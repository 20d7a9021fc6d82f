"""The schemas of the phone page's requests and answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tilesight.web.schemas import CodeView, Model

__all__ = [
    "PhoneCodeView",
    "PhonePauseBody",
    "PhoneRefusal",
    "PhoneTicket",
    "PhoneView",
    "SenderView",
]


class SenderView(Model):
    """The device that sends a table's pictures; `own` says that it is the session that asks."""

    device: str
    address: str
    own: bool
    pictures_per_s: float


class PhoneView(Model):
    """What a phone that is the camera learns: who sends, what the table does, and where it found the board.

    `grid` has the outer corners TL TR BR BL as shares of the width and the height of the last picture that was read.
    """

    sender: SenderView | None
    watching: bool
    status: str
    grid: list[tuple[float, float]] | None
    rows: int
    columns: int
    last_move: str


class PhoneTicket(Model):
    """The ticket that each picture carries, and the limits of pictures."""

    ticket: str
    max_bytes: int
    pictures_per_s: float


class PhonePauseBody(Model):
    """Why a phone sends no more pictures for the moment."""

    ticket: Annotated[str, Field(max_length=40)]
    reason: Literal["hidden", "stopped", "no-camera"]


class PhoneRefusal(Model):
    """Why a picture was not taken: another device sends; without a `sender`, the phone may begin again."""

    message: str
    sender: SenderView | None


class PhoneCodeView(CodeView):
    """An address that makes one phone the camera, with its QR code; `problem` says why the phone cannot use it."""

    problem: str
