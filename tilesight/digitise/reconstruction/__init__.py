"""The photos of one game to positions and plays."""
