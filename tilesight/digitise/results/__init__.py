"""The folder that a run writes."""
