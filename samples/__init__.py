"""Renders boards, photos and films with exact truth."""
