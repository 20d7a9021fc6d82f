"""Build a game from a score sheet: the plays that its points decide, between the positions that photos show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scoring import (
    Board,
    Edition,
    Game,
    IllegalPlayError,
    Lexicon,
    PlayEvent,
    designated,
    format_play,
    format_square,
    is_blank,
)
from tilesight.digitise.reconstruction.game_record import FoundGame
from tilesight.digitise.score_sheets import Sheet, SheetSolution, solve_turns

__all__ = ["NO_ORDER_FITS", "build_game_from_sheet"]

NO_ORDER_FITS = (
    "no order of play makes the points of the score sheet, nor with one wrong entry or one misread tile; "
    "check the board and the sheet, which must have no running totals and no points for racks at the end"
)


def build_game_from_sheet(
    boards: Sequence[tuple[str, Board]], sheet: Sheet, edition: Edition, lexicon: Lexicon | None = None
) -> FoundGame | None:
    """Find the plays of a game from the points of its turns; None if no order of play makes them.

    `boards` are the positions that photos show, in order up to the final board, each with the name of a photo.
    """
    final = boards[-1][1]
    known = {name: board for name, board in boards if {*board.tiles()} <= {*final.tiles()}}
    others = [name for name, _ in boards if name not in known]
    taken_back = [f"{name}: a play on it was taken back; the score sheet's game lacks it" for name in others]
    points = [turn.points for turn in sheet.turns]
    solution = solve_turns(final, edition, points, known=[*known.values()], lexicon=lexicon)
    if solution is None:
        return None
    game = Game(edition=edition, players=sheet.players)
    shown, illegal = [], []
    for name, turn, play in zip(name_turns(sheet), sheet.turns, solution.plays, strict=True):
        if play is not None:
            try:
                game = game.with_play(play, player=turn.player)
            except IllegalPlayError as error:
                game = game.with_event(PlayEvent(player=turn.player, play=play))
                illegal.append(f"{name}: {error}")
        elif turn.is_pass:
            game = game.with_pass(player=turn.player)
        elif turn.exchanged is not None:
            game = game.with_exchange(count=turn.exchanged, player=turn.player)
        else:
            game = game.with_no_play(player=turn.player)
        shown.append(next(name for name, board in known.items() if {*game.board.tiles()} <= {*board.tiles()}))
    return FoundGame(
        game=game,
        shown=tuple(shown),
        confidence=solution.confidence,
        gaps=(*describe_doubts(solution, sheet, game), *illegal, *taken_back),
        alternatives=solution.alternatives,
    )


def describe_doubts(solution: SheetSolution, sheet: Sheet, game: Game) -> Iterator[str]:
    """Describe the entries that do not fit, and the turns whose plays are not decided."""
    names = name_turns(sheet)
    for name, entry, step in zip(names, sheet.turns, game.steps, strict=True):
        if (entry.exchanged or 0) > game.edition.rack_size:
            yield f"{name}: x{entry.exchanged} exchanges more tiles than a rack holds; check the score sheet"
        if step.score != entry.points:
            yield f"{name}: the score sheet says {entry.points}, the play makes {step.score}; check both"
    elsewhere = [at for at in solution.wrong_turns if game.steps[at].score == sheet.turns[at].points]
    if elsewhere:
        turns = "; ".join(names[each] for each in elsewhere)
        yield f"if the plays were made in another order, the wrong entry is one of these: {turns}"
    tokens = [f"a blank for {designated(each)}" if is_blank(each) else each for each in solution.tile_tokens]
    if solution.tile is not None:
        yield (
            f"the tile on {format_square(*solution.tile)} may be misread: with {' or '.join(tokens)} the words and the "
            "points fit"
        )
    turns_of = {play: turn for turn, play in enumerate(solution.plays)}
    done: set[int] = set()
    for turn, others in enumerate(solution.alternatives):
        group = {turn, *(turns_of[play] for play in others if play in turns_of)}
        if len(group) > 1 and not group <= done:
            done |= group
            turns = "; ".join(names[each] for each in sorted(group))
            entries = {sheet.turns[each].points for each in group}
            which = f"these plays of {entries.pop()} points" if len(entries) == 1 else "these plays"
            yield f"which of {which} came first is not decided: {turns}"
        elif others and turn not in done:
            plays = [play for play in (solution.plays[turn], *others) if play is not None]
            yield f"{names[turn]}: {' or '.join(format_play(play, game.edition) for play in plays)}"


def name_turns(sheet: Sheet) -> list[str]:
    """Return the name of each turn: the player, and the number among the player's turns."""
    players = sheet.players
    return [f"{players[turn.player]}, turn {at // len(players) + 1}" for at, turn in enumerate(sheet.turns)]
