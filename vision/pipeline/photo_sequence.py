"""Composes a game: each turn's picture is read, compared with the board before, and scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scoring import Board, Game, Lexicon
from vision.capture import open_picture
from vision.errors import BoardNotFoundError, InputError
from vision.game_events import (
    EARLIER,
    BoardView,
    GameUpdate,
    UpdateBatch,
    UpdateKind,
    follow_turn,
    is_earlier,
    squares,
)
from vision.pipeline.checks import misfit, premium_misfit
from vision.pipeline.photo import read_frame
from vision.profile import Profile
from vision.recognition import SquareReader

__all__ = ["watch_turns"]

KNOWN = "this is the board as the game has it; the game goes on with the next picture"
"""What is said of the last of some pictures that were older than the game."""

UPSIDE_DOWN = (
    "the letters do not say which side of the board is up, so that it may have been read on its head; "
    "a closer or sharper picture would tell"
)


def watch_turns(
    pictures: Sequence[Path],
    game: Game,
    reader: SquareReader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    lexicon: Lexicon | None = None,
    after: int = -1,
    profile: Profile | None = None,
    perhaps_old: bool = False,
) -> Iterator[UpdateBatch]:
    """Follows a game by one picture a turn.

    A picture that cannot be read is reported and the game goes on: the next one then shows two turns.

    Parameters
    ----------
    pictures : sequence of Path
        One picture of each finished turn, in order.
    game : Game
        The game before the first of them.
    reader : SquareReader
        What reads the cells.
    corners_px : four (x, y), optional
        The grid's outer corners in every picture; localisation is skipped.
    lexicon : Lexicon, optional
        Words that are a little more likely than others, and name blanks.
    after : int
        Number of the last picture that `game` knows.
    profile : Profile, optional
        What is known of the lens, and of where the board lies.
    perhaps_old : bool
        Whether pictures may show boards that `game` has had: until one shows the board that it has, or a later one,
        nothing is taken back and no turn goes by.
    """
    earlier = False
    edition_fits = layout_fits = True
    for index, path in enumerate(pictures):
        if index <= after:
            continue
        try:
            frame = open_picture(path, index)
            seen = read_frame(
                frame,
                game.edition,
                reader,
                corners_px=corners_px,
                before=game.board,
                lexicon=lexicon,
                profile=profile,
            )
        except (InputError, BoardNotFoundError) as error:
            missing = isinstance(error, BoardNotFoundError)
            kind = UpdateKind.BOARD_NOT_FOUND if missing else UpdateKind.UNREADABLE
            update = GameUpdate(kind=kind, game=game, message=str(error))
            yield UpdateBatch(source=path.name, index=index, updates=(update,))
            continue
        if perhaps_old and (known := known_already(seen.decoded.board, game.board, earlier=earlier)):
            earlier = known == EARLIER
            update = GameUpdate(kind=UpdateKind.UNCLEAR, game=game, message=known)
            yield UpdateBatch(source=path.name, index=index, updates=(update,))
            continue
        perhaps_old = False
        updates = follow_turn(game, seen.decoded)
        game = updates[-1].game
        edition = game.edition
        if seen.turn_is_guess and any(seen.decoded.board.tiles()):
            update = GameUpdate(kind=UpdateKind.UNCLEAR, game=game, message=UPSIDE_DOWN)
            updates = (update, *updates)
        if edition_fits and (message := misfit(seen.reading, seen.decoded, edition)):
            edition_fits = False
            updates = (GameUpdate(kind=UpdateKind.UNCLEAR, game=game, message=message), *updates)
        if layout_fits and (message := premium_misfit(seen.rectified, seen.decoded.board, edition)):
            layout_fits = False
            updates = (GameUpdate(kind=UpdateKind.UNCLEAR, game=game, message=message), *updates)
        view = BoardView(frame=frame, grid=seen.grid, rectified=seen.rectified, decoded=seen.decoded)
        yield UpdateBatch(source=path.name, index=index, updates=updates, view=view)


def known_already(seen: Board, board: Board, *, earlier: bool) -> str:
    """What to say of a board that the game has had; "" if it may be a new one.

    `earlier` says that the picture before showed one from before the game's last event.
    """
    if is_earlier(seen, board):
        return EARLIER
    return KNOWN if earlier and squares(seen.tiles()) == squares(board.tiles()) else ""
