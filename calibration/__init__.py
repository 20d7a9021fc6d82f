"""Calibration of a user's set-up: lens, board, tiles and light, kept in a profile.

The networks are trained offline by `calibration.training`, which shares nothing with the rest.
"""
