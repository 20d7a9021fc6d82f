"""Find the pictures that a run digitises: in files, folders, patterns, zip archives and lists."""

from tilesight.digitise.sources.discovery import SourceFile, find_source_files, read_source

__all__ = ["SourceFile", "find_source_files", "read_source"]
