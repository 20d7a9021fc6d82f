"""GCG: the text written, and that a file is written atomically."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import (
    Board,
    ChallengeEvent,
    ChallengeRule,
    Edition,
    Game,
    GameError,
    GcgHeader,
    Play,
    PlayEvent,
    WithdrawnEvent,
    format_gcg,
    load_edition,
    parse_gcg,
    read_gcg,
    write_gcg,
)
from tests.support.positions import game_of, play_of

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")
KRYDSORD = load_edition("krydsord")


def new_game(edition: Edition = ICELANDIC) -> Game:
    """Return a game with a name that needs a nickname."""
    return game_of("Anna", "Jón Á", edition=edition)


def event_lines(game: Game, header: GcgHeader | None = None) -> list[str]:
    """Return the written lines after the pragmas."""
    lines = format_gcg(game, header).splitlines()
    return lines[[line.startswith("#tile-distribution") for line in lines].index(True) + 1 :]


class TestWriting:
    def test_a_whole_file(self) -> None:
        game = new_game().play(play_of("8D HRAKI"), rack="HRAKIÞÆ")
        game = game.play(play_of("G6 Lo.I"), note="two\n\n lines ")
        header = GcgHeader(
            title="A  title", description="d", identifier="x 1", lexicon="islenska", note="before"
        )
        assert format_gcg(game, header) == (
            "#character-encoding UTF-8\n"
            "#player1 Anna Anna\n"
            "#player2 Jón_Á Jón Á\n"
            "#title A title\n"
            "#description d\n"
            "#id x 1\n"
            "#lexicon islenska\n"
            "#tile-distribution icelandic\n"
            "#note before\n"
            ">Anna: HRAKIÞÆ 8D HRAKI +28 28\n"
            ">Jón_Á: L?I G6 Lo.I +7 7\n"
            "#note two\n"
            "#note lines\n"
        )

    def test_turns_without_a_play(self) -> None:
        game = (
            new_game()
            .passed(rack="ABDEFGH")
            .passed()
            .exchanged("AB")
            .exchanged(count=4)
            .exchanged()
            .no_play()
        )
        assert event_lines(game) == [
            ">Anna: ABDEFGH - +0 0",
            ">Jón_Á: ? - +0 0",
            "#note [tilesight] rack-unknown",
            ">Anna: AB -AB +0 0",
            ">Jón_Á: ? -4 +0 0",
            "#note [tilesight] rack-unknown",
            ">Anna: ? - +0 0",
            "#note [tilesight] exchange; rack-unknown",
            ">Jón_Á: ? - +0 0",
            "#note [tilesight] pass-or-exchange; rack-unknown",
        ]

    def test_a_rack_that_nobody_knows_is_of_a_tile_that_the_bag_still_has(self) -> None:
        game = new_game().play(play_of("8D hrAKI")).passed()
        assert event_lines(game)[1].startswith(">Jón_Á: A - ")
        unknown = replace(ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts))
        assert event_lines(new_game(unknown).passed())[0].startswith(">Anna: ? - ")

    def test_plays_taken_back(self) -> None:
        game = new_game().play(play_of("8D HRAKI"), rack="HRAKIÞÆ").withdrawn(turn_lost=False)
        game = game.play(play_of("8D HRAKI")).challenged(upheld=True)
        game = game.with_event(WithdrawnEvent(player=1))
        assert event_lines(game) == [
            ">Anna: HRAKIÞÆ 8D HRAKI +28 28",
            ">Anna: HRAKIÞÆ -- -28 0",
            "#note [tilesight] turn-kept",
            ">Anna: HRAKI 8D HRAKI +28 28",
            ">Anna: HRAKI -- -28 0",
            "#note [tilesight] challenged-by Jón_Á",
            ">Jón_Á: ? -- -0 0",
        ]

    def test_challenges(self) -> None:
        play = play_of("8F ELADÓ", HUNGARIAN)
        game = new_game(HUNGARIAN).play(play)
        points = game.totals[0]
        assert event_lines(game.challenged(upheld=False))[1:] == [">Jón_Á: ? (challenge) -10 -10"]
        both = game.with_event(ChallengeEvent(player=0, upheld=False, challenger=1, bonus=5))
        assert event_lines(both)[1:] == [
            f">Anna: ? (challenge) +5 {points + 5}",
            ">Jón_Á: ? (challenge) -10 -10",
        ]
        unknown = game.with_event(ChallengeEvent(player=0, upheld=False, bonus=5))
        assert event_lines(unknown)[1:] == [f">Anna: ? (challenge) +5 {points + 5}"]
        nobody = game.with_event(ChallengeEvent(player=0, upheld=True))
        assert event_lines(nobody)[1:] == [
            ">Anna: ELADÓ -- -" + f"{points} 0",
            "#note [tilesight] challenged",
        ]
        mild = new_game().play(play_of("8D HRAKI")).challenged(upheld=False)
        assert event_lines(mild)[1:] == [
            ">Anna: ? (challenge) +0 28",
            "#note [tilesight] challenged-by Jón_Á",
        ]

    def test_a_turn_lost_by_a_challenge_in_vain(self) -> None:
        strict = replace(ICELANDIC, challenge=ChallengeRule(valid_turn=True))
        game = new_game(strict).play(play_of("8D HRAKI")).challenged(upheld=False)
        assert event_lines(game)[1:] == [
            ">Jón_Á: ? - +0 0",
            "#note [tilesight] challenge-failed; rack-unknown",
        ]
        assert parse_gcg(format_gcg(game), strict).game == game

    def test_the_end_of_a_game(self) -> None:
        game = new_game().clock_penalty(10, player=1).settled({0: [], 1: ["B", "?"]})
        assert event_lines(game) == [
            ">Jón_Á: ? (time) -10 -10",
            ">Anna: (B?) +6 6",
            ">Jón_Á: B? (B?) -6 -16",
        ]
        assert event_lines(new_game().clock_penalty(-5, player=0)) == [">Anna: ? (time) +5 5"]
        danish = new_game(KRYDSORD).settled({0: [], 1: []})
        assert event_lines(danish) == [">Anna: () +10 10", ">Jón_Á: () +10 10"]

    def test_blanks_of_unknown_letter_get_a_stand_in_that_readers_take(self) -> None:
        game = new_game().play(play_of("8D H?AK?"))
        assert event_lines(game) == [
            ">Anna: H?AK? 8D HaAKa +24 24",
            "#note [tilesight] unknown-blanks E8 H8",
        ]
        assert parse_gcg(format_gcg(game)).game == game

    def test_blanks_that_would_score_are_named_where_their_letter_is_not_known(self) -> None:
        game = new_game(KRYDSORD).play(play_of("8I H?ND", KRYDSORD))
        assert event_lines(game)[1] == "#note [tilesight] unknown-blanks J8; score-incomplete J8"
        record = parse_gcg(format_gcg(game))
        assert (record.game, record.problems) == (game, ())
        assert format_gcg(record.game, record.header) == format_gcg(game)

    def test_digraphs_are_in_brackets_only_where_they_would_be_misread(self) -> None:
        game = new_game(HUNGARIAN).play(play_of("8E SZ[S]ZÓgy", HUNGARIAN))
        assert event_lines(game)[0].startswith(">Anna: SZ[S]ZÓ? 8E SZ[S]ZÓgy +")
        assert parse_gcg(format_gcg(game)).game == game

    def test_a_play_that_could_not_lie_on_the_board(self) -> None:
        nonsense = [Play.of([(7, 7, "A"), (8, 8, "B")]), Play.of([]), Play.of([(7, 7, "Q")])]
        for play in nonsense:
            game = new_game().with_event(PlayEvent(player=0, play=play))
            first, note = event_lines(game)
            assert first == ">Anna: ? - +0 0"
            assert note.startswith("#note [tilesight] unplayable")
        twice = new_game().play(play_of("8D HRAKI"))
        twice = twice.with_event(PlayEvent(player=1, play=play_of("8D NRAKI")))
        assert event_lines(twice)[1] == ">Jón_Á: NRAKI 8D NRAKI +0 0"

    def test_racks_at_the_end_of_an_unfinished_game(self) -> None:
        header = GcgHeader(racks=(None, ("Þ", "?")), incomplete=True, others=(("tile", ""),))
        text = format_gcg(new_game(), header)
        assert text.endswith("#tile\n#rack2 Þ?\n#incomplete\n")
        assert parse_gcg(text).header == replace(header, nicks=("Anna", "Jón_Á"))

    def test_nicknames(self) -> None:
        text = format_gcg(game_of("A B", "A_B", "A  B"))
        assert "#player1 A_B A B\n#player2 A_B_2 A_B\n#player3 A_B_3 A B\n" in text
        assert len(parse_gcg(text).game.players) == 3
        assert "#player1 x Anna\n" in format_gcg(new_game(), GcgHeader(nicks=("x", "y")))
        for nicks in (("x",), ("x", "x"), ("x y", "z")):
            with pytest.raises(GameError, match="nicknames"):
                format_gcg(new_game(), GcgHeader(nicks=nicks))

    def test_a_game_that_went_on_from_a_board_has_no_form(self) -> None:
        empty = Board.empty(ICELANDIC.layout)
        assert format_gcg(Game(edition=ICELANDIC, players=("A",), start=empty))
        board = empty.with_tiles(play_of("8D HRAKI"))
        with pytest.raises(GameError, match="CGP"):
            format_gcg(Game(edition=ICELANDIC, players=("A",), start=board))


class TestFiles:
    def test_a_file_is_written_whole_and_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "game.gcg"
        game = new_game().play(play_of("8D HRAKI"))
        write_gcg(path, game)
        assert read_gcg(path).game == game
        assert path.read_bytes() == format_gcg(game).encode()
        assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()

    def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "game.gcg"
        path.write_text("old")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            write_gcg(path, new_game())
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
