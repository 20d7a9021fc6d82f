"""Quantise a trained network to 8-bit arithmetic: half the time, a third of the size.

Run as ``python -m calibration.training.export.quantisation WEIGHTS.onnx OUT.onnx``. The range of each layer is taken
from rendered boards, so that the result depends on the weights and the seed alone.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from calibration.training.data import CELLS, CROPS, CropSpec
from samples import random_photo
from vision.core import Grid
from vision.recognition import crop_cells
from vision.rectification import rectify

__all__ = ["quantise", "render_typical_cells"]

LAYERS = ["Conv", "Gemm", "Add", "Relu"]
"""Operators that get 8-bit arithmetic, by their names in ONNX."""


def quantise(
    source: Path,
    target: Path,
    batches: Iterable[NDArray[Any]],
    *,
    input_name: str = "cells",
    floating: Sequence[str] = (),
) -> None:
    """Write `target`, the network of `source` with 8-bit layers.

    Parameters
    ----------
    source, target : Path
        ONNX files; the same path replaces the file.
    batches : iterable of arrays
        Inputs, such as cells as the reader crops them. Their range in each layer becomes that of the integers.
    input_name : str
        Name of the input.
    floating : sequence of str
        Parts whose arithmetic stays in floating point, by the beginnings of their layers' names. Their matrices are
        kept as 8-bit numbers all the same.

    Notes
    -----
    Weights take 7 of their 8 bits: processors without the VNNI instructions add products of 8-bit numbers in 16
    bits, which would overflow. The normalisation before the first layer stays in floating point.

    References
    ----------
    ONNX Runtime's manual, "Quantize ONNX Models": static quantisation, QDQ form, `reduce_range`.
    """
    with tempfile.TemporaryDirectory() as folder:
        prepared, written = Path(folder) / "prepared.onnx", Path(folder) / "quantised.onnx"
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        names = [node.name for node in onnx.load(str(prepared)).graph.node]
        quantize_static(
            prepared,
            written,
            _Batches(iter(batches), input_name),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=LAYERS,
            nodes_to_exclude=[name for name in names if name.startswith(tuple(floating))],
        )
        model = onnx.load(str(written))
        _keep_as_integers(model.graph)
        onnx.save(model, str(target))


def _keep_as_integers(graph: onnx.GraphProto) -> None:
    """Keep the matrices of linear layers in floating point as 8-bit numbers, with a scale for each line."""
    values = {each.name: each for each in graph.initializer}
    for node in [each for each in graph.node if each.op_type == "Gemm" and each.input[1] in values]:
        name = node.input[1]
        matrix = numpy_helper.to_array(values[name])
        scale = np.abs(matrix).max(axis=1) / 127 + np.finfo(np.float32).tiny
        parts = {
            f"{name}_quantized": np.rint(matrix / scale[:, None]).astype(np.int8),
            f"{name}_scale": scale.astype(np.float32),
            f"{name}_zero_point": np.zeros(len(matrix), np.int8),
        }
        graph.initializer.remove(values[name])
        graph.initializer.extend(numpy_helper.from_array(each, key) for key, each in parts.items())
        node.input[1] = f"{name}_DequantizeLinear_Output"
        graph.node.insert(0, helper.make_node("DequantizeLinear", [*parts], [node.input[1]], axis=0))


class _Batches(CalibrationDataReader):
    """Gives the library one batch at a time."""

    def __init__(self, batches: Iterator[NDArray[Any]], input_name: str) -> None:
        self.batches, self.input_name = batches, input_name

    def get_next(self) -> dict[str, Any] | None:
        batch = next(self.batches, None)
        return None if batch is None else {self.input_name: batch}


def render_typical_cells(boards: int, crop: CropSpec = CELLS, seed: int = 0) -> Iterator[NDArray[np.uint8]]:
    """Render boards and yield the cells of each as a batch; for a network that reads tiles only, the tiles."""
    for number in range(boards):
        photo = random_photo(np.random.default_rng([seed, number]))
        grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
        cells = crop_cells(rectify(photo.image_bgr, grid, crop.cell_px, crop.context_px), crop.context_px)
        if crop.tiles_only:
            cells = cells[[token != "." for row in photo.rows for token in row]]
        yield cells


def main() -> None:
    """Quantise a network file, and copy its card."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--boards", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=sorted(CROPS), default="cells")
    options = parser.parse_args()
    cells = render_typical_cells(options.boards, CROPS[options.kind], options.seed)
    quantise(options.source, options.target, cells)
    if options.source != options.target:
        shutil.copyfile(options.source.with_suffix(".json"), options.target.with_suffix(".json"))


if __name__ == "__main__":
    main()
