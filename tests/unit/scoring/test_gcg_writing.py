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
    ClockPenalty,
    Edition,
    Game,
    GameError,
    GcgHeader,
    PassEvent,
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
        game = new_game().with_play(play_of("8D HRAKI"), rack="HRAKIÞÆ")
        game = game.with_play(play_of("G6 Lo.I"), note="two\n\n lines ")
        header = GcgHeader(
            title="A  title", description="d", identifier="x 1", lexicon="islenska", note="before"
        )
        assert format_gcg(game, header) == (
            "#character-encoding UTF-8\n"
            "#player1 Anna Anna\n"
            "#player2 Jón_Á Jón Á\n"
            "#title A title\n"
            "#description d; before\n"
            "#id x 1\n"
            "#lexicon islenska\n"
            "#tile-distribution icelandic\n"
            ">Anna: HRAKIÞÆ 8D HRAKI +28 28\n"
            ">Jón_Á: L?I G6 Lo.I +7 7\n"
            "#note two\n"
            "#note lines\n"
        )

    def test_turns_without_a_play(self) -> None:
        game = (
            new_game()
            .with_pass(rack="ABDEFGH")
            .with_pass()
            .with_exchange("AB")
            .with_exchange(count=4)
            .with_exchange()
            .with_no_play()
        )
        assert event_lines(game) == [
            ">Anna: ABDEFGH - +0 0",
            ">Jón_Á: A - +0 0",
            "#note [tilesight] rack-unknown",
            ">Anna: AB -AB +0 0",
            ">Jón_Á: AAAA -AAAA +0 0",
            "#note [tilesight] tiles-unknown; rack-unknown",
            ">Anna: A - +0 0",
            "#note [tilesight] exchange; rack-unknown",
            ">Jón_Á: A - +0 0",
            "#note [tilesight] pass-or-exchange; rack-unknown",
        ]

    def test_a_rack_that_nobody_knows_is_of_the_commonest_tile_that_the_bag_still_has(self) -> None:
        game = new_game().with_play(play_of("8D hrAKI")).with_pass()
        assert event_lines(game)[1].startswith(">Jón_Á: A - ")
        unknown = replace(ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts))
        assert event_lines(new_game(unknown).with_pass())[0].startswith(">Anna: A - ")

    def test_a_pass_keeps_the_rack_until_the_next_turn_of_its_player(self) -> None:
        game = (
            new_game()
            .with_pass()
            .with_pass()
            .with_play(play_of("8D HRAKI"))
            .with_play(play_of("7D LO"), rack="LOÞÆ")
        )
        assert event_lines(game)[:4] == [
            ">Anna: HRAKI - +0 0",
            "#note [tilesight] rack-unknown",
            ">Jón_Á: LOÞÆ - +0 0",
            "#note [tilesight] rack-unknown",
        ]

    def test_a_stand_in_leaves_the_others_their_next_rack(self) -> None:
        """MAGPIE draws the next rack of both players from one bag."""
        few = replace(ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts, 0) | {"A": 7, "B": 6, "?": 2})
        game = new_game(few).with_pass().with_event(PassEvent(player=1, rack=("A",) * 7))
        assert event_lines(game)[0] == ">Anna: B - +0 0"
        only = replace(ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts, 0) | {"?": 1})
        assert event_lines(new_game(only).with_exchange(count=2))[0] == ">Anna: ?? -?? +0 0"

    def test_players_who_both_lose_their_tiles_settle_each_for_themselves(self) -> None:
        game = new_game().with_play(play_of("8D HRAKI")).with_settlement({0: ("A",), 1: ("Þ", "I")})
        anna, jón = game.totals
        assert event_lines(game)[-2:] == [f">Anna: A (A) -1 {anna}", f">Jón_Á: ÞI (ÞI) {jón} {jón}"]
        assert parse_gcg(format_gcg(game)).game.totals == (anna, jón)

    def test_an_exchange_from_a_known_rack(self) -> None:
        game = new_game().with_exchange(count=2, rack="?ABDEFG")
        assert event_lines(game) == [">Anna: ?ABDEFG -AB +0 0", "#note [tilesight] tiles-unknown"]
        assert parse_gcg(format_gcg(game)).game == game

    def test_plays_taken_back(self) -> None:
        game = new_game().with_play(play_of("8D HRAKI"), rack="HRAKIÞÆ").with_withdrawal(turn_lost=False)
        game = game.with_play(play_of("8D HRAKI")).with_challenge(upheld=True)
        game = game.with_event(WithdrawnEvent(player=1))
        assert event_lines(game) == [
            ">Anna: HRAKI 8D HRAKI +28 28",
            "#note [tilesight] first-tried 8D HRAKI",
            ">Anna: HRAKI -- -28 0",
            "#note [tilesight] challenged-by Jón_Á",
            ">Jón_Á: A -- -0 0",
        ]

    def test_second_thoughts_are_a_note_of_the_final_play(self) -> None:
        game = (
            new_game(HUNGARIAN)
            .with_play(play_of("8F ELADÓ", HUNGARIAN))
            .with_play(play_of("J8 .SZ", HUNGARIAN))
        )
        game = (
            game.with_withdrawal(turn_lost=False, note="no")
            .with_play(play_of("H8 .gy", HUNGARIAN))
            .with_withdrawal(turn_lost=False)
        )
        written = event_lines(game.with_pass(note="so be it"))
        assert written == [
            ">Anna: ELADÓ 8F ELADÓ +14 14",
            ">Jón_Á: K - +0 0",
            "#note [tilesight] first-tried J8 .[SZ], H8 .[gy]; rack-unknown",
            "#note no",
            "#note so be it",
        ]

    def test_a_play_taken_back_at_the_end_of_the_file_has_lines(self) -> None:
        game = new_game().with_play(play_of("8D HRAKI")).with_withdrawal(turn_lost=False)
        assert event_lines(game) == [
            ">Anna: HRAKI 8D HRAKI +28 28",
            ">Anna: HRAKI -- -28 0",
            "#note [tilesight] turn-kept",
        ]
        assert parse_gcg(format_gcg(game)).game == game

    def test_challenges(self) -> None:
        play = play_of("8F ELADÓ", HUNGARIAN)
        game = new_game(HUNGARIAN).with_play(play)
        points = game.totals[0]
        assert event_lines(game.with_challenge(upheld=False))[1:] == [">Jón_Á: K (challenge) -10 -10"]
        both = game.with_event(ChallengeEvent(player=0, upheld=False, challenger=1, bonus=5))
        assert event_lines(both)[1:] == [
            f">Anna: K (challenge) +5 {points + 5}",
            ">Jón_Á: K (challenge) -10 -10",
        ]
        unknown = game.with_event(ChallengeEvent(player=0, upheld=False, bonus=5))
        assert event_lines(unknown)[1:] == [f">Anna: K (challenge) +5 {points + 5}"]
        nobody = game.with_event(ChallengeEvent(player=0, upheld=True))
        assert event_lines(nobody)[1:] == [
            ">Anna: ELADÓ -- -" + f"{points} 0",
            "#note [tilesight] challenged",
        ]
        mild = new_game().with_play(play_of("8D HRAKI")).with_challenge(upheld=False)
        assert event_lines(mild) == [
            ">Anna: HRAKI 8D HRAKI +28 28",
            "#note [tilesight] challenge-failed Jón_Á",
        ]
        assert parse_gcg(format_gcg(mild)).game == mild
        late = (
            new_game().with_play(play_of("8D HRAKI")).with_pass().with_challenge(upheld=False, challenger=1)
        )
        assert event_lines(late)[-2:] == [
            ">Anna: A (challenge) +0 28",
            "#note [tilesight] challenged-by Jón_Á",
        ]

    def test_a_turn_lost_by_a_challenge_in_vain(self) -> None:
        strict = replace(ICELANDIC, challenge=ChallengeRule(valid_turn=True))
        game = new_game(strict).with_play(play_of("8D HRAKI")).with_challenge(upheld=False)
        assert event_lines(game)[1:] == [
            ">Jón_Á: A - +0 0",
            "#note [tilesight] challenge-failed; rack-unknown",
        ]
        assert parse_gcg(format_gcg(game), strict).game == game

    def test_a_challenge_in_vain_after_the_last_play_has_no_line(self) -> None:
        few = replace(
            ICELANDIC,
            counts=dict.fromkeys(ICELANDIC.counts, 0) | dict.fromkeys("HRAKI", 1) | {"L": 1, "O": 1},
            rack_size=5,
            challenge=ChallengeRule(valid_turn=True),
        )
        game = new_game(few).with_play(play_of("8D HRAKI")).with_challenge(upheld=False, note="what?")
        assert event_lines(game.with_settlement({0: [], 1: ["L", "O"]})) == [
            ">Anna: HRAKI 8D HRAKI +28 28",
            "#note [tilesight] challenge-failed Jón_Á",
            "#note what?",
            ">Anna: (LO) +12 40",
            "#note [tilesight] settled-each",
            ">Anna: L (time) -6 34",
            "#note [tilesight] settled-each",
            ">Jón_Á: LO (time) -6 -6",
            "#note [tilesight] settled-each",
        ]

    def test_no_move_is_written_after_the_end(self) -> None:
        few = replace(
            ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts, 0) | dict.fromkeys("HRAKILO", 1), rack_size=5
        )
        game = new_game(few).with_play(play_of("8D HRAKI")).with_clock_penalty(5, player=0)
        game = (
            game.with_no_play(player=1)
            .with_pass(player=1, note="done")
            .with_challenge(upheld=False, challenger=1)
        )
        lines = event_lines(game.with_settlement({0: [], 1: ["L", "O"]}))
        assert lines[:5] == [
            ">Anna: HRAKI 8D HRAKI +28 28",
            "#note [tilesight] challenge-failed Jón_Á",
            ">Anna: L (time) -5 23",
            "#note [tilesight] passed-after-end Jón_Á Jón_Á",
            "#note done",
        ]
        assert [line.split()[-1] for line in lines[5:]] == [
            "35",
            "settled-each",
            "29",
            "settled-each",
            "-6",
            "settled-each",
        ]
        record = parse_gcg(format_gcg(game), few)
        assert [event.kind for event in record.game.events] == ["play", "challenge", "clock", "pass", "pass"]
        assert (record.game.totals, record.differences) == (game.totals, ())
        assert format_gcg(record.game, record.header) == format_gcg(game)

    def test_a_second_challenge_after_the_end_has_a_line(self) -> None:
        few = replace(
            ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts, 0) | dict.fromkeys("HRAKILO", 1), rack_size=5
        )
        game = new_game(few).with_play(play_of("8D HRAKI"))
        game = game.with_challenge(upheld=False, challenger=1).with_challenge(upheld=False, challenger=1)
        assert [line.split()[2] for line in event_lines(game) if line.startswith(">")] == [
            "8D",
            "(challenge)",
        ]
        assert parse_gcg(format_gcg(game), few).game.events == game.events

    def test_the_end_of_a_game(self) -> None:
        game = new_game().with_clock_penalty(10, player=1).with_settlement({0: [], 1: ["B", "?"]})
        assert event_lines(game) == [
            ">Jón_Á: A (time) -10 -10",
            ">Anna: (B?) +12 12",
            "#note [tilesight] settled-each",
            ">Anna: A (time) -6 6",
            "#note [tilesight] settled-each",
            ">Jón_Á: B? (time) -6 -16",
            "#note [tilesight] settled-each",
        ]
        assert event_lines(new_game().with_event(ClockPenalty(player=0, points=-5))) == [
            ">Anna: A (time) +5 5"
        ]
        danish = new_game(KRYDSORD).with_settlement({0: [], 1: []})
        assert event_lines(danish) == [">Anna: () +10 10", ">Jón_Á: () +10 10"]

    def test_blanks_of_unknown_letter_get_a_stand_in_that_readers_take(self) -> None:
        game = new_game().with_play(play_of("8D H?AK?"))
        assert event_lines(game) == [
            ">Anna: H?AK? 8D HaAKa +24 24",
            "#note [tilesight] unknown-blanks E8 H8",
        ]
        assert parse_gcg(format_gcg(game)).game == game

    def test_blanks_that_would_score_are_named_where_their_letter_is_not_known(self) -> None:
        game = new_game(KRYDSORD).with_play(play_of("8I H?ND", KRYDSORD))
        assert event_lines(game)[1] == "#note [tilesight] unknown-blanks J8; score-incomplete J8"
        record = parse_gcg(format_gcg(game))
        assert (record.game, record.problems) == (game, ())
        assert format_gcg(record.game, record.header) == format_gcg(game)

    @pytest.mark.parametrize("out", [0, 1])
    @pytest.mark.parametrize(
        ("line", "printed"),
        [(0, "(B?) +12 13"), (1, "A (time) -6 7"), (2, "B? (time) -6 -5"), (1, "A (time) -5 7")],
    )
    def test_a_wrong_number_of_a_settlement_is_named_at_its_line(
        self, out: int, line: int, printed: str
    ) -> None:
        settled = new_game().with_settlement({out: [], 1 - out: ["B", "?"]})
        lines = format_gcg(settled).split("\n")
        number = [number for number, text in enumerate(lines) if text.startswith(">")][line]
        nick, _, right = lines[number].partition(" ")
        lines[number] = f"{nick} {printed}"
        record = parse_gcg("\n".join(lines))
        assert record.game == settled
        (difference,) = record.differences
        score, total = map(int, right.split()[-2:])
        assert (difference.line, difference.score, difference.total) == (number + 1, score, total)

    @pytest.mark.parametrize("racks", [{0: [], 1: ["B", "?"]}, {0: ["B", "?"], 1: []}])
    def test_a_settlement_is_read_as_it_was(self, racks: dict[int, list[str]]) -> None:
        game = new_game().with_play(play_of("8D HRAKI")).with_settlement(racks)
        record = parse_gcg(format_gcg(game))
        assert (record.game, record.differences) == (game, ())
        again = parse_gcg(format_gcg(record.game, record.header))
        assert again.game == game

    def test_the_settlement_of_tournaments(self) -> None:
        game = new_game(load_edition("icelandic+tournament")).with_settlement({0: [], 1: ["B", "?"]})
        assert event_lines(game) == [">Anna: (B?) +12 12"]
        assert game.totals == (12, 0)
        assert parse_gcg(format_gcg(game)).game.totals == (12, 0)

    def test_three_players_who_settle_have_lines_of_their_own(self) -> None:
        game = game_of("A", "B", "C").with_settlement({0: [], 1: ["B"], 2: ["A"]})
        assert event_lines(game) == [">A: (BA) +7 7", ">B: B (B) -6 -6", ">C: A (A) -1 -1"]

    def test_every_digraph_is_in_brackets_and_nothing_else(self) -> None:
        game = new_game(HUNGARIAN).with_play(play_of("8E SZ[S]ZÓgy", HUNGARIAN))
        assert event_lines(game) == [">Anna: [SZ]SZÓ? 8E [SZ]SZÓ[gy] +20 20"]
        assert parse_gcg(format_gcg(game)).game == game

    def test_a_game_without_digraphs_says_that_bare_letters_are_single_tiles(self) -> None:
        spanish = load_edition("spanish")
        game = new_game(spanish).with_play(play_of("8G [L][L]AMA", spanish))
        assert event_lines(game) == [">Anna: LLAMA 8G LLAMA +14 14", "#note [tilesight] single-letters"]
        assert parse_gcg(format_gcg(game)).game == game
        one = new_game(spanish).with_play(play_of("8G LLAMA", spanish))
        assert event_lines(one) == [">Anna: [LL]AMA 8G [LL]AMA +26 26"]
        assert parse_gcg(format_gcg(one)).game == one

    def test_a_play_that_could_not_lie_on_the_board(self) -> None:
        nonsense = [Play.of([(7, 7, "A"), (8, 8, "B")]), Play.of([]), Play.of([(7, 7, "Q")])]
        for play in nonsense:
            game = new_game().with_event(PlayEvent(player=0, play=play))
            first, note = event_lines(game)
            assert first == ">Anna: A - +0 0"
            assert note.startswith("#note [tilesight] unplayable")
        twice = new_game().with_play(play_of("8D HRAKI"))
        twice = twice.with_event(PlayEvent(player=1, play=play_of("8D NRAKI")))
        assert event_lines(twice)[1:] == [
            ">Jón_Á: A - +0 0",
            "#note [tilesight] unplayable D8 N, E8 R, F8 A, G8 K, H8 I; rack-unknown",
        ]
        assert parse_gcg(format_gcg(twice)).game == twice

    def test_a_play_with_a_gap_lies_on_the_board_again(self) -> None:
        game = new_game().with_play(play_of("8D HRAKI"))
        game = game.with_event(PlayEvent(player=1, play=play_of("9D D.A"), note="stood")).with_pass()
        assert event_lines(game)[1:3] == [">Jón_Á: DA 9D D.A +0 0", "#note stood"]
        record = parse_gcg(format_gcg(game))
        assert (record.game, record.differences) == (game, ())
        assert [(each.lost, each.message) for each in record.problems] == [
            (False, "the play at 9D leaves E9 empty between its tiles")
        ]

    def test_racks_at_the_end_of_an_unfinished_game(self) -> None:
        header = GcgHeader(racks=(None, ("Þ", "?")), incomplete=True, others=(("tile", ""),))
        text = format_gcg(new_game().with_play(play_of("8D HRAKI")), header)
        assert text.endswith("#tile\n>Anna: HRAKI 8D HRAKI +28 28\n#note [tilesight] incomplete\n#rack2 Þ?\n")
        assert parse_gcg(text).header == replace(header, nicks=("Anna", "Jón_Á"))

    def test_nicknames(self) -> None:
        text = format_gcg(game_of("A B", "A_B", "A;B"))
        assert "#player1 A_B A B\n#player2 A_B_2 A_B\n#player3 A_B_3 A;B\n" in text
        assert len(parse_gcg(text).game.players) == 3
        assert "#player1 x Anna\n" in format_gcg(new_game(), GcgHeader(nicks=("x", "y")))
        for nicks in (
            ("x",),
            ("x", "x"),
            ("x y", "z"),
            ("", "z"),
            ("x\ty", "z"),
            ("x\n#x", "z"),
            ("x;", "z"),
        ):
            with pytest.raises(GameError, match="nicknames"):
                format_gcg(new_game(), GcgHeader(nicks=nicks))

    def test_a_game_that_went_on_from_a_board_has_no_form(self) -> None:
        empty = Board.empty(ICELANDIC.layout)
        assert format_gcg(Game(edition=ICELANDIC, players=("A",), start=empty))
        board = empty.with_tiles(play_of("8D HRAKI"))
        with pytest.raises(GameError, match="journal"):
            format_gcg(Game(edition=ICELANDIC, players=("A",), start=board))


class TestFiles:
    def test_a_file_is_written_whole_and_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "game.gcg"
        game = new_game().with_play(play_of("8D HRAKI"))
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

    def test_a_file_that_windows_keeps_from_being_replaced_is_the_one_that_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, unlink = tmp_path / "game.gcg", os.unlink
        path.write_text("old")
        path.chmod(0o444)

        def replace_file(_: str, target: Path) -> None:
            raise PermissionError(13, "Access is denied", str(target))

        def unlink_file(name: str) -> None:
            if not os.stat(name).st_mode & 0o200:
                raise PermissionError(13, "Access is denied", name)
            unlink(name)

        monkeypatch.setattr(os, "replace", replace_file)
        monkeypatch.setattr(os, "unlink", unlink_file)
        with pytest.raises(PermissionError) as caught:
            write_gcg(path, new_game())
        assert caught.value.filename == str(path)
        assert list(tmp_path.iterdir()) == [path]

    def test_a_file_keeps_its_permissions(self, tmp_path: Path) -> None:
        path = tmp_path / "game.gcg"
        path.touch()
        path.chmod(0o600)
        write_gcg(path, new_game())
        assert path.stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("is_there", [True, False])
    def test_a_symbolic_link_stays_and_its_file_is_written(self, tmp_path: Path, is_there: bool) -> None:
        (tmp_path / "disk").mkdir()
        path, file = tmp_path / "game.gcg", tmp_path / "disk" / "first.gcg"
        path.symlink_to(file)
        if is_there:
            file.write_text("old")
        write_gcg(path, new_game())
        assert path.readlink() == file
        assert file.read_bytes() == format_gcg(new_game()).encode()
        assert list((tmp_path / "disk").iterdir()) == [file]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
