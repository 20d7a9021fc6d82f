"""Tests of the documents: sentences, links, generated parts, commands and code."""
