"""The report of a calibration."""
