"""Camera, light, and surfaces that are not flat."""
