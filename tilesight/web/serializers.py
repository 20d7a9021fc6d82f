"""Tables' states in the shapes that the web answers with: nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring import BLANK, Edition, Game, Step, format_square
from tilesight.live import GameState, told
from tilesight.web.schemas import (
    CameraView,
    ClockView,
    DeskView,
    DoubtView,
    EditionView,
    MoveView,
    PlayerView,
    TableLine,
    TableView,
    UnseenView,
)

__all__ = ["desk_view", "edition_view", "public_event", "table_line", "table_view"]

FOR_VIEWERS = frozenset(
    {
        "event",
        "player",
        "position",
        "word",
        "placed",
        "words",
        "bonus",
        "incomplete",
        "score",
        "total",
        "totals",
        "square",
        "was",
        "now",
        "text",
        "left_s",
        "running",
        "at_s",
    }
)
"""What of a journal's event is told to everybody: no racks, no doubts, nothing of files and cameras."""
NOT_FOR_VIEWERS = frozenset({"rack", "confirmed"})


def public_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event of the journal as everybody may see it."""
    if event["event"] in NOT_FOR_VIEWERS:
        return {"event": event["event"]}
    return {name: value for name, value in event.items() if name in FOR_VIEWERS}


def table_line(state: GameState) -> TableLine:
    """A table in the list of tables."""
    return TableLine(
        table=state.name,
        title=state.title,
        players=list(state.game.players),
        totals=list(state.game.totals),
        edition=state.edition.name,
        watching=state.watching,
        over=_over(state.game),
    )


def table_view(state: GameState, now_s: float) -> TableView:
    """A table as viewers see it."""
    return TableView(**_table_fields(state, state.shown_game, now_s, state.shown_racks(now_s)))


def desk_view(state: GameState, now_s: float) -> DeskView:
    """A table as its operator sees it."""
    doubts = [
        DoubtView(
            square=(doubt.row, doubt.column),
            name=format_square(doubt.row, doubt.column),
            token=doubt.token,
            confidence=doubt.confidence,
            others=list(doubt.others),
        )
        for doubt in state.desk.doubts
    ]
    return DeskView(
        **_table_fields(state, state.game, now_s, state.known_racks(now_s)),
        doubts=doubts,
        attention=state.desk.attention,
        problems=[problem.message for problem in state.game.problems],
        undoable=state.undoable,
        redoable=state.redoable,
        camera=CameraView(watching=state.watching, status=state.status),
        rack_delay_s=state.rack_delay_s,
    )


def edition_view(edition: Edition) -> EditionView:
    """What does not change during a game."""
    layout = edition.layout
    return EditionView(
        name=edition.name,
        title=edition.title,
        language=edition.language,
        rows=layout.rows,
        columns=layout.columns,
        tokens=list(edition.tokens),
        values=dict(edition.values),
        counts=dict(edition.counts),
        premiums=["".join(premium.value for premium in row) for row in layout.premiums],
        start=sorted(layout.start),
        rack_size=edition.rack_size,
    )


def _table_fields(
    state: GameState, game: Game, now_s: float, racks: tuple[tuple[str, ...], ...]
) -> dict[str, Any]:
    clocks = state.clocks(now_s)
    places = {standing.player: standing.place for standing in game.standings}
    players = [
        PlayerView(
            name=name,
            total=game.totals[player],
            place=places[player],
            on_turn=player == game.turn and game.ending is None,
            rack=list(racks[player]),
            clock=ClockView(left_s=round(clocks.left_s[player], 3), running=clocks.running == player)
            if clocks is not None
            else None,
        )
        for player, name in enumerate(game.players)
    ]
    laid = game.state.plays
    return {
        "table": state.name,
        "title": state.title,
        "sequence": state.sequence,
        "now_s": round(now_s, 3),
        "edition": state.edition.name,
        "rows": [list(row) for row in game.board.rows],
        "players": players,
        "moves": [_move(step, game) for step in game.steps],
        "newest": [(tile.row, tile.column) for tile in laid[-1].play] if laid else [],
        "unseen": _unseen(state),
        "over": _over(game),
        "watching": state.watching,
    }


def _move(step: Step, game: Game) -> MoveView:
    scored = step.scored
    common: dict[str, Any] = {
        "player": step.event.player,
        "kind": step.event.kind,
        "score": step.score,
        "total": step.total,
        "text": told(step, game),
    }
    if scored is None:
        return MoveView(**common)
    return MoveView(
        **common,
        position=scored.position,
        word=list(scored.main_word.tokens),
        words=[(word.text, word.score) for word in scored.words],
        placed=[(tile.row, tile.column, tile.token) for tile in scored.play],
        bonus=scored.bonus,
    )


def _unseen(state: GameState) -> UnseenView:
    unseen = state.game.unseen()
    if unseen is None:
        return UnseenView(tiles=None, total=None)
    tokens = (*state.edition.tokens, BLANK)
    return UnseenView(
        tiles=[(token, unseen.get(token, 0)) for token in tokens if state.edition.counts.get(token)],
        total=sum(unseen.values()),
    )


def _over(game: Game) -> str | None:
    return game.ending.value if game.ending is not None else None
