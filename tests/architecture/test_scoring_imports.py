"""The rules run anywhere: no import of them loads a package from outside the standard library."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import scoring

_SCRIPT = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
loaded = {name.partition(".")[0] for name in sys.modules} - {"scoring", "__main__"}
print(*sorted(loaded - set(sys.stdlib_module_names)))
"""


def test_importing_scoring_and_all_its_modules_loads_the_standard_library_only(checkout: Path) -> None:
    modules = ["scoring", *(module.name for module in pkgutil.walk_packages(scoring.__path__, "scoring."))]
    assert "scoring.inference" in modules
    # -S leaves out what an environment's own start-up hooks may load.
    command = [sys.executable, "-S", "-c", _SCRIPT, *modules]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
    assert result.stdout.split() == []


def test_boards_and_editions_load_neither_games_nor_words(checkout: Path) -> None:
    script = (
        "import sys; from scoring import Board, load_edition; Board.empty(load_edition('danish'));"
        "print(*sorted(name for name in sys.modules if name.startswith('scoring.')))"
    )
    command = [sys.executable, "-S", "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
    loaded = {name.split(".")[1] for name in result.stdout.split()}
    assert "board" in loaded
    assert loaded.isdisjoint({"cgp", "game", "gcg", "inference", "play", "score", "words"})


def test_every_public_name_exists_once() -> None:
    assert len(set(scoring.__all__)) == len(scoring.__all__)
    assert [name for name in scoring.__all__ if not hasattr(scoring, name)] == []
    assert sorted(dir(scoring)) == sorted(scoring.__all__)


def test_every_module_names_what_is_public() -> None:
    for module in pkgutil.iter_modules(scoring.__path__):
        if not module.ispkg:
            loaded = __import__(f"scoring.{module.name}", fromlist=["__all__"])
            assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == [], module.name
