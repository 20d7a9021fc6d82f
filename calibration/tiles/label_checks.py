"""Check that the letters that a person gave are those that the tiles show.

The network may know only some of the letters. Cyrillic and Greek letters count as the Latin letters that look the same.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, format_square
from vision.errors import InputError
from vision.recognition import strip_diacritics

if TYPE_CHECKING:
    from calibration.tiles.example import Example

__all__ = [
    "agreement_share",
    "check_letters",
    "check_order",
    "find_contradictions",
    "latin_twin",
    "permutation_z_score",
]

LATIN_TWINS = dict(zip("АВЕКМНОРСТХІЈЅ", "ABEKMHOPCTXIJS", strict=True)) | dict(
    zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)
)
"""Homoglyphs: Cyrillic and Greek capitals whose shape is that of a Latin one in every typeface."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSettings:
    """Limits of the checks; chosen, but for the z score."""

    min_compared: int = 8
    """Letters of a photo that the network must know for its order to be checked."""
    min_agreeing: int = 5
    """Letters that must agree with another order to refuse the given one."""
    min_order_gain: float = 0.25
    """Share of the letters by which another order must agree better than the given one."""
    min_order_share: float = 0.35
    """Share of the letters that must agree with another order."""
    sure: float = 0.9
    """Probability from which the network is sure of a letter."""
    max_other_share: float = 0.5
    """Share of a photo's tiles that may surely be other letters than given."""
    min_other: int = 5
    """Number of such tiles below which a photo is never refused."""
    min_z_score: float = 4.0
    """Standard deviations by which the letters must fit the tiles better than in random orders. Of 30 odd typefaces in
    their right order the oddest had 4.7 and the next one 9.6; one random order in a thousand has 4."""
    min_probability: float = 0.01
    """Added to each probability, so that no tile decides alone."""


SETTINGS = LabelSettings()


def latin_twin(token: str) -> str:
    """Return the Latin letter that looks the same, the token itself if it has none."""
    return LATIN_TWINS.get(token, token)


def check_order(examples: Sequence[Example], network_tokens: Sequence[str], sources: Sequence[str]) -> None:
    """Refuse letters that fit the tiles better when they are shifted or reversed.

    Parameters
    ----------
    examples : sequence of Example
        The tiles of all photos.
    network_tokens : sequence of str
        The letters that the network knows.
    sources : sequence of str
        Names of the photos.

    Raises
    ------
    InputError
        If the letters of a photo are shifted or reversed.
    """
    for photo, source in enumerate(sources):
        here = _letters_of(examples, photo)
        compared = sum(latin_twin(example.token) in network_tokens for example in here)
        if compared < SETTINGS.min_compared:
            continue
        as_given = agreement_share(here, network_tokens)
        orders = _other_orders(here)
        shares = [agreement_share(here, network_tokens, order) for order, _, _ in orders]
        best = int(np.argmax(shares))
        share = shares[best]
        is_clear = (
            share >= SETTINGS.min_order_share
            and share - as_given >= SETTINGS.min_order_gain
            and round(share * compared) >= SETTINGS.min_agreeing
        )
        if not is_clear:
            continue
        order, mistake, remedy = orders[best]
        wrong = next(index for index in range(len(here)) if here[order[index]].token != here[index].token)
        raise InputError(
            f"{source}: the letters are {mistake}: {format_square(here[wrong].row, here[wrong].column)} was given as "
            f"{here[wrong].token} and looks like {here[order[wrong]].token}; {share:.0%} of the tiles agree "
            f"when {remedy}, {as_given:.0%} as given; correct the letters"
        )


def _other_orders(here: Sequence[Example]) -> list[tuple[NDArray[np.intp], str, str]]:
    """List orders in which letters are given by mistake, each with the mistake and its remedy in words."""
    count = len(here)
    straight, backwards = np.arange(count), np.arange(count)[::-1]
    orders = []
    for shift in range(1, count):
        least = shift if shift <= count / 2 else count - shift
        places = f"moved by {least} {'place' if least == 1 else 'places'}"
        orders.append((np.roll(straight, -shift), "shifted", f"every letter is {places}"))
    other_end = "every letter is taken from the other end"
    orders += [(np.roll(backwards, -shift), "backwards", other_end) for shift in range(count)]
    rows_backwards = np.lexsort(([-example.column for example in here], [example.row for example in here]))
    orders.append((rows_backwards, "backwards", "every row is taken from its other end"))
    for start in range(1, count - 1):
        rest = straight[start:]
        for shift in (1, -1):
            moved = np.concatenate([straight[:start], np.roll(rest, -shift)])
            orders.append((moved, "shifted", f"all but the first {start} are moved by 1 place"))
    return orders


def check_letters(examples: Sequence[Example], network_tokens: Sequence[str], sources: Sequence[str]) -> None:
    """Refuse letters that fit the tiles no better than by chance, or most of which are surely others.

    Parameters
    ----------
    examples : sequence of Example
        The tiles of all photos.
    network_tokens : sequence of str
        The letters that the network knows.
    sources : sequence of str
        Names of the photos.

    Raises
    ------
    InputError
        If the letters of a photo do not fit.
    """
    for photo, source in enumerate(sources):
        here = _letters_of(examples, photo)
        compared = [example for example in here if latin_twin(example.token) in network_tokens]
        others = [
            (example, read)
            for example in compared
            if (read := _surely_read(example, network_tokens)) not in ("", example.token)
        ]
        shown = ", ".join(
            f"{format_square(example.row, example.column)} ({read}, given as {example.token})"
            for example, read in others[:5]
        )
        if len(others) >= max(SETTINGS.min_other, SETTINGS.max_other_share * len(compared)):
            raise InputError(
                f"{source}: {len(others)} of {len(compared)} tiles are surely other letters than given: {shown}; "
                "are the letters those of this photo, and in its order?"
            )
        z_score = permutation_z_score(compared, network_tokens)
        if len(compared) >= SETTINGS.min_compared and z_score < SETTINGS.min_z_score:
            raise InputError(
                f"{source}: the letters fit its {len(compared)} tiles hardly better than in any order ({z_score:.1f} "
                f"deviations, {SETTINGS.min_z_score:g} are needed){': ' if shown else ''}{shown}; are the letters "
                "those of this photo, and in its order?"
            )


def permutation_z_score(examples: Sequence[Example], network_tokens: Sequence[str]) -> float:
    """Compute by how many standard deviations the letters fit the tiles better than in random orders.

    Parameters
    ----------
    examples : sequence of Example
        Tiles; only those whose letters, or letters that look the same, the network knows count.
    network_tokens : sequence of str
        The letters that the network knows.

    Returns
    -------
    float
        0 if all letters are the same.

    References
    ----------
    W. Hoeffding: A combinatorial central limit theorem. Annals of Mathematical Statistics 22 (1951).
    """
    compared = [example for example in examples if latin_twin(example.token) in network_tokens]
    if len(compared) < 2:
        return 0.0
    columns = [network_tokens.index(latin_twin(example.token)) for example in compared]
    probabilities = np.stack([example.letters for example in compared])[:, columns]
    logs = np.log(probabilities + SETTINGS.min_probability)
    centred = logs - logs.mean(axis=0) - logs.mean(axis=1, keepdims=True) + logs.mean()
    deviation = math.sqrt(float(np.square(centred).sum()) / (len(compared) - 1))
    return float(np.trace(centred)) / deviation if deviation > 1e-6 else 0.0


def find_contradictions(
    examples: Sequence[Example],
    network_tokens: Sequence[str],
    left_out: Mapping[int, str],
    sources: Sequence[str],
    tokens: Collection[str],
) -> list[str]:
    """Describe, one line each, the letters that surely look like other ones.

    Letters that differ in an accent only are other ones if the edition has both.

    Parameters
    ----------
    examples : sequence of Example
        The tiles.
    network_tokens : sequence of str
        The letters that the network knows.
    left_out : mapping of int to str
        By example: the letter that is read with its own photo left out, where that is possible.
    sources : sequence of str
        Names of the photos.
    tokens : collection of str
        The letters of the edition.
    """
    surely = [_surely_read(example, network_tokens, tokens) for example in examples]
    read_for: dict[str, set[str]] = {}
    in_photo: dict[tuple[int, str], set[str]] = {}
    for example, read in zip(examples, surely, strict=True):
        read_for.setdefault(example.token, set()).add(read)
        in_photo.setdefault((example.photo, example.token), set()).add(read)
    lines: dict[tuple[str, str], str] = {}
    for index, (example, read) in enumerate(zip(examples, surely, strict=True)):
        if example.token == BLANK or read in ("", example.token):
            continue
        by_others = left_out.get(index)
        # Other photos that show the letter as given support it, unless they all show the other one, or each shows both:
        # the letters are given once for all photos, and one of them wrongly.
        is_in_all = all(
            {read, token} <= reads for (_, token), reads in in_photo.items() if token == example.token
        )
        is_unsupported = by_others != example.token or read_for[example.token] == {read} or is_in_all
        if is_unsupported and (by_others == read or latin_twin(example.token) in network_tokens):
            square = format_square(example.row, example.column)
            lines.setdefault(
                (example.token, read),
                f"{sources[example.photo]}: {square} was given as {example.token} and looks like {read}; "
                "correct it if that is right",
            )
    return list(lines.values())


def _letters_of(examples: Sequence[Example], photo: int) -> list[Example]:
    return [example for example in examples if example.photo == photo and example.token != BLANK]


def _surely_read(example: Example, network_tokens: Sequence[str], tokens: Collection[str] = ()) -> str:
    """Return the letter that the network is sure of, if any.

    It is the given one if only a diacritic differs, unless `tokens` have both.
    """
    best = int(example.letters.argmax())
    if example.letters[best] <= SETTINGS.sure:
        return ""
    read = network_tokens[best]
    if read in tokens and example.token in tokens:
        return read
    return example.token if strip_diacritics(read) == strip_diacritics(latin_twin(example.token)) else read


def agreement_share(
    examples: Sequence[Example], network_tokens: Sequence[str], order: NDArray[np.intp] | None = None
) -> float:
    """Return the share of tiles that the network reads as given, or as given in another order."""
    twins = np.array([latin_twin(example.token) for example in examples], dtype=object)
    read = np.array([network_tokens[int(example.letters.argmax())] for example in examples], dtype=object)
    given = twins if order is None else twins[order]
    known = np.isin(given, list(network_tokens))
    return float((given == read)[known].mean()) if known.any() else 0.0
