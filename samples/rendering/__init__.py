"""Whole pictures and films with their truth."""
