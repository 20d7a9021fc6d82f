"""Convert the state of a live game to the schemas of the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring import (
    BLANK,
    ChallengeEvent,
    Edition,
    Game,
    Play,
    ScoringError,
    Step,
    format_square,
    format_tokens,
    score_play,
)
from tilesight.live import (
    Clocks,
    GameState,
    Moment,
    PlayerInfo,
    Tournament,
    WordList,
    describe_step,
    find_overtime,
    format_change,
    is_final,
)
from tilesight.output import newest_squares
from tilesight.web.schemas import (
    CameraView,
    ClockView,
    DifferenceView,
    DoubtView,
    EditionView,
    EventView,
    HallPlayer,
    HallTable,
    MatchView,
    MomentView,
    MoveView,
    OperatorView,
    PlayerView,
    StandingView,
    TableLine,
    TableView,
    UnseenView,
)
from vision.game_events import is_accepted

__all__ = [
    "filter_event",
    "format_ending",
    "serialize_clock",
    "serialize_edition",
    "serialize_for_hall",
    "serialize_for_operator",
    "serialize_for_viewers",
    "serialize_line",
    "serialize_match",
    "serialize_moment",
    "serialize_tournament",
]

PUBLIC_FIELDS = frozenset(
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
        "provisional",
        "replaces",
        "text",
        "left_s",
        "running",
        "at_s",
        "game",
        "round",
        "best_of",
        "players",
        "counted",
        "until_s",
    }
)
"""Fields of an event that viewers get: no racks, no uncertain tiles, nothing about files and cameras."""
PRIVATE_KINDS = frozenset({"rack", "confirmed"})
"""Kinds of events of which viewers get the kind only."""


def filter_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a JSON event that viewers may see."""
    if event["event"] in PRIVATE_KINDS:
        return {"event": event["event"]}
    return {name: value for name, value in event.items() if name in PUBLIC_FIELDS}


def serialize_line(state: GameState) -> TableLine:
    """Convert a state to an entry of the list of tables."""
    return TableLine(
        table=state.name,
        title=state.title,
        players=list(state.game.players),
        totals=list(state.game.totals),
        edition=state.edition.name,
        watching=state.watching,
        over=format_ending(state.game),
    )


def serialize_for_viewers(state: GameState, now_s: float) -> TableView:
    """Convert a state to what viewers see at `now_s`, in seconds since 1970."""
    return TableView(**_table_fields(state, state.shown_game, now_s, state.shown_racks(now_s)))


def serialize_tournament(tournament: Tournament | None, now_s: float, *, for_hub: bool = False) -> EventView:
    """Convert an event at `now_s`, in seconds since 1970; a hub adds the file of results. None has no title."""
    if tournament is None:
        return EventView(title="", round="", starts_s=None, now_s=round(now_s, 3), standings=[])
    event = tournament.event
    standings = []
    for line in tournament.own_standings if for_hub else tournament.standings:
        player = event.player(line.name)
        standings.append(
            StandingView(
                place=line.place,
                name=line.name,
                games=line.games,
                wins=line.wins,
                spread=line.spread,
                points=line.points,
                rating=player.rating,
                club=player.club,
                flag=player.flag,
            )
        )
    return EventView(
        title=event.title,
        round=event.default.round,
        starts_s=event.starts_s,
        now_s=round(now_s, 3),
        standings=standings,
    )


def serialize_for_hall(state: GameState, now_s: float) -> HallTable:
    """Convert a state to a table on the page for the hall at `now_s`, in seconds since 1970."""
    game, clocks = state.shown_game, state.clocks(now_s)
    won, unseen = state.match.games_won(game), state.game.unseen()
    moves = (_serialize_step(step, game) for step in reversed(game.steps))
    last = next((move for move in moves if move.text), None)
    return HallTable(
        table=state.name,
        title=state.title,
        match=serialize_match(state),
        players=[
            HallPlayer(
                name=name,
                total=game.totals[player],
                won=won[player],
                on_turn=player == game.turn and game.ending is None,
                clock=serialize_clock(clocks, player),
                flag=state.match.players[player].flag if state.match.players else "",
            )
            for player, name in enumerate(game.players)
        ],
        last=last.text if last is not None else "",
        move=last,
        over=format_ending(game),
        final=is_final(game),
        watching=state.watching,
        unseen=sum(unseen.values()) if unseen is not None else None,
        now_s=round(now_s, 3),
    )


def serialize_for_operator(state: GameState, now_s: float, words: WordList | None = None) -> OperatorView:
    """Convert a state to what the operator sees.

    Parameters
    ----------
    state : GameState
        The state.
    now_s : float
        The moment, in seconds since 1970.
    words : WordList, optional
        The table's word list.
    """
    doubts = [
        DoubtView(
            square=(tile.row, tile.column),
            name=format_square(tile.row, tile.column),
            token=tile.token,
            confidence=tile.confidence,
            others=list(tile.others),
        )
        for tile in state.operator.uncertain_tiles
    ]
    return OperatorView(
        **_table_fields(state, state.game, now_s, state.known_racks(now_s)),
        doubts=doubts,
        attention=_format_attention(state),
        question=state.operator.question,
        difference=_serialize_difference(state),
        problems=_list_problems(state),
        undoable=state.undoable,
        redoable=state.redoable,
        camera=CameraView(watching=state.watching, status=state.status),
        rack_delay_s=state.rack_delay_s,
        own_title=state.operator.title,
        overtime=_serialize_overtime(state, now_s),
        word_checks=_check_words(state.game, words),
        change_texts=[format_change(state.game, index) for index in range(len(state.game.steps))],
    )


def _check_words(game: Game, words: WordList | None) -> list[list[bool]]:
    """Return for each word of each move whether the list has it; nothing without a list."""
    if words is None:
        return []
    return [words.check_play(step.scored) if step.scored is not None else [] for step in game.steps]


def _serialize_overtime(state: GameState, now_s: float) -> list[tuple[str, int]]:
    """Return the points that the clocks take off each player, once the game is over."""
    if state.game.ending is None:
        return []
    due = find_overtime(state.game, state.clocks(now_s), state.match.overtime)
    return [(state.game.players[player], points) for player, points in due.items()]


def _format_attention(state: GameState) -> str:
    """Return what the operator should look at: differences of board and record before questions."""
    messages = (state.difference.message if state.difference is not None else "", state.operator.question)
    return "; ".join(message for message in messages if message)


def _serialize_difference(state: GameState) -> DifferenceView | None:
    difference = state.difference
    if difference is None:
        return None
    tiles = (*difference.extra, *difference.missing)
    return DifferenceView(
        extra=[format_square(tile.row, tile.column) for tile in difference.extra],
        missing=[format_square(tile.row, tile.column) for tile in difference.missing],
        squares=[(tile.row, tile.column) for tile in tiles],
        undone=difference.is_removed_by_user,
        play=_format_undone_play(state) if difference.is_removed_by_user else "",
    )


def _format_undone_play(state: GameState) -> str:
    """Return the square and the word of the tiles that were taken out of the record, to be corrected."""
    assert state.difference is not None
    try:
        scored = score_play(state.game.board, Play.of(state.difference.extra), state.edition)
    except ScoringError:
        return ""
    word = format_tokens(scored.main_word.tokens, state.edition.tokens)
    return f"{scored.position} {word}"


def _list_problems(state: GameState) -> list[str]:
    """List the rules that moves break, and what is wrong with the director's files."""
    game = state.game
    moves = [
        f"move {problem.index + 1}: {problem.message}"
        for problem in game.problems
        if not is_accepted(game.events[problem.index])
    ]
    return [*moves, state.match.problem] if state.match.problem else moves


def serialize_edition(edition: Edition) -> EditionView:
    """Convert an edition, which does not change during a game."""
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
    won = state.match.games_won(game)
    known = state.match.players or tuple(PlayerInfo(name=name) for name in game.players)
    players = [
        PlayerView(
            name=name,
            total=game.totals[player],
            place=places[player],
            on_turn=player == game.turn and game.ending is None,
            rack=list(racks[player]),
            clock=serialize_clock(clocks, player),
            won=won[player],
            rating=known[player].rating,
            club=known[player].club,
            flag=known[player].flag,
        )
        for player, name in enumerate(game.players)
    ]
    moves = [_serialize_step(step, game) for step in game.steps]
    if state.operator.is_provisional:
        moves[-1] = moves[-1].model_copy(update={"provisional": True})
    return {
        "table": state.name,
        "title": state.title,
        "sequence": state.sequence,
        "now_s": round(now_s, 3),
        "edition": state.edition.name,
        "rows": [list(row) for row in game.board.rows],
        "players": players,
        "moves": moves,
        "newest": sorted(newest_squares(game)),
        "unseen": _count_unseen(state),
        "over": format_ending(game),
        "final": is_final(game),
        "watching": state.watching,
        "match": serialize_match(state),
        "countdown_s": state.countdown_s,
        "language": state.language,
    }


def serialize_clock(clocks: Clocks | None, player: int) -> ClockView | None:
    """Convert a player's clock; None for a game without clocks."""
    if clocks is None:
        return None
    return ClockView(left_s=round(clocks.left_s[player], 3), running=clocks.running == player)


def serialize_match(state: GameState) -> MatchView:
    """Convert what is known of the match."""
    match = state.match
    return MatchView(
        event=match.event,
        round=match.round,
        table=match.table,
        best_of=match.best_of,
        game=match.number,
        decided=match.is_decided(state.game),
    )


def serialize_moment(moment: Moment, game: Game) -> MomentView:
    """Convert a moment of a game; its players are named."""
    values = {name: getattr(moment, name) for name in MomentView.model_fields}
    for name in ("player", "challenger"):
        values[name] = game.players[values[name]] if values[name] is not None else None
    return MomentView(**values)


def _serialize_step(step: Step, game: Game) -> MoveView:
    scored = step.scored
    common: dict[str, Any] = {
        "player": step.event.player,
        "kind": step.event.kind,
        "score": step.score,
        "total": step.total,
        "text": describe_step(step, game),
    }
    if isinstance(step.event, ChallengeEvent):
        return MoveView(**common, **_serialize_ruling(step, step.event))
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


def _serialize_ruling(step: Step, event: ChallengeEvent) -> dict[str, Any]:
    who, lost = event.challenger, 0
    if who is not None:
        lost = step.before.totals[who] - step.after.totals[who]
    return {"valid": not event.upheld, "challenger": who, "lost": lost}


def _count_unseen(state: GameState) -> UnseenView:
    unseen = state.game.unseen()
    if unseen is None:
        return UnseenView(tiles=None, total=None)
    tokens = (*state.edition.tokens, BLANK)
    return UnseenView(
        tiles=[(token, unseen.get(token, 0)) for token in tokens if state.edition.counts.get(token)],
        total=sum(unseen.values()),
    )


def format_ending(game: Game) -> str | None:
    """Return why a game is over; None if it is not."""
    return game.ending.value if game.ending is not None else None
