"""Are the letters that were given those that the tiles show? Asked of a network that may know only some of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibration.tiles.homoglyphs import latin_twin
from scoring import BLANK, format_square
from vision.errors import InputError
from vision.recognition import strip_diacritics

if TYPE_CHECKING:
    from calibration.tiles.enrolment import Example

__all__ = ["agreement_share", "check_letters", "check_order", "find_contradictions", "permutation_z_score"]

_MIN_COMPARED, _MIN_AGREEING = 8, 5
_CLEARER_BY, _CLEAR_FROM = 0.25, 0.35
"""Of the letters that the network knows: by how many more must agree with letters that are moved on or run backwards,
and how many at least, for the letters to be called so."""

_SURELY_OTHER = 0.9
_MAX_OTHER, _MIN_OTHER = 0.5, 5
"""Share and number of a photo's tiles that are surely other letters than given."""

_MIN_BEYOND_CHANCE = 4.0
"""Standard deviations by which the letters must fit the tiles better than they do in random orders. Of 30 odd typefaces
in their right order the oddest had 4.7 and the next one 9.6; one random order in a thousand has 4."""

_MIN_SAID = 0.01
"""Probability that a letter is given at least, so that none decides alone."""


def check_order(examples: Sequence[Example], network_tokens: Sequence[str], sources: Sequence[str]) -> None:
    """Refuses letters that fit the tiles better when every one is moved on by some places, or when they run backwards.

    Letters of other alphabets take part by those that look like Latin ones.

    Raises
    ------
    InputError
        If so.
    """
    for photo, source in enumerate(sources):
        here = _letters_of(examples, photo)
        count = len(here)
        compared = sum(latin_twin(example.token) in network_tokens for example in here)
        if compared < _MIN_COMPARED:
            continue
        as_given = agreement_share(here, network_tokens)
        orders = _other_orders(count)
        shares = [agreement_share(here, network_tokens, order) for order, _, _ in orders]
        best = int(np.argmax(shares))
        share = shares[best]
        clear = share >= _CLEAR_FROM and share - as_given >= _CLEARER_BY
        if not clear or round(share * compared) < _MIN_AGREEING:
            continue
        order, said, moved = orders[best]
        wrong = next(number for number in range(count) if here[order[number]].token != here[number].token)
        raise InputError(
            f"{source}: the letters are {said}: {format_square(here[wrong].row, here[wrong].column)} was given as "
            f"{here[wrong].token} and looks like {here[order[wrong]].token}; {share:.0%} of the tiles agree "
            f"when {moved}, {as_given:.0%} as given; correct the letters"
        )


def _other_orders(count: int) -> list[tuple[NDArray[np.intp], str, str]]:
    """Orders that letters are given in by mistake, what the mistake is called, and what would mend it."""
    straight, backwards = np.arange(count), np.arange(count)[::-1]
    orders = []
    for shift in range(1, count):
        least = shift if shift <= count / 2 else count - shift
        places = f"moved by {least} {'place' if least == 1 else 'places'}"
        orders.append((np.roll(straight, -shift), "shifted", f"every letter is {places}"))
    other_end = "every letter is taken from the other end"
    orders += [(np.roll(backwards, -shift), "backwards", other_end) for shift in range(count)]
    for start in range(1, count - 1):
        rest = straight[start:]
        for shift in (1, -1):
            moved = np.concatenate([straight[:start], np.roll(rest, -shift)])
            orders.append((moved, "shifted", f"all but the first {start} are moved by 1 place"))
    return orders


def check_letters(examples: Sequence[Example], network_tokens: Sequence[str], sources: Sequence[str]) -> None:
    """Refuses letters that fit the tiles no better than by chance, or of which most are surely others.

    Raises
    ------
    InputError
        If so.
    """
    for photo, source in enumerate(sources):
        here = _letters_of(examples, photo)
        compared = [example for example in here if latin_twin(example.token) in network_tokens]
        others = [
            (example, said)
            for example in compared
            if (said := _surely_said(example, network_tokens)) not in ("", example.token)
        ]
        shown = ", ".join(
            f"{format_square(example.row, example.column)} ({said}, given as {example.token})"
            for example, said in others[:5]
        )
        if len(others) >= max(_MIN_OTHER, _MAX_OTHER * len(compared)):
            raise InputError(
                f"{source}: {len(others)} of {len(compared)} tiles are surely other letters than given: {shown}; "
                "are the letters those of this photo, and in its order?"
            )
        beyond = permutation_z_score(compared, network_tokens)
        if len(compared) >= _MIN_COMPARED and beyond < _MIN_BEYOND_CHANCE:
            raise InputError(
                f"{source}: the letters fit its {len(compared)} tiles hardly better than in any order ({beyond:.1f} "
                f"deviations, {_MIN_BEYOND_CHANCE:g} are needed){': ' if shown else ''}{shown}; are the letters "
                "those of this photo, and in its order?"
            )


def permutation_z_score(compared: Sequence[Example], network_tokens: Sequence[str]) -> float:
    """By how many standard deviations the letters fit the tiles better than in random orders.

    Parameters
    ----------
    compared : sequence of Example
        Tiles whose letters, or letters that look the same, the network knows.
    network_tokens : sequence of str
        What it knows.

    Returns
    -------
    float
        0 where all letters are alike.

    References
    ----------
    W. Hoeffding: A combinatorial central limit theorem. Annals of Mathematical Statistics 22 (1951).
    """
    if len(compared) < 2:
        return 0.0
    columns = [network_tokens.index(latin_twin(example.token)) for example in compared]
    said = np.log(np.stack([example.letters for example in compared])[:, columns] + _MIN_SAID)
    centred = said - said.mean(axis=0) - said.mean(axis=1, keepdims=True) + said.mean()
    deviation = math.sqrt(float(np.square(centred).sum()) / (len(compared) - 1))
    return float(np.trace(centred)) / deviation if deviation > 1e-6 else 0.0


def find_contradictions(
    examples: Sequence[Example],
    network_tokens: Sequence[str],
    left_out: Mapping[int, str],
    sources: Sequence[str],
) -> list[str]:
    """A line for each letter that surely looks like another one.

    Parameters
    ----------
    examples : sequence of Example
        The tiles.
    network_tokens : sequence of str
        The letters that the network knows.
    left_out : mapping of int to str
        What those examples are read as whose own photo can be left out.
    sources : sequence of str
        Names of the photos.
    """
    surely = [_surely_said(example, network_tokens) for example in examples]
    seen: dict[str, set[str]] = {}
    for example, said in zip(examples, surely, strict=True):
        seen.setdefault(example.token, set()).add(said)
    lines: dict[tuple[str, str], str] = {}
    for number, (example, said) in enumerate(zip(examples, surely, strict=True)):
        if example.token == BLANK or said in ("", example.token):
            continue
        read = left_out.get(number)
        # other photos that show the letter as it was given speak for it, unless they all show the other one
        unsupported = read != example.token or seen[example.token] == {said}
        if unsupported and (read == said or latin_twin(example.token) in network_tokens):
            place = format_square(example.row, example.column)
            lines.setdefault(
                (example.token, said),
                f"{sources[example.photo]}: {place} was given as {example.token} and looks like {said}; "
                "correct it if that is right",
            )
    return list(lines.values())


def _letters_of(examples: Sequence[Example], photo: int) -> list[Example]:
    return [example for example in examples if example.photo == photo and example.token != BLANK]


def _surely_said(example: Example, network_tokens: Sequence[str]) -> str:
    """The letter that the network is very sure of, if any; the one that was given where a mark is all that differs."""
    best = int(example.letters.argmax())
    if example.letters[best] <= _SURELY_OTHER:
        return ""
    said = network_tokens[best]
    return example.token if strip_diacritics(said) == strip_diacritics(latin_twin(example.token)) else said


def agreement_share(
    examples: Sequence[Example], network_tokens: Sequence[str], order: NDArray[np.intp] | None = None
) -> float:
    """The share of tiles that the network calls as they were given, or as those in another order were."""
    twins = np.array([latin_twin(example.token) for example in examples], dtype=object)
    said = np.array([network_tokens[int(example.letters.argmax())] for example in examples], dtype=object)
    given = twins if order is None else twins[order]
    known = np.isin(given, list(network_tokens))
    return float((given == said)[known].mean()) if known.any() else 0.0
