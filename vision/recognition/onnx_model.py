"""One trained network: its ONNX file, and the JSON file next to it that describes its inputs and outputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.core import Image
from vision.errors import SettingsError, summarize_error
from vision.recognition.preprocessing import normalize_contrast
from vision.weights import WEIGHTS, load_session, read_weights

__all__ = ["OnnxModel", "expose_tensor", "known_letters"]

_CARD_SCHEMA = 2
_REQUIRED_KEYS = frozenset({"tokens", "value_labels", "cell_px", "context_px", "input"})
_FEATURES = "/network/Concat_output_0"
"""The tensor from which a network computes all of its outputs: the features of a square."""


@dataclass(frozen=True, slots=True, eq=False)
class OnnxModel:
    """A loaded network that classifies squares.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Its input is ``blocks``, from `vision.recognition.preprocessing.normalize_contrast`; its outputs are
        probabilities.
    tokens : tuple of str
        The letters that the network knows.
    value_labels : tuple of int or None
        The printed values that it knows.
    cell_px, context_px : int
        Side of a square, and width of the context on each side, of its input.
    scale, zero : float, int
        Quantisation of its input: ``number = (integer - zero) * scale``.
    card : mapping
        Content of the JSON file.
    fingerprint : str
        Hash of the weights.
    """

    session: Any
    tokens: tuple[str, ...]
    value_labels: tuple[int | None, ...]
    cell_px: int
    context_px: int
    scale: float
    zero: int
    card: Mapping[str, Any]
    fingerprint: str

    @classmethod
    def load(cls, path: Path, outputs: tuple[str, ...], *, features: bool = False) -> OnnxModel:
        """Load an ONNX file, and the JSON file of the same name next to it.

        Parameters
        ----------
        path : Path
            The ONNX file.
        outputs : tuple of str
            Names of the outputs that it must have.
        features : bool
            Whether to append the features as its last output.

        Raises
        ------
        SettingsError
            If a file is missing, or is not a network of this form.
        """
        card = _read_card(path.with_suffix(".json"))
        model = read_weights(path)
        session = load_session(expose_tensor(model, _FEATURES) if features else model, path)
        names = tuple(output.name for output in session.get_outputs())
        if names[: len(outputs)] != outputs or len(names) != len(outputs) + features:
            raise SettingsError(
                f"network weights: {path} has outputs {names}, expected {outputs}; train it again"
            )
        return cls(
            session=session,
            tokens=tuple(card["tokens"]),
            value_labels=tuple(card["value_labels"]),
            cell_px=int(card["cell_px"]),
            context_px=int(card["context_px"]),
            scale=float(card["input"]["scale"]),
            zero=int(card["input"]["zero"]),
            card=card,
            fingerprint=hashlib.sha256(model).hexdigest()[:16],
        )

    def probabilities(self, cells: Image) -> tuple[NDArray[np.float32], ...]:
        """Run the network on squares.

        All squares of one call are compared with each other, so that the probabilities of one depend on the others. Its
        features do not.

        Parameters
        ----------
        cells : (n, side, side, 12) uint8
            From `preprocessing.space_to_depth`.

        Returns
        -------
        tuple of (n, classes) float32
            The probabilities of each output, then the features (n, m) if it was loaded with them.
        """
        blocks = normalize_contrast(cells, self.scale, self.zero)
        return tuple(np.asarray(output, np.float32) for output in self.session.run(None, {"blocks": blocks}))


def expose_tensor(model: bytes, name: str) -> bytes:
    """Return an ONNX file with one of its own tensors as a further output.

    The shipped files are quantised and have no such output, so their bytes are extended when features are wanted.

    Parameters
    ----------
    model : bytes
        The ONNX file.
    name : str
        The tensor.

    References
    ----------
    Protocol Buffers, "Last One Wins" and merging: the bytes of a message that follow those of another are merged into
    it. Field 7 (graph) of a model with field 12 (output) of a graph with field 1 (name) adds one output.
    """
    return model + _field(7, _field(12, _field(1, name.encode())))


def known_letters() -> tuple[str, ...]:
    """Return the letters that the shipped networks know, without loading a network."""
    return tuple(_read_card(WEIGHTS / "cells.json")["tokens"])


def _field(number: int, content: bytes) -> bytes:
    """Encode a field of bytes, for numbers below 16 and contents below 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def _read_card(path: Path) -> dict[str, Any]:
    """Read the description of the weights."""
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if card["schema"] != _CARD_SCHEMA:
            raise SettingsError(
                f"network weights: {path} has schema {card['schema']}, expected {_CARD_SCHEMA}; train again"
            )
        missing = _REQUIRED_KEYS - card.keys()
    except OSError as error:
        raise SettingsError(
            f"network weights: {path} cannot be read ({error.strerror}); install again"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(
            f"network weights: {path} is no description of weights ({summarize_error(error)}); install again"
        ) from error
    if missing:
        raise SettingsError(f"network weights: {path} lacks {', '.join(sorted(missing))}; train again")
    return card
