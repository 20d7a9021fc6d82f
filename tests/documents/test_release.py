"""The version is the same everywhere, and the changes of a release are short sentences."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement

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


@pytest.mark.parametrize(("package", "version"), [("scipy", "1.14.1"), ("typer", "0.15.3")])
def test_versions_with_which_the_program_fails_are_not_allowed(package: str, version: str) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (needed,) = [each for each in map(Requirement, project["dependencies"]) if each.name == package]
    assert version not in needed.specifier


def test_the_changes_of_a_release_are_short() -> None:
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## [0")[2]
    points = re.split(r"\n- ", text)
    assert [point for point in points if len(point.split("\n\n")[0].split()) > MAX_WORDS] == []
