"""The file of the tables: what it may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring import DataFileError
from tilesight.languages import LANGUAGES
from tilesight.live import GameSettings, load_tables
from vision.errors import InputError, SettingsError


def written(folder: Path, text: str) -> Path:
    path = folder / "tables.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_edition_file_with_rules_is_found_in_the_folder_of_the_tables(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "icelandic"')
    path = written(tmp_path, '[table.final]\nedition = "mine.toml+tournament"')
    assert load_tables(path)[0].edition == f"{tmp_path / 'mine.toml'}+tournament"


def test_tables_are_read_from_a_file(tmp_path: Path) -> None:
    text = """
    [table.final]
    source = "0"
    edition = "icelandic"
    players = ["Anna", "Jón"]
    journal = "final.db"
    clock = "25:00"
    title = "The final"
    corners = "1,2 9,2 9,9 1,9"
    fps = 10
    paced = false
    rack-source = "rtsp://camera/racks"
    racks = ["1,2 9,2 9,3 1,3", ""]
    rack-delay = 30
    [table.third-place]
    source = "film.mp4"
    """
    final, third = load_tables(written(tmp_path, text))
    assert final == GameSettings(
        name="final",
        source="0",
        edition="icelandic",
        players=("Anna", "Jón"),
        journal=tmp_path / "final.db",
        clock_s=1500,
        title="The final",
        corners_px=((1, 2), (9, 2), (9, 9), (1, 9)),
        fps=10,
        paced=False,
        rack_source="rtsp://camera/racks",
        racks_px=(((1, 2), (9, 2), (9, 3), (1, 3)), None),
        rack_delay_s=30,
    )
    assert third.source == str(tmp_path / "film.mp4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[table.a]\nplayrs = []", "line 2: unknown key table.a.playrs; did you mean players"),
        ("[table.a]\nfps = 'fast'", "line 2: table.a.fps is 'fast'"),
        ("[tables.a]", "unknown key tables; did you mean table"),
        ("[table", "not valid TOML"),
        (
            '[table.a]\nsource = "C:\\Users\\anna\\film.mp4"',
            "line 2: .*; write paths with / or in single quotes",
        ),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        load_tables(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names 0 tables"),
        ("[table.Final]", "small letters"),
        ('[table."a/b"]', "small letters"),
        ("[table.lpt1]", "small letters"),
        ("[table.a]\nfps = 0", "0.1 to 1000"),
        ("[table.a]\nrack-delay = -1", "0 to 3600"),
        ("[table.a]\nlanguage = 'xx'", f"language is xx; choose one of {', '.join(LANGUAGES)}"),
        ("[table.a]\nmagpie-lexicon = 'A -b'", "write MAGPIE's name"),
        ("[table.a]\ncorners = '1,2'", "table a: corners"),
        ("[table.a]\nracks = ['']", "1 places for 2 players"),
        ("[table.a]\nclock = 'slow'", "no time left"),
        ("[table.a]\nclock = '-1:00'", "table a: its clock starts in overtime"),
        ('[table.a]\ntitle = "a\\u0007b"', "printable"),
        ('[table.a]\nplayers = ["' + "x" * 80 + '"]', "has 80 characters; write at most 60"),
        ('[table.a]\nplayers = ["J\u202en"]', "with characters that cannot be shown"),
        ('[table.a]\nplayers = ["\u200d"]', "with characters that cannot be shown"),
        ("[table.a]\nplayers = ['anna', 'Anna']", "table a: two players have one name in anna, Anna"),
        (
            "[table.a]\njournal = 'a.db'\n[table.c]\n[table.b]\njournal = 'x/../a.db'",
            "table b: its journal is that of table a; name another file",
        ),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_tables(written(tmp_path, text))


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_tables(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_tables(tmp_path / "bad.toml")
