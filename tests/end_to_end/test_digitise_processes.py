"""Digitising in real processes: a worker that a picture kills, a run that is killed, a cluster that loses a worker."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring import load_edition
from tests.conftest import Outcome
from tests.support.digitised import read_results
from tests.support.serving import wait_until
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_reader import Result
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus
from tilesight.digitise.workers import Task, open_pool, picture_process
from tilesight.digitise.workers import pool as pool_module
from vision.capture import open_picture
from vision.errors import InputError, SettingsError

pytest.importorskip("distributed", reason="Dask (extra `digitise`) is not installed")

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
PATIENCE_S = 240.0


def command(source: Path, out: Path, *options: str) -> list[str]:
    tilesight = str(Path(sys.executable).parent / "tilesight")
    return [tilesight, "digitise", str(source), "--out", str(out), "--edition", "icelandic", *options]


@pytest.fixture(scope="module")
def local(icelandic_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one uninterrupted run with one process gives."""
    out = tmp_path_factory.mktemp("local") / "out"
    done = subprocess.run(
        command(icelandic_sample, out, "--workers", "1"),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "5 boards, 0 photos without one, 0 not readable; copies: 0" in done.stdout
    return read_results(out)


def test_a_picture_that_kills_its_process_takes_down_itself_only(icelandic_sample: Path) -> None:
    data = (icelandic_sample / "turn-01.jpg").read_bytes()
    good = ReadOptions(editions=(load_edition("icelandic"),))
    with open_pool(None, 1) as pool:
        tasks = [
            Task(sha256=f"{number}", name=f"{number}.jpg", data=data, options=good, cache_key="good")
            for number in range(3)
        ]
        lethal_task = replace(tasks[1], data=Lethal(data))
        results = {
            task.name: result.record for task, result in pool.results([tasks[0], lethal_task, tasks[2]])
        }
    assert {name: record.status for name, record in results.items()} == {
        "0.jpg": "ok",
        "1.jpg": "unreadable",
        "2.jpg": "ok",
    }
    assert results["1.jpg"].message == picture_process.CRASHED


def test_a_picture_whose_reading_never_ends_takes_down_itself_only(
    icelandic_sample: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = (icelandic_sample / "turn-01.jpg").read_bytes()
    how = ReadOptions(editions=(load_edition("icelandic"),))
    with open_pool(None, 1, limit_s=6.0) as pool:
        good = Task(sha256="1", name="good.jpg", data=data, options=how, cache_key="good")
        endless = Task(sha256="2", name="endless.jpg", data=data, options=Endless(), cache_key="endless")  # type: ignore[arg-type]
        cut = Task(sha256="3", name="noisy.png", data=damaged_png(), options=how, cache_key="good")
        results = {task.name: result.record for task, result in pool.results([endless, good, cut])}
    assert results["good.jpg"].status == "ok"
    assert "damaged or of an unusual kind" in (results["noisy.png"].message or "")
    assert "libpng" not in capfd.readouterr().err  # its own words would stand across the progress bar
    assert "took more than 6 s" in (results["endless.jpg"].message or "")


@pytest.fixture(scope="module")
def strange_cluster() -> Iterator[str]:
    """The address of a cluster of two processes whose settings are not ours."""
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=60
    ) as cluster:
        yield cluster.scheduler_address


def test_two_runs_on_one_cluster_get_their_own_results(strange_cluster: str) -> None:
    """Their tasks begin with the same picture and are under way together."""

    def boards(run: str) -> dict[str, str | None]:
        with open_pool(strange_cluster, 1, read=seen) as pool:
            results = pool.results(notes(["common", *(f"{run}-{number}" for number in range(9))]))
            return {task.name: result.record.message for task, result in results}

    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(boards, ["one", "other"]):
            assert len(found) == 10
            assert all(name == message for name, message in found.items())


@pytest.mark.parametrize(("how", "words"), [("kills", "ended the process"), ("hangs", "took more than 2 s")])
def test_a_picture_ends_one_process_of_a_cluster(
    strange_cluster: str, tmp_path: Path, how: str, words: str
) -> None:
    """A scheduler's own setting is to give a task that killed a worker to three more."""
    log = tmp_path / "log"
    with open_pool(strange_cluster, 1, limit_s=2.0, read=seen) as pool:
        names = [f"{number}" for number in range(23)]
        names.insert(5, f"{how} {log}")
        results = {task.name: result.record for task, result in pool.results(notes(names))}
    bad = results.pop(f"{how} {log}")
    assert words in (bad.message or "")
    assert {name: record.message for name, record in results.items()} == {
        name: name for name in names if name.isdigit()
    }
    assert len(log.read_text()) == 1


def notes(names: list[str]) -> list[Task]:
    """Tasks whose pictures are their names."""
    how = ReadOptions(editions=(load_edition("icelandic"),))
    return [Task(sha256=name, name=name, data=name.encode(), options=how, cache_key="any") for name in names]


def seen(data: bytes, name: str, how: ReadOptions) -> Result:
    """What a worker does with them."""
    what, _, log = data.decode().partition(" ")
    if log:
        with open(log, "a", encoding="ascii") as file:
            file.write(".")
    if what == "kills":
        os._exit(139)
    time.sleep(60 if what == "hangs" else 0.1)
    return Result(record=PhotoRecord(status=PhotoStatus.OK, message=data.decode()), ms={})


def damaged_png() -> bytes:
    """A picture whose lines are filtered in a way that there is not, with checksums that are right."""
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", 120, 120, 8, 0, 0, 0, 0),
        b"IDAT": zlib.compress(bytes([9] * 121) * 120),
        b"IEND": b"",
    }
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts.items()
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_the_same_processes_can_merely_decode_and_warp(tmp_path: Path, icelandic_sample: Path) -> None:
    """What digitising is measured beside, by `tests.benchmarks.bench_digitise`."""
    from tests.support.bare_pictures import BOARD_PX, digitise_barely

    digitise_barely([str(icelandic_sample)], tmp_path / "out", workers=1)
    boards = sorted((tmp_path / "out" / "thumbnails").iterdir())
    assert len(boards) == 5
    assert {open_picture(board).image_bgr.shape for board in boards} == {(BOARD_PX, BOARD_PX, 3)}
    assert not (tmp_path / "out" / "photos.jsonl").exists()


class Endless:
    """A way to read that never ends, and that lets nothing else run meanwhile."""

    with_pictures = True

    @property
    def profile(self) -> object:
        return re.match(r"(a+)+$", "a" * 60 + "b")  # holds the interpreter for longer than the world is old


class Lethal(bytes):
    """Bytes that end every process that unpacks them, but for this one."""

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, (os.getpid(), bytes(self))


def unpacked(maker: int, data: bytes) -> bytes:
    """The bytes; where the scheduler is in this process, they pass through it."""
    if os.getpid() != maker:
        os._exit(139)
    return Lethal(data)


def test_a_run_that_is_killed_goes_on_to_the_same_result(
    local: dict[str, bytes], icelandic_sample: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = subprocess.Popen(
        command(icelandic_sample, out, "--workers", "1"),
        env=ENVIRONMENT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: any((out / "boards").glob("[!.]*.jpg")), PATIENCE_S)
    run.kill()
    run.wait()
    assert not (out / "photos.jsonl").exists()
    done = subprocess.run(
        command(icelandic_sample, out, "--workers", "1"),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert read_results(out) == local


def test_a_run_that_is_stopped_from_the_keyboard_says_only_how_to_go_on(
    icelandic_sample: Path, tmp_path: Path
) -> None:
    photo = next(iter(sorted(icelandic_sample.glob("*.jpg")))).read_bytes()
    (tmp_path / "in").mkdir()
    for number in range(60):  # a busy machine may take a while to stop the run after its first photo
        (tmp_path / "in" / f"{number}.jpg").write_bytes(photo + bytes([number]))
    run = subprocess.Popen(
        command(tmp_path / "in", tmp_path / "out", "--workers", "2"),
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as a terminal's shell has it
    )
    wait_until(lambda: any((tmp_path / "out" / "boards").glob("*.jpg")) or run.poll() is not None, PATIENCE_S)
    os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to the workers as well
    _, errors = run.communicate(timeout=240)
    assert run.returncode == 130
    said = [line for line in errors.splitlines() if line and not line.startswith("reading ")]
    assert all(line.startswith("tilesight: ") for line in said), errors
    assert said[-1].endswith(
        f"stopped; what is read is in {tmp_path}/out, and the same command goes on with it"
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and then three workers, each a process of its own, without a nanny that would replace them."""
    dask = [sys.executable, "-m", "dask"]
    place = tmp_path / "scheduler.json"
    started = [
        subprocess.Popen(
            [
                *(*dask, "scheduler", "--host", "127.0.0.1", "--port", "0"),
                *("--no-dashboard", "--scheduler-file", str(place)),
            ],
            env=ENVIRONMENT, stderr=subprocess.DEVNULL,
        )
    ]  # fmt: skip
    try:
        wait_until(lambda: place.exists() and place.read_text(), PATIENCE_S)
        address = json.loads(place.read_text())["address"]
        worker = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        started += [
            subprocess.Popen(
                [*worker, "--local-directory", str(tmp_path / f"w{number}")],
                env=ENVIRONMENT,
                stderr=subprocess.DEVNULL,
            )
            for number in range(3)
        ]
        yield address, started
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker_gives_the_same_result(
    local: dict[str, bytes],
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    icelandic_sample: Path,
    tmp_path: Path,
) -> None:
    address, (_, *workers) = cluster
    out = tmp_path / "out"
    run = subprocess.Popen(
        command(icelandic_sample, out, "--cluster", address),
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: any((out / "boards").glob("[!.]*.jpg")) or run.poll() is not None, PATIENCE_S)
    workers[0].kill()
    _, errors = run.communicate(timeout=240)
    assert run.returncode == 0, errors.decode()
    assert read_results(out) == local


BARE_CLUSTER = """
import sys
sys.modules["vision"] = None  # as where Tilesight is not installed
import distributed
with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=60,
                              host="127.0.0.1", protocol="tcp://") as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def test_a_scheduler_that_lacks_tilesight_is_reported(tmp_path: Path) -> None:
    bare = subprocess.Popen(
        [sys.executable, "-c", BARE_CLUSTER],
        env=ENVIRONMENT,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert bare.stdout is not None
        address = bare.stdout.readline().strip()
        with (
            pytest.raises(SettingsError, match=r"Scheduler.*install the same on all its machines"),
            open_pool(address, 1) as pool,
        ):
            next(pool.results(notes(["a"])))
    finally:
        bare.kill()
        bare.communicate()


def test_a_cluster_that_loses_all_workers_is_reported(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, (_, *workers) = cluster
    with open_pool(address, 1) as pool:
        for worker in workers:
            worker.kill()
        wait_until(lambda: not pool.count_threads(), PATIENCE_S)
        monkeypatch.setattr(pool_module, "WAIT_FOR_WORKERS_S", 1.0)
        with pytest.raises(InputError, match=r"had no worker for 1 s; start 'dask worker' again"):
            next(pool.results(notes(["a"])))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_dies_or_hangs_is_reported(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, (scheduler, *_) = cluster
    monkeypatch.setattr(pool_module, "WAIT_FOR_WORKERS_S", 2.0)
    with open_pool(address, 1, read=seen) as pool:
        scheduler.send_signal(how)
        with pytest.raises(InputError, match=r"the cluster (went away|does not answer); start it again"):
            list(pool.results(notes(["a"])))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no address", "tls://127.0.0.1:1"])
def test_a_cluster_that_is_not_there_is_reported(
    address: str,
    tilesight: Callable[..., Outcome],
    icelandic_sample: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "CONNECT_S", 0.5)
    outcome = tilesight("digitise", icelandic_sample, "--out", tmp_path / "out", "--cluster", address)
    assert outcome.code in (2, 3)
    (line,) = [line for line in outcome.err.splitlines() if line.startswith("tilesight: --cluster")]
    assert "start 'dask scheduler'" in line or "give an address" in line


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"], ids=["silent", "ssh"])
def test_a_port_of_another_server_is_reported(greeting: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent one made the run hang, and the start of a greeting was taken for a size of 3 EiB."""
    monkeypatch.setattr(pool_module, "CONNECT_S", 0.5)

    def greet(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(greeting)
            while connection.recv(4096):  # until the other side closes
                pass

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as threads:
        served = threads.submit(greet, server)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match="no scheduler answers there"), open_pool(address, 1):
            pass
        served.result(PATIENCE_S)
