"""Remove the preprocessing of pixels from a quantised network: it takes half of the time, and plain code is faster.

The network as trained normalises mean and contrast in floating point, and its first layer has three input channels
only, for which 8-bit arithmetic is slow. Afterwards it takes the 8-bit integers of `vision.recognition.preprocessing`,
each block of 2 x 2 pixels as one place with twelve channels (space to depth). Its outputs stay the same but for the
rounding of the first step.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

__all__ = ["fold_preprocessing", "unfold_weights"]


def fold_preprocessing(source: Path, target: Path) -> tuple[float, int]:
    """Write `target`, the network of `source` for preprocessed pixels.

    Parameters
    ----------
    source, target : Path
        ONNX files; `source` as `calibration.training.export.quantisation` writes it. The same path replaces the file.

    Returns
    -------
    scale, zero : float, int
        ``(integer - zero) * scale`` is a pixel normalised by its square's mean and contrast.

    Raises
    ------
    ValueError
        If the first layer is no quantised convolution of 3 x 3 pixels with stride 2.
    """
    model = onnx.load(str(source))
    graph = model.graph
    values = {each.name: each for each in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    conv = next(node for node in graph.node if node.op_type == "Conv")
    attributes = {each.name: helper.get_attribute_value(each) for each in conv.attribute}
    pixels, weights = makers.get(conv.input[0]), makers.get(conv.input[1])
    if (
        pixels is None
        or weights is None
        or {pixels.op_type, weights.op_type} != {"DequantizeLinear"}
        or list(attributes["strides"]) != [2, 2]
        or list(attributes["kernel_shape"]) != [3, 3]
    ):
        raise ValueError(
            f"{source}: the first layer is not a quantised one of 3 x 3 with stride 2; quantise first"
        )
    scale, zero = (numpy_helper.to_array(values[name]) for name in pixels.input[1:3])
    old = values[weights.input[0]]
    old.CopyFrom(numpy_helper.from_array(_space_to_depth_weights(numpy_helper.to_array(old)), old.name))
    del conv.attribute[:]
    conv.attribute.extend(
        [
            helper.make_attribute("kernel_shape", [2, 2]),
            helper.make_attribute("strides", [1, 1]),
            helper.make_attribute("pads", [1, 1, 0, 0]),
        ]
    )
    side = graph.input[0].type.tensor_type.shape.dim[1].dim_value // 2
    blocks = helper.make_tensor_value_info("blocks", TensorProto.UINT8, ["squares", side, side, 12])
    turned = helper.make_node("Transpose", ["blocks"], ["blocks_channels_first"], perm=[0, 3, 1, 2])
    pixels.input[0] = "blocks_channels_first"
    graph.node.insert(0, turned)
    del graph.input[:]
    graph.input.append(blocks)
    _drop_unused(graph)
    onnx.checker.check_model(model)
    onnx.save(model, str(target))
    return float(scale), int(zero)


_LINES = ((0, 1), (1, 0), (1, 1))
"""Block, and line in it, of the three lines around a block's first one: the line before, and the block's own two."""


def _space_to_depth_weights(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Convert weights (out, 3, 3, 3) of a layer with stride 2 to weights (out, 12, 2, 2) on blocks of 2 x 2 pixels."""
    out = weights.shape[0]
    result = np.zeros((out, 2, 2, 3, 2, 2), weights.dtype)  # line and column in the block, channel; block
    for line, (block_y, in_y) in enumerate(_LINES):
        for column, (block_x, in_x) in enumerate(_LINES):
            result[:, in_y, in_x, :, block_y, block_x] = weights[:, :, line, column]
    return result.reshape(out, 12, 2, 2)


def unfold_weights(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert weights (out, 12, 2, 2) on blocks of 2 x 2 pixels back to (out, 3, 3, 3) with stride 2."""
    blocks = weights.reshape(len(weights), 2, 2, 3, 2, 2)
    result = np.zeros((len(weights), 3, 3, 3), weights.dtype)
    for line, (block_y, in_y) in enumerate(_LINES):
        for column, (block_x, in_x) in enumerate(_LINES):
            result[:, :, line, column] = blocks[:, in_y, in_x, :, block_y, block_x]
    return result


def _drop_unused(graph: onnx.GraphProto) -> None:
    """Remove the nodes and constants that no output depends on."""
    wanted = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if wanted & set(node.output):
            wanted |= set(node.input)
            kept.append(node)
    del graph.node[:]
    graph.node.extend(reversed(kept))
    used = [each for each in graph.initializer if each.name in wanted]
    del graph.initializer[:]
    graph.initializer.extend(used)
    del graph.value_info[:]
