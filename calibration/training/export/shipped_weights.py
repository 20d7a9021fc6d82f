"""Load the weights of a shipped 8-bit network into its PyTorch model, so that training can go on from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from calibration.training.export.fold_preprocessing import unfold_weights
from calibration.training.models import SquareModel

__all__ = ["load_shipped_weights"]

Weights = tuple[NDArray[np.float32], NDArray[np.float32]]


def load_shipped_weights(network: SquareModel, path: Path, cells: Tensor) -> None:
    """Load the weights of an ONNX file as `finish` exports it, up to the rounding of its 8 bits.

    Layers that the file lacks keep their first weights. The file has no batch normalisation any more: export folds it
    into the convolutions. Its statistics are measured anew on `cells`, and undone by its scale and shift, so that the
    network's outputs stay the same.

    Parameters
    ----------
    network : SquareModel
        A new network of the file's architecture; changed in place.
    path : Path
        The ONNX file.
    cells : (n, side, side, 3) uint8
        Typical squares, BGR; some hundreds.

    Raises
    ------
    ValueError
        If the file is of another architecture.
    """
    layers, floating = _read_layers(path)
    modules = dict(network.named_modules())
    known = {name: tuple(each.shape) for name, each in network.named_parameters()}
    shapes = {f"{name}.weight": weight.shape for name, (weight, _) in layers.items()}
    shapes |= {name: each.shape for name, each in floating.items()}
    if any(known.get(name) != shape for name, shape in shapes.items()):
        raise ValueError(
            f"{path}: its layers are not those of this network; name the file of cells or tiles itself"
        )
    network.load_state_dict(
        {name: torch.from_numpy(each.copy()) for name, each in floating.items()}, strict=False
    )
    hooks = []
    for name, parameters in layers.items():
        layer = modules[name]
        weight, bias = (torch.from_numpy(each) for each in parameters)
        layer.weight.data.copy_(weight)
        if isinstance(layer, nn.Linear):
            layer.bias.data.copy_(bias)
        else:
            parent, _, number = name.rpartition(".")
            norm = modules[f"{parent}.{int(number) + 1}"]
            hooks.append(norm.register_forward_pre_hook(_undo_normalisation(bias)))
    network.eval()
    with torch.no_grad():
        network(cells)
    for hook in hooks:
        hook.remove()
    network.train()


def _undo_normalisation(bias: Tensor) -> Any:
    """Return a hook that measures the input of a batch normalisation and makes its output input + `bias`."""

    def measure(norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        assert norm.running_mean is not None
        assert norm.running_var is not None
        features = inputs[0].float()
        mean, variance = features.mean((0, 2, 3)), features.var((0, 2, 3))
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.copy_(bias + mean)

    return measure


def _read_layers(path: Path) -> tuple[dict[str, Weights], dict[str, NDArray[np.float32]]]:
    """Read the weights and biases of the 8-bit layers, by the names of their modules, and what is floating point."""
    graph = onnx.load(str(path)).graph
    values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}

    def dequantised(name: str) -> NDArray[np.float32]:
        if name in values:
            return np.array(values[name], np.float32)
        integers, scale, zero = (values[part] for part in makers[name].input)
        shape = (-1, *(1,) * (integers.ndim - 1))
        exact = (integers.astype(np.float64) - zero.reshape(shape)) * scale.reshape(shape)
        return np.asarray(exact, np.float32)

    layers: dict[str, Weights] = {}
    for node in graph.node:
        if node.op_type not in {"Conv", "Gemm"}:
            continue
        weight, bias = dequantised(node.input[1]), dequantised(node.input[2])
        if weight.ndim == 4 and weight.shape[1] == 12:
            weight = unfold_weights(weight)
        layers[_module_name(node)] = (weight, bias)
    floating = {name.removeprefix("network."): each for name, each in values.items() if _is_parameter(name)}
    return layers, floating


def _is_parameter(name: str) -> bool:
    """Whether an initialiser is a parameter as PyTorch names it, and not its 8-bit form."""
    return name.startswith("network.") and name.endswith((".weight", ".bias"))


def _module_name(node: Any) -> str:
    """Return the name of the module that a node was exported from, `features.4.change.0.0`."""
    if node.op_type == "Gemm":
        return str(node.input[1]).removeprefix("network.").removesuffix(".weight_DequantizeLinear_Output")
    # Its output is called '/network/features/features.4/change/change.0/change.0.2/Relu_output_0'.
    *scopes, output = str(node.output[0]).removeprefix("/network/").split("/")
    name = ".".join(scope.rpartition(".")[2] for scope in scopes)
    # A Relu stands for convolution, normalisation and itself, in this order.
    return f"{name.rpartition('.')[0]}.0" if output.startswith("Relu") else name
