"""Tests of the pages' languages."""
