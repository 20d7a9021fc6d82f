"""The version is the same everywhere, and the changes of a release are short sentences."""

from __future__ import annotations

import re
import tomllib

from tests.documents.pages import CHECKOUT

MAX_WORDS = 30


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8")
    released = re.findall(
        r"^## \[([\d.]+)\] - ([\d-]+)$", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert released[0][0] == project["version"]
    assert f"version: {project['version']}\ndate-released: {released[0][1]}\n" in citation
    assert released == sorted(released, reverse=True)


def test_the_changes_of_a_release_are_short() -> None:
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## [0")[2]
    points = re.split(r"\n- ", text)
    assert [point for point in points if len(point.split("\n\n")[0].split()) > MAX_WORDS] == []
