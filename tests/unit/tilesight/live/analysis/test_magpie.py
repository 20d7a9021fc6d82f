"""MAGPIE's process: its table in every version, and programs that hang, crash or print without end."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_magpie import NEW_TABLE, OLD_TABLE, write_program
from tests.support.serving import wait_until
from tilesight.live.analysis.magpie import (
    Magpie,
    MagpieBusyError,
    MagpieError,
    PlayChance,
    find_data_folder,
    find_magpie,
    parse_chances,
)

POSITION = "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 HRAKIAÐ/ 0/0 0"
BEST = PlayChance(play="8D HRAKI", score=28, chance=0.6125)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "magpie"


def test_the_table_of_every_version_is_read() -> None:
    plays = parse_chances(NEW_TABLE)
    assert plays == (
        BEST,
        PlayChance(play="G6 (LO)I", score=9, chance=0.48),
        PlayChance(play="(exch HÐ)", score=0, chance=0.225),
        PlayChance(play="(pass)", score=0, chance=0.015),
    )
    assert parse_chances(OLD_TABLE) == (BEST,)
    beside_a_board = "\n".join(f"|= . . ' . . |  {line}" for line in NEW_TABLE.splitlines())
    assert parse_chances(beside_a_board) == plays


@pytest.mark.parametrize(
    "output",
    [
        "",
        "error: unknown lexicon",
        "   Move Wp\n1: 8D HRAKI\n",
        "1: 8D HRAKI AÐ 28 61.25",
        "   Move Sc Wp\n1: 8D A 1 161.0",
    ],
)
def test_what_is_no_table_has_no_plays(output: str) -> None:
    assert parse_chances(output) == ()


def test_it_is_asked_line_by_line(program: Path) -> None:
    assert Magpie(write_program(program), "CSW24").ask(POSITION)[0] == BEST
    asked = Path(f"{program}.asked").read_text().splitlines()
    assert asked[:3] == ["set", "-mode", "sync"]
    assert asked[-3:] == [f"cgp {POSITION} -lex CSW24", "gsim -plies 2 -numplays 10 -tlim 8", "quit"]


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("time.sleep(60)", "no answer within 0.5 s"),
        ("os.system('sleep 60')", "no answer within 0.5 s"),
        ("os.kill(os.getpid(), 11)", "gave no chances"),
        ("sys.exit(1)", "gave no chances"),
        ("os.close(0); os.close(1); os._exit(0)", "gave no chances"),
        ("while True: sys.stdout.write('x' * 65536)", "printed too much"),
    ],
)
def test_a_program_that_fails_is_ended(program: Path, behaviour: str, message: str) -> None:
    magpie = Magpie(
        write_program(program, behaviour=behaviour), "CSW24", limit_s=0.5 if "sleep" in behaviour else 60.0
    )
    began_s = time.monotonic()
    with pytest.raises(MagpieError, match=message):
        magpie.ask(POSITION)
    assert time.monotonic() - began_s < 60


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    with pytest.raises(MagpieError, match="cannot be run"):
        Magpie(text, "CSW24").ask(POSITION)
    assert find_magpie(text) == text
    assert find_magpie(tmp_path) is None
    assert find_magpie(tmp_path / "none") is None


def test_it_is_found_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_magpie(None) is None
    program = write_program(tmp_path / "magpie")
    assert find_magpie(None) == program


def test_its_data_lie_next_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert find_data_folder(tmp_path / "bin" / "magpie") == tmp_path / "bin"
    (tmp_path / "data").mkdir()
    assert find_data_folder(tmp_path / "bin" / "magpie") == tmp_path


def test_a_stop_ends_a_process_that_was_about_to_start(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    magpie = Magpie(write_program(program, behaviour="time.sleep(60)"), "CSW24")
    start = subprocess.Popen

    def stop_and_start(*arguments: Any, **options: Any) -> Any:
        magpie.stop()
        return start(*arguments, **options)

    monkeypatch.setattr("tilesight.live.analysis.magpie.subprocess.Popen", stop_and_start)
    with pytest.raises(MagpieError, match="gave no chances"):
        magpie.ask(POSITION)


def test_one_process_runs_at_a_time_and_a_stop_ends_it(program: Path) -> None:
    magpie = Magpie(write_program(program, behaviour="time.sleep(60)"), "CSW24")
    errors: list[str] = []

    def ask() -> None:
        try:
            magpie.ask(POSITION)
        except MagpieError as error:
            errors.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    wait_until(Path(f"{program}.asked").exists)
    with pytest.raises(MagpieBusyError):
        Magpie(program, "CSW24").ask(POSITION)
    magpie.stop()
    asking.join(60)
    assert errors == ["MAGPIE gave no chances for this position"]
    with pytest.raises(MagpieError, match="stopped"):
        magpie.ask(POSITION)
