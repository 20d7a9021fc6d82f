"""Reconstruct each game among the photos: its record, its game file, and where a photo differs from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scoring import COVERED, EMPTY, Board, Edition, Game, GameError, Lexicon, format_square, is_blank
from tilesight.digitise.folder import GAMES
from tilesight.digitise.games import PhotoGames
from tilesight.digitise.reading import MIN_SURE_SHARE, PhotoRecord, SquareDoubt
from tilesight.digitise.reconstruction.evidence import PhotoEvidence, collect_evidence
from tilesight.digitise.reconstruction.game_record import FoundGame, build_game
from tilesight.digitise.reconstruction.positions import Position, reconstruct_positions
from tilesight.digitise.reconstruction.sheet_game import NO_ORDER_FITS, build_game_from_sheet
from tilesight.digitise.score_sheets import Sheet, SheetMatch, assign_sheets, list_candidates
from vision.core import Square
from vision.decoding import FLAG_SETTINGS

__all__ = ["ReconstructedGames", "add_conflicts", "reconstruct_games"]

UNKNOWN_PLAYERS = ("A", "B")
"""Photos do not show who plays; scores and plays do not depend on it, totals do."""
MAX_JOINT_PHOTOS = 300
"""Photos of a game that are read together: time and memory grow with the square; 300 take seconds (chosen)."""


@dataclass(slots=True, kw_only=True)
class ReconstructedGames:
    """The games among the photos of a run."""

    records: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """The game files by their paths in the folder of results."""
    conflicts: dict[str, Mapping[Square, str]] = field(default_factory=dict)
    """By photo, the squares that its game has otherwise."""
    doubtful: dict[str, Set[Square]] = field(default_factory=dict)
    """By photo that was compared with its game, the squares to check."""
    sheet_notes: tuple[str, ...] = ()
    """Why score sheets are not used, or not for all photos that they name."""


def reconstruct_games(
    games: PhotoGames,
    sheets: Sequence[Sheet],
    progress: Callable[[str, int, int], None],
    lexicon: Lexicon | None = None,
) -> ReconstructedGames:
    """Reconstruct all games, with those of which there are one photo and a score sheet."""
    names = [photo.name for photo in games.catalogue.photos]
    uses, notes = assign_sheets(sheets, list_candidates(games), len(games.games), names)
    found = ReconstructedGames(sheet_notes=tuple(notes))
    done, total = 0, sum(map(len, games.games))
    for number, (photos, match) in enumerate(zip(games.games, uses, strict=False)):
        edition = games.edition(number)
        evidence = collect_game_evidence(games, photos, edition)
        positions = reconstruct_positions(evidence, edition)
        game = build_game(positions, edition, match.sheet.players if match is not None else UNKNOWN_PLAYERS)
        boards = [(position.photos[0], position.board) for position in positions]
        game = decide_by_sheet(game, match, boards, lexicon)
        names = [games.catalogue.photos[index].name for index in photos]
        gaps = (*game.gaps, *missing_photos(names, evidence, positions, edition))
        doubts = compare_photos(found, games, photos, evidence, positions)
        add_game(found, replace(game, gaps=gaps, doubts=doubts), names)
        done += len(photos)
        progress("games", done, total)
    singles = [match for match in uses[len(games.games) :] if match is not None]
    for match in sorted(singles, key=lambda match: match.photo):
        add_single_board(found, games, match, lexicon)
    return found


def game_name(number: int) -> str:
    """Return the name of a game by its number, counted from 0."""
    return f"game-{number + 1:04d}"


def decide_by_sheet(
    game: FoundGame, match: SheetMatch | None, boards: Sequence[tuple[str, Board]], lexicon: Lexicon | None
) -> FoundGame:
    """Return the game that the points of its score sheet decide, or the game as it is with a gap if none fits."""
    if match is None or not match.sheet.turns or not boards:
        return game
    decided = build_game_from_sheet(boards, match.sheet, game.game.edition, lexicon)
    return decided or replace(game, gaps=(*game.gaps, NO_ORDER_FITS))


def add_single_board(
    found: ReconstructedGames, games: PhotoGames, match: SheetMatch, lexicon: Lexicon | None
) -> None:
    """Add the game of which one photo and a score sheet are all that is known."""
    record = games.record(match.photo)
    assert record.board is not None  # a single board is a photo with tiles
    edition = games.catalogue.editions[record.board.edition]
    unknown = Game(edition=edition, players=match.sheet.players)
    game = FoundGame(game=unknown, gaps=("one photo of a board does not show its plays",))
    game = decide_by_sheet(game, match, [(record.name, Board.from_rows(record.board.rows))], lexicon)
    if game.shown:
        add_game(found, game, [record.name])
    else:
        fields = game.record(game_name(len(found.records)), [record.name])
        found.records.append({**fields, "totals": None, "gcg": None})


def add_game(found: ReconstructedGames, game: FoundGame, names: Sequence[str]) -> None:
    """Add the record and the file of a game; `names` are its photos in the order of play."""
    name = game_name(len(found.records))
    path = f"{GAMES}/{name}.gcg"
    try:
        found.files[path] = game.gcg
    except GameError as error:
        game = replace(game, gaps=(*game.gaps, f"there is no game file: {error}"))
    found.records.append({**game.record(name, names), "gcg": path if path in found.files else None})


def compare_photos(
    found: ReconstructedGames,
    games: PhotoGames,
    photos: Sequence[int],
    evidence: Sequence[PhotoEvidence],
    positions: Sequence[Position],
) -> tuple[str, ...]:
    """Compare the photos of a game with it, and add to `found` where they differ or are doubtful.

    Photos that were not read together with the others are left out: it is not known which position they show. Returns
    a line for each square where the game has another tile than a photo surely shows.
    """
    position_of = {name: position for position in positions for name in position.photos}
    joint = {each.name for each in evidence}
    sure: dict[tuple[Square, str, str], list[str]] = {}
    for index in photos:
        name = games.catalogue.photos[index].name
        if name not in joint or name not in position_of:
            continue
        record, position = games.record(index), position_of[name]
        squares = found.conflicts[name] = find_conflicts(record, position.board)
        unsure = np.argwhere(position.confidence < MIN_SURE_SHARE).tolist()
        found.doubtful[name] = {*squares, *((row, column) for row, column in unsure)}
        for (row, column), token in squares.items():
            assert record.board is not None  # or it would have no conflicts
            is_sure = record.board.confidence[row][column] >= FLAG_SETTINGS.min_confidence
            if is_sure and (row, column) not in position.left_out:  # those are gaps
                seen = record.board.rows[row][column]
                sure.setdefault(((row, column), seen, token), []).append(name)
    return tuple(
        f"{format_square(*square)}: the game has {name_token(token)}, but "
        f"{names[0] + ' surely shows' if len(names) == 1 else f'{names[0]} and {len(names) - 1} more surely show'} "
        f"{name_token(seen)}; check it"
        for (square, seen, token), names in sure.items()
    )


def collect_game_evidence(games: PhotoGames, photos: Sequence[int], edition: Edition) -> list[PhotoEvidence]:
    """Collect the evidence of a game's photos.

    Of very many it is that of every second, third ... one, of the last one, and of those that people corrected.
    """
    catalogue, found = games.catalogue, list[PhotoEvidence]()
    selected = {*photos[:: math.ceil(len(photos) / MAX_JOINT_PHOTOS)], photos[-1]}
    for index in photos:
        photo, corrected = catalogue.photos[index], catalogue.summaries[index].corrected or ()
        if index not in selected and not corrected and found:
            found[-1] = replace(found[-1], others=(*found[-1].others, photo.name))
        elif (reading := catalogue.reading(photo)) is not None:
            evidence = collect_evidence(games.record(index), reading, edition, corrected)
            found.extend([evidence] if evidence is not None else [])
    return found


def missing_photos(
    names: Sequence[str], evidence: Sequence[PhotoEvidence], positions: Sequence[Position], edition: Edition
) -> list[str]:
    """Return the gaps of a game's photos that show none of its positions."""
    known = {name for each in evidence for name in (each.name, *each.others)}
    shown = {name for position in positions for name in position.photos}
    other = f"was read as another board than {edition.name}'s; it is left out"
    gaps = [f"{name}: {other}" for name in names if name not in known]
    gaps += [f"{name}: no tile on it is of a play; it is left out" for name in names if name in known - shown]
    return gaps


def find_conflicts(record: PhotoRecord, board: Board) -> dict[Square, str]:
    """Find the squares that the game's position has otherwise than the photo, with the game's tokens.

    Corrected squares are not questioned.
    """
    if record.board is None or record.board.size != board.size:
        return {}  # it was read as another board
    corrected = {each.square for each in record.corrected or ()}
    return {
        (row, column): board[row, column]
        for row, tokens in enumerate(record.board.rows)
        for column, token in enumerate(tokens)
        if token not in (board[row, column], COVERED)
        and not (is_blank(token) and is_blank(board[row, column]))
        and (row, column) not in corrected
    }


def add_conflicts(record: PhotoRecord, conflicts: Mapping[Square, str]) -> PhotoRecord:
    """Return the photo with a doubt on each of these squares; its tokens stay what the photo shows by itself."""
    board = record.board
    assert board is not None  # or it would have no conflicts
    new = (SquareDoubt(at, f"its game has {name_token(now)} here") for at, now in conflicts.items())
    doubts = tuple(sorted((*board.doubts, *new), key=lambda doubt: doubt.square))
    # they are expected to be misread
    misread_squares = board.misread_squares + sum(board.confidence[row][column] for row, column in conflicts)
    return replace(record, board=replace(board, doubts=doubts, misread_squares=round(misread_squares, 3)))


def name_token(token: str) -> str:
    """Return what a square holds in words."""
    return "nothing" if token == EMPTY else "a blank" if is_blank(token) else token
