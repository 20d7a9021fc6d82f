"""Fit of the grid to edges and colours."""
