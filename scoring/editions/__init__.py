"""Editions: the shipped ones and those that a user writes as a TOML file."""
