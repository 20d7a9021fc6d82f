"""The stage that reads cells: what stands on each square, with probabilities."""
