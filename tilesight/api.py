"""What the command line does, as functions: read a photo, follow a video, score a recorded game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scoring import Edition, GcgRecord, load_edition, load_lexicon, read_gcg
from tilesight.live import attach_source, explain_no_play, follow_photos, follow_video, open_game
from vision.capture import Frame, decode_picture, open_picture, open_source, take_pixels
from vision.errors import SettingsError
from vision.game_events import UpdateBatch
from vision.observation import BoardObservation
from vision.pipeline import EditionMismatches, GameContext, ProfileMismatches, load_recognizer, read_photo
from vision.profile import Profile, load_profile

__all__ = ["load_context", "read", "score", "watch"]

Corners = Sequence[Sequence[float]] | NDArray[np.floating[Any] | np.integer[Any]]


def read(
    path: Path | str | bytes | NDArray[np.uint8],
    *,
    edition: Edition | str | Path = "english",
    corners_px: Corners | None = None,
    lexicon: Path | str | None = None,
    profile: Path | str | None = None,
    notify: Callable[[str], None] = lambda _: None,
) -> BoardObservation:
    """Read the board in a photo.

    Parameters
    ----------
    path : path, bytes or (height, width, 3) uint8 array
        The photo: its file, the content of a file, or its pixels as OpenCV has them, BGR.
    edition : Edition, str or Path
        The edition, its name if it is shipped, or its file. Unlike the command
        ``read``, the function does not find it from the tiles.
    corners_px : four (x, y) or (4, 2) array, optional
        The grid's outer corners TL TR BR BL as the letters read, in pixels; the board is then not searched.
    lexicon : path, optional
        A word list, one word a line.
    profile : path, optional
        A calibration profile.
    notify : callable
        Called with one line for the user.

    Returns
    -------
    BoardObservation
        The board in ``decoded.board``, its place in the photo, and the probability of each square.

    Raises
    ------
    BoardNotFoundError
        If no board is found.
    InputError
        If the photo or the profile cannot be read, or the photo is too small or too large.
    MissingProgramError
        If Tesseract is needed for the letters of the edition, or pi-heif for a HEIC photo, and is not installed.
    scoring.ScoringError
        If the edition is not known, or its file or the word list cannot be read or is not valid.
    SettingsError
        If the corners are no board's, an argument has another type, or the profile is not valid or does not suit the
        photo or the edition.
    """
    _check_paths(lexicon=lexicon, profile=profile)
    frame = _open_photo(path)
    rules = load_edition(edition)
    known = _load_profile(profile)
    context = load_context(rules, lexicon=lexicon, profile=known, notify=notify)
    found = read_photo(frame, context, corners_px=_list_corners(corners_px))
    file = None if isinstance(path, np.ndarray) else path if isinstance(path, bytes) else Path(path)
    misfits = ProfileMismatches(known, rules.layout, is_given=corners_px is not None).new_messages(
        found, file
    )
    for message in (*found.remarks, *misfits, *EditionMismatches(rules).new_messages(found)):
        notify(message)
    return found


def watch(
    source: Path | str | int,
    *,
    edition: Edition | str | Path | None = None,
    players: Sequence[str] | None = None,
    every: Literal["frame", "turn"] = "frame",
    journal: Path | str | None = None,
    corners_px: Corners | None = None,
    lexicon: Path | str | None = None,
    profile: Path | str | None = None,
    fps: float | None = None,
    notify: Callable[[str], None] = lambda _: None,
) -> Iterator[UpdateBatch]:
    """Follow a filmed game, and yield its updates as soon as they are seen.

    Parameters
    ----------
    source : path, str or int
        A camera number, a video, a folder of pictures, or a stream's address.
    edition : Edition, str or Path, optional
        The edition, its name if it is shipped, or its file; the journal's, or ``english``, by default. A
        journal keeps the name or the file, so give one of these with it.
    players : sequence of str, optional
        The names in the order of play; the journal's, or A and B, by default.
    every : str
        ``turn`` if each picture of a folder is a finished turn; ``frame`` for everything that is filmed.
    journal : path, optional
        A file that keeps every event, and from which the game is resumed.
    corners_px : four (x, y) or (4, 2) array, optional
        The grid's outer corners TL TR BR BL as the letters read, in pixels; the board is then not searched.
    lexicon : path, optional
        A word list, one word a line.
    profile : path, optional
        A calibration profile.
    fps : float, optional
        Frames a second of a folder of pictures, or of a film with wrong time stamps, 0.1 to 1000.
    notify : callable
        Called with one line for the user.

    Yields
    ------
    UpdateBatch
        The updates and notices of one moment, with the game after it. Of a journal that exists, the first batch is the
        game as it is there: it has the index -1 and no updates.

    Raises
    ------
    InputError
        If the source or the profile cannot be read, or the journal cannot be opened or written.
    MissingProgramError
        If Tesseract is needed for the letters of the edition, and is not installed.
    scoring.ScoringError
        If the edition is not known, its file or the word list cannot be read or is not valid, or no game has these
        players.
    SettingsError
        If the journal belongs to another game, an argument is not valid, or the profile is not valid or does not suit
        the pictures or the edition.
    """
    if every not in ("frame", "turn"):
        raise SettingsError(f"every: {every!r} is unknown; choose frame or turn")
    name = str(source) if isinstance(source, int) else source
    _check_paths(source=name, journal=journal, lexicon=lexicon, profile=profile)
    if players is not None and (isinstance(players, str) or not isinstance(players, Sequence)):
        raise SettingsError(f"players: expected a list of names, got {players!r:.60}")
    if fps is not None and not isinstance(fps, int | float):
        raise SettingsError(f"fps: expected a number, got {fps!r:.60}")
    if fps is not None and every == "turn":
        raise SettingsError("fps: photos of turns have no time; leave it out")
    path = Path(journal) if journal is not None else None
    is_resumed = path is not None and path.exists()
    place = _list_corners(corners_px)
    name, rules = os.fspath(name), str(edition) if isinstance(edition, Path) else edition
    with open_game("game", path, edition=rules, players=players, source=name, has_operator=False) as game:
        measured = _load_profile(profile)
        context = load_context(game.state.edition, lexicon=lexicon, profile=measured, notify=notify)
        if is_resumed:  # no new picture may follow
            yield UpdateBatch(source=name, index=-1, game=game.state.game)
        if every == "turn":
            yield from follow_photos(game, Path(name), context, corners_px=place, notify=notify)
            return
        opened = open_source(name, fps)
        frames = attach_source(game, opened, context, corners_px=place, notify=notify)
        yield from follow_video(game, frames)
        explain_no_play(opened, game, notify)


def score(path: Path | str, *, edition: Edition | str | Path | None = None) -> GcgRecord:
    """Replay a recorded game and recompute every score.

    Parameters
    ----------
    path : path
        A GCG file.
    edition : Edition, str or Path, optional
        The edition, its name if it is shipped, or its file; that of the GCG file by default.

    Returns
    -------
    GcgRecord
        The game, and the printed numbers that differ from the recomputed ones.

    Raises
    ------
    scoring.ScoringError
        If the file is not a GCG file, or the edition is not known or not valid.
    SettingsError
        If `path` is no path.
    OSError
        If the GCG file cannot be read.
    """
    _check_paths(path=path)
    return read_gcg(path, edition)


def load_context(
    edition: Edition,
    *,
    reader: str = "network",
    lexicon: Path | str | None = None,
    profile: Profile | None = None,
    notify: Callable[[str], None] | None = None,
) -> GameContext:
    """Load what pictures are read with.

    Parameters
    ----------
    edition : Edition
        The edition.
    reader : str
        ``network`` or ``tesseract``.
    lexicon : path, optional
        A word list, one word a line.
    profile : Profile, optional
        A calibration profile.
    notify : callable, optional
        Called with one line for the user.

    Raises
    ------
    DataFileError
        If the word list cannot be read, or has no word of these letters.
    MissingProgramError
        If Tesseract or its language is needed and not installed.
    SettingsError
        If there is no such reader, or it does not suit the edition or the profile.
    """
    return GameContext(
        edition=edition,
        recognizer=load_recognizer(reader, edition, notify=notify, profile=profile),
        lexicon=load_lexicon(Path(lexicon), edition.tokens, notify=notify) if lexicon is not None else None,
        profile=profile,
    )


def _open_photo(photo: object) -> Frame:
    if isinstance(photo, str | os.PathLike):
        return open_picture(Path(photo))
    if isinstance(photo, bytes):
        return decode_picture(photo, Path("photo"))
    if isinstance(photo, np.ndarray):
        if photo.dtype != np.uint8 or photo.ndim != 3 or photo.shape[2] != 3:
            raise SettingsError(
                f"path: expected BGR pixels, uint8 of shape (height, width, 3), not {photo.dtype} of {photo.shape}"
            )
        return take_pixels(photo)
    raise SettingsError(f"path: expected a path, bytes or an array, not {type(photo).__name__}")


def _check_paths(**paths: object) -> None:
    """Check that what is named by a path is one."""
    for name, path in paths.items():
        is_left_out = path is None and name not in ("path", "source")
        if not is_left_out and not isinstance(path, str | os.PathLike):
            raise SettingsError(f"{name}: expected a path, not {type(path).__name__}")


def _load_profile(path: Path | str | None) -> Profile | None:
    return load_profile(Path(path)) if path is not None else None


def _list_corners(corners_px: Corners | None) -> list[list[float]] | None:
    if corners_px is None:
        return None
    try:
        corners: list[list[float]] = np.asarray(corners_px, np.float64).tolist()
    except (TypeError, ValueError) as error:
        raise SettingsError(f"corners: expected four x,y pairs (TL TR BR BL), got {corners_px!r}") from error
    return corners
