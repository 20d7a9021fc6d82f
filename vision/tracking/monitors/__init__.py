"""What is reported of a film: why it cannot be read, what it does not show, and that the board has moved."""

from vision.tracking.monitors.drift import BoardDrift
from vision.tracking.monitors.framing import FramingMonitor
from vision.tracking.monitors.source_gaps import SourceGaps
from vision.tracking.monitors.unrest import HIDDEN, REVERSED, UnrestMonitor

__all__ = ["HIDDEN", "REVERSED", "BoardDrift", "FramingMonitor", "SourceGaps", "UnrestMonitor"]
