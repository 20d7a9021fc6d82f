"""A phone whose browser is a table's camera."""

from tilesight.web.phone.address import describe_problem, find_network_address
from tilesight.web.phone.camera import OtherSenderError, PhoneCamera, Sender

__all__ = ["OtherSenderError", "PhoneCamera", "Sender", "describe_problem", "find_network_address"]
