"""The stage that reads squares: a rectified board in, the probabilities of every square out."""

from vision.recognition.base import CompositeReader, LetterReader, SquareReader
from vision.recognition.cascade import BOARD_OUTPUTS, CELL_OUTPUTS, TILE_OUTPUTS, CascadeReader, CellOutputs
from vision.recognition.cascade import SETTINGS as CASCADE_SETTINGS
from vision.recognition.embedding import LdaProjection
from vision.recognition.enrolment import Enrolment, enrol_prototypes
from vision.recognition.few_shot import EnrolledReader, rotate_upright
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.orientation import (
    MIN_BOARD_MATCH,
    MIN_VOTING_LETTERS,
    OrientedReading,
    TurnVote,
    resolve_orientation,
    score_board_match,
    vote_turn,
)
from vision.recognition.pooling import (
    pool_occupancy,
    pool_opinions,
    presence_probabilities,
    tile_kind_probabilities,
)
from vision.recognition.preprocessing import crop_cells, resize_cells, space_to_depth
from vision.recognition.prototypes import Prototypes, normalize_features, strip_diacritics
from vision.recognition.tesseract import TesseractReader, installed_languages, installed_version, language_for

__all__ = [
    "BOARD_OUTPUTS",
    "CASCADE_SETTINGS",
    "CELL_OUTPUTS",
    "MIN_BOARD_MATCH",
    "MIN_VOTING_LETTERS",
    "TILE_OUTPUTS",
    "CascadeReader",
    "CellOutputs",
    "CompositeReader",
    "EnrolledReader",
    "Enrolment",
    "LdaProjection",
    "LetterReader",
    "OnnxModel",
    "OrientedReading",
    "Prototypes",
    "SquareReader",
    "TesseractReader",
    "TurnVote",
    "crop_cells",
    "enrol_prototypes",
    "installed_languages",
    "installed_version",
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
    "vote_turn",
]
