"""The webhook: each event of a game is sent to an address of the user's."""

from tilesight.web.webhook.delivery import Webhook

__all__ = ["Webhook"]
