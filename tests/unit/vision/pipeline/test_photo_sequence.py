"""A game by photos of its turns: boards photographed from the other side, and boards whose side cannot be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import Camera, Light, draw_cover, icelandic_style, render_photo
from scoring import Game, load_edition
from tests.support.lens_sections import lens_section
from vision.capture import open_picture
from vision.core.files import write_picture
from vision.errors import SettingsError
from vision.game_events.updates import NoticeKind, UpdateBatch, UpdateKind
from vision.pipeline.photo_sequence import OTHER_BOARD, UPSIDE_DOWN, track_photos
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.profile import Lens, LensModel, Profile

ENGLISH = load_edition("english")


def photo(
    path: Path,
    words: dict[tuple[int, int, bool], str],
    *,
    blur_px: float,
    on_its_head: bool,
    has_print: bool = True,
) -> Path:
    """A picture of these words, by where they begin and whether they run down."""
    rows = [["."] * 15 for _ in range(15)]
    for (row, column, down), word in words.items():
        for step, letter in enumerate(word):
            rows[row + step * down][column + step * (not down)] = letter
    style = icelandic_style()
    if not has_print:
        style = replace(style, board=replace(style.board, premium_texts=None))
    rendered = render_photo(rows, ENGLISH, style=style, camera=Camera(cell_px=24), light=Light(), seed=7)
    image = cv2.GaussianBlur(rendered.image_bgr, (0, 0), blur_px)
    write_picture(path, np.ascontiguousarray(np.rot90(image, 2) if on_its_head else image, np.uint8))
    return path


def followed(*pictures: Path, profile: Profile | None = None) -> list[UpdateBatch]:
    game = Game(edition=ENGLISH, players=("A", "B"))
    recognizer = load_recognizer("network", ENGLISH)
    context = GameContext(edition=game.edition, recognizer=recognizer, profile=profile)
    return list(track_photos(pictures, game, context))


def test_photos_from_the_other_side_are_read_by_what_lies_on_the_board(tmp_path: Path) -> None:
    """Blurred, SOS is as clear on its head: what was there before says which side is up."""
    first = photo(tmp_path / "1.png", {(7, 6, False): "SOS"}, blur_px=2.8, on_its_head=False)
    words = {(7, 6, False): "SOS", (7, 7, True): "ON"}
    turned = photo(tmp_path / "2.png", words, blur_px=2.8, on_its_head=True)
    batches = followed(first, turned)
    assert [item.kind for batch in batches for item in batch.items] == [
        NoticeKind.UNCLEAR,
        UpdateKind.PLAY,
        UpdateKind.PLAY,
    ]
    board = batches[-1].game.board
    assert [board[7, column] for column in range(6, 9)] == ["S", "O", "S"]
    assert [board[row, 7] for row in (7, 8)] == ["O", "N"]


def test_a_board_whose_side_nothing_tells_is_followed_and_reported_as_doubtful(tmp_path: Path) -> None:
    words = {(7, 7, False): "AT"}
    two = photo(tmp_path / "1.png", words, blur_px=0.8, on_its_head=False, has_print=False)
    (batch,) = followed(two)
    assert [item.kind for item in batch.items] == [
        NoticeKind.UNCLEAR,
        UpdateKind.PLAY,
    ]
    assert batch.notices[0].message == UPSIDE_DOWN
    empty = photo(tmp_path / "0.png", {}, blur_px=0.8, on_its_head=False, has_print=False)
    assert UPSIDE_DOWN not in [item.message for item in followed(empty)[0].items]


def test_the_premium_print_tells_the_side_of_a_board_with_two_letters(tmp_path: Path) -> None:
    two = photo(tmp_path / "1.png", {(7, 7, False): "AT"}, blur_px=0.8, on_its_head=True)
    (batch,) = followed(two)
    assert [item.kind for item in batch.items] == [UpdateKind.PLAY]
    assert [batch.game.board[7, column] for column in (7, 8)] == ["A", "T"]


def test_a_series_that_starts_in_mid_game_goes_on_from_its_first_board(tmp_path: Path) -> None:
    words = {(7, 4, False): "GARDEN", (7, 9, True): "NOTED", (9, 9, False): "TOAST", (11, 6, False): "SAND"}
    first = photo(tmp_path / "1.png", words, blur_px=0.6, on_its_head=False)
    second = photo(tmp_path / "2.png", {**words, (7, 4, True): "GIFT"}, blur_px=0.6, on_its_head=False)
    opening, play = followed(first, second)
    assert [item.kind for item in opening.items] == [NoticeKind.UNCLEAR]
    assert "17 tiles are on the board already; the game goes on from there" in opening.notices[0].message
    assert [item.kind for item in play.items] == [UpdateKind.PLAY]
    assert play.game.totals[0] > 0


def test_a_series_in_which_photos_are_missing_goes_on_after_the_third_that_nothing_explains(
    tmp_path: Path,
) -> None:
    """The second photo shows four plays more than the first one."""
    words = {(7, 6, False): "SOON"}
    pictures = [photo(tmp_path / "0.png", words, blur_px=0.8, on_its_head=False)]
    added: list[dict[tuple[int, int, bool], str]] = [
        {(7, 9, True): "NEAR", (10, 9, False): "RATE", (5, 6, True): "ITS", (5, 3, False): "TAXI"},
        {(10, 12, True): "EAR"},
        {(5, 3, True): "TEA"},
        {(12, 12, False): "RUN"},
    ]
    for number, more in enumerate(added, start=1):
        words = {**words, **more}
        pictures.append(photo(tmp_path / f"{number}.png", words, blur_px=0.8, on_its_head=False))
    batches = followed(*pictures)
    assert [len(batch.updates) for batch in batches] == [1, 0, 0, 6, 1]
    assert batches[-1].game.board[12, 14] == "N"


def test_a_play_that_may_go_on_outside_of_the_picture_is_in_doubt(tmp_path: Path) -> None:
    words = {(7, 7, False): "SOON", (7, 9, True): "OCTOPUS"}
    first = photo(tmp_path / "1.png", words, blur_px=0.8, on_its_head=False)
    words[11, 10, True] = "NEAT"
    second = photo(tmp_path / "2.png", words, blur_px=0.8, on_its_head=False)
    image = cv2.imread(str(second))
    assert image is not None
    write_picture(second, np.ascontiguousarray(image[:380], np.uint8))  # the last row begins there
    *_, batch = followed(first, second)
    (play,) = batch.updates
    assert play.confidence == 0.5
    assert batch.notices[0].message == "squares of the board outside of the picture: 15; show the whole board"


def test_a_first_photo_of_another_board_does_not_cost_the_game(tmp_path: Path) -> None:
    other = {
        (7, 4, False): "HORSES",
        (7, 4, True): "HEARTS",
        (12, 4, False): "SUN",
        (12, 6, True): "NET",
    }
    own = {(7, 7, False): "SOON"}
    pictures = [photo(tmp_path / "1.png", other, blur_px=0.8, on_its_head=False)]
    for number, more in enumerate(({}, {(7, 9, True): "OCTOPUS"}, {(13, 9, False): "SUN"}), start=2):
        own |= more
        pictures.append(photo(tmp_path / f"{number}.png", own, blur_px=0.8, on_its_head=False))
    batches = followed(*pictures)
    assert [len(batch.updates) for batch in batches] == [0, 0, 2, 1]
    assert OTHER_BOARD in [notice.message for notice in batches[2].notices]
    assert batches[-1].game.start is None or batches[-1].game.start.is_empty


def test_a_photo_of_another_shape_than_the_profiles_is_reported_and_the_game_goes_on(tmp_path: Path) -> None:
    words = {(7, 7, False): "AT"}
    first = photo(tmp_path / "1.png", words, blur_px=0.8, on_its_head=False)
    image = cv2.copyMakeBorder(open_picture(first).image_bgr, 0, 0, 100, 100, cv2.BORDER_REPLICATE)
    write_picture(first, np.asarray(image, np.uint8))
    held_upright = tmp_path / "2.png"
    write_picture(held_upright, np.ascontiguousarray(np.rot90(image), np.uint8))
    height, width = image.shape[:2]
    lens = Lens(
        model=LensModel.RADIAL,
        focal_px=(float(width), float(width)),
        centre_px=(width / 2, height / 2),
        distortion=(0.0,) * 4,
        size_px=(width, height),
    )
    section = lens_section(lens)
    profile = Profile(size_px=lens.size_px, lens=section)
    batches = followed(first, held_upright, first, profile=profile)
    assert len(batches) == 3
    assert [item.kind for item in batches[1].items] == [NoticeKind.UNREADABLE]
    with pytest.raises(SettingsError):
        followed(held_upright, first, profile=profile)


@pytest.mark.parametrize(("tip_y", "is_in_doubt"), [(250.0, True), (330.0, False)])
def test_a_turn_without_a_play_is_in_doubt_where_a_hand_may_hide_one(
    tmp_path: Path, tip_y: float, is_in_doubt: bool
) -> None:
    first = photo(tmp_path / "1.png", {(7, 6, False): "SOS"}, blur_px=0.5, on_its_head=False)
    image = open_picture(first).image_bgr.copy()
    draw_cover(image, "hand", (225.0, tip_y), 24.0, np.random.default_rng(2))  # from below
    second = tmp_path / "2.png"
    write_picture(second, image)
    *_, last = [update for batch in followed(first, second) for update in batch.updates]
    assert last.kind is UpdateKind.NO_PLAY
    assert (last.confidence < 0.9) is is_in_doubt
