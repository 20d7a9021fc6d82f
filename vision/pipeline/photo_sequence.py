"""Track a game in photos, one per turn: each is read, compared with the board before, and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scoring import COVERED, Board, Game, InferenceKind, infer
from vision.capture import open_picture
from vision.core import DecodedBoard, Square, neighbours_of
from vision.errors import BoardNotFoundError, InputError, SettingsError
from vision.game_events import (
    EARLIER,
    TURN_SETTINGS,
    GameUpdate,
    Notice,
    NoticeKind,
    UpdateBatch,
    UpdateKind,
    begin_game,
    covered_squares,
    find_opening,
    follow_turn,
    is_earlier,
    squares_of,
    take_over_photo,
    word_ends,
)
from vision.observation import BoardObservation
from vision.pipeline.checks import EditionMismatches
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext

__all__ = ["track_photos"]

PRESENT = "this is the board as the game has it; the game goes on with the next picture"
"""Message for the last of several pictures that were older than the game."""

UPSIDE_DOWN = (
    "the letters do not say which side of the board is up, so that it may have been read upside down; "
    "a closer or sharper picture would tell"
)
"""Message for a board that may be named from the wrong side."""

OTHER_BOARD = "the pictures before the last two show another board; the game begins with these two"
"""Message for a game whose first picture was of another board."""


def track_photos(
    pictures: Sequence[Path | str],
    game: Game,
    context: GameContext,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    after: int = -1,
    may_replay: bool = False,
) -> Iterator[UpdateBatch]:
    """Follow a game by one picture per turn.

    A picture that cannot be read, or has another shape than those before, is reported and the game goes on: the next
    picture then shows two turns. After three pictures with new tiles that nothing explains, the board is taken over.

    Parameters
    ----------
    pictures : sequence of Path or str
        One picture of each finished turn, in order.
    game : Game
        The game before the first of them.
    context : GameContext
        What the pictures are read with.
    corners_px : four (x, y), optional
        The grid's outer corners in every picture; detection is skipped.
    after : int
        Number of the last picture that `game` includes.
    may_replay : bool
        Whether pictures may show boards that `game` has had. Until one shows the present board, or a later one, no
        play is withdrawn and no turn passes.

    Yields
    ------
    UpdateBatch
        What each picture gave.

    Raises
    ------
    SettingsError
        If the corners or the profile do not suit the first picture.
    """
    follower = _PhotoFollower(game, may_replay=may_replay)
    suits_some = after >= 0
    for index, path in enumerate(map(Path, pictures)):
        if index <= after:
            continue
        batch = UpdateBatch(source=path.name, index=index, game=follower.game)
        try:
            seen = read_photo(
                open_picture(path, index, may_reduce=True),
                context,
                corners_px=corners_px,
                prior_board=follower.game.board,
            )
        except (InputError, BoardNotFoundError, SettingsError) as error:
            # settings that suited an earlier picture are right: this one has another shape
            if isinstance(error, SettingsError) and not suits_some:
                raise
            missing = isinstance(error, BoardNotFoundError)
            kind = NoticeKind.BOARD_NOT_FOUND if missing else NoticeKind.UNREADABLE
            yield replace(batch, notices=(Notice(kind, str(error)),))
        else:
            suits_some = True
            yield follower.follow(batch, seen)


class _PhotoFollower:
    """Follows a game from photo to photo, and remembers what they showed that no turn explains.

    Parameters
    ----------
    game : Game
        The game before the first photo.
    may_replay : bool
        Whether photos may show boards that the game has had.
    """

    def __init__(self, game: Game, *, may_replay: bool) -> None:
        self.game = game
        self._may_replay = may_replay
        self._is_earlier_shown = False
        self._first_seen: Mapping[Square, float] = {}
        self._unexplained: DecodedBoard | None = None
        self._mismatches = EditionMismatches(game.edition)
        self._remarks: set[str] = set()

    def follow(self, batch: UpdateBatch, seen: BoardObservation) -> UpdateBatch:
        """Follow one photo; return its batch with what it gave."""
        board = seen.decoded.board
        if self._may_replay:
            message = _replay_message(board, self.game.board, after_earlier=self._is_earlier_shown)
            if message:
                self._is_earlier_shown = message == EARLIER
                return replace(batch, notices=_unclear(message))
            self._may_replay = False
        remarks = _unclear(*self._new_messages(seen))
        updates, notices = self._explain(seen.decoded, batch.index)
        return replace(batch, game=self.game, updates=updates, notices=(*remarks, *notices), observation=seen)

    def _new_messages(self, seen: BoardObservation) -> list[str]:
        """Return what is to be said of a photo, each line once."""
        messages = self._mismatches.new_messages(seen)
        if not seen.is_orientation_certain and any(seen.decoded.board.tiles()):
            messages.append(UPSIDE_DOWN)
        messages += [remark for remark in seen.remarks if remark not in self._remarks]
        self._remarks.update(seen.remarks)
        return messages

    def _explain(
        self, decoded: DecodedBoard, index: int
    ) -> tuple[tuple[GameUpdate, ...], tuple[Notice, ...]]:
        """Explain a board, and go on with the game that it shows; the notices say how, or why it is not explained."""
        outcome = follow_turn(self.game, decoded)
        if not isinstance(outcome, Notice):
            self._unexplained = None
            return self._accept(outcome, decoded.board), ()
        if (begun := _begin_in_mid_game(self.game, decoded)) is not None:
            self.game, message = begun
            return (), _unclear(message)
        before, self._unexplained = self._unexplained, decoded
        if (updates := _begin_anew(self.game, before, decoded)) is not None:
            return self._accept(updates, decoded.board), _unclear(OTHER_BOARD)
        self._first_seen, taken = take_over_photo(decoded, self.game, self._first_seen, index)
        if taken is None:
            return (), (outcome,)
        self.game, self._first_seen = taken.game, {}
        return taken.updates, _unclear(taken.message)

    def _accept(self, updates: tuple[GameUpdate, ...], seen: Board) -> tuple[GameUpdate, ...]:
        """Go on with the game after these updates."""
        self.game, self._first_seen = updates[-1].game, {}
        return tuple(_limit_by_hidden_squares(update, seen) for update in updates)


def _unclear(*messages: str) -> tuple[Notice, ...]:
    return tuple(Notice(NoticeKind.UNCLEAR, message) for message in messages)


def _limit_by_hidden_squares(update: GameUpdate, seen: Board) -> GameUpdate:
    """Limit the confidence where squares cannot be seen: a word that ends there may be longer, a play may lie there."""
    if update.kind is UpdateKind.NO_PLAY and _may_hide_play(update.game, seen):
        return replace(update, confidence=min(update.confidence, TURN_SETTINGS.hidden_confidence))
    event = update.play_event
    if event is None:
        return update
    if any(seen[square] == COVERED for square in word_ends(update.game.board, event.play)):
        return replace(update, confidence=min(update.confidence, TURN_SETTINGS.hidden_confidence))
    return update


def _may_hide_play(game: Game, seen: Board) -> bool:
    """Whether an empty square next to a tile, or of the start of an empty board, cannot be seen."""
    tiles = squares_of(game.board.tiles())
    near = neighbours_of(tiles) - tiles or game.edition.layout.start
    return bool(near & covered_squares(seen))


def _begin_in_mid_game(game: Game, decoded: DecodedBoard) -> tuple[Game, str] | None:
    """Begin a game on its first board, and say so; None where it has begun, or one play may explain the board."""
    n_tiles = sum(1 for _ in decoded.board.tiles())
    if game.events or not game.board.is_empty or n_tiles <= game.edition.rack_size:
        return None
    opening = find_opening(decoded, None, game.edition)
    return None if opening is None else begin_game(game, opening[0])


def _begin_anew(game: Game, before: DecodedBoard | None, now: DecodedBoard) -> tuple[GameUpdate, ...] | None:
    """Begin the game with the last two boards, if one play leads from one to the other and nothing was played yet."""
    if game.events or before is None:
        return None
    if infer(before.board, now.board, game.edition).kind is not InferenceKind.PLAY:
        return None
    empty = Game(edition=game.edition, players=game.players)
    begun = _begin_in_mid_game(empty, before)
    first = () if begun is not None else follow_turn(empty, before)
    if isinstance(first, Notice):
        return None
    second = follow_turn(begun[0] if begun is not None else first[-1].game, now)
    return None if isinstance(second, Notice) else (*first, *second)


def _replay_message(seen: Board, board: Board, *, after_earlier: bool) -> str:
    """The message for a board that the game has had; empty if it may be a new one.

    `after_earlier` tells whether the picture before showed the game before its last event.
    """
    if is_earlier(seen, board):
        return EARLIER
    return PRESENT if after_earlier and squares_of(seen.tiles()) == squares_of(board.tiles()) else ""
