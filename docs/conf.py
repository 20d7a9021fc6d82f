"""The settings of Sphinx: the pages are plain Markdown, and a warning is an error.

The folder of sources is the checkout, so that links to files next to ``docs/`` work: run ``make docs``.
"""

import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]

project = "Tilesight"
author = "The Tilesight authors"
release = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
html_title = f"{project} {release}"
html_theme = "furo"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md", "tests/benchmarks/README.md"]
exclude_patterns = [".*", "build", "demo-output", "training"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
autodoc_typehints = "description"
napoleon_use_rtype = False
nitpicky = False
highlight_language = "none"
