"""Composes a run: finds the pictures, has them read, joins them to games, and writes the folder.

Reading is the long part, and every result is kept at once. Everything after it follows from the kept results in the
order of the sources, so that the folder is the same after one run as after twenty that were interrupted, and with
one worker as with thirty.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scoring import Edition
from tilesight.digitise.games.catalogue import Collection, Photo
from tilesight.digitise.reading.photo_reader import Reading, checksum_of
from tilesight.digitise.results.corrections import (
    Corners,
    kept_corrections,
    laid,
    load_corrections,
    merged,
    save_corrections,
)
from tilesight.digitise.results.result_store import WORK, Store
from tilesight.digitise.results.writer import Summary, Written, write_folder
from tilesight.digitise.sources.discovery import Item, read_item
from tilesight.digitise.workers.pool import Pool, Task, open_pool
from vision.errors import InputError

__all__ = ["Progress", "Run", "digitise"]

Progress = Callable[[str, int, int], None]
"""Is told what is done now, how many pictures of it are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is digitised, and how.

    Parameters
    ----------
    items : sequence of Item
        The pictures.
    folder : Path
        Where the results go.
    how : Reading
        How pictures are read.
    cluster : str or None
        Address of a Dask cluster; None for processes of this machine.
    workers : int
        How many processes of this machine.
    corrections : Path or None
        Corrections that the report page saved.
    written : Written
        What is written beside the results of each photo.
    """

    items: Sequence[Item]
    folder: Path
    how: Reading
    cluster: str | None = None
    workers: int = 1
    corrections: Path | None = None
    written: Written = field(default_factory=Written)


def digitise(run: Run, progress: Progress, on_dashboard: Callable[[str], None]) -> Summary:
    """Reads what is not read yet, and writes the folder.

    Parameters
    ----------
    run : Run
        What is wanted.
    progress : callable
        Is told how far it is.
    on_dashboard : callable
        Is told the address of Dask's page once there is one.

    Raises
    ------
    InputError
        If the folder cannot be written, or the cluster is gone.
    MissingProgramError
        If Dask is needed and not installed.
    SettingsError
        If new corrections do not fit, or a worker is equipped otherwise.
    """
    with Store.open(run.folder) as store, contextlib.ExitStack() as stack:
        new = load_corrections(run.corrections) if run.corrections is not None else {}
        kept = kept_corrections(run.folder)
        new = laid(kept, new, run.folder)
        corrections = merged(kept, new)
        workshop = Workshop(
            run=run,
            store=store,
            stack=stack,
            on_dashboard=on_dashboard,
            progress=progress,
            corners={picture: each.corners for picture, each in corrections.items() if each.corners},
        )
        photos = workshop.read(run.items, {})
        collection = Collection(
            store=store, photos=photos, corrections=corrections, editions=run.how.editions
        )
        collection.check_editions(new)
        collection.check_corners(new)
        # The report shows boards as their games turned them: what people put right there must not undo that.
        uncorrected = (
            Collection(store=store, photos=photos, corrections={}, editions=run.how.editions)
            if corrections
            else collection
        )
        sides = workshop.sides_by_games(uncorrected)
        said = collection.turns_said()
        turns = {index: turn for index, (turn, _) in sides.items()} | said
        turns = {index: turn for index, turn in turns.items() if turn}
        by_game = {index: edition for index, (_, edition) in sides.items() if index not in said}
        unsure = dict.fromkeys(by_game, dict.fromkeys(collection.edition_names, 1.0))
        if sides or said:
            photos = workshop.read(run.items, by_game, turns)
            collection = Collection(
                store=store,
                photos=photos,
                corrections=corrections,
                editions=run.how.editions,
                guesses=unsure,
            )
        # A photo with few tiles does not tell its edition, but the game that it belongs to does.
        again = collection.to_read_again()
        if again:
            photos = workshop.read(run.items, by_game | again, turns)
            collection = Collection(
                store=store,
                photos=photos,
                corrections=corrections,
                editions=run.how.editions,
                guesses=unsure | collection.guesses(again),
            )
        collection.check_squares(new)
        lying = collection.lying_corrections()
        if new or lying != corrections:  # not sooner: one that does not fit must not stay
            save_corrections(run.folder, lying)
        summary = write_folder(collection, store, run.written, progress)
        return replace(summary, strangers=collection.strangers(new))


@dataclass(slots=True, kw_only=True)
class Workshop:
    """Has pictures read that are not read yet; processes are started for the first of them only."""

    run: Run
    store: Store
    stack: contextlib.ExitStack
    on_dashboard: Callable[[str], None]
    progress: Progress
    corners: Mapping[str, Corners]
    """The corners of boards that people gave, by the picture's checksum."""
    places: dict[str, Corners] = field(default_factory=dict)
    """The same of boards of which the picture alone leaves it in doubt where they lie."""
    pool: Pool | None = None
    known: int = 0
    done: dict[str, set[str]] = field(default_factory=dict)
    """Pictures that are read, or tried in this run, by how they are read."""

    def sides_by_games(self, collection: Collection) -> dict[int, tuple[int, Edition]]:
        """The quarter turns and editions of photos that were read wrongly, as the letters of their games tell.

        A photo that fits a game from no side stays as it was read. One in which no board was found is read where one
        seemed to lie, and `places` then holds its corners if its letters are there.
        """
        found: dict[int, tuple[int, Edition]] = {}
        sides = collection.sides_to_try()
        guessed = self.at_guessed_places(collection)
        sides |= {index: collection.sides_of(index, photo) for index, photo in guessed.items()}
        for number in range(max(map(len, sides.values()), default=0)):
            asked = {
                index: turn
                for index, turns in sides.items()
                if index not in found
                for turn in turns[number : number + 1]
            }
            seen = {index: guessed.get(index, collection.photos[index]) for index in asked}
            turned = [index for index, turn in asked.items() if turn]
            items = [self.run.items[index] for index in turned]
            tries = {at: asked[index] for at, index in enumerate(turned)}
            seen |= zip(turned, self.read(items, {}, tries, pictures=False), strict=True)
            for index, turn in asked.items():
                edition = collection.edition_of_game(index, turn, seen[index])
                if edition is not None:
                    found[index] = turn, edition
        there = {collection.photos[index].sha256 for index in found}
        self.places = {sha256: corners for sha256, corners in self.places.items() if sha256 in there}
        return collection.copies(found)

    def at_guessed_places(self, collection: Collection) -> dict[int, Photo]:
        """The photos in which no board was found, read where one seemed to lie; their corners are `places` now."""
        tried = collection.places_to_try()
        self.places = {collection.photos[index].sha256 or "": corners for index, corners in tried.items()}
        photos = self.read([self.run.items[index] for index in tried], {}, pictures=False)
        return dict(zip(tried, photos, strict=True))

    def read(
        self,
        items: Sequence[Item],
        editions: Mapping[int, Edition],
        turns: Mapping[int, int] | None = None,
        *,
        pictures: bool = True,
    ) -> list[Photo]:
        """Every picture, read by the edition that is named for it where one is.

        Parameters
        ----------
        items : sequence of Item
            The pictures.
        editions : mapping of int to Edition
            Editions by the number of the picture.
        turns : mapping of int to int, optional
            Quarter turns by the number of the picture, see `Reading`.
        pictures : bool
            Whether the results' pictures are made.
        """
        photos: list[Photo] = []
        what = "reading" if pictures else "trying sides"
        self.known = 0
        how = replace(self.run.how, pictures=pictures)
        tasks = self.missing(items, how, editions, turns or {}, photos)
        first = next(tasks, None)
        if first is not None:
            left = len(items) - self.known
            results = self.opened().results(itertools.chain([first], tasks), left)
            for done, (task, result) in enumerate(results, 1):
                self.store.keep(task.sha256, task.way, result)
                self.progress(what, self.known + done, len(items))
        if items:
            self.progress(what, len(items), len(items))
        return photos

    def missing(
        self,
        items: Sequence[Item],
        how: Reading,
        editions: Mapping[int, Edition],
        turns: Mapping[int, int],
        photos: list[Photo],
    ) -> Iterator[Task]:
        """The tasks of the pictures without a result; every picture is added to `photos` on the way."""
        ways: dict[tuple[Edition | None, int, Corners | None, bool], tuple[Reading, str]] = {}
        for index, item in enumerate(items):
            try:
                data = read_item(item)
            except InputError as error:
                photos.append(Photo(name=item.name, sha256=None, how="", problem=str(error)))
                self.known += 1
                continue
            sha256 = hashlib.sha256(data).hexdigest()
            edition, turn = editions.get(index), turns.get(index, 0)
            by_game = sha256 in self.places and sha256 not in self.corners
            corners = (self.places if by_game else self.corners).get(sha256)
            wanted = edition, turn, corners, by_game
            if wanted not in ways:
                named = how.editions if edition is None else (edition,)
                other = replace(how, editions=named, turn=turn, corners_px=corners, corners_by_game=by_game)
                ways[wanted] = other, checksum_of(other)
            asked, way = ways[wanted]
            if way not in self.done:
                self.done[way] = set(self.store.done(way))
            done = self.done[way]
            photos.append(Photo(name=item.name, sha256=sha256, how=way))
            if sha256 in done:
                self.known += 1
            else:
                done.add(sha256)
                yield Task(sha256=sha256, name=item.name, data=data, how=asked, way=way)

    def opened(self) -> Pool:
        """The processes, started once."""
        if self.pool is None:
            scratch = self.run.folder / WORK / "dask"
            self.pool = self.stack.enter_context(open_pool(self.run.cluster, self.run.workers, scratch))
            self.on_dashboard(self.pool.dashboard)
        return self.pool
