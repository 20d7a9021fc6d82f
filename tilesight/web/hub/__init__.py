"""Several machines: each publishes what its viewers see to an MQTT broker, and a hub shows the tables of all."""

from tilesight.web.hub.broker import Broker, BrokerConnection, parse_broker
from tilesight.web.hub.opening import open_broker
from tilesight.web.hub.publisher import Publisher
from tilesight.web.hub.remote_table import RemoteTable
from tilesight.web.hub.remote_tables import RemoteTables

__all__ = [
    "Broker",
    "BrokerConnection",
    "Publisher",
    "RemoteTable",
    "RemoteTables",
    "open_broker",
    "parse_broker",
]
