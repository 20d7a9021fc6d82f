"""Score sheets that people typed."""
