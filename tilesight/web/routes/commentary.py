"""The commentators' endpoints: everything at once and nothing to change. They need the commentators' token."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from scoring import capitalize, format_play
from tilesight.web.access import Right
from tilesight.web.context import EventStream
from tilesight.web.routes.dependencies import AnalystDep, ContextDep, GameDep, require_right
from tilesight.web.routes.responses import GUARDED, STREAM
from tilesight.web.schemas import Model, OperatorView
from tilesight.web.serializers import serialize_for_operator

__all__ = ["router"]

MAX_WORDS = 16
"""Words of one question; chosen."""
Word = Annotated[str, Query(max_length=60)]

CommentatorOnly = Depends(require_right(Right.COMMENTATOR))
router = APIRouter(
    prefix="/api/tables/{table}/commentary",
    tags=["commentary"],
    dependencies=[CommentatorOnly],
    responses=GUARDED,
)


class BestPlayView(Model):
    """A play with its score and its words."""

    play: str
    position: str
    score: int
    words: list[tuple[str, int]]
    tiles: int
    bonus: int


class PlaysView(Model):
    """The best plays of the player on turn, and the number of all plays.

    `note` says why there are none; `is_busy` says that another question is answered, and to ask again.
    """

    sequence: int
    player: int | None
    count: int
    plays: list[BestPlayView]
    note: str
    is_busy: bool


class ChanceView(Model):
    """A play as MAGPIE writes it, with its chance to win from 0 to 1."""

    play: str
    score: int
    chance: float


class ChancesView(Model):
    """MAGPIE's plays of the player on turn, the best first; `note` says why there are none, `is_busy` to ask again."""

    sequence: int
    player: int | None
    plays: list[ChanceView]
    note: str
    is_busy: bool


class WordsView(Model):
    """Words with whether the table's list has them; null if the table has no list."""

    words: list[tuple[str, bool]] | None


@router.get("")
def show_commentators_view(stream: GameDep) -> OperatorView:
    """A table as it is now, with all racks that are known."""
    return serialize_for_operator(stream.game.state, time.time(), stream.words)


@router.get("/events", responses=STREAM, response_class=EventStream)
async def stream_commentators_view(stream: GameDep, context: ContextDep, request: Request) -> EventStream:
    """The same as server-sent events."""
    return context.stream(stream, request, for_operator=True)


@router.get("/plays")
def list_best_plays(stream: GameDep, analyst: AnalystDep) -> PlaysView:
    """The best plays by score of the player on turn, whose words are all in the table's list."""
    state = stream.game.state
    found = analyst.find_plays(state, time.time())
    board, edition = state.game.board, state.edition
    return PlaysView(
        sequence=state.sequence,
        player=found.player,
        count=found.count,
        note=found.note,
        is_busy=found.is_busy,
        plays=[
            BestPlayView(
                play=format_play(scored.play, edition, board),
                position=scored.position,
                score=scored.total,
                words=[(word.text, word.score) for word in scored.words],
                tiles=len(scored.play),
                bonus=scored.bonus,
            )
            for scored in found.plays
        ],
    )


@router.get("/chances")
def list_win_chances(stream: GameDep, analyst: AnalystDep) -> ChancesView:
    """MAGPIE's chances to win of the player on turn, where the user has built MAGPIE; this takes seconds."""
    state = stream.game.state
    found = analyst.find_chances(state, time.time())
    return ChancesView(
        sequence=state.sequence,
        player=found.player,
        note=found.note,
        is_busy=found.is_busy,
        plays=[ChanceView(play=each.play, score=each.score, chance=each.chance) for each in found.plays],
    )


@router.get("/words")
def check_words(stream: GameDep, words: Annotated[list[Word], Query(max_length=MAX_WORDS)]) -> WordsView:
    """Whether the table's list has each of these words."""
    if stream.words is None:
        return WordsView(words=None)
    edition = stream.game.state.edition
    # Brackets mark a tile of several letters; a word list has none.
    bare = [capitalize(word.replace("[", "").replace("]", ""), edition) for word in words]
    return WordsView(words=[(word, stream.words.has_word(word)) for word in bare])
