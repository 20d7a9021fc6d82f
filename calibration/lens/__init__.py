"""Measure a lens."""
