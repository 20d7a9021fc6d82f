from .base import CompositeReader, LetterReader, SquareReader
from .cascade import CASCADE_SETTINGS, CascadeReader
from .embedding import LdaProjection
from .enrolment import Enrolment, enrol_prototypes
from .few_shot import EnrolledReader, rotate_upright
from .network_outputs import CELL_OUTPUTS, GLANCE_OUTPUTS, TILE_OUTPUTS, CellOutputs
from .onnx_model import OnnxModel, known_letters
from .pooling import (
    pool_occupancy,
    pool_opinions,
    presence_probabilities,
    tile_kind_probabilities,
)
from .preprocessing import crop_cells, resize_cells, space_to_depth
from .prototypes import Prototypes, normalize_features, strip_diacritics
from .tesseract import TesseractReader, installed_languages, installed_version, language_for
from .viewpoint import (
    MIN_BOARD_MATCH,
    MIN_VOTING_LETTERS,
    PRINT_CELL_PX,
    PRINT_PX,
    HeightMemory,
    OrientedReading,
    PlanesReading,
    PrintVote,
    TurnVote,
    is_mirrored,
    may_be_mirrored,
    normalize_print,
    orient_by_print,
    read_planes,
    resolve_orientation,
    score_board_match,
    vote_by_print,
    vote_turn,
)

__all__ = [
    "CASCADE_SETTINGS",
    "CELL_OUTPUTS",
    "GLANCE_OUTPUTS",
    "MIN_BOARD_MATCH",
    "MIN_VOTING_LETTERS",
    "PRINT_CELL_PX",
    "PRINT_PX",
    "TILE_OUTPUTS",
    "CascadeReader",
    "CellOutputs",
    "CompositeReader",
    "EnrolledReader",
    "Enrolment",
    "HeightMemory",
    "LdaProjection",
    "LetterReader",
    "OnnxModel",
    "OrientedReading",
    "PlanesReading",
    "PrintVote",
    "Prototypes",
    "SquareReader",
    "TesseractReader",
    "TurnVote",
    "crop_cells",
    "enrol_prototypes",
    "installed_languages",
    "installed_version",
    "is_mirrored",
    "known_letters",
    "language_for",
    "may_be_mirrored",
    "normalize_features",
    "normalize_print",
    "orient_by_print",
    "pool_occupancy",
    "pool_opinions",
    "presence_probabilities",
    "read_planes",
    "resize_cells",
    "resolve_orientation",
    "rotate_upright",
    "score_board_match",
    "space_to_depth",
    "strip_diacritics",
    "tile_kind_probabilities",
    "vote_by_print",
    "vote_turn",
]
