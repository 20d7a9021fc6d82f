"""The short tables of README, camera guide, limits and comparison, computed from the tables of BENCHMARKS.md."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.benchmarks.measuring import format_table

__all__ = ["SUMMARIES", "marked", "parse_table"]


def marked(name: str) -> re.Pattern[str]:
    """Compile the pattern of a table with its markers."""
    return re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)


def parse_table(benchmarks: str, name: str) -> list[dict[str, str]]:
    """Parse the rows of a table of BENCHMARKS.md, by the heads of its columns."""
    lines = [line for line in _find_section(benchmarks, name).splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [dict(zip(head, row, strict=True)) for row in rows]


def summarize(benchmarks: str) -> str:
    """Return the five numbers of the README."""
    sets = [row for row in parse_table(benchmarks, "accuracy") if row["set"] != "shipped sample"]
    scenes = parse_table(benchmarks, "rendered scenes")[-1]
    films = parse_table(benchmarks, "film games")[-1]
    delay = films["delay p50 / p95"].split(" / ")
    rows = [
        ("boards found in labelled photos", _add_up(sets, "located")),
        ("letters read in them", _add_up(sets, "letters")),
        (
            "boards found in rendered scenes, from any side",
            scenes["located"].split()[0] + f" of {scenes['number']}",
        ),
        (
            "plays of rendered films with the right tiles and score",
            films["plays and scores"].replace("/", " of "),
        ),
        (
            "seconds until a play is reported, median and 95%",
            " and ".join(each.removesuffix(" s") for each in delay),
        ),
    ]
    return format_table(["what", "result"], rows)


def summarize_sizes(benchmarks: str) -> str:
    """Return how well squares of two sizes are read."""
    sizes = "edition, pixels a cell"
    rows = [row for row in parse_table(benchmarks, "rendered boards") if row[sizes].startswith("all")]
    return format_table(
        ["pixels a square", "letters", "accented letters", "printed values", "boards without any error"],
        [
            (
                re.sub(r"\D", "", row[sizes]),
                *(row[name].split()[0] for name in ("letters", "accented and digraphs", "values")),
                row["whole boards"].replace("/", " of "),
            )
            for row in rows
        ],
    )


def summarize_speed(benchmarks: str) -> str:
    """Return what a photo and the frames of a film cost."""
    digitising = {row["what"]: row["result"] for row in parse_table(benchmarks, "digitising throughput")}
    films = parse_table(benchmarks, "film times")
    photo = f"{digitising['the same in D'].split()[0]} D"
    rows = [("a photo of two megapixels that is digitised", photo, "")]
    rows += [
        (f"{row['1080p film, decoding apart']}, 1080p, decoding apart", row["p50"], row["p95"])
        for row in films
    ]
    return format_table(["what", "median", "95%"], rows)


def compare_programs(benchmarks: str) -> str:
    """Return the row of Tilesight in the comparison with other programs; none without labelled photos."""
    sets = [row for row in parse_table(benchmarks, "accuracy") if row["set"] != "shipped sample"]
    times = parse_table(benchmarks, "times")
    medians = [
        float(row["total"].split(" / ")[0])
        for row in times
        if row["set (p50 / p95 in D)"] != "shipped sample"
    ]
    d_ms = float(_find_section(benchmarks, "times").partition("D = ")[2].split()[0])
    right, number = _add_up(sets, "letters").split(" of ")
    rows = []
    if medians:
        low, high = min(medians), max(medians)
        rows.append(
            (
                f"{number} letters of {len(sets)} sets, its own corners",
                f"{right} letters",
                f"{low} to {high} D at the median of a set",
                f"{d_ms * low:.0f}-{d_ms * high:.0f} ms",
            )
        )
    return format_table(
        ["what it was run on", "result", "time of a photo", f"the same where D is {d_ms} ms"], rows
    )


def _find_section(benchmarks: str, name: str) -> str:
    found = marked(name).search(benchmarks)
    assert found is not None, name
    return found[0]


def _add_up(rows: list[dict[str, str]], column: str) -> str:
    right, number = (sum(int(row[column].split("/")[part]) for row in rows) for part in (0, 1))
    return f"{right:,} of {number:,}"


SUMMARIES: dict[str, Callable[[str], str]] = {
    "summary": summarize,
    "sizes of squares": summarize_sizes,
    "speed": summarize_speed,
    "side by side": compare_programs,
}
"""The tables by the name of their markers in the documents of `run`."""
