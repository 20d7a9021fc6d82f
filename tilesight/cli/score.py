"""`tilesight score`: replay recorded games, and report the printed numbers that are wrong."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilesight.cli.messages import print_json, sanitize, say
from tilesight.cli.options import GameFormat, edition_option, path_argument
from vision.errors import ExitCode, InputError

if TYPE_CHECKING:
    from scoring import Edition, Game, GcgDifference, GcgRecord, Step

__all__ = ["score"]

EXIT_DIFFERS = 1
"""Exit code if the file was read and a printed number differs from the recomputed one."""


def score(
    games: Annotated[
        list[Path],
        path_argument(
            metavar="GAME.gcg...", help="Recorded games, or folders of them (*.gcg, also in subfolders)."
        ),
    ],
    edition: Annotated[
        str | None,
        edition_option(
            "The edition; by default that of the file's #tile-distribution or #lexicon, otherwise a guess."
        ),
    ] = None,
    format_name: Annotated[
        GameFormat, typer.Option("--format", "-f", help="How the game is printed.")
    ] = GameFormat.TEXT,
) -> None:
    """Replay recorded games, recompute every score and name each line that differs.

    One file is printed event by event. Several files, or a folder, are printed with one line each and a summary.

    The exit code is 0 if all is right, 1 if a printed score or total differs, 3 if a file or a line could not be
    read.

    Example: tilesight score game.gcg --edition hungarian
    """
    from scoring import load_edition

    rules = None if edition is None else load_edition(edition)
    if len(games) == 1 and not games[0].is_dir():
        code = score_one(games[0], rules, format_name)
    else:
        code = score_many(list_games(games), rules, format_name)
    if code:
        raise typer.Exit(code)


def list_games(paths: Sequence[Path]) -> list[Path]:
    """List the files, and those of the folders in the order of their names.

    Raises
    ------
    InputError
        If a folder has no game.
    OSError
        If a folder, or one in it, may not be listed.
    """

    def refuse(error: OSError) -> None:
        raise error

    files: list[Path] = []
    for path in paths:
        found = [path]
        if path.is_dir():
            inside = (
                Path(where, name) for where, _, names in os.walk(path, onerror=refuse) for name in names
            )
            found = sorted(each for each in inside if each.suffix.lower() == ".gcg")
        if not found:
            raise InputError(f"{path}: the folder has no file *.gcg; name a folder of game files")
        files += found
    return files


def read_game(path: Path, rules: Edition | None) -> GcgRecord:
    """Read a game file.

    Raises
    ------
    InputError
        If the file cannot be read, or is no GCG.
    """
    from scoring import NotationError, read_gcg

    try:
        return read_gcg(path, rules)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; give a GCG file that can be read") from error
    except NotationError as error:
        raise InputError(f"{path}: {error}") from error


def score_one(path: Path, rules: Edition | None, format_name: GameFormat) -> int:
    """Print a game event by event, and return the exit code."""
    record = read_game(path, rules)
    if format_name is GameFormat.JSON:
        print_json(build_record(path, record))
    else:
        print("\n".join(map(sanitize, format_lines(record))))
    for problem in record.problems:
        say(f"{path}, {problem}")
    return find_exit_code(record)


def score_many(paths: Sequence[Path], rules: Edition | None, format_name: GameFormat) -> int:
    """Print one line for each game and a summary, say what was taken otherwise, and return the exit code."""
    codes: list[int] = []
    for path in paths:
        try:
            record = read_game(path, rules)
        except InputError as error:
            say(str(error))
            codes.append(ExitCode.INPUT)
            continue
        codes.append(find_exit_code(record))
        if format_name is GameFormat.JSON:
            print_json(build_record(path, record))
        else:
            print(sanitize(format_game_line(path, record)))
        for problem in record.problems:
            if not problem.lost:  # the game's line names the others
                say(f"{path}, {problem}")
    right, different = codes.count(0), codes.count(EXIT_DIFFERS)
    unread = len(codes) - right - different
    summary = f"{len(codes)} games: {right} right, {different} with other scores, {unread} not read or not all of it"
    if format_name is GameFormat.JSON:
        say(summary)
    else:
        print(summary)
    return max(codes)


def find_exit_code(record: GcgRecord) -> int:
    """Return the exit code of one game."""
    if any(problem.lost for problem in record.problems):
        return ExitCode.INPUT
    return EXIT_DIFFERS if record.differences else 0


def format_game_line(path: Path, record: GcgRecord) -> str:
    """Format a game as one line: its file, its totals, and which lines are wrong."""
    totals = ", ".join(f"{each.name} {each.total}" for each in record.game.standings)
    lost = [problem.line for problem in record.problems if problem.lost]
    different = [difference.line for difference in record.differences]
    remarks = [
        f"{what} {', '.join(map(str, lines))}"
        for what, lines in (("not read: line", lost), ("differs: line", different))
        if lines
    ]
    return f"{path}: {totals} ({record.game.edition.name}); {'; '.join(remarks) or 'right'}"


def format_lines(record: GcgRecord) -> list[str]:
    """Format the game as a table, followed by its totals and the differences."""
    game, differences = record.game, {difference.index: difference for difference in record.differences}
    rows = [("line", "player", "event", "score", "total", "")]
    for line, step in zip(record.lines, game.steps, strict=True):
        difference = differences.get(step.index)
        rows.append(
            (
                str(line.number),
                game.players[line.player],
                describe(game, step),
                f"{step.changes[line.player]:+d}",
                str(step.after.totals[line.player]),
                "" if difference is None else f"<- {format_difference(difference)}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    layout = "{:>{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:<{}}"
    table = [
        layout.format(*(part for cell in zip(row, widths, strict=True) for part in cell)).rstrip()
        for row in rows
    ]
    places = ", ".join(f"{each.place}. {each.name} {each.total}" for each in game.standings)
    ended = f"; over: {game.ending.value}" if game.ending is not None else ""
    return [*table, "", f"{places} ({game.edition.name}){ended}", *summarise(record)]


def summarise(record: GcgRecord) -> list[str]:
    """Summarise the result, with one line for each line of the file that differs."""
    differences = record.differences
    unread = sum(problem.lost for problem in record.problems)
    if not differences and unread:
        lines = "a line" if unread == 1 else f"{unread} lines"
        return [f"{lines} could not be read; every score and total printed on the others is right"]
    if not differences:
        return ["every printed score and total is right"]
    players = record.game.players
    return [f"line {each.line}, {players[each.player]}: {format_difference(each)}" for each in differences]


def format_difference(difference: GcgDifference) -> str:
    """Describe what is printed and what is right."""
    parts = []
    if difference.printed_score not in (None, difference.score):
        parts.append(f"score printed {difference.printed_score:+d}, is {difference.score:+d}")
    if difference.printed_total not in (None, difference.total):
        carried = " (carried over from an earlier line)" if difference.carried else ""
        parts.append(f"total printed {difference.printed_total}, is {difference.total}{carried}")
    return "; ".join(parts)


def describe(game: Game, step: Step) -> str:
    """Describe an event; a play with its words and their points."""
    from scoring import ChallengeEvent, EndRack, ExchangeEvent, format_tokens
    from tilesight.output import list_unvalued_squares, name_event

    event = step.event
    if step.scored is not None:
        words = [f"{word.text} {word.score}" for word in step.scored.words]
        bonus = [f"bonus {step.scored.bonus}"] if step.scored.bonus else []
        jokers = ", ".join(list_unvalued_squares(step.scored))
        incomplete = f" (incomplete: joker on {jokers})" if jokers else ""
        return f"{step.scored.position} {' + '.join(words + bonus)}{incomplete}"
    match event:
        case ExchangeEvent(tiles=tuple(tiles)):
            return f"exchange {format_tokens(tiles, game.edition.tokens)}"
        case ExchangeEvent(count=int(count)):
            return f"exchange of {count}"
        case EndRack():
            return f"tiles left {format_tokens(event.tiles, game.edition.tokens)}"
        case ChallengeEvent():
            return "challenge upheld, taken back" if event.upheld else "challenge failed"
        case _:
            return name_event(event)


def build_record(path: Path, record: GcgRecord) -> dict[str, Any]:
    """Build the JSON object of the game."""
    from tilesight.output import PlayRecord, list_totals, name_ending

    game = record.game
    return {
        "file": str(path),
        "edition": game.edition.name,
        "right": not record.differences and not any(problem.lost for problem in record.problems),
        "totals": list_totals(game),
        "ending": name_ending(game),
        "events": [
            {
                "line": line.number,
                "event": step.event.kind,
                "player": game.players[line.player],
                **(PlayRecord.of(step.scored).to_json() if step.scored is not None else {}),
                "score": step.changes[line.player],
                "total": step.after.totals[line.player],
                "printed_score": line.score,
                "printed_total": line.total,
            }
            for line, step in zip(record.lines, game.steps, strict=True)
        ],
        "differences": [
            {
                "line": each.line,
                "player": game.players[each.player],
                "printed_score": each.printed_score,
                "score": each.score,
                "printed_total": each.printed_total,
                "total": each.total,
                "carried": each.carried,
            }
            for each in record.differences
        ],
        "problems": [
            {"line": each.line, "message": each.message, "lost": each.lost} for each in record.problems
        ],
    }
