"""One trained network: its ONNX file, and the JSON file beside it that says what its outputs stand for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.errors import SettingsError
from vision.recognition.preprocessing import normalize_contrast
from vision.weights import load_session, one_line, read_weights

__all__ = ["OnnxModel", "with_output"]

_SCHEMA = 2
_FEATURES = "/network/Concat_output_0"
"""The tensor from which a network computes what its outputs share: what it saw, before it named it."""
_NEEDED = frozenset({"tokens", "value_labels", "cell_px", "context_px", "input"})


@dataclass(frozen=True, slots=True, eq=False)
class OnnxModel:
    """A loaded network that says what squares show.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Input ``blocks`` as `vision.recognition.preprocessing.normalize_contrast` makes them; outputs are probabilities.
    tokens : tuple of str
        The letters that the network knows.
    value_labels : tuple of int or None
        The printed values that it knows.
    cell_px, context_px : int
        Side of a square, and of the surroundings on each side, that it takes.
    scale, zero : float, int
        What the integers of its input stand for.
    card : mapping
        All that the JSON file says.
    fingerprint : str
        Tells these weights from others.
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
    def load(
        cls, path: Path, outputs: tuple[str, ...], threads: int = 1, *, features: bool = False
    ) -> OnnxModel:
        """The network of an ONNX file, with the JSON file of the same name beside it.

        Parameters
        ----------
        path : Path
            The ONNX file.
        outputs : tuple of str
            What it must say.
        threads : int
            Threads that one reading may use.
        features : bool
            Whether what it saw, before it named it, is its last output.

        Raises
        ------
        SettingsError
            If a file is missing, or is not a network of this form.
        """
        card = _read_card(path.with_suffix(".json"))
        model = read_weights(path)
        session = load_session(with_output(model, _FEATURES) if features else model, path, threads)
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

    def probabilities(self, cells: NDArray[np.uint8]) -> tuple[NDArray[np.float32], ...]:
        """Each output's probabilities, (n, classes), for squares as `preprocessing.blocks` makes them.

        Behind them (n, m) features, where it was loaded with them.
        """
        even = normalize_contrast(cells, self.scale, self.zero)
        return tuple(np.asarray(output, np.float32) for output in self.session.run(None, {"blocks": even}))


def with_output(model: bytes, name: str) -> bytes:
    """An ONNX file that also gives a tensor of its own, by name.

    References
    ----------
    Protocol Buffers, "Last One Wins" and merging: bytes of a message put behind another's are merged into it, so
    that field 7 (graph) of a model with field 12 (output) of a graph with field 1 (name) adds one output.
    """
    return model + _field(7, _field(12, _field(1, name.encode())))


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes, for numbers below 16 and contents below 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def _read_card(path: Path) -> dict[str, Any]:
    """The description of the weights: what their outputs stand for."""
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if card["schema"] != _SCHEMA:
            raise SettingsError(
                f"network weights: {path} has schema {card['schema']}, expected {_SCHEMA}; train again"
            )
        missing = _NEEDED - card.keys()
    except OSError as error:
        raise SettingsError(
            f"network weights: {path} cannot be read ({error.strerror}); install again"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(
            f"network weights: {path} is no description of weights ({one_line(error)}); install again"
        ) from error
    if missing:
        raise SettingsError(f"network weights: {path} lacks {', '.join(sorted(missing))}; train again")
    return card
