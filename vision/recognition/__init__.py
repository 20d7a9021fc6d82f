"""The stage that reads cells: what stands on each square, with probabilities."""

from vision.recognition.base import CompositeReader, LetterReader, SquareReader, asked_about, joined
from vision.recognition.cascade import (
    BOARD_OUTPUTS,
    CELL_OUTPUTS,
    LOOKED_AT,
    PLAINLY_EMPTY,
    TILE_OUTPUTS,
    CascadeReader,
    pool_occupancy,
    pool_opinions,
    presence_probabilities,
    tile_kind_probabilities,
)
from vision.recognition.embedding import LdaProjection
from vision.recognition.enrolment import enrol_prototypes
from vision.recognition.few_shot import EnrolledReader, rotate_upright
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.orientation import (
    _TILES_TO_COMPARE,
    MIN_BOARD_MATCH,
    MIN_LETTERS_TO_TURN,
    OrientedReading,
    are_letters_upright,
    resolve_orientation,
    score_board_match,
    vote_quarter_turns,
)
from vision.recognition.preprocessing import crop_cells, resize_cells, space_to_depth
from vision.recognition.prototypes import Prototypes, normalize_features, strip_diacritics
from vision.recognition.tesseract import TesseractReader, installed_languages, installed_version, language_for

__all__ = [
    "BOARD_OUTPUTS",
    "CELL_OUTPUTS",
    "LOOKED_AT",
    "MIN_BOARD_MATCH",
    "MIN_LETTERS_TO_TURN",
    "PLAINLY_EMPTY",
    "TILE_OUTPUTS",
    "_TILES_TO_COMPARE",
    "CascadeReader",
    "CompositeReader",
    "EnrolledReader",
    "LdaProjection",
    "LetterReader",
    "OnnxModel",
    "OrientedReading",
    "Prototypes",
    "SquareReader",
    "TesseractReader",
    "are_letters_upright",
    "asked_about",
    "crop_cells",
    "enrol_prototypes",
    "installed_languages",
    "installed_version",
    "joined",
    "language_for",
    "normalize_features",
    "pool_occupancy",
    "pool_opinions",
    "presence_probabilities",
    "resize_cells",
    "resolve_orientation",
    "rotate_upright",
    "score_board_match",
    "space_to_depth",
    "strip_diacritics",
    "tile_kind_probabilities",
    "vote_quarter_turns",
]
