"""The stage that reads cells: what stands on each square, with probabilities."""

from vision.recognition.base import CompositeReader, LetterReader, SquareReader, asked_about, joined
from vision.recognition.cascade import (
    CELL_OUTPUTS,
    GLANCE_OUTPUTS,
    LOOKED_AT,
    PLAINLY_EMPTY,
    TILE_OUTPUTS,
    CascadeReader,
    kinds_of_tile,
    pooled,
    pooled_occupancy,
    whether_laid,
)
from vision.recognition.embedding import LdaProjection
from vision.recognition.enrolment import enrolled
from vision.recognition.few_shot import EnrolledReader, upright_cells
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.orientation import (
    _TILES_TO_COMPARE,
    LETTERS_TO_TURN,
    MIN_AGREEMENT,
    OrientedReading,
    agreement,
    letters_turn,
    letters_upright,
    side_up,
)
from vision.recognition.preprocessing import blocks, cell_crops, resized
from vision.recognition.prototypes import Prototypes, normalised, unmarked
from vision.recognition.tesseract import TesseractReader, installed_languages, installed_version, language_for

__all__ = [
    "CELL_OUTPUTS",
    "GLANCE_OUTPUTS",
    "LETTERS_TO_TURN",
    "LOOKED_AT",
    "MIN_AGREEMENT",
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
    "agreement",
    "asked_about",
    "blocks",
    "cell_crops",
    "enrolled",
    "installed_languages",
    "installed_version",
    "joined",
    "kinds_of_tile",
    "language_for",
    "letters_turn",
    "letters_upright",
    "normalised",
    "pooled",
    "pooled_occupancy",
    "resized",
    "side_up",
    "unmarked",
    "upright_cells",
    "whether_laid",
]
