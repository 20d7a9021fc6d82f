"""Digitise photos: find the pictures, read them, group them into games, reconstruct the games, write the folder.

Reading takes most of the time, and every result is kept at once. All that follows is computed from the kept results in
the order of the sources. The folder is therefore the same after one run as after twenty interrupted ones, and with one
worker as with thirty.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from tilesight.digitise.folder import CORRECTIONS, SHEETS, WORK
from tilesight.digitise.games import OrientationSearch, Photo, PhotoCatalogue, PhotoGames
from tilesight.digitise.reading import Corners, OutputRecord, PhotoRecord, PhotoRequest, ReadOptions
from tilesight.digitise.reconstruction import ReconstructedGames, add_conflicts, reconstruct_games
from tilesight.digitise.results import (
    Store,
    Summary,
    check_corrections,
    count_replaced_squares,
    load_corrections,
    merge_corrections,
    picture_files,
    save_corrections,
    write_files,
)
from tilesight.digitise.score_sheets import Sheet, find_unmatched_patterns, load_kept_sheets, save_sheets
from tilesight.digitise.sources import SourceFile, read_source
from tilesight.digitise.workers import Pool, Task, open_pool
from vision.core import Square
from vision.errors import InputError

__all__ = ["PhotoStage", "Progress", "Run", "digitise"]

Progress = Callable[[str, int, int], None]
"""Takes what is done now, how many items of it are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is digitised, and how."""

    files: Sequence[SourceFile]
    folder: Path
    options: ReadOptions
    cluster: str | None = None
    """Address of a Dask cluster; None for processes of this machine."""
    workers: int = 1
    corrections: Path | None = None
    """Corrections that the report page saved."""
    sheets: tuple[Sheet, ...] | None = None
    """Score sheets: players and turns of games; None for those of the last run."""


def digitise(run: Run, progress: Progress) -> Summary:
    """Read what is not read yet, and write the folder.

    Raises InputError if the folder cannot be written, SettingsError if new corrections do not fit, and the errors of
    `open_pool` and `Pool.results`.
    """
    with Store.open(run.folder) as store, open_pool(run.cluster, run.workers) as pool:
        kept_file = run.folder / CORRECTIONS
        kept = load_corrections(kept_file, are_kept=True) if kept_file.is_file() else {}
        new = load_corrections(run.corrections) if run.corrections is not None else {}
        corrections = merge_corrections(kept, new)
        corners = {picture: each.corners for picture, each in corrections.items() if each.corners}
        stage = PhotoStage(run=run, store=store, pool=pool, progress=progress, given_corners=corners)
        requests = dict.fromkeys(range(len(run.files)), PhotoRequest())
        photos, editions = stage.read(requests.items()), run.options.editions
        catalogue = PhotoCatalogue(store=store, photos=photos, corrections=corrections, editions=editions)
        games = PhotoGames(catalogue)
        for revise in (revise_orientations, revise_editions):
            if revised := revise(games, requests, stage):
                requests |= revised
                catalogue.update(stage.read(requests.items()))
                games = PhotoGames(catalogue)
        corrected = [index for index, photo in enumerate(catalogue.photos) if photo.sha256 in new]
        check_corrections(map(catalogue.record, corrected), new, catalogue.editions)
        settled = catalogue.settled_corrections(games.games)
        if new or settled != corrections:  # not before: a correction that does not fit must not be kept
            save_corrections(run.folder, settled)
        summary = write_results(games, run, progress)
        unmatched = set(settled) - {photo.sha256 for photo in catalogue.photos}
        replaced = count_replaced_squares(kept, settled) if new else 0
        return replace(summary, unmatched_corrections=len(unmatched), replaced_squares=replaced)


def revise_orientations(
    games: PhotoGames, requests: Mapping[int, PhotoRequest], stage: PhotoStage
) -> dict[int, PhotoRequest]:
    """Revise the photos whose orientation people named, or whose game shows that they were read wrongly."""
    catalogue = games.catalogue
    # The report shows boards as their games turned them: what people corrected there must not undo that.
    as_read = catalogue.without_corrections()
    revised = find_orientations(games if as_read is catalogue else PhotoGames(as_read), stage)
    for index, turn in catalogue.named_turns().items():
        revised[index] = replace(revised.get(index, requests[index]), edition=None, quarter_turns=turn)
    return revised


def find_orientations(games: PhotoGames, stage: PhotoStage) -> dict[int, PhotoRequest]:
    """Find the orientation and edition of photos that were read wrongly, by the letters of their games.

    A photo that fits no game in any orientation stays as it was read. A photo without a board is read at the corners
    of the guess that was refused, and keeps them if its letters are those of a game.
    """
    search = OrientationSearch(games)
    photos, turns = dict(enumerate(games.catalogue.photos)), search.turns_to_try()
    at_corners = {
        index: PhotoRequest(corners_px=corners, corners_by_game=True)
        for index, corners in search.corners_to_try().items()
    }
    for index, photo in zip(at_corners, stage.read(at_corners.items(), with_pictures=False), strict=True):
        photos[index] = photo
        turns[index] = search.turns_at_corners(index, photo)
    trials = [
        (index, replace(at_corners.get(index, PhotoRequest()), quarter_turns=turn))
        for index, turns_of_photo in turns.items()
        for turn in turns_of_photo
    ]
    turned = [(index, request) for index, request in trials if request.quarter_turns]
    seen = dict(zip(turned, stage.read(turned, with_pictures=False), strict=True))
    found: dict[int, PhotoRequest] = {}
    for index, request in trials:
        if index not in found:
            photo = seen.get((index, request), photos[index])
            edition = search.edition_of_game(index, request.quarter_turns, photo)
            if edition is not None:
                found[index] = replace(request, edition=edition)
    return {copy: request for index, request in found.items() for copy in games.catalogue.copies_of(index)}


def revise_editions(
    games: PhotoGames, requests: Mapping[int, PhotoRequest], _: PhotoStage
) -> dict[int, PhotoRequest]:
    """Revise the photos that were read with another edition than people named or their game has."""
    editions = games.editions_to_read_again()
    return {index: replace(requests[index], edition=edition) for index, edition in editions.items()}


def write_results(games: PhotoGames, run: Run, progress: Progress) -> Summary:
    """Reconstruct the games, and write all results anew, each file completely or not at all."""
    kept = run.folder / WORK / SHEETS
    if run.sheets is not None:
        save_sheets(kept, run.sheets)
    sheets = load_kept_sheets(kept)
    found = reconstruct_games(games, sheets, progress, run.options.lexicon)
    summary = write_files(
        run.folder,
        photo_outputs(games, found),
        found.records,
        found.files,
        games.catalogue.editions,
        progress=lambda done: progress("writing", done, len(games.catalogue)),
    )
    names = [file.name for file in run.files]
    notes = [
        f"a kept score sheet is of {each!r}, and no photo has this name; give --sheets again"
        for each in ([] if run.sheets is not None else find_unmatched_patterns(sheets, names))
    ]
    return replace(summary, sheet_notes=(*found.sheet_notes, *notes))


def photo_outputs(
    games: PhotoGames, found: ReconstructedGames
) -> Iterator[tuple[PhotoRecord, Mapping[str, float], Set[Square] | None]]:
    """Yield what is written of each photo, see `write_files`."""
    catalogue = games.catalogue
    turns = {name: (game["game"], at) for game in found.records for at, name in enumerate(game["photos"], 1)}
    for index in range(len(catalogue)):
        record = games.record(index)
        if conflicts := found.conflicts.get(record.name):
            record = add_conflicts(record, conflicts)
        duplicates = catalogue.same_as(index), catalogue.nearly_same_as(index)
        same, nearly = (catalogue.photos[each].name if each is not None else None for each in duplicates)
        board, thumbnail = picture_files(record.sha256 or "", record)
        game, turn = turns.get(same or record.name, (None, None))
        output = OutputRecord(
            board=board, thumbnail=thumbnail, same_as=same, nearly_same_as=nearly, game=game, turn=turn
        )
        result = catalogue.result(catalogue.photos[index])
        yield replace(record, output=output), result.ms if result else {}, found.doubtful.get(record.name)


@dataclass(slots=True, kw_only=True)
class PhotoStage:
    """Has pictures read that are not read yet."""

    run: Run
    store: Store
    pool: Pool
    progress: Progress
    given_corners: Mapping[str, Corners]
    """The corners of boards that people gave, by the picture's checksum."""
    _known: int = 0
    """Pictures of the present pass that need not be read."""
    _sha256: dict[int, str] = field(default_factory=dict)
    """The checksums of the files that were opened."""
    _done: dict[str, set[str]] = field(default_factory=dict)
    """By cache key, the pictures that are read, or tried in this run."""

    def read(
        self, requests: Collection[tuple[int, PhotoRequest]], *, with_pictures: bool = True
    ) -> list[Photo]:
        """Read pictures, given by index with what is known of each, and keep their results."""
        photos: list[Photo] = []
        label = "reading" if with_pictures else "trying sides"
        options = replace(self.run.options, with_pictures=with_pictures)
        tasks = self._missing(requests, options, photos)
        for read, (task, result) in enumerate(self.pool.results(tasks), 1):
            self.store.keep(task.sha256, task.cache_key, result)
            self.progress(label, read + self._known, len(requests))
        if requests:
            self.progress(label, len(requests), len(requests))
        return photos

    def _missing(
        self, requests: Iterable[tuple[int, PhotoRequest]], options: ReadOptions, photos: list[Photo]
    ) -> Iterator[Task]:
        """Yield the tasks of the pictures without a result; every picture is added to `photos`."""
        keys: dict[PhotoRequest, tuple[ReadOptions, str]] = {}
        self._known = 0
        for index, request in requests:
            name = self.run.files[index].name
            try:
                data = self._open(index) if index not in self._sha256 else None
                sha256 = self._sha256[index]
                if sha256 in self.given_corners:
                    corners = self.given_corners[sha256]
                    request = replace(request, corners_px=corners, corners_by_game=False)
                if request not in keys:
                    for_photo = options.for_photo(request)
                    keys[request] = for_photo, for_photo.cache_key()
                for_photo, key = keys[request]
                if key not in self._done:
                    self._done[key] = set(self.store.done(key))
                if sha256 in self._done[key]:
                    self._known += 1
                else:
                    data = self._open(index) if data is None else data
                    self._done[key].add(sha256)
                    yield Task(sha256=sha256, name=name, data=data, options=for_photo, cache_key=key)
                photos.append(Photo(name=name, sha256=sha256, cache_key=key))
            except InputError as error:
                self._sha256.pop(index, None)
                self._known += 1
                photos.append(Photo(name=name, sha256=None, problem=str(error)))

    def _open(self, index: int) -> bytes:
        """Read a file, and note its checksum; InputError if that is not possible."""
        file = self.run.files[index]
        data = read_source(file)
        sha256 = hashlib.sha256(data).hexdigest()
        if self._sha256.setdefault(index, sha256) != sha256:
            raise InputError(f"{file.name}: has changed during the run; run the same command again")
        return data
