"""Prepare what the first photo of a process would otherwise wait for."""

from __future__ import annotations

import functools
import threading

import cv2
import numpy as np

__all__ = ["warm_up"]


@functools.cache
def warm_up() -> threading.Thread:
    """Start a thread in which OpenCV prepares its conversion to Lab, which takes 0.1 s; once a process.

    OpenCV does it without Python's lock, so that a second core does it while editions and networks are loaded. A
    conversion that is asked for meanwhile waits for it.
    """
    # It imports nothing, since an interrupted import of the main thread would leave it waiting for ever. It is no
    # daemon, since a process that ends meanwhile would be aborted within OpenCV.
    thread = threading.Thread(target=cv2.cvtColor, args=(np.zeros((1, 1, 3), np.uint8), cv2.COLOR_BGR2Lab))
    thread.start()
    return thread
