"""A phone whose browser is a table's camera."""

from tilesight.web.phone.address import describe_problem, find_network_address
from tilesight.web.phone.camera import OtherSenderError, PhoneCamera, Sender
from tilesight.web.phone.schemas import (
    PhoneCodeView,
    PhonePauseBody,
    PhoneRefusal,
    PhoneTicket,
    PhoneView,
    SenderView,
)

__all__ = [
    "OtherSenderError",
    "PhoneCamera",
    "PhoneCodeView",
    "PhonePauseBody",
    "PhoneRefusal",
    "PhoneTicket",
    "PhoneView",
    "Sender",
    "SenderView",
    "describe_problem",
    "find_network_address",
]
