"""Tiles enrolled from photos whose letters are known: new alphabets, wrong letters, and what is written down."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.report.comparison import compare_tiles
from calibration.report.page import render_report
from calibration.tiles import Example, cut_examples, enrol
from calibration.tiles.label_checks import find_contradictions, latin_twin
from calibration.tiles.label_input import alphabet_layout, read_labels
from scoring import Board, Edition, Game, format_gcg, load_edition, parse_layout
from tests.sets import exotic_sets
from tests.sets.exotic_sets import (
    SCRIPTS,
    ExoticSet,
    alphabet_rows,
    exotic_set,
    find_font,
    script_edition,
)
from vision.capture import Frame
from vision.core import mirror_corners
from vision.errors import InputError, SettingsError
from vision.observation import MIRRORED
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.profile.profile import Profile, TilesSection
from vision.profile.profile_io import load_profile, save_profile
from vision.recognition.cascade import CascadeReader
from vision.recognition.enrolment import augment
from vision.recognition.few_shot import EnrolledReader
from vision.recognition.prototypes import fit_prototypes

pytestmark = pytest.mark.slow

ENGLISH = load_edition("english")


@pytest.fixture(scope="module")
def network() -> CascadeReader:
    return CascadeReader.load(features=True)


@pytest.fixture(scope="module")
def cyrillic() -> ExoticSet:
    letters, font = SCRIPTS["cyrillic"]
    path = find_font(font)
    if path is None:
        pytest.skip("fonts-dejavu-core is not installed")
    return exotic_set("cyrillic", path, script_edition("cyrillic", letters), seed=54, games=1)


def photographed(photos: ExoticSet, network: CascadeReader) -> list[Example]:
    found = []
    for number, photo in enumerate(photos.alphabets):
        frame = Frame(image_bgr=photo.image_bgr, source=f"alphabet-{number + 1}.jpg")
        found += cut_examples(
            frame, photo.rows, photos.edition, network, number, corners_px=photo.corners_px.tolist()
        )
    return found


@pytest.fixture(scope="module")
def examples(cyrillic: ExoticSet, network: CascadeReader) -> list[Example]:
    return photographed(cyrillic, network)


SOURCES = ("alphabet-1.jpg", "alphabet-2.jpg")


@pytest.fixture(scope="module")
def section(examples: list[Example], cyrillic: ExoticSet, network: CascadeReader) -> TilesSection:
    enrolled, remarks = enrol(examples, cyrillic.edition, network, SOURCES)
    assert not remarks
    return enrolled


def test_an_alphabet_that_the_network_does_not_know_is_read(
    cyrillic: ExoticSet, section: TilesSection, tmp_path: Path
) -> None:
    path = tmp_path / "club.json"
    save_profile(path, Profile(tiles=section))
    reader = load_recognizer("network", cyrillic.edition, profile=load_profile(path))
    assert isinstance(reader, EnrolledReader)
    photo = cyrillic.games[0]
    frame = Frame(image_bgr=photo.image_bgr, source="game.jpg")
    found = read_photo(
        frame, GameContext(edition=cyrillic.edition, recognizer=reader), corners_px=photo.corners_px.tolist()
    )
    letters = [
        (token, found.decoded.board[row, column])
        for row, tokens in enumerate(photo.rows)
        for column, token in enumerate(tokens)
        if token not in ".#?"
    ]
    assert np.mean([want == have for want, have in letters]) >= 0.98


def test_how_well_it_is_read_is_measured_with_each_photo_left_out(
    section: TilesSection, cyrillic: ExoticSet, network: CascadeReader
) -> None:
    assert section.letters_right > 0.95
    assert np.isnan(section.network_right)  # it knows none of these letters
    trial = compare_tiles(section, cyrillic.edition, network)
    assert np.mean([a == t for a, t in zip(trial.after, trial.truth, strict=True)]) == section.letters_right


def test_tiles_enrolled_for_other_weights_are_enrolled_again(
    section: TilesSection, cyrillic: ExoticSet
) -> None:
    said: list[str] = []
    other = dataclasses.replace(section, network="other weights")
    reader = load_recognizer("network", cyrillic.edition, said.append, Profile(tiles=other))
    assert "enrolled again" in said[0]
    assert isinstance(reader, EnrolledReader)
    np.testing.assert_allclose(reader.prototypes.class_means, section.prototypes.class_means, atol=1.5)
    odd = dataclasses.replace(other, examples_bgr=section.examples_bgr[:, :40, :40])
    with pytest.raises(SettingsError, match="pictures of 40 px, the network takes"):
        load_recognizer("network", cyrillic.edition, said.append, Profile(tiles=odd))


def test_letters_without_an_example_are_named(section: TilesSection, cyrillic: ExoticSet) -> None:
    said: list[str] = []
    edition = cyrillic.edition
    more = dataclasses.replace(
        edition,
        tokens=(*edition.tokens, "Ё"),
        values={**edition.values, "Ё": 1},
        counts={**edition.counts, "Ё": 1},
    )
    load_recognizer("network", more, said.append, Profile(tiles=section))
    assert "lacks tiles Ё" in said[0]


def test_tiles_that_the_edition_lacks_are_reported(section: TilesSection, cyrillic: ExoticSet) -> None:
    said: list[str] = []
    load_recognizer("network", cyrillic.edition, said.append, Profile(tiles=section))
    assert said == []
    load_recognizer("network", load_edition("english"), said.append, Profile(tiles=section))
    assert f"its tiles are of edition {section.edition}" in said[0]
    assert "with --edition" in said[0]


def test_tiles_are_compared_by_the_letters_that_another_edition_has(
    english_enrolled: dict[int, tuple[TilesSection, list[str]]],
    section: TilesSection,
    cyrillic: ExoticSet,
    network: CascadeReader,
) -> None:
    assert compare_tiles(section, cyrillic.edition, network).note == ""
    tiles = english_enrolled[2][0]
    trial = compare_tiles(tiles, load_edition("icelandic"), network)
    assert set(trial.truth) == set(ENGLISH.tokens) - set("CQWZ")
    assert "are of edition english, and were compared without C Q W Z as those of icelandic" in trial.note
    assert trial.note[1:] in render_report(Profile(tiles=tiles), trial=trial)
    assert "were compared as those of german" in compare_tiles(tiles, load_edition("german"), network).note
    assert compare_tiles(section, ENGLISH, network).truth == ()


@pytest.mark.parametrize("places", [1, -1])
def test_a_shifted_alphabet_is_noticed_by_letters_that_look_latin(
    examples: list[Example], cyrillic: ExoticSet, network: CascadeReader, places: int
) -> None:
    tokens = cyrillic.edition.tokens
    shifted = [
        dataclasses.replace(example, token=tokens[(tokens.index(example.token) + places) % len(tokens)])
        for example in examples
    ]
    with pytest.raises(InputError, match=r"alphabet-1\.jpg: the letters are shifted: \w+ was given as"):
        enrol(shifted, cyrillic.edition, network, SOURCES)


@pytest.fixture(scope="module")
def english(network: CascadeReader) -> list[Example]:
    path = find_font("truetype/breip/breipfont.ttf") or find_font(SCRIPTS["cyrillic"][1])
    if path is None:
        pytest.skip("fonts-breip and fonts-dejavu-core are not installed")
    return photographed(exotic_set("english", path, ENGLISH, seed=50, games=0), network)


@pytest.fixture(scope="module")
def english_enrolled(
    english: list[Example], network: CascadeReader
) -> dict[int, tuple[TilesSection, list[str]]]:
    """What the first photo gives, and what both give, each with its remarks."""
    return {
        photos: enrol([e for e in english if e.photo < photos], ENGLISH, network, SOURCES[:photos])
        for photos in (1, 2)
    }


def given_as(examples: list[Example], tokens: list[str]) -> list[Example]:
    return [dataclasses.replace(e, token=token) for e, token in zip(examples, tokens, strict=True)]


@pytest.mark.parametrize("photos", [1, 2])
@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (lambda tokens: tokens[4:] + tokens[:4], r"letters are shifted: .* moved by 4 places"),
        (lambda tokens: tokens[-9:] + tokens[:-9], r"letters are shifted: .* moved by 9 places"),
        (
            lambda tokens: [*tokens[:3], *tokens[4:], tokens[3]],
            r"letters are shifted: .* all but the first 3 are moved by 1",
        ),
        (lambda tokens: tokens[::-1], r"letters are backwards: .* taken from the other end"),
        (
            lambda tokens: random.Random(2).sample(tokens, len(tokens)),
            r"surely other letters|better than in any order",
        ),
    ],
)
@pytest.mark.parametrize("letters", ["english", "cyrillic"])
def test_letters_in_another_order_are_refused_even_where_both_photos_agree(
    english: list[Example],
    examples: list[Example],
    cyrillic: ExoticSet,
    network: CascadeReader,
    letters: str,
    order: Callable[[list[str]], list[str]],
    reason: str,
    photos: int,
) -> None:
    shown, edition = (english, ENGLISH) if letters == "english" else (examples, cyrillic.edition)
    here = [example for example in shown if example.photo < photos]
    wrong = order([example.token for example in here if example.photo == 0])
    with pytest.raises(InputError, match=reason):
        enrol(given_as(here, wrong * photos), edition, network, SOURCES[:photos])


@pytest.mark.parametrize("photos", [1, 2])
def test_two_letters_that_changed_places_are_remarked_upon(
    english: list[Example],
    english_enrolled: dict[int, tuple[TilesSection, list[str]]],
    network: CascadeReader,
    photos: int,
) -> None:
    here = [example for example in english if example.photo < photos]
    right, remarks = english_enrolled[photos]
    sure = sorted(
        here[:26], key=lambda e: -float(e.letters.max() * (network.tokens[e.letters.argmax()] == e.token))
    )
    swapped = {sure[0].token: sure[1].token, sure[1].token: sure[0].token}
    wrong = [swapped.get(example.token, example.token) for example in here]
    _, more = enrol(given_as(here, wrong), ENGLISH, network, SOURCES[:photos])
    said = set(more) - set(remarks)
    assert len(right.labels) == 26 * photos
    for token, looks in swapped.items():
        assert any(f"was given as {looks} and looks like {token}" in line for line in said)


@pytest.mark.parametrize(
    "font", ["truetype/ecolier-court/Ecolier-court.ttf", "truetype/isabella/Isabella.ttf"]
)
def test_letters_that_the_network_misreads_are_enrolled_all_the_same(
    network: CascadeReader, font: str
) -> None:
    path = find_font(font)
    if path is None:
        pytest.skip(f"{Path(font).name} is not installed")
    shown = photographed(exotic_set(font, path, ENGLISH, seed=50, games=0), network)
    section, _ = enrol(shown, ENGLISH, network, SOURCES)
    assert section.network_right < 0.5 < section.letters_right
    assert len(enrol(shown[:26], ENGLISH, network, SOURCES[:1])[0].labels) == 26


def test_letters_that_the_network_does_not_know_count_as_misread_by_it(
    english: list[Example], examples: list[Example], cyrillic: ExoticSet, network: CascadeReader
) -> None:
    unknown = [token for token in cyrillic.edition.tokens if latin_twin(token) == token]
    mixed = replace(
        ENGLISH,
        tokens=(*ENGLISH.tokens, *unknown),
        values={**ENGLISH.values, **dict.fromkeys(unknown, 1)},
        counts={**ENGLISH.counts, **dict.fromkeys(unknown, 1)},
    )
    shown = [*english, *(example for example in examples if example.token in unknown)]
    section, _ = enrol(shown, mixed, network, SOURCES)
    assert section.network_right <= 2 * len(ENGLISH.tokens) / len(section.labels) < section.letters_right
    assert not section.warning
    trial = compare_tiles(section, mixed, network)
    assert np.mean([a == t for a, t in zip(trial.before, trial.truth, strict=True)]) == section.network_right


def test_an_accent_contradicts_only_where_the_edition_has_both_letters(
    english: list[Example], network: CascadeReader
) -> None:
    letters = np.zeros(len(network.tokens), np.float32)
    letters[network.tokens.index("\u00c1")] = 1
    given = {example.token: dataclasses.replace(example, letters=letters) for example in english[:26]}

    def remarks(token: str, edition: Edition) -> list[str]:
        return find_contradictions([given[token]], network.tokens, {}, SOURCES, edition.tokens)

    assert remarks("A", ENGLISH) == []
    assert "was given as B and looks like \u00c1" in remarks("B", ENGLISH)[0]
    assert "was given as A and looks like \u00c1" in remarks("A", load_edition("icelandic"))[0]
    cyrillic = dataclasses.replace(given["A"], token="\u0410")
    assert find_contradictions([cyrillic], network.tokens, {}, SOURCES, ("\u0410", "\u0411")) == []


def test_a_letter_that_is_given_wrongly_for_all_photos_is_named(
    english: list[Example], network: CascadeReader
) -> None:
    """Its text is given once, so that the same letter is wrong in each photo, and another tile has it rightly."""
    wrong = [
        dataclasses.replace(example, token="B") if example.token == "Z" else example for example in english
    ]
    _, remarks = enrol(wrong, ENGLISH, network, SOURCES)
    assert sum("was given as B and looks like Z" in remark for remark in remarks) == 1
    assert not any("looks like" in remark for remark in enrol(english, ENGLISH, network, SOURCES)[1])


def test_photos_that_contradict_each_other_are_refused(
    examples: list[Example], cyrillic: ExoticSet, network: CascadeReader
) -> None:
    tokens = [example.token for example in examples if example.photo == 1]
    mixed = dict(zip(tokens, np.random.default_rng(1).permutation(tokens).tolist(), strict=True))
    wrong = [
        dataclasses.replace(example, token=mixed[example.token]) if example.photo == 1 else example
        for example in examples
    ]
    with pytest.raises(InputError, match=r"look like others|are surely other letters|hardly better"):
        enrol(wrong, cyrillic.edition, network, SOURCES)


def test_too_few_letters_are_refused(
    examples: list[Example], cyrillic: ExoticSet, network: CascadeReader
) -> None:
    with pytest.raises(InputError, match="4 different letters are shown, 5 at least"):
        enrol(examples[:4], cyrillic.edition, network, SOURCES)


def test_one_photo_given_twice_is_refused(
    examples: list[Example], cyrillic: ExoticSet, network: CascadeReader
) -> None:
    first = [example for example in examples if example.photo == 0]
    again = [dataclasses.replace(example, photo=1) for example in first]
    with pytest.raises(
        InputError, match=f"{SOURCES[1]}: the same picture as {SOURCES[0]}; take a second one"
    ):
        enrol([*first, *again], cyrillic.edition, network, SOURCES)


def test_one_photo_is_enrolled_with_what_it_lacks_named(
    examples: list[Example], cyrillic: ExoticSet, network: CascadeReader
) -> None:
    section, remarks = enrol(examples[:20], cyrillic.edition, network, SOURCES[:1])
    assert np.isnan(section.letters_right)
    assert any(remark.startswith("no example of ") and "cannot be read" in remark for remark in remarks)


def test_letters_of_another_board_are_refused(cyrillic: ExoticSet, network: CascadeReader) -> None:
    photo = cyrillic.alphabets[0]
    frame = Frame(image_bgr=photo.image_bgr, source="a.jpg")
    corners = photo.corners_px.tolist()
    below = [*photo.rows[-1:], *photo.rows[:-1]]
    for rows, reason in (
        (below, "look empty"),
        (photo.rows[:-1], "fill 14 rows"),
        ([["Ж", *row[1:]] for row in alphabet_rows(ENGLISH)], "are none of edition"),
    ):
        edition = ENGLISH if reason.startswith("are") else cyrillic.edition
        with pytest.raises(InputError, match=reason):
            cut_examples(frame, rows, edition, network, 0, corners_px=corners)


@pytest.mark.parametrize("has_corners", [True, False])
def test_the_tiles_of_a_mirrored_photo_are_cut_from_its_mirror_image(
    cyrillic: ExoticSet, network: CascadeReader, has_corners: bool
) -> None:
    edition = cyrillic.edition
    for photo, given in (
        (cyrillic.alphabets[0], alphabet_layout(edition, "a.jpg")),
        (cyrillic.games[0], cyrillic.games[0].rows),
    ):
        frame = Frame(image_bgr=photo.image_bgr, source="a.jpg")
        corners = photo.corners_px
        mirrored = mirror_corners(corners, frame.size_px[0])
        plain, cut = (
            cut_examples(shown, given, edition, network, 0, corners_px=px.tolist() if has_corners else None)
            for shown, px in ((frame, corners), (frame.mirror(), mirrored))
        )
        assert [(e.row, e.column, e.token) for e in cut] == [(e.row, e.column, e.token) for e in plain]
        offs = [np.abs(e.cell_bgr.astype(int) - o.cell_bgr).mean() for e, o in zip(plain, cut, strict=True)]
        assert max(offs) < 10, "upright, and not mirrored"


def test_letters_that_were_laid_or_given_from_right_to_left_are_no_mirrored_photo(
    cyrillic: ExoticSet, network: CascadeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = cyrillic.games[0]
    frame = Frame(image_bgr=game.image_bgr, source="a.jpg")
    with pytest.raises(InputError, match="look empty"):
        cut_examples(frame, [row[::-1] for row in game.rows], cyrillic.edition, network, 0)
    monkeypatch.setattr(
        exotic_sets, "alphabet_rows", lambda edition: [r[::-1] for r in alphabet_rows(edition)]
    )
    path = find_font(SCRIPTS["cyrillic"][1])
    assert path is not None
    for edition, seed in ((ENGLISH, 50), (cyrillic.edition, 54)):
        photo = exotic_set(edition.name, path, edition, seed=seed, games=0).alphabets[0]
        frame = Frame(image_bgr=photo.image_bgr, source="a.jpg")
        laid = cut_examples(frame, alphabet_layout(edition, "a.jpg"), edition, network, 0)
        with pytest.raises(
            InputError, match=r"letters are backwards: .* every row is taken from its other end"
        ):
            enrol(laid, edition, network, ["a.jpg"])


def test_the_alphabet_is_laid_onto_the_tiles_that_are_seen() -> None:
    lay = read_labels("alphabet", ENGLISH, "a.jpg")
    assert callable(lay)
    tiles = np.array(alphabet_rows(ENGLISH)) != "."
    assert lay(tiles) == alphabet_rows(ENGLISH)
    tiles[0, 0] = False
    tiles[1, 1] = False
    with pytest.raises(InputError, match="25 tiles are seen, the alphabet of english has 26"):
        lay(tiles)


@pytest.mark.parametrize("form", ["spaced", "tight", "printed", "json"])
def test_a_board_typed_in_is_read(tmp_path: Path, form: str) -> None:
    rows = alphabet_rows(ENGLISH)
    texts = {
        "spaced": "\n".join(" ".join(row) for row in rows),
        "tight": "\n".join("".join(row) for row in rows),
        "printed": "   A B C D E F G H I J K L M N O\n"
        + "\n".join(f"{n:2} " + " ".join(row).replace(".", "·") for n, row in enumerate(rows, 1))
        + "\nin doubt: B2",
        "json": '{"rows": ' + str(rows).replace("'", '"') + "}\n",
    }
    path = tmp_path / "board.txt"
    path.write_text(texts[form], encoding="utf-8")
    assert [list(row) for row in read_labels(str(path), ENGLISH, "a.jpg")] == rows  # type: ignore[union-attr]


def test_the_heading_of_a_wide_board_is_no_row(tmp_path: Path) -> None:
    wide = replace(ENGLISH, layout=parse_layout("\n".join(["." * 28] * 2)))
    path = tmp_path / "board.txt"
    path.write_text(str(Board.from_rows(["." * 28, "A" + "." * 27])), encoding="utf-8")
    assert read_labels(str(path), wide, "a.jpg") == [["."] * 28, ["A", *["."] * 27]]


@pytest.mark.parametrize("place", [0, 7])
@pytest.mark.parametrize("form", ["{row}", "{number:2} {row}"])
def test_letters_in_the_order_of_a_heading_are_a_row(tmp_path: Path, place: int, form: str) -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[place] = list("ABCDEFGHIJKLMNO")
    path = tmp_path / "board.txt"
    lines = [form.format(number=number, row=" ".join(row)) for number, row in enumerate(rows, start=1)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_labels(str(path), ENGLISH, "a.jpg") == rows
    path.write_text("\n".join(["   A B C D E F G H I J K L M N O", *lines]), encoding="utf-8")
    assert read_labels(str(path), ENGLISH, "a.jpg") == rows


def test_a_remark_of_as_many_words_as_columns_is_no_row(tmp_path: Path) -> None:
    assert len(MIRRORED.split()) == 15
    rows = alphabet_rows(ENGLISH)
    path = tmp_path / "board.txt"
    path.write_text("\n".join([*map(" ".join, rows), MIRRORED]), encoding="utf-8")
    assert read_labels(str(path), ENGLISH, "a.jpg") == rows


def test_a_game_file_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    german = load_edition("german")
    game = Game(edition=german, players=("Jörg", "Bo")).with_play("8D ÄPFEL")
    text = format_gcg(game).replace("#character-encoding UTF-8\n", "")
    (tmp_path / "old.gcg").write_bytes(text.encode("iso8859-1"))
    rows = read_labels(str(tmp_path / "old.gcg"), german, "a.jpg")
    assert rows[7][3] == "Ä"  # type: ignore[index]


def test_a_tile_with_a_dot_in_its_middle_is_typed_in(tmp_path: Path) -> None:
    values, counts = {**ENGLISH.values, "L·L": 10}, {**ENGLISH.counts, "L·L": 1}
    catalan = replace(ENGLISH, tokens=(*ENGLISH.tokens, "L·L"), values=values, counts=counts)
    rows = [["L·L", *["."] * 14], *[["."] * 15] * 14]
    path = tmp_path / "board.txt"
    path.write_text("\n".join(" ".join(row).replace(".", "·") for row in rows), encoding="utf-8")
    assert [list(row) for row in read_labels(str(path), catalan, "a.jpg")] == rows  # type: ignore[union-attr]


def test_a_games_last_position_is_taken(checkout: Path) -> None:
    games = sorted((checkout / "tests").rglob("*.gcg"))
    path = next((game for game in games if "icelandic" in game.name), None)
    if path is None:
        pytest.skip("no recorded game of that edition")
    rows = read_labels(str(path), load_edition("icelandic"), "a.jpg")
    assert not callable(rows)
    assert len(rows) == 15


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("A B C\n", "0 rows"),
        ("{1}", "not a line of"),
        ('{"rows": [5]}', "not a line of"),
        (f'{{"rows": {"[" * 5000}', "not a line of"),
        ("Ö\n", r"board\.txt: is not UTF-8 text; save it as UTF-8$"),
        (None, r"board\.txt: cannot be read \(No such file or directory\); write 'alphabet', or name a file"),
    ],
)
def test_files_without_a_board_are_named(tmp_path: Path, content: str | None, reason: str) -> None:
    path = tmp_path / "board.txt"
    if content is not None:
        path.write_text(content, encoding="iso-8859-1")
    with pytest.raises(InputError, match=reason):
        read_labels(str(path), ENGLISH, "a.jpg")
    with pytest.raises(InputError, match=r"game\.gcg: cannot be read"):
        read_labels(str(tmp_path / "game.gcg"), ENGLISH, "a.jpg")


def test_letters_that_look_latin_have_their_twins() -> None:
    assert [latin_twin(letter) for letter in "ВРΡЖQ"] == ["B", "P", "P", "Ж", "Q"]


def test_variations_are_the_same_for_the_same_seed() -> None:
    cells = np.random.default_rng(0).integers(0, 255, (3, 48, 48, 3)).astype(np.uint8)
    first, second = (augment(cells, 4, np.random.default_rng(5)) for _ in range(2))
    assert first.shape == (15, 48, 48, 3)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first[::5], cells)


def test_prototypes_tell_what_is_like_no_example() -> None:
    rng = np.random.default_rng(3)
    centres = {"A": 0, "B": 1, "C": 2}
    labels = [letter for letter in centres for _ in range(20)]
    features = np.eye(8)[[centres[label] for label in labels]] + rng.normal(0, 0.05, (60, 8))
    known = dataclasses.replace(fit_prototypes(features, labels), within_class_variance=2.0)
    probes = np.eye(8)[[0, 1, 5]].astype(np.float32)
    advantage = known.log_likelihood_ratios(probes)
    assert advantage[0].argmax() == 0
    assert advantage[1].argmax() == 1
    assert advantage[2].max() < 1 < advantage[0, 0]
    letters = known.fuse_letters(advantage, np.full((3, 2), 0.5), ("A", "B"), ("A", "B", "C", "D"))
    np.testing.assert_allclose(letters.sum(axis=1), 1)
    assert letters[2].argmax() == 3 or letters[2].max() < 0.9
    with pytest.raises(ValueError, match="two different letters"):
        fit_prototypes(features[:5], ["A"] * 5)


def told_of(token: str, network: CascadeReader, probability: float = 0.98) -> np.ndarray:
    said = np.full(len(network.tokens), (1 - probability) / (len(network.tokens) - 1))
    said[network.tokens.index(token)] = probability
    return said[None]


def test_a_sure_network_outweighs_likeness_where_it_was_right_and_not_where_it_was_wrong(
    english: list[Example],
    english_enrolled: dict[int, tuple[TilesSection, list[str]]],
    network: CascadeReader,
) -> None:
    known = english_enrolled[2][0].prototypes
    misread = {
        e.token: network.tokens[int(e.letters.argmax())]
        for e in english
        if network.tokens[int(e.letters.argmax())] in set(ENGLISH.tokens) - {e.token}
    }
    if not misread:
        pytest.skip("fonts-breip is not installed: the network reads all letters of the spare typeface")
    nothing = np.zeros((1, len(known.tokens)))
    right = next(t for t in known.tokens if t not in misread and t not in misread.values())
    letters = known.fuse_letters(nothing, told_of(right, network), network.tokens, ENGLISH.tokens)[0]
    assert ENGLISH.tokens[int(letters.argmax())] == right
    truth, said = next(iter(misread.items()))
    shared = known.fuse_letters(nothing, told_of(said, network), network.tokens, ENGLISH.tokens)[0]
    assert shared[ENGLISH.tokens.index(truth)] > 10 * letters[ENGLISH.tokens.index(truth)]


def test_a_letter_without_an_example_is_left_to_the_network() -> None:
    known = fit_prototypes(
        np.eye(6)[[0, 0, 1, 1, 2, 2]] + np.linspace(0, 0.05, 36).reshape(6, 6), list("AABBCC")
    )
    advantage = known.log_likelihood_ratios(np.eye(6, dtype=np.float32)[[0]])
    tokens = ("A", "Á", "B", "C")
    letters = known.letter_probabilities(advantage, tokens)[0]
    assert letters[1] == letters[0], "but for its accent"


def test_what_is_unlike_the_sets_letters_is_sooner_a_blank(
    english_enrolled: dict[int, tuple[TilesSection, list[str]]], network: CascadeReader
) -> None:
    known = dataclasses.replace(english_enrolled[2][0].prototypes, max_tile_log_odds=0.0)
    reader = EnrolledReader(network=network, prototypes=known, tokens=ENGLISH.tokens)
    said = np.array([[0.0, 0.7, 0.3, 0.0]] * 2)
    advantage = np.full((2, len(known.tokens)), -6.0)
    advantage[0, 0] = known.min_in_class_llr + 5
    letters = np.concatenate([told_of("A", network)] * 2).astype(np.float32)
    like, unlike = reader._reweight_occupancy(said, advantage, letters)
    assert like[1] > 0.97
    assert unlike[2] > 0.8
    other = np.concatenate([told_of("\u00c1", network)] * 2).astype(np.float32)
    np.testing.assert_allclose(reader._reweight_occupancy(said, advantage, other)[1], said[1])
