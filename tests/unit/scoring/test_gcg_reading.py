"""GCG: reading, and the problems that are reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import (
    ChallengeEvent,
    ClockPenalty,
    Edition,
    EndBonus,
    EndRack,
    ExchangeEvent,
    Game,
    GameProblemKind,
    NoPlayEvent,
    NotationError,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
    format_gcg,
    load_edition,
    parse_gcg,
    read_gcg,
)
from scoring.gcg.text import decode_gcg

ICELANDIC = load_edition("icelandic")
HUNGARIAN = load_edition("hungarian")
HEAD = "#player1 a Ann\n#player2 b Bo\n"
TILES_DO_NOT_ADD_UP = GameProblemKind.TILES_DO_NOT_ADD_UP
MANY_DIGITS = "9" * 5000  # more than Python converts


def problems(text: str, edition: Edition | None = None) -> list[tuple[int, bool]]:
    return [(problem.line, problem.lost) for problem in parse_gcg(text, edition).problems]


class TestReading:
    def test_what_other_programs_write(self) -> None:
        """Doubled spaces, missing racks, letters in parentheses, doubled signs, a rack of an earlier player."""
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

    @pytest.mark.parametrize("encoding", ["iso-8859-2", "cp1250", "cp852"])
    @pytest.mark.parametrize("named", ["as argument", "in the file", "by its letters"])
    def test_without_a_declared_encoding_the_letters_of_the_edition_decide(
        self, encoding: str, named: str
    ) -> None:
        game = Game(HUNGARIAN, ["Ann", "Bo"]).with_play("8F ERŐS").with_play("F7 F.ŰK")
        head = "#tile-distribution hungarian\n"
        text = format_gcg(game).replace("#character-encoding UTF-8\n", "")
        text = text if named == "in the file" else text.replace(head, "")
        record = parse_gcg(text.encode(encoding), HUNGARIAN if named == "as argument" else None)
        assert record.game == game
        assert any("here although the text is" in problem.message for problem in record.problems)
        assert not any(problem.lost for problem in record.problems)

    @pytest.mark.parametrize("head", ["", "#character-encoding ISO-8859-1\n"])
    def test_a_bad_byte_of_a_utf_8_file_costs_no_play(self, head: str) -> None:
        game = Game(HUNGARIAN, ["Ann", "Bé"]).with_play("8F ERŐS").with_play("F7 F.ŰK")
        text = format_gcg(game).replace("#character-encoding UTF-8\n", head)
        record = parse_gcg(text.encode() + b"#note caf\xe9\n")
        assert record.game.players == game.players
        assert [event.note for event in record.game.events] == ["", "caf\ufffd"]
        assert [problem.lost for problem in record.problems] == [False, True]
        assert "byte 0xe9 is not UTF-8" in record.problems[1].message

    def test_a_bad_byte_of_another_file_costs_no_play(self) -> None:
        play = "#player1 a Anna\n>a: ΛΟΓΟΣ 8F ΛΟΓΟΣ +12 12\n"
        lines, problems = decode_gcg(play.encode("cp1253") + b"#note \xff\n", "ΓΛΟΣ")
        assert "\n".join(lines) == play + "#note \ufffd"
        assert [problem.lost for problem in problems] == [False, True]

    @pytest.mark.parametrize("encoding", ["cp1251", "koi8-r"])
    def test_a_cyrillic_file_that_is_not_utf_8_is_called_that(self, encoding: str) -> None:
        play = "#player1 a Anna\n>a: КОТ 8F КОТ +12 12\n"
        _, (problem,) = decode_gcg(play.encode(encoding), "КОТ")
        assert (problem.line, problem.lost) == (1, False)
        assert "save it so, or name its '#character-encoding'" in problem.message
        named = f"#character-encoding {encoding}\n{play}"
        assert decode_gcg(named.encode(encoding), "КОТ")[1] == ()

    def test_the_letters_decide_with_any_end_of_a_line(self) -> None:
        text = "#player1 a Anna\n>a: ÖRA 8F ÖRA +12 12\n"
        swedish = load_edition("swedish")
        for end in ("\n", "\r\n", "\r"):
            record = parse_gcg(text.replace("\n", end).encode("mac_roman"), swedish)
            assert record.game == parse_gcg(text, swedish).game
            assert "although the text is macintosh" in record.problems[0].message
        record = parse_gcg(b"#character-encoding UTF-8\r\r#player1 a \xdeor\r")
        assert [problem.line for problem in record.problems] == [3]

    @pytest.mark.parametrize(
        ("edition", "nickname", "play"),
        [("hungarian", "Bjørn", "8F FÖLD"), ("polish", "Åsa", "8G KOT"), ("polish", "Peña", "8G KOT")],
    )
    def test_a_nickname_does_not_decide_the_encoding(self, edition: str, nickname: str, play: str) -> None:
        game = Game(load_edition(edition), [nickname, "Ann"]).with_play(play)
        text = format_gcg(game).replace("#character-encoding UTF-8\n", "")
        record = parse_gcg(text.encode("iso-8859-1"))
        assert (record.game, record.problems) == (game, ())

    def test_declared_encodings_that_do_not_hold(self) -> None:
        unknown = parse_gcg(b"#character-encoding klingon\n#player1 a Ann\n")
        assert "klingon" in unknown.problems[0].message
        broken = parse_gcg(b"#character-encoding UTF-8\n#player1 a \xdeor\n")
        assert (broken.problems[0].line, broken.problems[0].lost) == (2, True)
        declared = parse_gcg("#character-encoding ISO-8859-1\n#player1 a Þór\n".encode("iso-8859-1"))
        assert declared.game.players == ("Þór",)
        assert problems(HEAD + "#character-encoding UTF-8") == [(3, False)]
        assert problems("\n \n#character-encoding UTF-8\n" + HEAD) == []

    @pytest.mark.parametrize("name", ["ISO-8859-1", "US-ASCII", "windows-1252"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_an_editor_saved_it_as_utf_8_and_left_the_declaration(self, encoding: str, name: str) -> None:
        record = parse_gcg(f"#character-encoding {name}\n#player1 a Þór Ýr\n".encode(encoding))
        assert record.game.players == ("Þór Ýr",)
        assert [problem.lost for problem in record.problems] == [False] * (encoding == "utf-8")

    def test_names_that_differ_in_their_spaces_only(self) -> None:
        record = parse_gcg("#player1 a Ann  Lee\n#player2 b Ann Lee\n")
        assert record.game.players == ("Ann Lee (a)", "Ann Lee (b)")
        assert parse_gcg("#player1 a Ann  Lee\n#player2 b Bo").game.players == ("Ann Lee", "Bo")

    def test_a_mark_before_a_text_and_a_tab_after_a_nickname(self) -> None:
        record = parse_gcg("\ufeff#player1 a\tAnn Lee\n#player2 b Ben\n>a: HÁ 8H HÁ +16 16\n", ICELANDIC)
        assert record.game.players == ("Ann Lee", "Ben")
        assert not record.problems

    @pytest.mark.parametrize(
        "name",
        [
            "punycode",
            "undefined",
            "rot13",
            "idna",
            "base64",
            "unicode_escape",
            "utf-7",
            "\N{OGHAM LETTER BEITH}",
        ],
    )
    def test_what_python_takes_for_an_encoding_is_not_all_a_character_set(self, name: str) -> None:
        content = f"#character-encoding {name}\n#player1 a Þór\n#note xn--\\x41-\n".encode()
        record = parse_gcg(content)
        (problem,) = record.problems
        assert (problem.line, problem.lost) == (1, False)
        assert "no character set known here; the text is read as UTF-8" in problem.message
        assert (record.game.players, record.header.note) == (("Þór",), "xn--\\x41-")

    @pytest.mark.parametrize(
        ("name", "player"), [("ISO-8859-2", "Łucja"), ("windows-1250", "Łucja"), ("Latin1", "Þór")]
    )
    def test_character_sets_of_other_countries(self, name: str, player: str) -> None:
        record = parse_gcg(f"#character-encoding {name}\n#player1 a {player}\n".encode(name))
        assert (record.game.players, record.problems) == ((player,), ())

    def test_control_characters_are_dropped(self) -> None:
        assert parse_gcg("#player1 a A\x1b[31mnn\n#note x\ty\n").game.players == ("A[31mnn",)

    def test_a_file_without_end_is_refused(self) -> None:
        with pytest.raises(OSError, match="larger than 4 MB"):
            read_gcg("/dev/zero")

    def test_a_name_that_no_file_can_have_is_refused_as_a_file(self) -> None:
        with pytest.raises(OSError, match="null"):
            read_gcg("a\0")

    @pytest.mark.parametrize(
        "content",
        [b"", b"hello\nworld", b"\x89PNG\0\0", b"#title nobody plays", b"#note a note", b">a: what\n"],
    )
    def test_what_is_no_gcg_is_refused(self, content: bytes) -> None:
        with pytest.raises(NotationError) as caught:
            parse_gcg(content)
        assert "read_gcg" not in str(caught.value)  # the content of a file, not its name

    def test_a_pragma_with_a_number_of_thousands_of_digits_is_not_known(self) -> None:
        record = parse_gcg(
            f"{HEAD}#player{MANY_DIGITS} c Cy\n#rack{MANY_DIGITS} ABC\n>a: CAT 8G CAT +10 10\n"
        )
        assert (record.game.players, record.problems) == (("Ann", "Bo"), ())
        assert len(record.header.others) == 2

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (">a", "is not an event"),
            (">a:", "is not an event"),
            (">a: ABC 8H", "is not an event"),
            (">a: ABC ABC ABC ABC", "is not an event"),
            (">a: ABC 8H ABC DEF +10 10", "is not an event"),
            (">c: ABC 8H ABC +10 10", "'c' is not among a, b"),
            (">a: ABC 8H A!C +10 10", "no tile at '!' (character 2)"),
            (">a: ABC 1H A.C +10 10", "old tile on I1, where no tile is"),
            (">a: ABC 8E AB(R)CAT +10 10", "old tile on G8, where C is"),
            (">a: ABC 8K A#C +10 10", "which is no tile"),
            (">a: ABC 8K A)C +10 10", "no tile at"),
            (">a: ABC 8G CAT +10 10", "lays no tile"),
            (">a: ABC 0H ABC +10 10", "is no position"),
            (">a: ABC -aB +0 0", "no tile that a rack can hold"),
            (">a: (.) +10 10", "no tile that a rack can hold"),
            ("#", "is not a pragma"),
            ("#player3", "is not used"),
            ("#rack7 ABC", "does not play"),
            (f">a: ABC 8K ABC +{MANY_DIGITS}", "is not an event"),
            (f">a: ABC 8K ABC +10 {MANY_DIGITS}", "is not an event"),
            (f">a: ABC -{MANY_DIGITS}", "is not an event"),
            (f">a: ABC -{MANY_DIGITS[:900]}", f"no tile at {MANY_DIGITS[0]!r} (character 1)"),
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

    def test_an_old_blank_may_be_written_as_a_plain_capital(self) -> None:
        """Some programs write the old letters of a word, and old blanks as capitals."""
        first = HEAD + ">a: CAT? 8G CAtS +8 8\n"
        record = parse_gcg(first + ">b: HE 8G CATSHE\n>a: AEO I7 OTEA\n")
        assert [len(event.play) for event in record.game.events if isinstance(event, PlayEvent)] == [4, 2, 3]
        assert not any(problem.lost for problem in record.problems)

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

    @pytest.mark.parametrize("used", ["8B TEARING +68 68", "-TEARING +0 0"])
    def test_a_complete_rack_in_another_order_than_that_of_the_play_is_known(self, used: str) -> None:
        record = parse_gcg(HEAD + f">a: AEGINRT {used}\n")
        assert getattr(record.game.events[0], "rack", None) == tuple("AEGINRT")
        assert f">a: AEGINRT {used}\n" in format_gcg(record.game, record.header)
        assert parse_gcg(format_gcg(record.game)).game == record.game
        for rack in ("TEARING", ""):
            unknown = parse_gcg(HEAD + f">a: {rack} {used}\n")
            assert getattr(unknown.game.events[0], "rack", None) is None


class TestEvents:
    def one(self, line: str, edition: Edition | None = None) -> object:
        """Return the event of a line after a first play by player a, without its player."""
        record = parse_gcg(HEAD + ">a: CAT 8G CAT +10 10\n" + line, edition)
        of_counts = {each.message for each in record.game.problems if each.kind is TILES_DO_NOT_ADD_UP}
        assert {each.message for each in record.problems} == of_counts
        return record.game.events[1]

    def test_passes(self) -> None:
        assert self.one(">b: QI - +0 0") == PassEvent(player=1, rack=("Q", "I"))
        note = "#unsuccessful-challenge"
        assert self.one(f">b: QI - +0 0\n#note {note}") == ChallengeEvent(
            player=0, upheld=False, challenger=1, turn_lost=True, note=note
        )
        record = parse_gcg(HEAD + f">a: QI - +0 0\n#note {note}")
        assert record.game.events == (PassEvent(player=0, rack=("Q", "I"), note=note),)

    def test_exchanges(self) -> None:
        assert self.one(">b: QIA -QI +0 0") == ExchangeEvent(player=1, tiles=("Q", "I"), rack=("Q", "I", "A"))
        for numbers in ("", " +0", " 0", " +0 0"):
            assert self.one(f">b: QI -2{numbers}") == ExchangeEvent(player=1, count=2, rack=("Q", "I"))
            assert self.one(f">b: -2{numbers}") == ExchangeEvent(player=1, count=2)

    def test_a_score_after_a_sign_is_no_exchange(self) -> None:
        assert self.one(">b: - -5") == PassEvent(player=1)
        assert self.one(">a: -- -10") == WithdrawnEvent(player=0)

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
        assert self.edition("#lexicon ODS8") == ("french", [])
        assert self.edition("#lexicon SAOL14") == ("swedish", [])
        assert self.edition("#lexicon NSF21") == ("norwegian", [])
        assert self.edition("#lexicon NSWL20") == ("english", [])
        assert self.edition("#tile-distribution klingon\n#note LetterDistribution: german") == ("german", [])
        assert self.edition("#note LetterDistribution: german") == ("german", [])
        assert self.edition("#note LetterDistribution: klingon") == ("english", [])
        assert self.edition("#note Variant: classic") == ("english", [])

    def test_what_is_not_known_is_reported(self) -> None:
        assert self.edition("#tile-distribution klingon") == ("english", [1])
        assert self.edition("#lexicon KLI1") == ("english", [1])
        assert self.edition("#lexicon RD28\n#tile-distribution klingon") == ("german", [2])

    def test_a_list_of_a_language_without_an_edition_is_reported(self) -> None:
        record = parse_gcg("#lexicon DISC2\n" + HEAD)
        (problem,) = record.problems
        assert (
            problem.message
            == "'#lexicon DISC2' is no edition known here; it is Catalan; english is taken instead"
        )

    def test_who_reads_may_say_which(self) -> None:
        assert parse_gcg("#tile-distribution klingon\n" + HEAD, ICELANDIC).game.edition is ICELANDIC


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


class TestEndlessFiles:
    def test_events_beyond_those_of_a_game_are_one_problem(self) -> None:
        record = parse_gcg(HEAD + ">a: AB - +0 0\n" * 10_000, "english")
        assert len(record.lines) == 2_001
        (problem,) = (each for each in record.problems if each.lost)
        assert problem.message == (
            "more than 2,000 events; no line after it is read; write a file for each game"
        )

    def test_a_long_note_is_for_people(self) -> None:
        note = "[tilesight] first-tried " + "8H AB, " * 50_000
        record = parse_gcg(f"{HEAD}>a: AB - +0 0\n#note {note}\n", "english")
        assert [event.note for event in record.game.events] == [note.strip()]

    @pytest.mark.parametrize("line", [">a: {} 8H AB +8 8", "#rack1 {}", "#{}"])
    def test_a_long_line_is_not_read(self, line: str) -> None:
        record = parse_gcg(f"{HEAD}>a: AB - +0 0\n{line.format('SZ' * 50_000)}\n", "hungarian")
        (problem,) = (each for each in record.problems if each.lost)
        assert "characters is not an event or pragma; only a note may be as long" in problem.message
        assert len(record.lines) == 1

    def test_what_a_problem_quotes_is_short(self) -> None:
        (problem,) = parse_gcg(HEAD + "A" * 50_000 + "\n", "english").problems
        assert problem.message.startswith("'AAA")
        assert problem.message.endswith("AAA' is neither an event nor a pragma; a note starts with '#note'")
        assert len(problem.message) == 505
