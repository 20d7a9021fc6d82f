"""Films and streams that begin with frames which are all the same.

OpenCV cannot convert the frames of interlaced films. It does not say so, and gives memory that it never
wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vision.core import Frame, Interruption

__all__ = ["report_same_frames"]

_N_SAME = 50
"""First frames that must be the same, which few stills of an edited film are to the last bit (chosen)."""


def report_same_frames(items: Iterator[Frame | Interruption], message: str) -> Iterator[Frame | Interruption]:
    """Yield a source's items, and an interruption with this message if its first frames are all the same."""
    first, n_same = None, 0
    for item in items:
        yield item
        if isinstance(item, Frame) and n_same < _N_SAME:
            first = item.image_bgr if first is None else first
            n_same = n_same + 1 if np.array_equal(first, item.image_bgr) else _N_SAME + 1
            if n_same == _N_SAME:
                first = None
                yield Interruption(message=message, over=True)
