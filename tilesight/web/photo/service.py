"""The reading of photos for devices: one at a time, one a device, with a limit on those that wait; no file is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from starlette.concurrency import run_in_threadpool

from scoring import Edition
from tilesight.digitise.reading import PhotoRequest, ReadOptions, Result
from tilesight.digitise.workers import PictureProcess
from tilesight.web.settings import SETTINGS

__all__ = ["PhotoService", "TooBusyError"]

NAME = "photo"
"""What messages call a photo: the names of people's files stay with them."""


class TooBusyError(Exception):
    """A photo is refused because others are being read; the message says what to do."""


class PhotoService:
    """Reads the photos of devices.

    Parameters
    ----------
    editions : sequence of Edition
        The editions that a photo may be of.
    process : PictureProcess, optional
        What reads them.
    """

    def __init__(self, editions: Sequence[Edition], process: PictureProcess | None = None) -> None:
        self.editions = {edition.name: edition for edition in editions}
        self._process = process or PictureProcess()
        self._options = ReadOptions(editions=tuple(editions))
        self._devices: set[str] = set()
        self._turn = asyncio.Lock()

    async def read(self, device: str, data: bytes, request: PhotoRequest) -> Result:
        """Read a photo.

        Parameters
        ----------
        device : str
            Who sends it.
        data : bytes
            The picture file.
        request : PhotoRequest
            What is known of it.

        Raises
        ------
        TooBusyError
            If the device has a photo that is being read, or too many wait.
        """
        if device in self._devices:
            raise TooBusyError("a photo of this device is being read; send the next one when it is done")
        if len(self._devices) >= SETTINGS.max_photos_waiting:
            raise TooBusyError("too many photos are being read; try again in a moment")
        self._devices.add(device)
        try:
            async with self._turn:  # they wait here, where they do not occupy a thread
                result = await run_in_threadpool(
                    self._process.read, data, NAME, self._options.for_photo(request)
                )
        finally:
            self._devices.discard(device)
        return replace(result, record=replace(result.record, name=NAME))

    def close(self) -> None:
        """End the reading."""
        self._process.close()
