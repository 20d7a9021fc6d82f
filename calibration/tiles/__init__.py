"""Learn the tiles of a set."""
