"""Build the wheel, install it in an empty environment outside of the checkout, and run the commands there.

Run it as ``make wheel``. ``--out FOLDER`` keeps the wheel, ``--measure`` also prints what an installation brings.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SAMPLE = CHECKOUT / "samples" / "shipped" / "icelandic"
MAX_WHEEL_MB = 3.3
"""Largest size of the wheel: what only a picture, a benchmark or training needs is not in it."""
PACKAGES = {"calibration", "scoring", "tilesight", "vision"}
"""Packages of the wheel; the renderer is not among them."""
CALL = "import tilesight; print(tilesight.score('game.gcg').game.totals)"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command, and print its output if it fails."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> Path:
    """Build the wheel from the files that git knows, and check its size and its packages."""
    source = folder / "source"
    files = run("git", "ls-files", "-z", cwd=CHECKOUT).split("\0")
    for name in filter(None, files):
        if (CHECKOUT / name).is_file() and not name.startswith("tests/"):
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((CHECKOUT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    size_mb = wheel.stat().st_size / 1e6
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    found = {name.partition("/")[0] for name in names}
    missing = {name for name in files if name.split("/")[0] in PACKAGES and "training" not in name} - set(
        names
    )
    missing = {name for name in missing if not name.endswith(".md")}
    if size_mb > MAX_WHEEL_MB or found != PACKAGES or missing:
        sys.exit(f"{wheel.name}: {size_mb:.2f} MB, packages {sorted(found)}, missing {sorted(missing)[:10]}")
    print(f"{wheel.name}: {size_mb:.2f} MB, {len(names)} files")
    return wheel


def install(wheel: Path, folder: Path, requirements: Path | None, *, compiled: bool) -> Path:
    """Make an environment with the wheel, compiled where its size is measured; the folder of its programs."""
    venv.create(folder)
    programs = folder / "bin"
    # uv installs in seconds what takes pip minutes. pip compiles the modules, which counts for the size.
    install_with: list[str | Path] = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
    install_with += ["--python", programs / "python"]
    if compiled:
        install_with.append("--compile-bytecode")
    if requirements is not None:
        run(*install_with, "--require-hashes", "-r", requirements, cwd=folder)
        run(*install_with, "--no-deps", wheel, cwd=folder)
    else:
        run(*install_with, wheel, cwd=folder)
    return programs


def try_commands(programs: Path, folder: Path) -> None:
    """Run the commands that a user runs first, and the library, outside of the checkout."""
    folder.mkdir()
    tilesight, python = programs / "tilesight", programs / "python"
    photo = SAMPLE / "turn-05.jpg"
    print(run(tilesight, "--version", cwd=folder).strip())
    assert "H R A K I" in run(
        tilesight, "read", photo, "--edition", "icelandic", "--picture", "seen.png", cwd=folder
    )
    game = ["--every", "turn", "--edition", "icelandic", "--players", "Anna,Jón", "--out", "game.gcg"]
    assert "Anna 122, Jón 34" in run(tilesight, "watch", SAMPLE, *game, cwd=folder)
    assert "every printed score and total is right" in run(tilesight, "score", "game.gcg", cwd=folder)
    run(tilesight, "calibrate", "target", "sheet.pdf", cwd=folder)
    run(tilesight, "digitise", SAMPLE, "--out", "boards", "--workers", "1", cwd=folder)
    assert "HRAKI" in run(tilesight, "find", "boards", "--word", "HRAKI", cwd=folder)
    assert "--clock" in run(tilesight, "serve", "--help", cwd=folder)
    assert run(python, "-c", CALL, cwd=folder).strip() == "(122, 34)"
    print("read, watch, score, calibrate, digitise, find, serve --help and import tilesight: all well")


def size_mb(folder: Path) -> float:
    """Return the size of a folder's files in megabytes, as they fill blocks of a disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if not path.is_symlink()) / 1e6


def main() -> None:
    """Build, install, try, and measure on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder that keeps the wheel")
    parser.add_argument("--measure", action="store_true", help="print what an installation brings")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilesight-wheel-") as name:
        folder = Path(name)
        wheel = build(folder)
        lock = CHECKOUT / "requirements.lock"
        try_commands(install(wheel, folder / "all", lock, compiled=options.measure), folder / "work")
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / wheel.name).write_bytes(wheel.read_bytes())
        if options.measure:
            venv.create(folder / "empty")
            empty = size_mb(folder / "empty")
            install(wheel, folder / "base", None, compiled=True)
            for title, part in (("without extras", "base"), ("[all]", "all")):
                print(f"{title}: {size_mb(folder / part) - empty:.0f} MB")


if __name__ == "__main__":
    main()
