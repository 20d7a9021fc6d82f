"""`tilesight best`: the legal plays of a rack with their scores, the best first."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesight.cli.messages import print_json, sanitize, say
from tilesight.cli.options import GameFormat, edition_option, path_option
from vision.errors import InputError

if TYPE_CHECKING:
    from scoring import Board, CgpPosition, Edition, ScoredPlay

__all__ = ["best"]


def best(
    board: Annotated[
        str,
        typer.Option(
            metavar="CGP|FILE",
            help="The position: a line of CGP, or a file with one or with the rows of a board.",
        ),
    ],
    rack: Annotated[str, typer.Option(metavar="TILES", help="The tiles of the rack; ? is a blank.")],
    lexicon: Annotated[Path, path_option(metavar="FILE", help="A word list, one word a line.")],
    edition: Annotated[
        str | None,
        edition_option("The edition; by default that of the CGP or of its word list, otherwise english."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Print the best N plays only; all by default.")
    ] = None,
    format_name: Annotated[
        GameFormat, typer.Option("--format", "-f", help="How the plays are printed.")
    ] = GameFormat.TEXT,
) -> None:
    """Find the legal plays of a rack with their scores, the best first.

    All words of a play must be in the word list. The index of the list is kept in the user's cache folder.
    While the bag has tiles, fewer tiles than a rack holds are taken for a part of the rack.

    Example: tilesight best --board board.txt --rack RETINA? --lexicon words.txt --edition english --top 10
    """
    from scoring import NotationError, best_plays, load_word_index

    try:
        position, rules = read_position(board, edition)
    except NotationError as error:
        raise InputError(f"--board: {error}") from error
    index, count = load_word_index(lexicon, rules, notify=say), find_least_rack_count(position, rules)
    plays = best_plays(position.board, rack, rules, index, rack_count=count)
    for scored in plays[:top]:
        if format_name is GameFormat.JSON:
            print_json(build_record(scored))
        else:
            print(sanitize(format_line(scored, position.board, rules)))
    if not plays:
        say("no legal play; pass, or exchange tiles")


def read_position(text: str, edition: str | None) -> tuple[CgpPosition, Edition]:
    """Read the position of a line of CGP, or of a file, with its edition.

    Raises
    ------
    InputError
        If the file cannot be read.
    NotationError
        If the text is no board of the edition.
    """
    from scoring import (
        CgpPosition,
        UnknownEditionError,
        check_size,
        edition_names,
        find_edition,
        load_edition,
        parse_board,
        parse_cgp,
        parse_cgp_operations,
        read_text,
    )

    is_path = "/" not in text or ("." in text and " " not in text)  # rows of CGP have no dot
    if is_path or os.path.exists(text):
        try:
            text = read_text(text)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(
                f"--board {text}: {reason}; give a line of CGP, or a file with a board"
            ) from error
        if re.search(r"^>.*:", text, re.MULTILINE):
            raise InputError(
                "--board: a recorded game is no position; give a line of CGP, or a file with the rows of its board"
            )
    is_cgp = "/" in text
    if edition is None:
        operations = dict(parse_cgp_operations(text)) if is_cgp else {}
        named, lexicon_name = operations.get("ld", ""), operations.get("lex", "")
        found = find_edition(named, (), lexicon_name)
        edition = found.name or "english"
        if found.unknown:
            near = UnknownEditionError(named, edition_names()).suggestions if named else ()
            own = "; if it is your own, name its file" if named else ""
            hint = f"; did you mean {' or '.join(near)}?" if near else own
            name = f"ld {named}" if named else f"lex {lexicon_name}"
            say(f"--board: '{name}' is no edition known here, so {edition} is taken{hint}")
    rules = load_edition(edition)
    position = parse_cgp(text, rules) if is_cgp else CgpPosition(board=parse_board(text, rules))
    check_size(position.board, rules)
    return position, rules


def find_least_rack_count(position: CgpPosition, rules: Edition) -> int:
    """Return how many tiles a rack has at least: it is full, unless the others can hold what is left."""
    if rules.bag_size is None:
        return rules.rack_size
    left = rules.bag_size - sum(position.board.tile_counts.values())
    return min(rules.rack_size, left - (len(position.scores) - 1) * rules.rack_size)


def format_line(scored: ScoredPlay, board: Board, rules: Edition) -> str:
    """Format a play as one line: its score, its text and its words."""
    from scoring import format_play

    words = " + ".join(f"{word.text} {word.score}" for word in scored.words)
    bonus = f" + bonus {scored.bonus}" if scored.bonus else ""
    return f"{scored.total:4d}  {format_play(scored.play, rules, board):<20}  {words}{bonus}"


def build_record(scored: ScoredPlay) -> dict[str, object]:
    """Build the JSON object of a play."""
    from tilesight.output import PlayRecord

    return {**PlayRecord.of(scored).to_json(), "score": scored.total}
