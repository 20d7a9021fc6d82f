"""Measurements on an image: pyramid, edge profiles, cell colours, likelihood of a layout."""
