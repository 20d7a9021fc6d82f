"""The commands that calibrate a camera, a board and a set of tiles."""
