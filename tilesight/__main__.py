"""Runs the command line as `python -m tilesight`."""

from __future__ import annotations

from tilesight.start import main

if __name__ == "__main__":
    main()
