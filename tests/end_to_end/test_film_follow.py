"""Rendered films of whole games, with hands and mishaps: every play, score and take-back, and in time."""

from __future__ import annotations

import functools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from samples import CameraMotion, Film, Mishaps, MovingLight, icelandic_style, random_film, write_film
from scoring import Game, Play, load_edition, parse_play
from tests.conftest import Outcome
from tests.sets.photo_kinds import kind_of_photo
from tests.support import rendered_films
from tests.support.rendered_films import tracker_of
from vision.capture import Frame
from vision.detection import detect_boards
from vision.game_events import parse_command
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind
from vision.observation import MIRRORED
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker, track_video
from vision.recognition.base import SquareReader
from vision.tracking import Redetector

Command = Callable[..., Outcome]
Told = list[tuple[float, GameUpdate | Notice]]
pytestmark = [pytest.mark.slow, pytest.mark.no_cover]
FPS = 8.0
HAND_LAST = "the last picture shows new tiles and a hand; if they are a complete play, enter it"


@functools.cache
def drawn(seed: int, plays: int = 3, **odds: float) -> Film:
    return random_film(
        np.random.default_rng(seed),
        "icelandic",
        plays=plays,
        mishaps=Mishaps(**odds),
        cell_px=28,
        style=icelandic_style(),
    )


@functools.lru_cache(maxsize=1)  # tests of one film follow each other: rendering takes longer than reading
def frames_of(film: Film) -> list[Frame]:
    return list(rendered_films.frames_of(film, FPS))


@pytest.fixture(scope="module")
def reader() -> SquareReader:
    return load_recognizer("network", drawn(0, 1).edition)


def follow(frames: Iterable[Frame], tracker: VideoTracker) -> Told:
    return [(batch.time_s or 0.0, item) for batch in track_video(frames, tracker) for item in batch.items]


def followed(film: Film, reader: SquareReader) -> tuple[Told, VideoTracker]:
    watch = tracker_of(film, reader)
    return follow(frames_of(film), watch), watch


def moves(told: Told) -> list[tuple[str, int]]:
    return [(h.kind.value, h.step.score) for _, h in told if isinstance(h, GameUpdate) and h.step is not None]


def truth(film: Film) -> list[tuple[str, int]]:
    return [(event.kind, event.score) for event in film.events]


@pytest.mark.parametrize(
    ("seed", "odds"),
    [
        (1, {}),
        (2, {"pause": 1.0, "misplace": 1.0}),
        (3, {"bump": 1.0, "straighten": 1.0, "switch": 0.5}),
        (4, {"withdraw": 0.7}),
        (5, {"rotate": 1.0}),
    ],
)
def test_a_game_is_followed_without_a_fault_and_in_time(
    seed: int, odds: dict[str, Any], reader: SquareReader
) -> None:
    film = drawn(seed, **odds)
    told, watch = followed(film, reader)
    assert moves(told) == truth(film)
    assert watch.game.totals == film.totals
    delays = [at - event.hands_off_s for (at, h), event in zip(
        [(at, h) for at, h in told if isinstance(h, GameUpdate)], film.events, strict=True
    )]  # fmt: skip
    assert max(delays) <= 1.5
    assert min(delays) > 0


@pytest.mark.parametrize(
    "motion",
    [
        CameraMotion(kind="shake", amplitude_px=1.0),
        CameraMotion(kind="hand", amplitude_px=20.0),
        MovingLight(kind="bands", strength=0.05),
        MovingLight(kind="shadow", strength=0.12),
    ],
    ids=str,
)
def test_a_camera_or_a_light_that_moves_does_not_stop_the_game(
    motion: CameraMotion | MovingLight, reader: SquareReader
) -> None:
    film = drawn(7, plays=2)
    film = replace(
        film,
        motion=motion if isinstance(motion, CameraMotion) else None,
        moving_light=motion if isinstance(motion, MovingLight) else None,
    )
    told, watch = followed(film, reader)
    assert moves(told) == truth(film)
    assert watch.game.totals == film.totals


@pytest.mark.parametrize("seed", [7, 1])
def test_a_mirrored_film_is_read_the_right_way_round(seed: int, reader: SquareReader) -> None:
    film = drawn(seed)
    watch = tracker_of(film, reader)
    frames = frames_of(film)
    expected = detect_boards(frames[0].image_bgr, film.edition.layout).grid
    told = follow((replace(frame, expected_grid=expected).mirror() for frame in frames), watch)
    assert [item.message for _, item in told if isinstance(item, Notice)] == [MIRRORED]
    assert [placed.play for placed in watch.game.state.plays] == [event.play for event in film.events]
    assert watch.game.totals == film.totals
    assert watch.is_mirrored


def test_plays_that_no_mirror_image_shows_more_clearly_stay(
    reader: SquareReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In dim light the right picture may look mirrored."""
    monkeypatch.setattr(Redetector, "shows_mirror_image", lambda self, frame, board, game: game.state.plays)
    film = drawn(6, plays=2)
    told, watch = followed(film, reader)
    assert moves(told) == truth(film)
    assert not watch.is_mirrored


def test_what_people_stated_stays_when_a_mirrored_film_is_noticed(reader: SquareReader) -> None:
    film = drawn(1)
    empty = Game(edition=film.edition, players=film.players)
    first = film.events[0].play
    stated = (
        empty.with_pass()
        .with_pass()
        .with_play(Play(placements=(replace(first.placements[0], token="a"), *first.placements[1:])))
    )
    watch = VideoTracker(empty, GameContext(edition=film.edition, recognizer=reader))
    for frame in frames_of(film):
        if len(watch.game.events) == 1:  # what the camera read in the mirror is corrected
            games = [stated.with_events(stated.events[: n + 1]) for n in range(3)]
            watch.apply_external(
                tuple(GameUpdate.of_last_step(UpdateKind(game.events[-1].kind), game) for game in games)
            )
        watch.see(frame.mirror())
    assert watch.is_mirrored
    assert watch.game.events[:3] == stated.events
    assert [placed.play for placed in watch.game.state.plays[1:]] == [event.play for event in film.events[1:]]


def test_a_game_goes_on_with_a_mirrored_camera(reader: SquareReader) -> None:
    film = drawn(1)
    _, watch = followed(film, reader)
    resumed = VideoTracker(watch.game, GameContext(edition=film.edition, recognizer=reader))
    last = film.events[-1].hands_off_s
    frames = (frame.mirror() for frame in frames_of(film) if frame.time_s > last + 0.5)
    told = follow(frames, resumed)
    assert moves(told) == []
    assert [item.message for _, item in told if isinstance(item, Notice)] == [MIRRORED]
    assert resumed.game.events == watch.game.events


def test_a_cup_on_the_board_does_not_stop_the_game(reader: SquareReader) -> None:
    film = drawn(6, plays=2)
    resting = [number for number, shot in enumerate(film.shots) if shot.seconds > 2 and shot.reach is None]
    first = resting[1]  # after the first play
    put_down = replace(film.shots[first], seconds=5.0, cup_xy=(1.5, 13.5))
    later = tuple(replace(shot, cup_xy=(1.5, 13.5)) for shot in film.shots[first + 1 :])
    film = replace(film, shots=(*film.shots[: first + 1], put_down, *later))
    told, watch = followed(film, reader)
    assert moves(told) == truth(film)
    assert watch.game.totals == film.totals


def test_lights_that_go_off_say_nothing_of_the_tiles(reader: SquareReader) -> None:
    film, noise = drawn(7, plays=2), np.random.default_rng(0)
    frames = frames_of(film)
    number = next(n for n, frame in enumerate(frames) if frame.time_s > film.events[0].hands_off_s + 1.6)
    black: list[Frame] = []
    for _ in range(round(12 * FPS)):
        levels = 0.02 * frames[number].image_bgr + noise.normal(0, 1.0, frames[number].image_bgr.shape)
        _, data = cv2.imencode(".jpg", levels.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 30])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
        black.append(replace(frames[number], image_bgr=image))
    watch = tracker_of(film, reader)
    shown = [*frames[:number], *black, *frames[number:]]
    told = follow((replace(frame, index=at, time_s=at / FPS) for at, frame in enumerate(shown)), watch)
    assert moves(told) == truth(film)
    messages = [item.message for _, item in told if isinstance(item, Notice) and item.message]
    assert len(messages) == 1
    assert messages[0].startswith("nothing could be read for 8 s: no board found: the picture is black")


def test_a_film_without_a_board_says_so_once(reader: SquareReader) -> None:
    watch = VideoTracker(
        Game(edition=drawn(0, 1).edition, players=("A", "B")),
        GameContext(edition=drawn(0, 1).edition, recognizer=reader),
    )
    noise = np.random.default_rng(0).integers(0, 255, (360, 480, 3), dtype=np.uint8)
    told = [
        batch
        for number in range(20)
        if (batch := watch.see(Frame(image_bgr=noise, source="f", index=number, time_s=number / FPS)))
    ]
    assert [h.kind for batch in told for h in batch.items] == [NoticeKind.UNCLEAR]
    assert watch.grid is None
    assert watch.finish() is None


def test_another_board_in_view_is_reported_and_the_larger_one_is_followed(reader: SquareReader) -> None:
    two = kind_of_photo("two boards", 3003)
    edition = load_edition(two.edition)
    watch = VideoTracker(
        Game(edition=edition, players=("A", "B")), GameContext(edition=edition, recognizer=reader)
    )
    told = [
        notice.message
        for number in range(3)
        if (batch := watch.see(Frame(image_bgr=two.image_bgr, source="f", index=number, time_s=number / FPS)))
        for notice in batch.notices
    ]
    assert len(told) == 1
    assert told[0].startswith("more than one board is in view, and the largest is followed")
    assert watch.grid is not None


@pytest.mark.parametrize(
    ("is_other", "reason"),
    [(True, "is it the board of this game?"), (False, "the picture is now the mirror image of what it was")],
)
def test_a_picture_that_does_not_show_the_games_board_is_reported_and_seldom_searched(
    is_other: bool, reason: str, reader: SquareReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = drawn(3)
    frames = frames_of(film)
    shown = frames[-1].mirror()
    if is_other:
        other = cv2.resize(frames_of(drawn(4, 1))[-1].image_bgr, shown.size_px)
        shown = replace(shown, image_bgr=np.asarray(other, np.uint8))
    watch = tracker_of(film, reader)
    for frame in frames:
        watch.see(frame)
    searches: list[float] = []
    find_again = Redetector.find_again

    def note_search(self: Redetector, frame: Frame, *rest: Any) -> Any:
        searches.append(frame.time_s)
        return find_again(self, frame, *rest)

    monkeypatch.setattr(Redetector, "find_again", note_search)
    told = []
    for number in range(round(20 * FPS)):
        batch = watch.see(replace(shown, time_s=film.seconds + number / FPS))
        told += [(number / FPS, item.message) for item in (batch.items if batch else ())]
    ((after_s, message),) = told
    assert 8.0 <= after_s < 10.0
    assert reason in message
    assert len(searches) < 14


def with_stray_tiles(frame: Frame, watch: VideoTracker) -> Frame:
    """Draw six tiles that no play explains into a frame."""
    assert watch.grid is not None
    tile, half = next(iter(watch.game.board.tiles())), int(watch.grid.cell_px / 2)
    xs_ys = watch.grid.image_from_grid.apply(
        [(column + 0.5, row + 0.5) for row, column in ((tile.row, tile.column), *np.ndindex(2, 3))]
    )
    boxes = [np.s_[y - half : y + half, x - half : x + half] for x, y in xs_ys.astype(int).tolist()]
    changed = frame.image_bgr.copy()
    for box in boxes[1:]:
        changed[box] = changed[boxes[0]]
    return replace(frame, image_bgr=changed)


def test_a_board_that_is_back_is_no_longer_reported_as_another_one(reader: SquareReader) -> None:
    film = drawn(3)
    frames = frames_of(film)
    _, watch = followed(film, reader)
    shown = [frames[-1].mirror()] * round(5 * FPS) + [with_stray_tiles(frames[-1], watch)] * round(9 * FPS)
    told = [
        item.message
        for number, frame in enumerate(shown)
        if (batch := watch.see(replace(frame, time_s=film.seconds + number / FPS)))
        for item in batch.items
    ]
    assert any("A1 B1 C1" in message for message in told)
    assert not any("is it the board of this game?" in message for message in told)


@pytest.mark.parametrize(("rest_s", "reported"), [(2.0, [NoticeKind.BOARD_DIFFERS]), (0.75, [])])
def test_a_film_that_ends_with_tiles_that_nothing_explains_names_them_if_they_rested(
    rest_s: float, reported: list[NoticeKind], reader: SquareReader
) -> None:
    film = drawn(3)
    told, watch = followed(film, reader)
    assert not any(isinstance(item, Notice) and item.kind is NoticeKind.BOARD_DIFFERS for _, item in told)
    shown = with_stray_tiles(frames_of(film)[-1], watch)
    for number in range(round(rest_s * FPS)):
        assert watch.see(replace(shown, time_s=film.seconds + number / FPS)) is None
    last = watch.finish()
    assert [notice.kind for notice in (last.notices if last else ())] == reported


def test_a_film_that_ends_under_the_hand_that_lays_a_play_says_so(reader: SquareReader) -> None:
    film = drawn(1, plays=1)
    watch = tracker_of(film, reader)
    for frame in frames_of(film):
        if frame.time_s < film.events[0].hands_off_s - 0.2:
            assert watch.see(frame) is None
    last = watch.finish()
    assert last is not None
    assert [notice.message for notice in last.notices] == [HAND_LAST]


def test_a_film_that_ends_in_black_shows_its_last_play_in_the_frame_that_was_read(
    reader: SquareReader,
) -> None:
    film = drawn(1, plays=1)
    watch, frames = tracker_of(film, reader), frames_of(film)
    n_bright = sum(frame.time_s <= film.events[0].hands_off_s + 0.5 for frame in frames)
    for number, frame in enumerate(frames[: n_bright + 8]):
        black = replace(frame, image_bgr=np.zeros_like(frame.image_bgr))
        assert watch.see(frame if number < n_bright else black) is None
    last = watch.finish()
    assert last is not None
    assert [update.kind for update in last.updates] == [UpdateKind.PLAY]
    assert not last.notices
    assert last.observation is not None
    assert last.observation.frame is frames[n_bright - 1]


def enlarged(frames: Iterable[Frame], after_s: float) -> Iterator[Frame]:
    """The frames, from then on in another resolution."""
    for frame in frames:
        scale = 1.3 if frame.time_s > after_s else 1.0
        image = cv2.resize(frame.image_bgr, None, fx=scale, fy=scale)
        yield replace(frame, image_bgr=np.asarray(image, np.uint8))


def test_another_resolution_in_mid_stream_is_another_place(reader: SquareReader) -> None:
    film = drawn(1)
    watch = tracker_of(film, reader)
    told = follow(enlarged(frames_of(film), after_s=film.events[0].hands_off_s + 2), watch)
    assert moves(told) == truth(film)


def test_a_phone_that_is_turned_upright_between_two_plays(reader: SquareReader) -> None:
    film = drawn(7, plays=2)
    turned_s = film.events[0].hands_off_s + 1.6
    watch = tracker_of(film, reader)

    def turn_upright(frame: Frame) -> Frame:
        image = cv2.copyMakeBorder(frame.image_bgr, 0, 0, 40, 40, cv2.BORDER_REFLECT)
        if frame.time_s > turned_s:
            image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)
        return replace(frame, image_bgr=np.asarray(image, np.uint8))

    told = follow(map(turn_upright, frames_of(film)), watch)
    assert moves(told) == truth(film)


def test_a_first_play_taken_back_while_the_camera_is_bumped(reader: SquareReader) -> None:
    film = drawn(1, plays=1)
    last = film.shots[-1]
    board = last.board.without(film.events[0].play)
    film = replace(film, shots=(*film.shots, replace(last, seconds=3.0, board=board, bump_px=(11.0, -7.0))))
    told, watch = followed(film, reader)
    assert [kind for kind, _ in moves(told)] == ["play", "withdrawn"]
    assert watch.game.board.is_empty


def test_another_resolution_while_a_play_is_taken_back(reader: SquareReader) -> None:
    film = drawn(7, plays=2, withdraw=1.0)
    watch = tracker_of(film, reader)
    told = follow(enlarged(frames_of(film), after_s=film.events[1].hands_off_s - 0.5), watch)
    assert moves(told) == truth(film)


def test_corners_that_are_no_longer_the_frames_are_reported(reader: SquareReader) -> None:
    film = drawn(1, plays=1)
    first = frames_of(film)[0]
    seen = tracker_of(film, reader)
    seen.see(first)
    assert seen.grid is not None
    corners = seen.grid.corners_px.tolist()
    watch = tracker_of(film, reader, corners_px=corners)
    watch.see(first)
    larger = np.asarray(cv2.resize(first.image_bgr, None, fx=1.5, fy=1.5), dtype=np.uint8)
    said = watch.see(replace(first, image_bgr=larger, time_s=1.0))
    assert said is not None
    assert "the corners were given for" in said.notices[0].message
    assert watch.see(replace(first, image_bgr=larger, time_s=5.0)) is None


def test_letters_of_another_edition_are_reported_though_no_play_is() -> None:
    hungarian, icelandic = load_edition("hungarian"), load_edition("icelandic")
    play = parse_play("8F SZŰCSÖK", hungarian.tokens)
    film = random_film(
        np.random.default_rng(3), "hungarian", plays=[play], cell_px=40, style=icelandic_style()
    )
    watch = VideoTracker(
        Game(edition=icelandic, players=film.players),
        GameContext(edition=icelandic, recognizer=load_recognizer("network", icelandic)),
    )
    told = follow(frames_of(film), watch)
    messages = [item.message for _, item in told]
    assert any("edition icelandic: letters are seen that it does not have" in text for text in messages)
    assert not any(isinstance(item, GameUpdate) and item.confidence > 0.9 for _, item in told)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A film file and what happens in it."""
    path = tmp_path_factory.mktemp("film") / "game.avi"
    return path, write_film(path, drawn(7, withdraw=0.4), FPS)


def told_lines(outcome: Outcome) -> list[tuple[str, int]]:
    return [
        (line["event"], line["score"])
        for line in outcome.json_lines
        if line["event"] in ("play", "withdrawn")
    ]


def watch_arguments(film: Path, *more: str | Path) -> list[str | Path]:
    return ["watch", film, "--edition", "icelandic", "--players", "Anna,Jón", "--format", "json", *more]


def test_a_film_file_becomes_events_a_game_file_and_pictures(
    tilesight: Command, recorded: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    film, wanted = recorded
    (tmp_path / "moves").mkdir()
    outcome = tilesight(
        *watch_arguments(film, "--out", tmp_path / "game.gcg", "--evidence", tmp_path / "moves"),
        "--picture", tmp_path / "last.png", "--journal", tmp_path / "game.db", "--video", tmp_path / "seen.mp4",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert told_lines(outcome) == [(event["kind"], event["score"]) for event in wanted["events"]]
    *events, end = outcome.json_lines
    assert list(end["totals"].values()) == wanted["totals"]
    assert all(event["time_s"] > 0 and event["source"] == "game.avi" for event in events)
    assert tilesight("score", tmp_path / "game.gcg", "--edition", "icelandic").code == 0
    assert len(list((tmp_path / "moves").glob("*.jpg"))) == len(wanted["events"])
    assert cv2.imread(str(tmp_path / "last.png")) is not None
    assert cv2.VideoCapture(str(tmp_path / "seen.mp4")).get(cv2.CAP_PROP_FRAME_COUNT) > 100
    again = tilesight("watch", film, "--journal", tmp_path / "game.db", "--format", "json")
    assert again.code == 0, again.err
    assert "the game goes on after" in again.err
    assert told_lines(again) == []
    assert again.json_lines[-1]["totals"] == end["totals"]


def test_commands_on_standard_input_are_events(
    tilesight: Command, recorded: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = tmp_path / "commands.txt"
    lines.write_text("pass\nclock Anna 5\nfly\n", encoding="utf-8")
    with lines.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        outcome = tilesight(*watch_arguments(recorded[0], "--commands"))
    first, second, *_ = outcome.json_lines
    assert (first["event"], first["player"]) == ("pass", "Anna")
    assert (second["event"], second["score"]) == ("clock", -5)
    assert "'fly' is no command" in outcome.err


def test_the_view_shows_board_standing_and_moves(
    tilesight: Command, recorded: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        outcome = tilesight("watch", recorded[0], "--edition", "icelandic", "--view")
    assert outcome.code == 0, outcome.err
    assert "standing" in outcome.out
    assert "total: A" in outcome.out


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--players", "X,Y"], 2, "journal of another game"),
        (["--edition", "polish"], 2, "journal of another game"),
    ],
)
def test_a_journal_of_another_game_is_refused(
    tilesight: Command,
    tmp_path: Path,
    recorded: tuple[Path, dict[str, Any]],
    more: list[str],
    code: int,
    message: str,
) -> None:
    from tilesight.live import open_game

    journal = tmp_path / "game.db"
    with open_game("game", journal, edition="icelandic", players=("Anna", "Jón")) as game:
        game.apply_command(parse_command("pass"))
    outcome = tilesight("watch", recorded[0], "--journal", journal, *more)
    assert outcome.code == code
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_view_and_json_exclude_each_other(tilesight: Command, recorded: tuple[Path, dict[str, Any]]) -> None:
    outcome = tilesight(*watch_arguments(recorded[0], "--view"))
    assert outcome.code == 2


@pytest.fixture
def default_signals() -> Iterator[None]:
    """No signal is ignored, as it is where the tests run under ``nohup``."""
    on_interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    on_hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGHUP, on_hangup)


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_game_ends_with_its_totals_and_a_film_that_plays(
    checkout: Path, recorded: tuple[Path, dict[str, Any]], tmp_path: Path, number: signal.Signals
) -> None:
    seen, film = tmp_path / "seen.mp4", recorded[0]
    program = [sys.executable, "-c", "from tilesight.cli.main import main; main()"]
    with subprocess.Popen(
        [*program, *map(str, watch_arguments(film, "--video", seen))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=checkout,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        first = json.loads(running.stdout.readline())
        running.send_signal(number)
        last = json.loads(running.stdout.readlines()[-1])
    assert running.returncode == 130
    assert (first["event"], last["event"]) == ("play", "end")
    assert cv2.VideoCapture(str(seen)).read()[0]


def test_a_terminal_that_is_closed_leaves_a_film_that_plays_and_the_picture(
    checkout: Path, recorded: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    seen, board = tmp_path / "seen.mp4", tmp_path / "board.png"
    terminal, end = os.openpty()
    program = [sys.executable, "-c", "from tilesight.cli.main import main; main()"]
    with subprocess.Popen(
        [*program, *map(str, watch_arguments(recorded[0], "--video", seen, "--picture", board))],
        stdin=end, stdout=end, stderr=end, cwd=checkout, start_new_session=True,
    ) as running:  # fmt: skip
        os.close(end)
        printed = b""
        while printed.count(b'"play"') < 2:
            printed += os.read(terminal, 4096)
        os.close(terminal)
        running.send_signal(signal.SIGHUP)
    assert running.returncode == 3
    assert cv2.VideoCapture(str(seen)).read()[0]
    assert board.exists()


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_once_and_is_left_as_it_was(number: signal.Signals) -> None:
    from tilesight.cli.signals import interrupted_by_signals

    before = signal.getsignal(number)
    with interrupted_by_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(number)
    assert signal.getsignal(number) is before
    signal.signal(number, signal.SIG_IGN)
    try:
        with interrupted_by_signals():
            signal.raise_signal(number)
    finally:
        signal.signal(number, before)


def test_a_killed_game_goes_on_where_it_stood(
    checkout: Path, recorded: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    from tilesight.live.journal import Journal

    film, wanted = recorded
    journal, chance = tmp_path / "game.db", random.Random(3)
    program = [sys.executable, "-c", "from tilesight.cli.main import main; main()"]
    announced: list[dict[str, Any]] = []
    for attempt in range(12):
        with subprocess.Popen(
            [*program, *map(str, watch_arguments(film, "--journal", journal))],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=checkout,
        ) as running:  # fmt: skip
            assert running.stdout is not None
            finished = False
            # Killed some time after the next event, or let go on to the end at the last attempt.
            for line in running.stdout:
                event = json.loads(line)
                finished = event["event"] == "end"
                if event["event"] in ("play", "withdrawn"):
                    announced.append(event)
                if not finished and attempt < 11:
                    time.sleep(chance.uniform(0, 0.2))
                    os.kill(running.pid, signal.SIGKILL)
                    break
        if finished:
            break
    assert [(e["event"], e["score"]) for e in announced] == [
        (e["kind"], e["score"]) for e in wanted["events"]
    ]
    with Journal.open(journal, edition="icelandic", players=("Anna", "Jón")) as kept:
        assert kept.events == announced
        assert kept.game(drawn(0, 1).edition).totals == tuple(wanted["totals"])
