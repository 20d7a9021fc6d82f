"""How pictures are read: the options of a run, what is asked for one photo, and the cache key of both.

The key holds the fingerprint of the software that reads: if it differs, the same picture may give another board.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from scoring import Edition, Lexicon
from tilesight.digitise.reading.photo_record import Corners
from vision.errors import SettingsError
from vision.profile import Profile
from vision.recognition import installed_version

__all__ = ["PhotoRequest", "ReadOptions", "check_environment", "environment_fingerprint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoRequest:
    """What is known of one photo before it is read: from its game or from a person."""

    edition: Edition | None = None
    """Its edition; None if any of the run's may be right."""
    quarter_turns: int = 0
    """Counterclockwise quarter turns from the orientation that is found to the one that is right."""
    corners_px: Corners | None = None
    """The grid's outer corners; None if the board is looked for."""
    corners_by_game: bool = False
    """Whether the corners are a guess that was refused in the picture alone; else people gave them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How pictures are read."""

    editions: tuple[Edition, ...]
    """One if it was named, else those that may be right."""
    reader: str = "network"
    """``network`` or ``tesseract``."""
    lexicon: Lexicon | None = None
    """Words that settle doubts. They are of one language, so only with one edition."""
    profile: Profile | None = None
    profile_sha256: str = ""
    with_pictures: bool = True
    """Whether the straightened board and the thumbnail are made. An orientation that is only tried needs none."""
    request: PhotoRequest = field(default_factory=PhotoRequest)

    def for_photo(self, request: PhotoRequest) -> ReadOptions:
        """Return the options for a photo of which this is known."""
        editions = self.editions if request.edition is None else (request.edition,)
        return replace(self, editions=editions, request=request)

    def cache_key(self) -> str:
        """Return a short checksum of all that determines the result of reading a picture."""
        words = sorted(self.lexicon.words) if self.lexicon is not None else None
        # two files of one name, or one before and after a change, are different editions
        editions = [repr([getattr(each, part.name) for part in fields(each)]) for each in self.editions]
        request = repr(replace(self.request, edition=None))  # it is the only one of the editions
        environment, profile = dict(environment_fingerprint()), self.profile_sha256
        parts = [environment, self.reader, editions, words, profile, self.with_pictures, request]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


PACKAGES = ("tilesight", "numpy", "opencv-python", "onnxruntime", "pillow", "pi-heif")
"""Packages whose version may change a pixel or a probability, or which pictures can be opened."""


@functools.cache
def environment_fingerprint() -> Mapping[str, str]:
    """Return versions of the packages, and checksums of the code, the networks' weights and the shipped editions."""
    root = Path(__file__).parents[3]
    code = [f"{part}/**/*.py" for part in ("vision", "scoring", "tilesight/digitise", "tilesight/output")]
    return {name: installed(name) for name in PACKAGES} | {
        "tesseract": installed_version() or "missing",
        # the version changes with releases only, the code of a checkout at any time
        "code": checksum(root, *code),
        "weights": checksum(root, "vision/weights/*.*"),
        "editions": checksum(root, "scoring/editions/data/*.*"),
    }


def check_environment(expected: Mapping[str, str]) -> None:
    """Refuse (SettingsError) to read with other software than the run began with, given by its fingerprint."""
    mine = environment_fingerprint()
    if names := [name for name in expected if mine.get(name) != expected[name]]:
        other = ", ".join(f"{name} {mine.get(name)} instead of {expected[name]}" for name in names)
        raise SettingsError(f"a worker has {other}; install the same on all machines of the cluster")


def installed(name: str) -> str:
    """Return the version of a package, or ``missing``."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def checksum(root: Path, *patterns: str) -> str:
    """Return a short checksum of the names and contents of the files that match these patterns."""
    total = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        total.update(path.name.encode() + b"\0")
        total.update(path.read_bytes())
    return total.hexdigest()[:16]
