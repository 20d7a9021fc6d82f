"""GCG: what is written, what is read, and what is said about what cannot be read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import ChallengeRule, Edition, load_edition, parse_play
from scoring.board import Board
from scoring.errors import GameError, NotationError
from scoring.events import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.game import Game
from scoring.gcg import GcgHeader, format_gcg, parse_gcg, read_gcg, write_gcg
from scoring.gcg_words import word_readings
from scoring.play import Play

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")
KRYDSORD = load_edition("krydsord")
HEAD = "#player1 a Ann\n#player2 b Bo\n"


def game_of(*players: str, edition: Edition = ICELANDIC) -> Game:
    return Game(edition=edition, players=players or ("Anna", "Jón Á"))


def event_lines(game: Game, header: GcgHeader | None = None) -> list[str]:
    """The written lines after the pragmas."""
    lines = format_gcg(game, header).splitlines()
    return lines[[line.startswith("#tile-distribution") for line in lines].index(True) + 1 :]


def problems(text: str, edition: Edition | None = None) -> list[tuple[int, bool]]:
    return [(problem.line, problem.lost) for problem in parse_gcg(text, edition).problems]


class TestWriting:
    def test_a_whole_file(self) -> None:
        game = game_of().play(parse_play("8D HRAKI", ICELANDIC.tokens), rack="HRAKIÞÆ")
        game = game.play(parse_play("G6 Lo.I", ICELANDIC.tokens), note="two\n\n lines ")
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
            game_of().passed(rack="ABDEFGH").passed().exchanged("AB").exchanged(count=4).exchanged().no_play()
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
        game = game_of().play(parse_play("8D hrAKI", ICELANDIC.tokens)).passed()
        assert event_lines(game)[1].startswith(">Jón_Á: A - ")
        unknown = replace(ICELANDIC, counts=dict.fromkeys(ICELANDIC.counts))
        assert event_lines(game_of(edition=unknown).passed())[0].startswith(">Anna: ? - ")

    def test_plays_taken_back(self) -> None:
        game = (
            game_of()
            .play(parse_play("8D HRAKI", ICELANDIC.tokens), rack="HRAKIÞÆ")
            .withdrawn(turn_lost=False)
        )
        game = game.play(parse_play("8D HRAKI", ICELANDIC.tokens)).challenged(upheld=True)
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
        play = parse_play("8F ELADÓ", HUNGARIAN.tokens)
        game = game_of(edition=HUNGARIAN).play(play)
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
        mild = game_of().play(parse_play("8D HRAKI", ICELANDIC.tokens)).challenged(upheld=False)
        assert event_lines(mild)[1:] == [
            ">Anna: ? (challenge) +0 28",
            "#note [tilesight] challenged-by Jón_Á",
        ]

    def test_a_turn_lost_by_a_challenge_in_vain(self) -> None:
        strict = replace(ICELANDIC, challenge=ChallengeRule(valid_turn=True))
        game = game_of(edition=strict).play(parse_play("8D HRAKI", ICELANDIC.tokens)).challenged(upheld=False)
        assert event_lines(game)[1:] == [
            ">Jón_Á: ? - +0 0",
            "#note [tilesight] challenge-failed; rack-unknown",
        ]
        assert parse_gcg(format_gcg(game), strict).game == game

    def test_the_end_of_a_game(self) -> None:
        game = game_of().clock_penalty(10, player=1).settled({0: [], 1: ["B", "?"]})
        assert event_lines(game) == [
            ">Jón_Á: ? (time) -10 -10",
            ">Anna: (B?) +6 6",
            ">Jón_Á: B? (B?) -6 -16",
        ]
        assert event_lines(game_of().clock_penalty(-5, player=0)) == [">Anna: ? (time) +5 5"]
        danish = game_of(edition=KRYDSORD).settled({0: [], 1: []})
        assert event_lines(danish) == [">Anna: () +10 10", ">Jón_Á: () +10 10"]

    def test_blanks_of_unknown_letter_get_a_stand_in_that_readers_take(self) -> None:
        game = game_of().play(parse_play("8D H?AK?", ICELANDIC.tokens))
        assert event_lines(game) == [
            ">Anna: H?AK? 8D HaAKa +24 24",
            "#note [tilesight] unknown-blanks E8 H8",
        ]
        assert parse_gcg(format_gcg(game)).game == game

    def test_digraphs_are_in_brackets_only_where_they_would_be_misread(self) -> None:
        game = game_of(edition=HUNGARIAN).play(parse_play("8E SZ[S]ZÓgy", HUNGARIAN.tokens))
        assert event_lines(game)[0].startswith(">Anna: SZ[S]ZÓ? 8E SZ[S]ZÓgy +")
        assert parse_gcg(format_gcg(game)).game == game

    def test_a_play_that_could_not_lie_on_the_board(self) -> None:
        nonsense = [Play.of([(7, 7, "A"), (8, 8, "B")]), Play.of([]), Play.of([(7, 7, "Q")])]
        for play in nonsense:
            game = game_of().with_event(PlayEvent(player=0, play=play))
            first, note = event_lines(game)
            assert first == ">Anna: ? - +0 0"
            assert note.startswith("#note [tilesight] unplayable")
        twice = game_of().play(parse_play("8D HRAKI", ICELANDIC.tokens))
        twice = twice.with_event(PlayEvent(player=1, play=parse_play("8D NRAKI", ICELANDIC.tokens)))
        assert event_lines(twice)[1] == ">Jón_Á: NRAKI 8D NRAKI +0 0"

    def test_racks_at_the_end_of_an_unfinished_game(self) -> None:
        header = GcgHeader(racks=(None, ("Þ", "?")), incomplete=True, others=(("tile", ""),))
        text = format_gcg(game_of(), header)
        assert text.endswith("#tile\n#rack2 Þ?\n#incomplete\n")
        assert parse_gcg(text).header == replace(header, nicks=("Anna", "Jón_Á"))

    def test_nicknames(self) -> None:
        text = format_gcg(game_of("A B", "A_B", "A  B"))
        assert "#player1 A_B A B\n#player2 A_B_2 A_B\n#player3 A_B_3 A B\n" in text
        assert len(parse_gcg(text).game.players) == 3
        assert "#player1 x Anna\n" in format_gcg(game_of(), GcgHeader(nicks=("x", "y")))
        for nicks in (("x",), ("x", "x"), ("x y", "z")):
            with pytest.raises(GameError, match="nicknames"):
                format_gcg(game_of(), GcgHeader(nicks=nicks))

    def test_a_game_that_went_on_from_a_board_has_no_form(self) -> None:
        empty = Board.empty(ICELANDIC.layout)
        assert format_gcg(Game(edition=ICELANDIC, players=("A",), start=empty))
        board = empty.with_tiles(parse_play("8D HRAKI", ICELANDIC.tokens))
        with pytest.raises(GameError, match="CGP"):
            format_gcg(Game(edition=ICELANDIC, players=("A",), start=board))


class TestFiles:
    def test_a_file_is_written_whole_and_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "game.gcg"
        game = game_of().play(parse_play("8D HRAKI", ICELANDIC.tokens))
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
            write_gcg(path, game_of())
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class TestReading:
    def test_what_other_programs_write(self) -> None:
        """Doubled spaces, missing racks, letters in parentheses, signs twice, a rack of an earlier player."""
        record = parse_gcg(
            HEAD + "#title t\n#description Made by hand\n#game-type classic\n"
            ">a: 8G CAT +10 10\n"
            ">b:  ABLE  h8  (A)BLE  +6  6\n"
            "#note a note\n"
            "that goes on\n"
            ">b: ABLE --  -6 0\n"
            ">a:  - +0 10\n"
            ">b: BLE? H8 .BLe 5 5\n"
            ">a: ABC (challenge)\n"
            ">a:  -0\n"
            ">b: EF -EF\n"
            ">a: IX 12H IX\n"
        )
        assert [event.kind for event in record.game.events] == [
            "play", "play", "withdrawn", "pass", "play", "challenge", "pass", "exchange", "play",
        ]  # fmt: skip
        assert record.game.events[1].note == "a note\nthat goes on"
        assert record.header.others == (("game-type", "classic"),)
        assert record.lines[3].score == 0
        assert record.lines[8].total is None
        assert record.differences == ()
        assert record.problems == ()

    def test_text_and_bytes_read_the_same(self) -> None:
        text = "#character-encoding UTF-8\n#player1 a Þór\n>a: HÁ 8H HÁ +16 16\n"
        assert parse_gcg(text, ICELANDIC).game == parse_gcg(text.encode(), ICELANDIC).game
        assert parse_gcg(text.replace("\n", "\r\n").encode("utf-8-sig"), ICELANDIC).game.players == ("Þór",)
        assert parse_gcg(text.replace("\n", "\r"), ICELANDIC).game.players == ("Þór",)

    def test_without_a_declared_encoding_it_is_latin_unless_it_is_clearly_not(self) -> None:
        text = "#player1 a Þór\n>a: HÁ 8H HÁ +16 16\n"
        latin = parse_gcg(text.encode("iso-8859-1"), ICELANDIC)
        assert (latin.game.players, latin.problems) == (("Þór",), ())
        utf8 = parse_gcg(text.encode(), ICELANDIC)
        assert utf8.game.players == ("Þór",)
        assert [(problem.line, problem.lost) for problem in utf8.problems] == [(1, False)]
        assert parse_gcg(b"#player1 a Ann\n").problems == ()

    def test_declared_encodings_that_do_not_hold(self) -> None:
        unknown = parse_gcg(b"#character-encoding klingon\n#player1 a Ann\n")
        assert "klingon" in unknown.problems[0].message
        broken = parse_gcg(b"#character-encoding UTF-8\n#player1 a \xdeor\n")
        assert (broken.problems[0].line, broken.problems[0].lost) == (2, True)
        declared = parse_gcg("#character-encoding ISO-8859-1\n#player1 a Þór\n".encode("iso-8859-1"))
        assert declared.game.players == ("Þór",)
        assert problems(HEAD + "#character-encoding UTF-8") == [(3, False)]

    def test_control_characters_are_dropped(self) -> None:
        assert parse_gcg("#player1 a A\x1b[31mnn\n#note x\ty\n").game.players == ("A[31mnn",)

    def test_a_file_without_end_is_refused(self) -> None:
        with pytest.raises(NotationError, match="larger than"):
            read_gcg("/dev/zero")

    @pytest.mark.parametrize(
        "content",
        [b"", b"hello\nworld", b"\x89PNG\0\0", b"#title nobody plays", b"#note a note", b">a: what\n"],
    )
    def test_what_is_no_gcg_is_refused(self, content: bytes) -> None:
        with pytest.raises(NotationError):
            parse_gcg(content)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (">a", "is not an event"),
            (">a:", "is not an event"),
            (">a: ABC 8H", "is not an event"),
            (">a: ABC ABC ABC ABC", "is not an event"),
            (">a: ABC 8H ABC DEF +10 10", "is not an event"),
            (">c: ABC 8H ABC +10 10", "'c' is not among a, b"),
            (">a: ABC 8H A!C +10 10", "no tile at '!C'"),
            (">a: ABC 1H A.C +10 10", "old tile on I1, where no tile lies"),
            (">a: ABC 8E AB(R)CAT +10 10", "old tile on G8, where C lies"),
            (">a: ABC 8K A#C +10 10", "which is no tile"),
            (">a: ABC 8K A)C +10 10", "no tile at"),
            (">a: ABC 8G CAT +10 10", "lays no tile"),
            (">a: ABC 0H ABC +10 10", "is no position"),
            (">a: ABC -aB +0 0", "no tile that a rack can hold"),
            (">a: (.) +10 10", "no tile that a rack can hold"),
            ("#", "is not a pragma"),
            ("#player3 a Again", "is not used"),
            ("#rack7 ABC", "does not play"),
            ("stray text", "neither an event nor a pragma"),
        ],
    )
    def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_read(self, line: str, words: str) -> None:
        record = parse_gcg(f"{HEAD}>a: CAT 8G CAT +10 10\n{line}\n>b: ABLE H9 ABLE +8 8\n")
        (problem,) = [problem for problem in record.problems if problem.lost]
        assert problem.line == 4
        assert words in problem.message
        assert str(problem).startswith("line 4: ")
        assert record.game.events[-1].player == 1

    def test_points_lost_by_a_challenge_of_nothing(self) -> None:
        record = parse_gcg(HEAD + ">a: A (challenge) -10 -10\n")
        assert [(problem.line, problem.lost) for problem in record.problems] == [(3, True)]
        assert "no play stands that was challenged" in record.problems[0].message

    def test_a_lost_line_takes_its_notes_along(self) -> None:
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n>b: what\n#note on what\nand more\n")
        assert record.game.events[0].note == ""

    def test_pragmas_that_come_twice_and_an_empty_note(self) -> None:
        record = parse_gcg(HEAD + "#title one\n#title two\n#note\n#note x\n")
        assert (record.header.title, record.header.note) == ("one", "x")
        assert [(problem.line, problem.lost) for problem in record.problems] == [(4, False)]

    def test_players_without_pragmas_and_of_one_name(self) -> None:
        record = parse_gcg(">x: CAT 8G CAT +10 10\n>y: ABLE H9 ABLE +7 7\n")
        assert record.game.players == ("x", "y")
        assert parse_gcg("#player2 b Ann\n#player1 a Ann\n#player3 c\n").game.players == (
            "Ann (a)",
            "Ann (b)",
            "c",
        )
        five = parse_gcg("".join(f">{nick}: ABC - +0 0\n" for nick in "vwxyz"))
        assert len(five.game.players) == 4
        assert [problem.line for problem in five.problems] == [5]

    def test_what_the_rules_do_not_allow_is_named_and_kept(self) -> None:
        record = parse_gcg(HEAD + ">b: CAT 1A CAT +10 10\n")
        assert [(problem.line, problem.lost) for problem in record.problems] == [(3, False), (3, False)]
        assert len(record.game.events) == 1

    def test_racks(self) -> None:
        record = parse_gcg(HEAD + ">a: CAtX 8G CAT +10 10\n#rack1 AB!\n#incomplete EF\n")
        assert [(problem.line, problem.lost) for problem in record.problems] == [(3, False), (4, False)]
        event = record.game.events[0]
        assert isinstance(event, PlayEvent)
        assert event.rack is None
        assert record.header.racks == (None, ("E", "F"))
        assert record.header.incomplete

    def test_the_rack_of_tiles_played_is_no_knowledge(self) -> None:
        record = parse_gcg(HEAD + ">a: TAC 8G CAT +10 10\n>b: ?BLES H9 aBLE +7 7\n>a: QI -IQ +0 10\n")
        racks = [getattr(event, "rack", None) for event in record.game.events]
        assert racks == [None, ("?", "B", "L", "E", "S"), None]


class TestEvents:
    def one(self, line: str, edition: Edition | None = None) -> object:
        """The event of a line after a first play of player a's, without its player."""
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n" + line, edition)
        assert not record.problems
        return record.game.events[1]

    def test_passes(self) -> None:
        assert self.one(">b: QI - +0 0") == PassEvent(player=1, rack=("Q", "I"))
        note = "#unsuccessful-challenge"
        assert self.one(f">b: QI - +0 0\n#note {note}") == ChallengeEvent(
            player=0, upheld=False, challenger=1, note=note
        )
        record = parse_gcg(HEAD + f">a: QI - +0 0\n#note {note}")
        assert record.game.events == (PassEvent(player=0, rack=("Q", "I"), note=note),)

    def test_exchanges(self) -> None:
        assert self.one(">b: QIA -QI +0 0") == ExchangeEvent(player=1, tiles=("Q", "I"), rack=("Q", "I", "A"))
        assert self.one(">b: QI -2 +0 0") == ExchangeEvent(player=1, count=2, rack=("Q", "I"))
        assert self.one(">b: QI -2") == ExchangeEvent(player=1, count=2, rack=("Q", "I"))

    def test_time(self) -> None:
        assert self.one(">b: QI (time) -10 -10") == ClockPenalty(player=1, points=10)
        assert self.one(">b: (time) -10") == ClockPenalty(player=1, points=10)

    def test_our_own_notes(self) -> None:
        fact = "#note [tilesight] "
        assert self.one(f">b: Q - +0 0\n{fact}pass-or-exchange; rack-unknown") == NoPlayEvent(player=1)
        assert self.one(f">b: Q - +0 0\n{fact}exchange; rack-unknown") == ExchangeEvent(player=1)
        kept = WithdrawnEvent(player=0, turn_lost=False, note="oh")
        assert self.one(f">a: CAT -- -10 0\n{fact}turn-kept\n#note oh") == kept
        by = ChallengeEvent(player=0, upheld=True, challenger=1)
        assert self.one(f">a: CAT -- -10 0\n{fact}challenged-by b") == by
        assert self.one(f">a: CAT -- -10 0\n{fact}challenged-by nobody") == replace(by, challenger=None)
        note = "[tilesight] of a later version"
        assert self.one(f">b: QI - +0 0\n#note {note}") == PassEvent(player=1, rack=("Q", "I"), note=note)

    def test_challenges(self) -> None:
        assert self.one(">a: ABC (challenge) +5 15") == ChallengeEvent(player=0, upheld=False, bonus=5)
        assert self.one(">b: ABC (challenge) -5 -5") == ChallengeEvent(
            player=0, upheld=False, challenger=1, penalty=5
        )

    def test_a_hungarian_challenger_loses_ten_whatever_is_printed(self) -> None:
        lines = HEAD + ">a: ELADÓ 8F ELADÓ +18 18\n>b: A (challenge) -5 -5\n"
        record = parse_gcg(lines, HUNGARIAN)
        assert record.game.events[1] == ChallengeEvent(player=0, upheld=False, challenger=1)
        assert [(each.line, each.player, each.score) for each in record.differences if each.line == 4] == [
            (4, 1, -10)
        ]
        bonus = parse_gcg(
            HEAD + ">a: ELADÓ 8F ELADÓ +18 18\n>a: A (challenge) +0 18\n#note [tilesight] challenged-by b",
            HUNGARIAN,
        )
        assert bonus.game.totals[1] == 0

    def test_tiles_left(self) -> None:
        assert self.one(">a: (QI) +11 21") == EndRack(player=0, tiles=("Q", "I"), gained=True)
        assert self.one(">a: (QI) +22 32") == EndRack(player=0, tiles=("Q", "I"), gained=True, doubled=True)
        assert self.one(">a: (QI) +10 20") == EndRack(player=0, tiles=("Q", "I"), gained=True)
        assert self.one(">b: QI (QI) -11 -11") == EndRack(player=1, tiles=("Q", "I"))
        assert self.one(">b: (QI) -11 -11") == EndRack(player=1, tiles=("Q", "I"))
        assert self.one(">b: ? (?) -0 0") == EndRack(player=1, tiles=("?",))
        assert self.one(">a: (?) +0 10") == EndRack(player=0, tiles=("?",), gained=True)
        assert self.one(">a: () +10 20") == EndBonus(player=0, points=10)
        assert self.one(">a: ()") == EndBonus(player=0, points=0)


class TestEditions:
    def edition(self, pragmas: str) -> tuple[str, list[int]]:
        record = parse_gcg(pragmas + "\n" + HEAD)
        return record.game.edition.name, [problem.line for problem in record.problems]

    def test_the_file_says_which(self) -> None:
        assert self.edition("#tile-distribution Hungarian") == ("hungarian", [])
        assert self.edition("#lexicon CSW24") == ("english", [])
        assert self.edition("#lexicon osps42") == ("polish", [])
        assert self.edition("#lexicon icelandic") == ("icelandic", [])
        assert self.edition("#note LetterDistribution: german") == ("german", [])
        assert self.edition("#note LetterDistribution: klingon") == ("english", [])
        assert self.edition("#note Variant: classic") == ("english", [])

    def test_what_is_not_known_is_said(self) -> None:
        assert self.edition("#tile-distribution klingon") == ("english", [1])
        assert self.edition("#lexicon KLI1") == ("english", [1])
        assert self.edition("#lexicon RD28\n#tile-distribution klingon") == ("german", [2])

    def test_who_reads_may_say_which(self) -> None:
        assert parse_gcg("#tile-distribution klingon\n" + HEAD, ICELANDIC).game.edition is ICELANDIC


class TestDigraphs:
    """A written SZ, which may be one tile or two; the score says which, where it is printed."""

    def word(self, line: str) -> tuple[list[str], list[int]]:
        record = parse_gcg(HEAD + line, HUNGARIAN)
        (event,) = record.game.events
        assert isinstance(event, PlayEvent)
        assert not any(problem.lost for problem in record.problems)
        return [each.token for each in event.play], [problem.line for problem in record.problems]

    def score_of(self, word: str) -> int:
        play = parse_play(f"8F {word}", HUNGARIAN.tokens)
        return game_of(edition=HUNGARIAN).play(play).totals[0]

    def test_one_tile_is_read_where_nothing_speaks_against_it(self) -> None:
        assert self.word(">a: 8F SZAVA\n") == (["SZ", "A", "V", "A"], [])
        assert self.word(f">a: 8F SZAVA +{self.score_of('SZAVA')} 0\n")[0] == ["SZ", "A", "V", "A"]

    def test_two_tiles_are_read_where_only_they_give_the_score(self) -> None:
        score = self.score_of("[S]ZAVA")
        assert score != self.score_of("SZAVA")
        assert self.word(f">a: 8F SZAVA +{score} {score}\n") == (["S", "Z", "A", "V", "A"], [3])

    def test_brackets_leave_no_doubt(self) -> None:
        score = self.score_of("[S]ZAVA")
        assert self.word(f">a: 8F [SZ]AVA +{score} {score}\n")[0] == ["SZ", "A", "V", "A"]

    def test_a_tile_of_three_letters_has_every_reading_that_its_letters_allow(self) -> None:
        letters = ("D", "DZ", "DZS", "S", "ZS", "AB", "A")
        readings = [tuple(token for token, _ in word) for word in word_readings("dzs.AB", letters)]
        assert readings == [("dzs", ".", "AB"), ("dz", "s", ".", "AB"), ("d", "zs", ".", "AB")]
        assert [old for _, old in next(word_readings("(AB)D.", letters))] == [True, False, True]

    def test_no_reading_that_fits_leaves_the_first(self) -> None:
        assert self.word(">a: 8F SZAVA +99 99\n")[0] == ["SZ", "A", "V", "A"]

    def second(self, line: str) -> tuple[list[str], list[int]]:
        record = parse_gcg(HEAD + ">a: 8F ALMA\n" + line, HUNGARIAN)
        event = record.game.events[1]
        assert isinstance(event, PlayEvent)
        return [each.token for each in event.play], [problem.line for problem in record.problems]

    def test_a_reading_that_meets_old_tiles_wrongly_is_passed_over(self) -> None:
        assert self.second(">b: G7 SZ.A +99 99\n") == (["SZ", "A"], [])
        assert self.second(">b: G6 SZ.A\n") == (["S", "Z", "A"], [4])


class TestDifferences:
    GAME = (
        HEAD
        + ">a: CAT 8G CAT +10 10\n>b: ABLE H9 ABLE +7 7\n>a: QI - +0 10\n>b: QI - +0 7\n>a: QI - +0 12\n>b: QI -\n"
    )

    def test_a_wrong_score_and_what_it_carries_on(self) -> None:
        found = parse_gcg(self.GAME).differences
        assert [(each.line, each.player, each.carried) for each in found] == [
            (4, 1, False),
            (6, 1, True),
            (7, 0, False),
        ]
        assert (found[0].printed_score, found[0].score) == (7, 8)
        assert (found[2].printed_total, found[2].total, found[2].index) == (12, 10, 4)
