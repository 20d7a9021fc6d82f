"""Calibration profiles as files: JSON with a schema version, written atomically, checked and upgraded when read."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, read_file
from vision.core import Floats, Grid, Image, JsonPart, check_folder, encode_jpeg, escape_name, write_file
from vision.errors import InputError, SettingsError, summarize_error
from vision.profile.lens import Lens, LensModel
from vision.profile.profile import BoardSection, LensSection, LightSection, Origin, Profile, TilesSection
from vision.recognition import Prototypes

__all__ = ["SCHEMA", "load_profile", "save_profile"]

SCHEMA = 3
"""Version of the files that are written; there is an upgrade from each older one to the next."""

_MAX_BYTES = 50_000_000
"""A larger file is not read: a profile with a hundred examples has half a megabyte (chosen)."""

_JPEG_QUALITY = 95
"""Quality of the pictures inside: the loss is below the difference between two photos of one tile (chosen)."""
_MAX_JPEG_PX = 65_500
"""Longest side of a JPEG file, in pixels."""

_ARRAY_KEYS = {
    "origin": "origin",
    "axes": "axes",
    "points": "class_means",
    "reach": "between_class_variance",
    "network_says": "confusion_matrix",
    "likeness_misses": "prototype_error_rates",
}
"""Keys of the prototypes' arrays in the file, and the attributes that they hold."""

_NUMBER_KEYS = {
    "spread": "within_class_variance",
    "network_misses": "network_error_rate",
    "tile_boost": "max_tile_log_odds",
    "alike_from": "min_in_class_llr",
}
"""The same for the prototypes' numbers."""

_NO_RESIDUALS = np.zeros((0, 4), np.float32)

Json = dict[str, Any]


def load_profile(path: Path) -> Profile:
    """Load a profile.

    Parameters
    ----------
    path : Path
        A file that ``tilesight calibrate`` wrote, in this version or an older one.

    Raises
    ------
    InputError
        If the file cannot be read.
    SettingsError
        If it is damaged, of a newer schema, or its numbers are not valid; the message names the entry.
    """
    try:
        data = read_file(path, _MAX_BYTES)
    except OSError as error:
        raise InputError(
            f"{path}: the profile cannot be read ({error.strerror or error}); make one with 'tilesight calibrate'"
        ) from error
    try:
        card = json.loads(data)
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{path}: not a calibration profile; name what 'tilesight calibrate' wrote"
        ) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path}: not a complete profile ({summarize_error(error)}); "
            "it was cut or edited: restore it, or calibrate again"
        ) from error
    return _parse_profile(_upgrade(card, path), path)


def save_profile(path: Path, profile: Profile) -> None:
    """Write a profile at once, or leave the old file as it was.

    Raises
    ------
    SettingsError
        If there is no such folder.
    InputError
        If it cannot be written.
    """
    check_folder(path)
    text = json.dumps(_profile_card(profile), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_file(path, text.encode())


def _upgrade(card: Any, path: Path) -> Json:
    """Check the schema and apply the upgrades that lead to the present one."""
    schema = card.get("schema") if isinstance(card, dict) else None
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise SettingsError(
            f"{path}: not a calibration profile (it has no schema number); name what 'tilesight calibrate' wrote"
        )
    if schema > SCHEMA:
        raise SettingsError(
            f"{path}: schema {schema} is newer than this program's {SCHEMA}; update Tilesight, or calibrate again"
        )
    for step in range(schema, SCHEMA):
        try:
            card = _UPGRADES[step](card)
        except (KeyError, TypeError, AttributeError) as error:
            raise SettingsError(
                f"{path}: cannot be upgraded from schema {step} ({summarize_error(error)} is missing or odd); "
                "calibrate again"
            ) from error
    return dict(card)


def _upgrade_from_1(card: Json) -> Json:
    """Upgrade schema 1, which had radial lenses only, with the pictures' size in the lens."""
    upgraded = {**card, "schema": 2}
    lens = card.get("lens")
    if lens is not None:
        upgraded["image_size"] = lens["image_size"]
        upgraded["lens"] = {"model": "radial", **{key: lens[key] for key in lens if key != "image_size"}}
    return upgraded


def _upgrade_from_2(card: Json) -> Json:
    """Upgrade schema 2, which had one weight of the network; the tiles are enrolled again from their pictures."""
    upgraded = {**card, "schema": 3}
    tiles = card.get("tiles")
    if tiles is not None:
        nothing = np.zeros((len(tiles["tokens"]), 1), np.float32)
        measured = {"network_says": _encode_array(nothing), "likeness_misses": _encode_array(nothing)}
        upgraded["tiles"] = {
            **{key: tiles[key] for key in tiles if key != "network_weight"},
            **measured,
            "network": "",
            "network_misses": 0.0,
            "tile_boost": 0.0,
            "alike_from": 0.0,
        }
    return upgraded


_UPGRADES: Mapping[int, Callable[[Json], Json]] = {1: _upgrade_from_1, 2: _upgrade_from_2}


def _parse_profile(card: Json, path: Path) -> Profile:
    top = JsonPart(card, path, "restore it, or calibrate again")
    size = top.size("image_size") if top.has("image_size") else None
    lens, board, tiles, light = (top.part(key) for key in ("lens", "board", "tiles", "light"))
    profile = Profile(
        camera=top.text("camera"),
        size_px=size,
        model=top.text("model") if "model" in card else "",
        lens=None if lens is None else _parse_lens(lens, size),
        board=None if board is None else _parse_board(board, size),
        tiles=None if tiles is None else _parse_tiles(tiles),
        light=None
        if light is None
        else LightSection(
            measures=light.named_numbers("measures"),
            advice=light.texts("advice"),
            origin=_parse_origin(light),
        ),
        name=str(path),
    )
    if profile.depends_on_size and size is None:
        raise top.fault("width and height in pixels", None, "image_size")
    return profile


def _parse_origin(part: JsonPart) -> Origin:
    return Origin(made=part.text("made"), sources=part.texts("made_from"))


def _parse_lens(part: JsonPart, size: tuple[int, int] | None) -> LensSection:
    if size is None:
        raise part.fault("the pictures' size next to the lens", None)
    model = part.text("model")
    if model not in list(LensModel):
        raise part.fault(" or ".join(LensModel), model, "model")
    focal, centre = part.numbers("focal_px", 2), part.numbers("centre_px", 2)
    try:
        lens = Lens(
            model=LensModel(model),
            focal_px=(focal[0], focal[1]),
            centre_px=(centre[0], centre[1]),
            distortion=part.numbers("distortion"),
            size_px=size,
        )
    except SettingsError as error:
        raise SettingsError(f"{part.path}: {error}") from error
    return LensSection(
        lens=lens,
        error_px=part.number("error_px", 0, 1000),
        uncertainty=part.named_numbers("uncertainty"),
        view_errors_px=part.numbers("view_errors_px"),
        residuals_px=part.array("residuals_px", -1, 4) if part.value.get("residuals_px") else _NO_RESIDUALS,
        origin=_parse_origin(part),
    )


def _parse_board(part: JsonPart, size: tuple[int, int] | None) -> BoardSection:
    rows, columns = part.integer("rows", 1, 99), part.integer("columns", 1, 99)
    corners = np.array(part.numbers("corners_px", 8)).reshape(4, 2) if part.has("corners_px") else None
    if corners is not None and size is not None and not _is_board_in_picture(corners, rows, columns, size):
        raise part.fault("corners TL TR BR BL of a board in the picture", corners.tolist(), "corners_px")
    try:
        return BoardSection(
            corners_px=corners,
            empty_bgr=part.picture("empty_jpeg"),
            rows=rows,
            columns=columns,
            fit=part.number("fit", 0, 1),
            origin=_parse_origin(part),
        )
    except ValueError as error:
        raise part.fault("a picture of its squares", str(error)) from error


def _is_board_in_picture(corners: Floats, rows: int, columns: int, size: tuple[int, int]) -> bool:
    """Whether a board's corners are a grid's and its middle is in the picture; a part may be outside."""
    try:
        Grid.from_corners(corners, rows, columns)
    except SettingsError:
        return False
    middle = corners.mean(axis=0)
    is_near = ((-np.array(size) < corners) & (corners < 2 * np.array(size))).all()
    return bool(is_near and ((middle > 0) & (middle < size)).all())


def _parse_tiles(part: JsonPart) -> TilesSection:
    labels = part.texts("labels")
    side, sheet = part.integer("example_px", 8, 512), part.picture("examples_jpeg")
    tokens = part.texts("tokens")
    if len(set(tokens)) < len(tokens):
        raise part.fault("each letter once", list(tokens), "tokens")
    if len(set(labels)) < 2 or not set(labels) <= {BLANK, *tokens}:
        raise part.fault("two letters of its tokens at least, and no others", sorted(set(labels)), "labels")
    origin = part.array("origin", -1)
    between = part.array("reach", -1)
    rates = {
        key: part.number(key, 0, 1) if part.has(key) else math.nan
        for key in ("letters_right", "network_right")
    }
    try:
        prototypes = Prototypes(
            tokens=tokens,
            origin=origin,
            axes=part.array("axes", len(origin), len(between)),
            class_means=part.array("points", len(tokens), len(between)),
            between_class_variance=between,
            within_class_variance=part.number("spread", 0.01, 1e6),
            confusion_matrix=part.probabilities("network_says", len(tokens), -1),
            network_error_rate=part.number("network_misses", 0, 1),
            prototype_error_rates=part.probabilities("likeness_misses", len(tokens)),
            max_tile_log_odds=part.number("tile_boost", 0, 100),
            min_in_class_llr=part.number("alike_from", -100, 1000),
        )
        return TilesSection(
            edition=part.text("edition"),
            prototypes=prototypes,
            network=part.text("network"),
            examples_bgr=_split_sheet(sheet, side, len(labels)),
            labels=labels,
            photos=part.integers("photos", len(labels)),
            letters_right=rates["letters_right"],
            network_right=rates["network_right"],
            origin=_parse_origin(part),
        )
    except ValueError as error:
        raise part.fault("arrays that fit together", str(error)) from error


def _profile_card(profile: Profile) -> Json:
    card: Json = {
        "schema": SCHEMA,
        "camera": profile.camera,
        "image_size": None if profile.size_px is None else list(profile.size_px),
        "model": profile.model,
    }
    if (lens := profile.lens) is not None:
        card["lens"] = {
            **_origin_card(lens.origin),
            "model": lens.lens.model.value,
            "focal_px": list(lens.lens.focal_px),
            "centre_px": list(lens.lens.centre_px),
            "distortion": list(lens.lens.distortion),
            "error_px": lens.error_px,
            "uncertainty": dict(lens.uncertainty),
            "view_errors_px": list(lens.view_errors_px),
            "residuals_px": _encode_array(lens.residuals_px),
        }
    if (board := profile.board) is not None:
        card["board"] = {
            **_origin_card(board.origin),
            "rows": board.rows,
            "columns": board.columns,
            "fit": board.fit,
            "corners_px": None if board.corners_px is None else board.corners_px.round(3).ravel().tolist(),
            "empty_jpeg": _encode_picture(board.empty_bgr),
        }
    if (tiles := profile.tiles) is not None:
        card["tiles"] = _tiles_card(tiles)
    if (light := profile.light) is not None:
        card["light"] = {
            **_origin_card(light.origin),
            "measures": dict(light.measures),
            "advice": list(light.advice),
        }
    return card


def _tiles_card(tiles: TilesSection) -> Json:
    prototypes = tiles.prototypes
    return {
        **_origin_card(tiles.origin),
        "edition": tiles.edition,
        "tokens": list(prototypes.tokens),
        "letters_right": None if math.isnan(tiles.letters_right) else tiles.letters_right,
        "network_right": None if math.isnan(tiles.network_right) else tiles.network_right,
        **{key: getattr(prototypes, name) for key, name in _NUMBER_KEYS.items()},
        "network": tiles.network,
        "labels": list(tiles.labels),
        "photos": list(tiles.photos),
        "example_px": int(tiles.examples_bgr.shape[1]),
        "examples_jpeg": _encode_picture(_join_sheet(tiles.examples_bgr)),
        **{key: _encode_array(getattr(prototypes, name)) for key, name in _ARRAY_KEYS.items()},
    }


def _origin_card(origin: Origin) -> Json:
    return {"made": origin.made, "made_from": [escape_name(source) for source in origin.sources]}


def _encode_array(array: NDArray[np.float32]) -> str:
    return base64.b64encode(np.asarray(array, "<f4").tobytes()).decode()


def _encode_picture(image_bgr: Image) -> str:
    return base64.b64encode(encode_jpeg(image_bgr, _JPEG_QUALITY)).decode()


def _sheet_size(side: int, count: int) -> tuple[int, int]:
    """Return the rows and columns of a sheet of pictures, which are as few columns as a JPEG file can hold."""
    columns = max(1, -(-count // (_MAX_JPEG_PX // side)))
    return -(-count // columns), columns


def _join_sheet(pictures: Image) -> Image:
    """Return pictures (count, side, side, 3) one below the other, in as many columns as are needed."""
    count, side = pictures.shape[:2]
    rows, columns = _sheet_size(side, count)
    padded = np.zeros((rows * columns, side, side, 3), np.uint8)
    padded[:count] = pictures
    across = padded.reshape(columns, rows, side, side, 3).transpose(1, 2, 0, 3, 4)
    return np.ascontiguousarray(across.reshape(rows * side, columns * side, 3))


def _split_sheet(sheet: Image, side: int, count: int) -> Image:
    """Return the pictures (count, side, side, 3) of a sheet of `_join_sheet`."""
    rows, columns = _sheet_size(side, count)
    if sheet.shape[:2] != (side * rows, side * columns):
        raise ValueError(
            f"examples_jpeg: expected {count} pictures of {side} px, got {sheet.shape[1]}x{sheet.shape[0]}"
        )
    across = sheet.reshape(rows, side, columns, side, 3).transpose(2, 0, 1, 3, 4)
    return np.ascontiguousarray(across.reshape(-1, side, side, 3)[:count])
