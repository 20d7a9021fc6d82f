"""Complete recorded games: all scores and totals, and the round trips through GCG and CGP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring import (
    CgpPosition,
    Game,
    InferenceKind,
    Play,
    format_cgp,
    format_gcg,
    infer,
    load_edition,
    parse_cgp,
    parse_gcg,
)

RECORDED = ("english-film", "german-01", "german-05", "german-12", "romanian-1", "romanian-2")


def recorded(shared: Path, name: str) -> tuple[dict[str, Any], Game]:
    """Return the labels of a recorded game, and the game of their events."""
    labels = json.loads((shared / "boards" / name / "game.json").read_text(encoding="utf-8"))
    game = Game(edition=load_edition(labels["edition"]), players=tuple(labels["players"]))
    for event in labels["events"]:
        player = labels["players"].index(event.get("player", labels["players"][0]))
        match event["kind"]:
            case "play":
                game = game.with_play(Play.of(map(tuple, event["placed"])), player=player)
            case "pass":
                game = game.with_pass(player=player)
            case "exchange":
                game = game.with_exchange(player=player)
            case "withdrawn":
                game = game.with_withdrawal(player=player)
            case kind:
                raise AssertionError(f"an event of a kind that no game had: {kind}")
    return labels, game


@pytest.mark.boards
@pytest.mark.parametrize("name", RECORDED)
def test_every_event_of_a_recorded_game_scores_as_recorded(shared: Path, name: str) -> None:
    labels, game = recorded(shared, name)
    assert [step.score for step in game.steps] == [event["score"] for event in labels["events"]]
    assert list(game.totals) == labels["totals"]
    assert not game.problems


@pytest.mark.boards
def test_no_recorded_game_is_left_out(shared: Path) -> None:
    assert sorted(path.parent.name for path in (shared / "boards").glob("*/game.json")) == sorted(RECORDED)


@pytest.mark.boards
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_game_goes_through_gcg_unchanged(shared: Path, name: str) -> None:
    _, game = recorded(shared, name)
    record = parse_gcg(format_gcg(game).encode())
    assert record.game == game
    assert record.differences == ()
    assert record.problems == ()


@pytest.mark.boards
@pytest.mark.parametrize("name", RECORDED)
def test_each_position_of_a_recorded_game_goes_through_cgp_and_gives_its_play(
    shared: Path, name: str
) -> None:
    _, game = recorded(shared, name)
    letters = game.edition.tokens
    for step in game.steps:
        text = format_cgp(CgpPosition(board=step.after.board, scores=step.after.totals), letters)
        position = parse_cgp(text, letters)
        assert position.board == step.after.board
        if step.scored is not None:
            inference = infer(step.before.board, position.board, game.edition)
            assert (inference.kind, inference.plays) == (InferenceKind.PLAY, (step.scored.play,))
