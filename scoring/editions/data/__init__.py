"""Editions and layouts that ship with Tilesight, as data files."""
