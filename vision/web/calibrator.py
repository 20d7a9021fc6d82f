"""What the web asks of whatever calibrates a table's camera; it is given, so that the pipeline does not import it."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Calibrator"]


class Calibrator(Protocol):
    """A calibration of one table's camera, step by step."""

    def state(self) -> dict[str, Any]:
        """What `vision.web.models.CalibrationView` describes; a SettingsError where the table can use no profile."""
        ...

    def act(self, step: str, action: str, text: str, *, fixed: bool) -> dict[str, Any]:
        """The state after a picture was taken, or a step was measured; what goes wrong is in its message."""
        ...

    def camera(self) -> bytes | None:
        """The newest picture as the camera gave it, as a JPEG."""
        ...

    def picture(self, step: str) -> bytes | None:
        """What came of a step, as a JPEG."""
        ...

    def sheet(self) -> bytes:
        """The sheet to print, as a PDF."""
        ...

    def report(self) -> str:
        """All that was measured, as a page of its own."""
        ...
