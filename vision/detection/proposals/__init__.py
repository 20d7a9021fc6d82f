"""Where a board may be: hypotheses from quads, lines, outlines and the corner network."""
