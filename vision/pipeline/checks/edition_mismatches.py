"""Report once what does not fit the edition of a game."""

from __future__ import annotations

from scoring import Edition
from vision.observation import BoardObservation
from vision.pipeline.checks.layout import check_layout
from vision.pipeline.checks.tiles import check_tiles, other_editions

__all__ = ["EditionMismatches"]


class EditionMismatches:
    """Checks the boards of one edition, and reports each kind of mismatch once.

    Parameters
    ----------
    edition : Edition
        The edition that was named.
    """

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        other_editions(edition)  # read now: a live game must not wait for their files
        self._tiles_fit = True
        self._layout_fits = True

    def new_messages(self, found: BoardObservation) -> list[str]:
        """Check a board; return the lines for the user that were not reported before.

        The layout is not checked where it is not seen: a photo's own remarks then say so.
        """
        messages = []
        if self._layout_fits and found.shows_layout:
            message = check_layout(found.rectified, found.decoded.board, self._edition)
            self._layout_fits = message is None
            messages += [message] if message else []
        if self._tiles_fit:
            message = check_tiles(found.probabilities, found.decoded, self._edition)
            self._tiles_fit = message is None
            messages += [message] if message else []
        return messages
