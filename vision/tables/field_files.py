"""Writes every table's text fields to files, for scenes that read text from files; each is whole at every moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from vision.errors import InputError
from vision.outputs import write_file
from vision.tables.fields import FIELDS, text_of
from vision.tables.state import TableState
from vision.tables.table import Table

__all__ = ["FieldFiles"]

EVERY_S = 0.5
"""Clocks show seconds; anything else is written at once."""


class FieldFiles:
    """Keeps ``FOLDER/<table>/<field>.txt`` as the fields are; use it in a ``with`` block.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    tables : sequence of Table
        Whose fields.
    notify : callable
        Gets one line where a file cannot be written.

    Raises
    ------
    InputError
        If the folders cannot be made, or nothing be written there.
    """

    def __init__(self, folder: Path, tables: Sequence[Table], notify: Callable[[str], None]) -> None:
        self._folder = folder
        self._tables = tables
        self._notify = notify
        self._written: dict[Path, str] = {}
        self._changed = threading.Event()
        self._stopping = False
        self._complained = False
        self._thread = threading.Thread(target=self._run, name="field files", daemon=True)
        for table in tables:
            place = folder / table.state.name
            try:
                place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{place}: cannot be made ({error.strerror}); name another folder for the fields"
                ) from error
            table.listen(self._wake)
        self.write()

    def write(self) -> None:
        """Writes what has changed.

        Raises
        ------
        InputError
            If a file cannot be written.
        """
        now_s = time.time()
        for table in self._tables:
            state = table.state
            for field in FIELDS:
                path = self._folder / state.name / f"{field}.txt"
                text = text_of(field, state, now_s)
                if self._written.get(path) != text:
                    write_file(path, text.encode())
                    self._written[path] = text

    def _wake(self, _: TableState) -> None:
        self._changed.set()

    def _run(self) -> None:
        while not self._stopping:
            self._changed.wait(EVERY_S)
            self._changed.clear()
            try:
                self.write()
                self._complained = False
            except InputError as error:
                if not self._complained:
                    self._notify(str(error))
                self._complained = True

    def __enter__(self) -> FieldFiles:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._changed.set()
        self._thread.join(5.0)
