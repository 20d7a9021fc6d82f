"""What `tilesight watch` needs: its outputs, and what it prints and writes."""

from tilesight.cli.watching.outputs import check_outputs, check_same_game, choose_video
from tilesight.cli.watching.reporting import GameFile, WatchReport, print_end, try_write

__all__ = [
    "GameFile",
    "WatchReport",
    "check_outputs",
    "check_same_game",
    "choose_video",
    "print_end",
    "try_write",
]
