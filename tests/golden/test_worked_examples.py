"""The worked examples of the rule sheets, and recorded games: every play scores as printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring import (
    Board,
    Edition,
    Placement,
    Play,
    Scheme,
    designated,
    load_edition,
    parse_layout,
    parse_play,
    score_play,
)

EXAMPLES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "worked-examples.json").read_text(encoding="utf-8")
)


def _placements(triples: list[tuple[int, int, str]]) -> list[Placement]:
    return [Placement(row=row, column=column, token=token) for row, column, token in triples]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_word_of_a_worked_example_scores_as_on_its_sheet(name: str) -> None:
    example = EXAMPLES[name]
    edition = load_edition(example["edition"])
    board = Board.empty(edition.layout).with_tiles(_placements(example["board_before"]))
    for expected in example["plays"]:
        play = Play.of(_placements(expected["placed"]))
        scored = score_play(board, play, edition)
        assert {word.text: word.score for word in scored.words} == expected["words"]
        assert len(scored.words) == len(expected["words"])
        assert scored.total == expected["score"]
        assert scored.position == expected["position"]
        board = board.with_tiles(play)


def test_there_are_27_worked_plays() -> None:
    assert sum(len(example["plays"]) for example in EXAMPLES.values()) == 27


def test_the_bag_of_2016_alone_gives_the_icelandic_sheet() -> None:
    totals: dict[str, list[int]] = {}
    for name in ("icelandic", "icelandic-1990", "icelandic-krafla"):
        edition = load_edition(name)
        board = Board.empty(edition.layout)
        totals[name] = []
        for expected in EXAMPLES["is"]["plays"]:
            play = Play.of(_placements(expected["placed"]))
            totals[name].append(score_play(board, play, edition, check=False).total)
            board = board.with_tiles(play)
    assert totals.pop("icelandic") == [28, 15, 20, 19, 74]
    assert [28, 15, 20, 19, 74] not in totals.values()


def test_hungarian_tiles_left_on_a_rack_are_worth_nine() -> None:
    hungarian = load_edition("hungarian")
    assert hungarian.value_of("A") + hungarian.value_of("ZS") == 9


# The Danish sheet names squares by colour only, so the examples use a board with just those squares.
_DANISH_BOARD = parse_layout("........\n...t.T..\nD.......\n........\n........\n........\n")


@pytest.fixture
def krydsord() -> Edition:
    return replace(load_edition("krydsord"), layout=_DANISH_BOARD)


@pytest.mark.parametrize(
    ("scheme", "plain", "blue_and_red", "yellow"),
    [
        (Scheme.KRYDSORD_F, 13, 44, 10),
        (Scheme.KRYDSORD_A, 13, 44, 13),
        (Scheme.KRYDSORD_B, 13, 48, 10),
    ],
)
def test_the_three_readings_of_the_danish_sheet(
    krydsord: Edition, scheme: Scheme, plain: int, blue_and_red: int, yellow: int
) -> None:
    edition = replace(krydsord, scheme=scheme)
    empty = Board.empty(edition.layout)
    # "H (sort) U (orange) N (sort) D (sort) = 4 + (2 x 3) + 1 + 2"
    orange = replace(edition, layout=parse_layout("....\n.d..\n....\n....\n"))
    hund = parse_play("2A HUND", edition.tokens)
    assert score_play(Board.empty(orange.layout), hund, orange, check=False).total == plain
    # "H (sort) U (blå) N (sort) D (rød) = 4 + (3 x 3) + 1 + (3 x (4 + 3 + 1 + 2))"
    assert (
        score_play(empty, parse_play("2C HUND", edition.tokens), edition, check=False).total == blue_and_red
    )
    # LUND through the U of HUND, its L on yellow: "2 x (2 + 1 + 2)"
    before = empty.with_tiles([Placement(row=3, column=0, token="U")])
    assert score_play(before, parse_play("A3 L.ND", edition.tokens), edition, check=False).total == yellow


def test_every_play_of_the_recorded_games_scores_as_recorded(shared: Path) -> None:
    files = sorted((shared / "boards").glob("*/game.json"))
    assert files
    plays = 0
    for file in files:
        game = json.loads(file.read_text(encoding="utf-8"))
        edition = load_edition(game["edition"])
        board = Board.empty(edition.layout)
        for event in game["events"]:
            if event["kind"] == "withdrawn":
                board = board.without((row, column) for row, column, _ in event["removed"])
            elif event["kind"] == "play":
                play = Play.of(_placements(event["placed"]))
                scored = score_play(board, play, edition)
                where = f"{file.parent.name} {event['after_image']}"
                assert scored.total == event["score"], where
                recorded = event["word"].upper()
                read = {
                    "".join(map(designated, word.tokens)) for word in scored.words
                }  # a record may name the other word of a single tile, and the invisible letter of a blank
                assert any(
                    len(word) == len(recorded)
                    and all(a in (b, "?") for a, b in zip(word, recorded, strict=True))
                    for word in read
                ), where
                board = board.with_tiles(play)
                plays += 1
            assert not board.problems(edition)
    assert plays == 123
