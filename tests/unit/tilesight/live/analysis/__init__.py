"""Tests of best plays, word checks and MAGPIE."""
