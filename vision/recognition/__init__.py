"""The stage that reads cells: what stands on each square, with probabilities."""

from vision.recognition.base import LetterReader, LettersFromAnother, SquareReader, asked_about, joined
from vision.recognition.cascade import (
    CELL_OUTPUTS,
    GLANCE_OUTPUTS,
    LOOKED_AT,
    PLAINLY_EMPTY,
    TILE_OUTPUTS,
    NetworkReader,
    kinds_of_tile,
    pooled,
    pooled_occupancy,
    whether_laid,
)
from vision.recognition.embedding import Directions
from vision.recognition.enrolment import enrolled
from vision.recognition.few_shot import EnrolledReader, upright_cells
from vision.recognition.onnx_model import SquareNetwork
from vision.recognition.orientation import (
    _TILES_TO_COMPARE,
    LEAST_AGREEMENT,
    LETTERS_TO_TURN,
    Look,
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
    "LEAST_AGREEMENT",
    "LETTERS_TO_TURN",
    "LOOKED_AT",
    "PLAINLY_EMPTY",
    "TILE_OUTPUTS",
    "_TILES_TO_COMPARE",
    "Directions",
    "EnrolledReader",
    "LetterReader",
    "LettersFromAnother",
    "Look",
    "NetworkReader",
    "Prototypes",
    "SquareNetwork",
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
