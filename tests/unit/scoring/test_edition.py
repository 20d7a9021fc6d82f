"""Editions: the shipped ones, files, and the errors of files."""

import csv
import pickle
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from scoring import (
    Bonus,
    ChallengeRule,
    DataFileError,
    Edition,
    EditionError,
    EndRule,
    ExchangeRule,
    FirstPlay,
    Game,
    IllegalPlayError,
    NotationError,
    Play,
    PlayRule,
    Premium,
    Scheme,
    StartRule,
    UnknownEditionError,
    as_blank,
    edition_names,
    format_gcg,
    format_layout,
    load_edition,
    locate_edition,
    parse_gcg,
    parse_tokens,
)

SMALL = """\
title = "Small"
language = "xx"
rack-size = 5

[bonus]
tiles = 5
points = 20

[layout]
rows = [
    "T.d",
    ".D.",
    "d.T",
]
start = ["A1"]

[tiles]
"?" = { count = 1, value = 0 }
A = { count = 2, value = 1 }
"Á" = { value = 3 }
SZ = { count = 1, value = 4 }
"""
KNOWN = ", ".join(sorted(edition_names()))
"""What a message lists where no name is similar."""


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", edition_names())
def test_every_shipped_edition_loads_with_a_title_and_a_legal_bag(name: str) -> None:
    edition = load_edition(name)
    assert edition.name == name
    assert edition.title
    assert edition.values["?"] == 0
    assert "?" not in edition.tokens
    assert set(edition.counts) == set(edition.values) == {"?", *edition.tokens}
    assert set(edition.premium_texts) in (set(), {"DL", "TL", "DW", "TW"})
    assert edition == load_edition(name)


def test_the_bags_are_those_of_the_table(checkout: Path) -> None:
    bags: dict[str, dict[str, tuple[int | None, int]]] = {}
    with (checkout / "tests" / "golden" / "data" / "bags.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            count = int(row["count"]) if row["count"] else None
            bags.setdefault(row["edition"], {})[row["tile"]] = count, int(row["value"])
    assert set(edition_names()) == {*bags, "krydsord"}
    for name, bag in bags.items():
        edition = load_edition(name)
        assert {token: (edition.counts[token], value) for token, value in edition.values.items()} == bag


def test_known_bag_sizes() -> None:
    sizes = {
        name: load_edition(name).bag_size
        for name in ("icelandic", "norwegian", "hungarian", "romanian-rosian")
    }
    assert sizes == {"icelandic": 104, "norwegian": 100, "hungarian": 100, "romanian-rosian": None}


def test_the_rules_that_set_the_sheets_apart() -> None:
    hungarian, norwegian, krydsord = map(load_edition, ("hungarian", "norwegian", "krydsord"))
    assert hungarian.challenge == ChallengeRule(valid_points=10)
    assert load_edition("icelandic").challenge == ChallengeRule()
    assert norwegian.end == EndRule(pass_rounds=1, passes_need_empty_bag=True)
    assert krydsord.end == EndRule(rack_empty=False, pass_rounds=1, out_collects=False, out_points=10)
    assert krydsord.first_play == FirstPlay(shortest=4, start=StartRule.FIRST_LETTER)
    assert krydsord.scheme is Scheme.KRYDSORD_F
    assert krydsord.rack_size == 10
    assert krydsord.bonus is None
    assert krydsord.values == load_edition("danish").values
    assert hungarian.bonus == Bonus(tiles=7, points=50)
    assert norwegian.bonus == load_edition("norwegian-damm").bonus == Bonus(tiles=None, points=50)
    assert norwegian.values["B"] == 4
    assert load_edition("norwegian-damm").values == {**norwegian.values, "B": 3}


def test_exchanges_follow_the_sheets_and_elsewhere_the_common_rule() -> None:
    """Of the editions that a sheet or this rule is known of; others have a rule of their own."""
    common = ("danish", "dutch", "english", "finnish", "french", "german", "polish", "swedish")
    icelandic = ("icelandic", "icelandic-1990", "icelandic-krafla")
    norwegian = ("norwegian", "norwegian-damm", "norwegian-taral")
    minima = {name: load_edition(name).exchange.bag_minimum for name in edition_names()}
    assert {minima[name] for name in (*icelandic, *norwegian, "hungarian")} == {0}
    assert minima["spanish"] == 1
    assert {minima[name] for name in (*common, "krydsord", "romanian-rosian")} == {7}
    assert not load_edition("krydsord").exchange.allowed


def test_a_blank_scores_nothing_or_its_letter() -> None:
    danish, krydsord = load_edition("danish"), load_edition("krydsord")
    assert [danish.value_of(token) for token in ("H", "h", "?")] == [4, 0, 0]
    assert [krydsord.value_of(token) for token in ("H", "h", "?")] == [4, 4, 0]
    assert load_edition("hungarian").value_of("sz") == 0
    with pytest.raises(NotationError, match="'Q' is no tile of danish"):
        danish.value_of("Q")


def test_an_edition_is_a_value() -> None:
    edition = load_edition("krydsord")
    assert pickle.loads(pickle.dumps(edition)) == edition
    assert hash(pickle.loads(pickle.dumps(edition))) == hash(edition)
    with pytest.raises(TypeError):
        edition.values["A"] = 7  # type: ignore[index]


def test_a_users_file_has_the_form_of_the_shipped_ones(written) -> None:
    edition = load_edition(written("\ufeff" + SMALL))
    assert edition.name == "mine"
    assert edition.tokens == ("A", "Á", "SZ")
    assert edition.counts == {"?": 1, "A": 2, "Á": None, "SZ": 1}
    assert edition.bag_size is None
    assert edition.layout[0, 0] is Premium.TRIPLE_WORD
    assert edition.layout.start == {(0, 0)}
    assert edition.bonus == Bonus(tiles=5, points=20)
    assert edition.first_play == FirstPlay()
    assert edition.exchange == ExchangeRule()


def test_a_file_may_be_as_short_as_its_letters(written) -> None:
    edition = load_edition(str(written("[tiles]\nA = { value = 1 }\n")))
    assert isinstance(edition, Edition)
    assert edition.title == "mine"
    assert edition.language == "und"
    assert edition.counts == {"?": 0, "A": None}
    assert edition.layout == load_edition("english").layout


def test_a_file_may_change_one_thing_of_a_shipped_edition(written) -> None:
    text = 'base = "krydsord"\nscheme = "krydsord-b"\n[layout]\nrows = ["..", ".."]\n[tiles]\nA = { value = 9 }\n'
    edition = load_edition(written(text))
    krydsord = load_edition("krydsord")
    assert edition.scheme is Scheme.KRYDSORD_B
    assert edition.rack_size == 10
    assert edition.layout.start == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert edition.values == {**krydsord.values, "A": 9}
    assert edition.counts["A"] == krydsord.counts["A"]
    assert krydsord.values["A"] == 1


REFUSALS = {
    "broken syntax": ("rack-size =", "rack-size = = 5", 3, "is not valid TOML"),
    "an open end": ("value = 4 }", "value = 4", 21, "is not valid TOML"),
    "a key twice": ('language = "xx"', 'title = "xx"', 2, "is not valid TOML"),
    "an unknown key": ("rack-size", "rack_size", 3, "unknown key rack_size; did you mean rack-size?"),
    "an unknown key, far off": ("language", "zzz", 2, "unknown key zzz; the keys here are title, language"),
    "an unknown key in a table": ("points", "pionts", 7, "unknown key bonus.pionts; did you mean points?"),
    "an unknown table": ("[tiles]", "[tile]", 17, "unknown key tile; did you mean tiles?"),
    "an unknown table that may be a text": (
        "[layout]",
        "[layuot]",
        9,
        "unknown key layuot; did you mean layout?",
    ),
    "an unknown key of the layout": (
        "start =",
        "begin =",
        15,
        "unknown key layout.begin; the keys here are rows, start",
    ),
    "a text for a number": ("rack-size = 5", 'rack-size = "5"', 3, "rack-size is '5'; write a whole number"),
    "a truth for a number": ("points = 20", "points = true", 7, "bonus.points is True; write a whole number"),
    "a number for a text": ('title = "Small"', "title = 5", 1, "title is 5; write a text"),
    "a list of numbers": (
        'start = ["A1"]',
        "start = [1]",
        15,
        r"layout.start is \[1\]; write a list of texts",
    ),
    "a number for a table": (
        "[bonus]\ntiles = 5\npoints = 20",
        "bonus = 20",
        5,
        "bonus is 20; write a table",
    ),
    "a negative number": (
        "points = 20",
        "points = -20",
        7,
        "bonus.points is -20; write a whole number from 0 to 9999",
    ),
    "an empty rack": (
        "rack-size = 5",
        "rack-size = 0",
        3,
        "rack-size is 0; write a whole number from 1 to 9999",
    ),
    "an impossible bonus": ("tiles = 5", "tiles = 6", 6, "bonus.tiles is 6, but a rack holds 5"),
    "a bonus for an unknown thing": (
        "tiles = 5",
        'tiles = "all"',
        6,
        "bonus.tiles is 'all'; write a whole number, or \"rack\" for all that are held",
    ),
    "a truth for a bonus": ("tiles = 5", "tiles = true", 6, "bonus.tiles is True; write a whole number"),
    "a first word longer than a rack": (
        "[layout]",
        "[first-play]\nshortest = 6\n[layout]",
        10,
        "first-play.shortest is 6, but a rack holds 5",
    ),
    "an unknown scheme": (
        "rack-size = 5",
        'scheme = "fancy"',
        3,
        "scheme is 'fancy'; write one of standard, krydsord-f",
    ),
    "an unknown base": (
        "rack-size = 5",
        'base = "icelandik"',
        3,
        "base 'icelandik' is no shipped edition; did you mean icelandic",
    ),
    "a short row": ('".D."', '".D"', 12, "row '.D' has 2 squares, the first row has 3"),
    "an unknown sign": (
        '".D."',
        '".X."',
        12,
        "row '.X.': 'X' is no premium square; the signs are . d t q D T Q",
    ),
    "an unknown sign in single quotes": ('".D."', "'.X.'", 12, "row '.X.': 'X' is no premium square"),
    "a start that is no square": ('["A1"]', '["11"]', 15, "'11' is no position"),
    "a start off the board": (
        '["A1"]',
        '["A4"]',
        15,
        "start square A4 is off a board of 3 rows and 3 columns",
    ),
    "a start beside the board": ('["A1"]', '["D1"]', 15, "start square D1 is off"),
    "no value": (
        "{ value = 3 }",
        "{ count = 3 }",
        20,
        "tile Á is {'count': 3}; write { count = 2, value = 3 }",
    ),
    "a bare number": ("{ value = 3 }", "3", 20, "tile Á is 3; write"),
    "an unknown key of a tile": ("{ value = 3 }", "{ value = 3, size = 1 }", 20, "tile Á is"),
    "a negative count": (
        "count = 2",
        "count = -2",
        19,
        "tile A has count -2; write a whole number from 0 to 9999",
    ),
    "a huge count": ("count = 2", "count = 10000", 19, "tile A has count 10000; write a whole number from 0"),
    "a huge value": ("value = 1", "value = 10000", 19, "tile A has value 10000; write a whole number from 0"),
    "a huge bonus": (
        "points = 20",
        "points = 10000",
        7,
        "bonus.points is 10000; write a whole number from 0",
    ),
    "a truth for a value": ("value = 1", "value = true", 19, "tile A has value True; write a whole number"),
    "a lower case letter": ("\nSZ =", "\nsz =", 21, "tile 'sz': lower case stands for a blank; write 'SZ'"),
    "a Georgian letter": ("\nSZ =", '\n"ა" =', 21, "tile 'ა': lower case stands for a blank; write 'Ა'"),
    "a letter without lower case": (
        "\nSZ =",
        '\n"א" =',
        21,
        "tile 'א': alphabets without capital letters are not supported",
    ),
    "a letter whose lower case has another capital": (
        "\nSZ =",
        '\n"ẞ" =',
        21,
        "tile 'ẞ': its lower case 'ß' becomes 'SS' in upper case; write 'SS' or another sign",
    ),
    "a sign without lower case": ("\nSZ =", '\n"☃" =', 21, "tile '☃': write an upper case letter"),
    "a letter and a sign without capital": (
        "\nSZ =",
        '\n"Sª" =',
        21,
        "tile 'Sª': write an upper case letter",
    ),
    "a sign for a letter": ("\nSZ =", '\n"#" =', 21, "tile '#': a letter is not empty"),
    "an empty letter": ("\nSZ =", '\n"" =', 21, "tile '': a letter is not empty"),
    "a letter in two forms": ("\nSZ =", '\n"A\u0301" =', 21, "tile Á is written twice"),
    "a mark alone": ("\nSZ =", '\n"\u0301" =', 21, "a letter is not empty"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_bad_file_is_refused_naming_the_line_and_the_reason(written, case: str) -> None:
    was, now, line, message = REFUSALS[case]
    assert SMALL.count(was) == 1, was
    path = written(SMALL.replace(was, now))
    with pytest.raises(DataFileError) as refused:
        load_edition(path)
    assert (refused.value.line, "\n" in str(refused.value)) == (line, False)
    assert str(refused.value).startswith(f"{path}, line {line}: ")
    assert message.replace("\\", "") in str(refused.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "the table [tiles] has no letter"),
        ('title = "x"\n[tiles]\n"?" = { value = 0 }\n', 2, "the table [tiles] has no letter"),
        ('layout = "round"\n', 1, "no layout 'round' is shipped; write one of krydsord, standard"),
        ("[layout]\nrows = []\n[tiles]\nA = { value = 1 }\n", 2, "layout.rows is empty"),
        ("[layout]\n[tiles]\nA = { value = 1 }\n", 1, "layout.rows is empty"),
        ('base = "english"\nrack-size = 5\n', 2, "bonus.tiles is 7, but a rack holds 5"),
        ('base = "krydsord"\nrack-size = 3\n', 2, "first-play.shortest is 4, but a rack holds 3"),
        ("rack-size = 1\n[tiles]\nA = { value = 1 }\n", 1, "first-play.shortest is 2, but a rack holds 1"),
        ('base = "klingon"\n', 1, f"base 'klingon' is no shipped edition; known: {KNOWN}"),
        (
            f"[layout]\nrows = {['.' * 9] * 100}\n[tiles]\nA.value = 1\n",
            2,
            "a board of 100 rows and 9 columns",
        ),
        (f'[layout]\nrows = ["{"." * 100}"]\n[tiles]\nA.value = 1\n', 2, "give it at most 99 of each"),
        ('title = """', 1, "is not valid TOML"),
        (f"rack-size = {'9' * 5000}", 1, "is not valid TOML"),
        (f"rack-size = {'[' * 5000}", 1, "is not valid TOML"),
        (
            'bonus.tiles = 9\nbonus."points" = 9\n[tiles]\nA.value = 1\n',
            1,
            "bonus.tiles is 9, but a rack holds 7",
        ),
    ],
)
def test_refusals_of_other_files(written, text: str, line: int | None, message: str) -> None:
    if "layout =" in text:
        text += "[tiles]\nA = { value = 1 }\n"
    with pytest.raises(DataFileError) as refused:
        load_edition(written(text))
    assert refused.value.line == line
    assert message in str(refused.value)


class TestLayoutFiles:
    """A layout in a separate file next to the edition file."""

    EDITION = 'layout = "boards/mine.txt"\n[tiles]\nA = { value = 1 }\n'

    def refusal(self, tmp_path: Path, content: bytes) -> DataFileError:
        (tmp_path / "boards").mkdir()
        (tmp_path / "boards" / "mine.txt").write_bytes(content)
        (tmp_path / "mine.toml").write_text(self.EDITION)
        with pytest.raises(DataFileError) as refused:
            load_edition(tmp_path / "mine.toml")
        assert refused.value.file == str(tmp_path / "boards" / "mine.txt")
        return refused.value

    def test_its_path_starts_at_the_editions_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "editions" / "boards"
        folder.mkdir(parents=True)
        (folder / "mine.txt").write_text("\ufeffT.d\n.D.\n\nd.T\nstart: A1 C3\n", encoding="utf-8")
        (tmp_path / "editions" / "mine.toml").write_text(self.EDITION)
        monkeypatch.chdir(tmp_path)
        for path in ("editions/mine.toml", tmp_path / "editions" / "mine.toml"):
            layout = load_edition(path).layout
            assert format_layout(layout) == "T.d\n.D.\nd.T\nstart: A1 C3\n"
        monkeypatch.chdir(folder)
        assert load_edition("../mine.toml").layout == layout

    def test_without_start_squares_it_is_the_middle(self, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_text("...\n...\n...\n")
        (tmp_path / "mine.toml").write_text('layout = "mine.txt"\n[tiles]\nA = { value = 1 }\n')
        assert load_edition(tmp_path / "mine.toml").layout.start == {(1, 1)}

    @pytest.mark.parametrize(
        ("content", "line", "message"),
        [
            (b"T.d\n.X.\n", 2, "'X' is no premium square"),
            (b"T.d\n\n.D\n", 3, "must all have one length"),
            (b"T.d\n.D.\nstart: 11\n", 3, "'11' is no position"),
            (b"T.d\n.D.\nstart: A1\nstart: A3\n", 4, "start square A3 is off a board of 2 rows"),
            (b"...\n" * 100, 100, "100 rows and 3 columns, but at most 99"),
            (b"." * 100, 1, "1 rows and 100 columns, but at most 99"),
            (b"\n", None, "has no row"),
            (b"start: A1\n", None, "has no row"),
            (b"\xff\n", None, "is not UTF-8 text"),
        ],
    )
    def test_a_bad_one_is_refused_naming_file_and_line(
        self, tmp_path: Path, content: bytes, line: int | None, message: str
    ) -> None:
        refused = self.refusal(tmp_path, content)
        assert refused.line == line
        assert message in str(refused)

    def test_one_that_may_not_be_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        open_file = Path.open

        def denied(path: Path, mode: str = "r", **options: Any) -> Any:
            if path.name == "mine.txt" and mode == "rb":
                raise PermissionError(13, "Permission denied")
            return open_file(path, mode, **options)

        monkeypatch.setattr(Path, "open", denied)
        assert "cannot be read: Permission denied" in str(self.refusal(tmp_path, b"..."))

    def test_one_that_is_not_there_is_refused_by_the_edition(self, tmp_path: Path) -> None:
        (tmp_path / "mine.toml").write_text(self.EDITION)
        with pytest.raises(DataFileError, match="line 1: no layout 'boards/mine"):
            load_edition(tmp_path / "mine.toml")


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latin = tmp_path / "latin.toml"
    latin.write_bytes('title = "Ð"'.encode("iso-8859-1"))
    with pytest.raises(DataFileError, match="is not UTF-8 text") as refused:
        load_edition(latin)
    assert refused.value.line is None

    def denied(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(DataFileError, match="cannot be read: Permission denied"):
        load_edition(latin)


def test_a_letter_of_the_base_without_tiles_is_left_out(written) -> None:
    none = "{ count = 0, value = 8 }"
    edition = load_edition(written(f'base = "spanish"\n[tiles]\nLL = {none}\nK = {none}\n"?".count = 0\n'))
    assert "LL" not in {*edition.tokens, *edition.values, *edition.counts}
    assert parse_tokens("BELLA", edition.tokens) == ("B", "E", "L", "L", "A")
    # A letter that the base lacks is there for blanks, and the blank always is.
    assert (edition.counts["K"], edition.value_of("k"), edition.counts["?"]) == (0, 0, 0)


@pytest.mark.parametrize("name", ["english", "English"])
def test_other_rules_with_the_name_of_a_shipped_edition_are_refused(tmp_path: Path, name: str) -> None:
    # A game file names only the edition, and would be scored by the shipped one.
    file = tmp_path / f"{name}.toml"
    file.write_text('base = "english"\n[tiles]\nQ = { count = 1, value = 20 }\n')
    with pytest.raises(DataFileError, match="english is the name of a shipped edition; rename the file"):
        load_edition(file)


def test_a_copy_of_a_shipped_edition_keeps_its_name(tmp_path: Path) -> None:
    for name in edition_names():
        file = tmp_path / f"{name}.toml"
        text = (files("scoring.editions.data") / file.name).read_text(encoding="utf-8")
        file.write_text(text, encoding="utf-8")
        assert load_edition(file) == load_edition(name)
        assert load_edition(file.rename(tmp_path / f"{name.title()}.toml")) == load_edition(name)


def test_an_unknown_name_comes_with_near_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownEditionError, match="did you mean icelandic") as refused:
        load_edition("Icelandik")
    assert refused.value.suggestions[0] == "icelandic"
    with pytest.raises(UnknownEditionError, match=f"known: {KNOWN}"):
        load_edition("qqqqqq")
    with pytest.raises(UnknownEditionError, match="neither a shipped edition nor a file"):
        load_edition(tmp_path)
    with pytest.raises(UnknownEditionError, match="edition '5' is neither"):
        load_edition(5)  # type: ignore[arg-type]
    for name in ("x" * 5_000, "a\0b"):
        assert locate_edition(name) is None
        for rules in ("", "+tournament"):
            with pytest.raises(UnknownEditionError, match="neither a shipped edition nor a file"):
                load_edition(name + rules)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tokens": ("A", "A")}, "A is among the tokens twice"),
        ({"tokens": ("a",), "values": {"a": 1, "?": 0}}, "'a' is no letter in upper case"),
        ({"tokens": ("א",), "values": {"א": 1, "?": 0}}, "'א' is no letter in upper case"),
        ({"values": {"A": -1, "?": 0}}, "A has the value -1; give 0 or more"),
        ({"counts": {"A": -1}}, "the bag holds -1 of A"),
    ],
)
def test_an_edition_that_contradicts_itself_is_refused(changed: dict[str, Any], message: str) -> None:
    small = {"tokens": ("A",), "values": {"A": 1, "?": 0}, "counts": {}}
    with pytest.raises(EditionError, match=message):
        replace(load_edition("english"), **{**small, **changed})


def test_an_edition_is_located_from_any_folder(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "english"')
    for rules in ("", "+tournament", "+challenge-5+tournament"):
        assert locate_edition(f"mine.toml{rules}", tmp_path) == f"{file.resolve()}{rules}"
        assert locate_edition(f"English{rules}", tmp_path) == f"english{rules}"
        assert locate_edition(f"no.toml{rules}", tmp_path) is None
    assert load_edition(edition := load_edition(file)) is edition


@pytest.mark.parametrize(
    "error",
    [
        IllegalPlayError(PlayRule.GAP, "a gap"),
        DataFileError("mine.toml", 3, "bad"),
        DataFileError(Path("mine.toml"), None, "bad"),
        UnknownEditionError("icelandik", ["icelandic"]),
    ],
    ids=lambda error: str(error),
)
def test_errors_travel_between_processes(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("letter", ["L\\u00a0", "N\\n", "\\u200bA"])
def test_a_letter_has_no_invisible_signs(written, letter: str) -> None:
    with pytest.raises(DataFileError, match="holds no digit"):
        load_edition(written(f'base = "english"\n[tiles]\n"{letter}" = {{ count = 1, value = 1 }}\n'))


def test_the_blank_of_a_letter_with_a_mark_is_read_as_it_is_written(written) -> None:
    edition = load_edition(written('base = "english"\n[tiles]\n"T\u0308" = { count = 2, value = 4 }\n'))
    game = Game(edition, ["a", "b"]).with_play(Play.of([(7, 7, "A"), (7, 8, as_blank("T\u0308"))]))
    assert parse_gcg(format_gcg(game), edition).game.totals == game.totals
