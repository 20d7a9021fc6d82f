"""Export to ONNX."""

from calibration.training.export.fold_preprocessing import prepared
from calibration.training.export.onnx_export import describe, export
from calibration.training.export.quantisation import quantised, typical_cells

__all__ = [
    "describe",
    "export",
    "prepared",
    "quantised",
    "typical_cells",
]
