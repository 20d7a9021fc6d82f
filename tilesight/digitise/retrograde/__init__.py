"""Search for the plays that may have led to a final board."""
