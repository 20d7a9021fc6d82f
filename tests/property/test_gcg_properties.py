"""Properties of all GCG files: writing and reading are inverse, and no text stops the reader."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import (
    ChallengeEvent,
    ClockPenalty,
    Event,
    ExchangeEvent,
    Game,
    GcgHeader,
    GcgRecord,
    NoPlayEvent,
    NotationError,
    PassEvent,
    format_gcg,
    load_edition,
    parse_gcg,
)
from tests.support.random_games import random_game

pytestmark = pytest.mark.no_cover
EDITIONS = ("german", "hungarian", "icelandic", "krydsord", "norwegian-damm", "romanian-rosian", "spanish")
# The text of a note or title: no control characters or separators, no spaces at the ends.
TEXT = st.lists(
    st.text(st.characters(blacklist_categories=("C", "Z")), min_size=1, max_size=8), min_size=1, max_size=4
).map(" ".join)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game with every kind of event, notes, and racks that are known or not."""
    edition = load_edition(draw(st.sampled_from(EDITIONS)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    game = random_game(rng, edition, players=draw(st.integers(1, 4)), turns=draw(st.integers(0, 10)))
    note = draw(st.one_of(st.just(""), st.lists(TEXT, min_size=1, max_size=2).map("\n".join)))
    player = game.turn
    extras: list[Event] = [
        PassEvent(player=player, note=note),
        NoPlayEvent(player=player, note=note),
        ExchangeEvent(player=player, note=note),
        ExchangeEvent(player=player, count=4, note=note),
        ExchangeEvent(player=player, tiles=edition.tokens[:2], note=note),
        ClockPenalty(player=player, points=10, note=note),
    ]
    game = game.with_event(draw(st.sampled_from(extras)))
    if bool(game.state.plays) and draw(st.booleans()):
        last = game.state.plays[-1]
        event = ChallengeEvent(player=last.player, upheld=draw(st.booleans()), bonus=None, note=note)
        game = game.with_event(event)
    if draw(st.booleans()):
        left = draw(
            st.lists(
                st.lists(st.sampled_from(edition.tokens), max_size=3),
                min_size=len(game.players),
                max_size=len(game.players),
            )
        )
        game = game.with_settlement(dict(enumerate(left)))
    return game


def break_line(text: str, line: int) -> str:
    """Return the text with one line replaced by nonsense."""
    lines = text.split("\n")
    lines[line - 1] = ">Player_1: what is this"
    return "\n".join(lines)


def read_back(game: Game, header: GcgHeader | None = None) -> GcgRecord:
    return parse_gcg(format_gcg(game, header).encode(), game.edition)


@given(games())
@settings(max_examples=150)
def test_a_written_game_is_read_as_the_same_game(game: Game) -> None:
    record = read_back(game)
    # a rack of exactly the tiles played is read as unknown; everything else is unchanged
    again = read_back(record.game, record.header)
    assert again.game == record.game
    assert again.header == record.header
    assert [event.kind for event in record.game.events] == [event.kind for event in game.events]
    assert record.game.totals == game.totals
    assert record.game.board == game.board
    assert record.differences == ()
    assert not any(problem.lost for problem in record.problems)


@given(games(), TEXT, TEXT)
@settings(max_examples=60)
def test_what_is_next_to_a_game_is_kept(game: Game, title: str, note: str) -> None:
    letters = game.edition.tokens
    header = GcgHeader(
        title=title,
        description=note,
        identifier="org.example 1",
        lexicon="ANY1",
        nicks=tuple(f"n{number}" for number in range(len(game.players))),
        racks=tuple(None if number % 2 else (letters[0], "?") for number in range(len(game.players))),
        incomplete=True,
        note=note,
        others=(("game-type", "classic"), ("tile", "X")),
    )
    # other programs refuse a note before the first event, so it joins the description
    joined = replace(header, description=f"{note}; {note}", note="")
    assert read_back(game, header).header == joined


@given(games())
@settings(max_examples=60)
def test_each_players_printed_scores_add_up_to_the_printed_totals(game: Game) -> None:
    """Check the sums with a second reader that knows only spaces and signs."""
    sums: dict[str, int] = {}
    for line in format_gcg(game).splitlines():
        if line.startswith(">"):
            nick, *_, score, total = line.split()
            sums[nick] = sums.get(nick, 0) + int(score)
            assert sums[nick] == int(total)
    for name, points in zip(game.players, game.totals, strict=True):
        assert sums.get(f">{name.replace(' ', '_')}:", 0) == points


@given(games(), st.data())
@settings(max_examples=60)
def test_a_broken_line_is_named_and_the_rest_is_read(game: Game, data: st.DataObject) -> None:
    text = format_gcg(game)
    events = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith(">")]
    number = data.draw(st.sampled_from(events))
    record = parse_gcg(break_line(text, number), game.edition)
    assert number in [problem.line for problem in record.problems if problem.lost]
    assert record.header == parse_gcg(text, game.edition).header


@given(games(), st.data())
@settings(max_examples=60)
def test_a_wrong_printed_number_is_named_and_no_other(game: Game, data: st.DataObject) -> None:
    lines = format_gcg(game).split("\n")
    events = [number for number, line in enumerate(lines, 1) if line.startswith(">")]
    number = data.draw(st.sampled_from(events))
    head, _, total = lines[number - 1].rpartition(" ")
    lines[number - 1] = f"{head} {int(total) + 1}"
    record = parse_gcg("\n".join(lines), game.edition)
    assert [difference.line for difference in record.differences] == [number]
    (difference,) = record.differences
    assert (difference.printed_total, difference.total) == (int(total) + 1, int(total))
    assert not difference.carried


@given(games(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_another_programs_spacing_and_line_ends_change_nothing(game: Game, rng: random.Random) -> None:
    text = format_gcg(game)
    lines = [
        line.replace(" ", rng.choice(("  ", "\t", " "))) if line.startswith(">") else line
        for line in text.split("\n")
    ]
    content = b"\xef\xbb\xbf" + "\r\n".join(lines).encode()
    assert parse_gcg(content, game.edition).game == parse_gcg(text, game.edition).game


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for start in (b"", b"#player1 a A\n>a: "):
        try:
            record = parse_gcg(start + content)
        except NotationError:
            continue
        assert len(record.lines) == len(record.game.events)


@given(
    st.lists(
        st.sampled_from(
            [
                "#player1 a Ann",
                "#player2 b Bo",
                "#player7 a x",
                "#rack1 ABC",
                "#rack9 A",
                "#note",
                "#note x",
                "#incomplete",
                "#incomplete AB",
                "#tile-distribution klingon",
                "#lexicon CSW24",
                "#",
                "text",
                "#character-encoding UTF-8",
                ">a: ABC 8H ABC +10 10",
                ">b: X 8H X.. +3",
                ">a: -- -10 0",
                ">b: ? (challenge) -5 1",
                ">a: (challenge) +5 5",
                ">b: (QQ) +40 9",
                ">b: Q (Q) -10 0",
                ">a: (time) -10 -10",
                ">a: -4",
                ">a: AB -AB +0 0",
                ">c: A 8H A +1 1",
                ">a: ABC H8 (A)BC +9 19",
                ">a:",
                ">a: () +10 1",
                ">a: A - +0 3",
                ">b: 1 2 3 4 5",
                ">a: A 8H !! +1 1",
            ]
        ),
        max_size=12,
    )
)
@settings(max_examples=300)
def test_any_lines_are_read_with_their_problems(lines: list[str]) -> None:
    try:
        record = parse_gcg("\n".join(lines))
    except NotationError:
        return
    assert all(1 <= problem.line <= len(lines) for problem in record.problems)
    assert len(record.lines) == len(record.game.events)
    again = parse_gcg(format_gcg(record.game, record.header), record.game.edition)
    assert again.game.totals == record.game.totals
    assert again.game.board == record.game.board
