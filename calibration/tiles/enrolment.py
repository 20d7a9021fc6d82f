"""Enrol a set of tiles from examples whose letters are known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.profile_update import origin_now
from calibration.tiles.example import Example
from calibration.tiles.label_checks import check_letters, check_order, find_contradictions
from scoring import BLANK, Edition
from vision.errors import InputError
from vision.profile import TilesSection
from vision.recognition import CascadeReader, enrol_prototypes

__all__ = ["enrol"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentSettings:
    """Limits of a set of examples; chosen."""

    min_letters: int = 5
    """Different letters that are needed."""
    min_letters_right: float = 0.55
    """Share of the examples that the other photos must explain: tiles of one letter look alike."""


SETTINGS = EnrolmentSettings()


def enrol(
    examples: Sequence[Example], edition: Edition, network: CascadeReader, sources: Sequence[str]
) -> tuple[TilesSection, list[str]]:
    """Build the tile section of a profile.

    Parameters
    ----------
    examples : sequence of Example
        Of one set, from one photo or more.
    edition : Edition
        The edition of the letters.
    network : CascadeReader
        Loaded with features.
    sources : sequence of str
        Names of the photos.

    Returns
    -------
    section : TilesSection
        For a profile.
    remarks : list of str
        Lines for people: letters without an example, and examples that look like other letters.

    Raises
    ------
    InputError
        If there are too few letters, they are not those that the photos show, or two photos are the same.
    """
    letters = [example for example in examples if example.token != BLANK]
    kinds = {example.token for example in letters}
    if len(kinds) < SETTINGS.min_letters:
        raise InputError(
            f"tiles: {len(kinds)} different letters are shown, {SETTINGS.min_letters} at least are "
            "needed; lay out the alphabet, or take a photo of a board with more tiles"
        )
    _check_pictures(examples, sources)
    check_order(examples, network.tokens, sources)
    check_letters(examples, network.tokens, sources)
    cells = np.stack([example.cell_bgr for example in examples])
    labels = tuple(example.token for example in examples)
    photos = tuple(example.photo for example in examples)
    result = enrol_prototypes(cells, labels, photos, network, edition.tokens)
    if result.letters_right < SETTINGS.min_letters_right:
        raise InputError(
            f"tiles: of {len(result.left_out)} tiles only {result.letters_right:.0%} look like others of the same "
            "letter; the letters given for one of the photos are wrong, or the photos show different sets"
        )
    remarks = find_contradictions(examples, network.tokens, dict(result.left_out), sources, edition.tokens)
    if missing := [token for token in edition.tokens if token not in labels]:
        remarks.append(_describe_missing(missing, network.tokens))
    # of the tiles that are read with the set, so that both shares can be compared
    measured = [index for index, _ in result.left_out] or [
        i for i, label in enumerate(labels) if label != BLANK
    ]
    right = [result.by_network[index] == labels[index] for index in measured]
    section = TilesSection(
        edition=edition.name,
        prototypes=result.prototypes,
        network=network.fingerprint,
        examples_bgr=cells,
        labels=labels,
        photos=photos,
        letters_right=result.letters_right,
        network_right=float(np.mean(right)) if any(result.by_network) else math.nan,
        origin=origin_now(sources),
    )
    return section, remarks


def _describe_missing(letters: Sequence[str], known: Sequence[str]) -> str:
    """Say which letters have no example, and what that means with a network that knows some letters."""
    unknown = [letter for letter in letters if letter not in known]
    what = f"{' '.join(unknown)} cannot be read" if unknown else "the network alone reads these"
    return f"no example of {' '.join(letters)}; {what}"


def _check_pictures(examples: Sequence[Example], sources: Sequence[str]) -> None:
    """Refuse a picture that is given twice: it would tell nothing of how well its tiles are read."""
    photos: dict[int, set[bytes]] = {}
    for example in examples:
        photos.setdefault(example.photo, set()).add(example.cell_bgr.tobytes())
    for (one, cells), (other, others) in itertools.combinations(photos.items(), 2):
        if cells == others:
            raise InputError(
                f"{sources[other]}: the same picture as {sources[one]}; take a second one, with the camera or the lamp "
                "slightly moved"
            )
