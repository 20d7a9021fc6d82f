"""Switches of settings, which must reach the code that they are to change."""

from __future__ import annotations

import pytest

from tests.benchmarks.ablation import override
from vision.decoding import decoder


def test_a_switch_lasts_as_long_as_its_context() -> None:
    before = decoder.SETTINGS.floating_penalty
    with override("vision.decoding.decoder:SETTINGS.floating_penalty=0"):
        assert decoder.SETTINGS.floating_penalty == 0
    assert decoder.SETTINGS.floating_penalty == before


def test_a_setting_that_was_copied_at_import_is_refused() -> None:
    switch = "vision.detection.features.layout_likelihood:SETTINGS.same_colour=1.0"
    with pytest.raises(ValueError, match="holds a copy"), override(switch):
        pass
