"""Export to ONNX, 8-bit quantisation, and graph surgery."""

from calibration.training.export.fold_preprocessing import fold_preprocessing
from calibration.training.export.onnx_export import export_network, save_onnx, update_card
from calibration.training.export.quantisation import quantise, render_typical_cells
from calibration.training.export.shipped_weights import load_shipped_weights

__all__ = [
    "export_network",
    "fold_preprocessing",
    "load_shipped_weights",
    "quantise",
    "render_typical_cells",
    "save_onnx",
    "update_card",
]
