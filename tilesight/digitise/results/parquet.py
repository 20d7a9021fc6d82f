"""The photos as a Parquet table, for data frames and databases."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring import open_atomically
from vision.errors import MissingProgramError

__all__ = ["TABLE", "Table", "check_parquet"]

TABLE = "photos.parquet"
ROWS_AT_ONCE = 1_000
TEXTS = (
    "image", "status", "message", "edition", "cgp", "text", "format", "taken", "camera", "sha256", "likeness",
    "board", "thumbnail", "same_as", "nearly_same_as", "game",
)  # fmt: skip
NUMBERS = ("tiles", "width", "height", "bytes", "turn")
SHARES = ("edition_probability", "doubt")


def check_parquet() -> None:
    """Refuses before any work is done where no table can be written.

    Raises
    ------
    MissingProgramError
        If pyarrow is not installed.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingProgramError(
            "--parquet needs the package pyarrow; run pip install 'tilesight[digitise]'"
        ) from error


class Table:
    """A table that grows photo by photo.

    Parameters
    ----------
    writer : pyarrow.parquet.ParquetWriter
        The open file.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._rows: list[dict[str, Any]] = []

    @classmethod
    @contextlib.contextmanager
    def new(cls, path: Path) -> Iterator[Table]:
        """A new table, in its place when the block ends."""
        import pyarrow.parquet

        with open_atomically(path) as file, pyarrow.parquet.ParquetWriter(file, schema()) as writer:
            table = cls(writer)
            yield table
            table.write_rows()

    def add(self, record: Mapping[str, Any]) -> None:
        """One photo's row."""
        row = {name: record.get(name) for name in (*TEXTS, *NUMBERS, *SHARES)}
        row["corners_px"] = [each for corner in record.get("corners_px") or () for each in corner] or None
        self._rows.append(row)
        if len(self._rows) == ROWS_AT_ONCE:
            self.write_rows()

    def write_rows(self) -> None:
        """Writes what is waiting."""
        import pyarrow

        if self._rows:
            self._writer.write_table(pyarrow.Table.from_pylist(self._rows, schema=schema()))
            self._rows.clear()


def schema() -> Any:
    """The table's columns."""
    import pyarrow

    columns = [(name, pyarrow.string()) for name in TEXTS]
    columns += [(name, pyarrow.int64()) for name in NUMBERS]
    columns += [(name, pyarrow.float64()) for name in SHARES]
    return pyarrow.schema([*columns, ("corners_px", pyarrow.list_(pyarrow.float64()))])
