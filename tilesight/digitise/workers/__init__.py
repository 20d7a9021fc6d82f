"""Worker processes that read pictures."""
