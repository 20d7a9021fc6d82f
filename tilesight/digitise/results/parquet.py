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
MAX_BUFFERED_ROWS = 1_000
TEXTS = (
    "image", "status", "message", "edition", "cgp", "text", "format", "taken", "camera", "sha256", "likeness",
    "board", "thumbnail", "same_as", "nearly_same_as", "game",
)  # fmt: skip
NUMBERS = ("tiles", "width", "height", "bytes", "turn")
SHARES = ("edition_probability", "doubt")


def check_parquet() -> None:
    """Refuse before any work is done if no table can be written.

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
    """A table that is written photo by photo.

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
    def create(cls, path: Path) -> Iterator[Table]:
        """Create a table, which appears when the block ends."""
        import pyarrow.parquet

        with open_atomically(path) as file, pyarrow.parquet.ParquetWriter(file, schema()) as writer:
            table = cls(writer)
            yield table
            table.write_rows()

    def add(self, photo: Mapping[str, Any]) -> None:
        """Add the row of a photo, given as its line of ``photos.jsonl``."""
        row = {name: photo.get(name) for name in (*TEXTS, *NUMBERS, *SHARES)}
        row["corners_px"] = [value for corner in photo.get("corners_px") or () for value in corner] or None
        self._rows.append(row)
        if len(self._rows) == MAX_BUFFERED_ROWS:
            self.write_rows()

    def write_rows(self) -> None:
        """Write the rows that are buffered."""
        import pyarrow

        if self._rows:
            self._writer.write_table(pyarrow.Table.from_pylist(self._rows, schema=schema()))
            self._rows.clear()


def schema() -> Any:
    """Return the columns."""
    import pyarrow

    columns = [(name, pyarrow.string()) for name in TEXTS]
    columns += [(name, pyarrow.int64()) for name in NUMBERS]
    columns += [(name, pyarrow.float64()) for name in SHARES]
    return pyarrow.schema([*columns, ("corners_px", pyarrow.list_(pyarrow.float64()))])
