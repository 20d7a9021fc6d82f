"""Read the files that users name, and write files so that nobody sees a part of them."""

from scoring.files.atomic import open_atomically, write_atomically
from scoring.files.reading import read_file, read_text

__all__ = ["open_atomically", "read_file", "read_text", "write_atomically"]
