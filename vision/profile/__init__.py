"""What calibration measured: the value, its file, the lens."""
