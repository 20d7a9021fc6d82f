"""Fits the pipeline to a lens, a board and a tile set, and (offline) the network to fonts."""
