"""What `tilesight serve` needs: where it listens, and the games that it serves."""

from tilesight.cli.serving.games import (
    make_analyst,
    make_cameras,
    open_served_game,
    report_assumed_editions,
    report_shared_sources,
    start_webhook,
)
from tilesight.cli.serving.place import (
    ServedPlace,
    check_hosts,
    describe_phones,
    describe_place,
    describe_plain_pages,
    find_certificate,
    make_links,
    open_plain_socket,
    state_folder,
)

__all__ = [
    "ServedPlace",
    "check_hosts",
    "describe_phones",
    "describe_place",
    "describe_plain_pages",
    "find_certificate",
    "make_analyst",
    "make_cameras",
    "make_links",
    "open_plain_socket",
    "open_served_game",
    "report_assumed_editions",
    "report_shared_sources",
    "start_webhook",
    "state_folder",
]
