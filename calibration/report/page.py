"""Render a profile as one HTML file: what was measured, what it changes, and what to improve."""

from __future__ import annotations

import base64
import html
import importlib.resources
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import name_empty_ninths
from calibration.lighting import MEASURES
from scoring import format_square
from vision.core import encode_jpeg, escape_name
from vision.profile import BoardSection, LensSection, LightSection, Profile, TilesSection

__all__ = ["PhotoComparison", "TilesComparison", "draw_tiles", "render_report"]

SVG_WIDTH_PX = 520
"""Width of a drawing on the page, in pixels; chosen."""
RESIDUAL_LENGTH = 0.035
"""Length at which the 95th percentile of residuals is drawn, as a share of the picture's width; chosen."""
MAX_FOCAL_DEVIATION = 0.005
"""Relative standard deviation of the focal length above which more views are advised; chosen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoComparison:
    """One photo, read without and with the profile.

    Parameters
    ----------
    name : str
        The photo.
    before_bgr, after_bgr : (height, width, 3) uint8
        Pictures with the grid drawn on them.
    residual_before, residual_after : float
        Root mean square distance of the board's lines from the grid, in cells; NaN if no lines were seen.
    rows_before, rows_after : tuple of tuple of str
        The tokens that were read; empty if no board was found.
    note : str
        A remark, such as why no board was found.
    """

    name: str
    before_bgr: NDArray[np.uint8]
    after_bgr: NDArray[np.uint8]
    residual_before: float
    residual_after: float
    rows_before: tuple[tuple[str, ...], ...]
    rows_after: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesComparison:
    """The enrolled examples, read by the network alone and with the prototypes of the other examples.

    Parameters
    ----------
    truth, before, after : tuple of str
        The letters as given, as the network reads them, and as they are read with their own photo, or of one photo
        every other tile of a letter, left out. `after` is empty for an example that cannot be left out.
    note : str
        A remark, where the tiles are of another edition.
    """

    truth: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    note: str = ""


def render_report(
    profile: Profile, photos: Sequence[PhotoComparison] = (), trial: TilesComparison | None = None
) -> str:
    """Render the report as HTML that contains all pictures.

    Parameters
    ----------
    profile : Profile
        The profile.
    photos : sequence of PhotoComparison
        Photos that were read without and with it.
    trial : TilesComparison, optional
        How the enrolled tiles are read.
    """
    parts = [_heading(profile), _improvements(profile, trial)]
    if profile.lens is not None:
        parts.append(_lens(profile.lens))
    if photos:
        parts.append("<h2>On photos</h2>" + "".join(map(_photo, photos)))
    if profile.board is not None:
        parts.append(_board(profile.board))
    if profile.tiles is not None:
        parts.append(_tiles(profile.tiles, trial))
    if profile.light is not None:
        parts.append(_light(profile.light))
    title = html.escape(profile.camera or profile.name)
    style = importlib.resources.files("calibration.report").joinpath("report.css").read_text(encoding="utf-8")
    return escape_name(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>Calibration: {title}</title><style>{style}</style></head><body>'
        + "\n".join(parts)
        + "</body></html>\n"
    )


def _heading(profile: Profile) -> str:
    size = "x".join(map(str, profile.size_px)) + " px" if profile.size_px else "any size"
    sections = [name for name in ("lens", "board", "tiles", "light") if getattr(profile, name) is not None]
    return (
        f"<h1>{html.escape(profile.camera or 'Calibration')}</h1>"
        f'<p class="sub">{html.escape(profile.name)} · pictures of {size} · '
        f"{', '.join(sections) or 'nothing'} calibrated</p>"
    )


def _improvements(profile: Profile, trial: TilesComparison | None) -> str:
    """Render what to do next, most useful first."""
    todo = [
        *_improve_lens(profile.lens),
        *(["The empty board is not known: tilesight calibrate board"] if profile.board is None else []),
        *_improve_tiles(profile.tiles, trial),
        *(
            ["The light is not checked: tilesight calibrate light"]
            if profile.light is None
            else profile.light.advice
        ),
    ]
    if not todo:
        return '<p class="good">Nothing to improve.</p>'
    items = "".join(f"<li>{html.escape(line)}</li>" for line in todo)
    return f'<h2>What to improve</h2><ul class="todo">{items}</ul>'


def _improve_lens(section: LensSection | None) -> Iterator[str]:
    if section is None:
        yield "The lens is not calibrated: tilesight calibrate lens"
        return
    deviation = section.uncertainty.get("fx", 0.0) / section.lens.focal_px[0]
    if deviation > MAX_FOCAL_DEVIATION:
        yield f"The focal length is unsure by {deviation:.1%}: add views tilted by 20 to 45 degrees"
    points = section.residuals_px[:, :2]
    empty = name_empty_ninths(points / section.lens.size_px)
    if len(points) and empty:
        yield f"No view showed the sheet at the picture's {', '.join(empty)}: add some"


def _improve_tiles(section: TilesSection | None, trial: TilesComparison | None) -> Iterator[str]:
    if section is None:
        yield "No tiles are enrolled: tilesight calibrate tiles, if letters are misread"
    elif section.warning:
        yield section.warning[:1].upper() + section.warning[1:]
    if section is not None and section.is_of_one_photo:
        yield "The tiles were enrolled from one photo: a second one tells how far they may be trusted"
    if trial is None:
        return
    if trial.note:
        yield trial.note[:1].upper() + trial.note[1:]
    wrong = sorted({t for t, a in zip(trial.truth, trial.after, strict=True) if a and a != t})
    if wrong:
        yield f"Still misread among the examples: {' '.join(wrong)}; add a photo that shows these letters"


def _lens(section: LensSection) -> str:
    lens = section.lens
    numbers = dict(zip(("fx", "fy", "cx", "cy"), (*lens.focal_px, *lens.centre_px), strict=True))
    names = [name for name in section.uncertainty if name not in numbers]
    numbers |= dict(zip(names, lens.distortion, strict=False))
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{value:.5g}</td>"
        f"<td>{section.uncertainty.get(name, math.nan):.2g}</td></tr>"
        for name, value in numbers.items()
    )
    views = "".join(
        f"<tr><td>{html.escape(source)}</td><td>{error:.2f}</td></tr>"
        for source, error in zip(section.origin.sources, section.view_errors_px, strict=False)
    )
    return (
        "<h2>Lens</h2>"
        + _facts(
            {
                "points lie off by (root mean square)": f"{section.error_px:.2f} px",
                "model": lens.model.value,
                "views": str(len(section.view_errors_px)),
                "focal length": f"{lens.focal_px[0]:.0f} px ± {section.uncertainty.get('fx', math.nan):.1f}",
            }
        )
        + f'<div class="pair"><figure>{_residuals_svg(section)}</figure><figure>{_coverage_svg(section)}</figure></div>'
        + f'<div class="pair"><div><table><tr><th>number</th><th>value</th><th>deviation</th></tr>{rows}</table></div>'
        + f"<div><table><tr><th>view</th><th>error, px</th></tr>{views}</table></div></div>"
        + _made(section.origin.made)
    )


def _residuals_svg(section: LensSection) -> str:
    """Draw the points of all views, each with the direction of its residual."""
    width, height = section.lens.size_px
    points = section.residuals_px[:: max(1, len(section.residuals_px) // 1500)]
    lengths = np.hypot(points[:, 2], points[:, 3])
    scale = RESIDUAL_LENGTH * width / max(float(np.percentile(lengths, 95)) if len(lengths) else 1.0, 1e-6)
    lines = "".join(
        f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{x + dx * scale:.0f}" y2="{y + dy * scale:.0f}"/>'
        for x, y, dx, dy in points
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{SVG_WIDTH_PX}" role="img" aria-label="residual vectors">'
        f'<g stroke="#c2410c" stroke-width="{width / 700:.2f}" stroke-linecap="round">{lines}</g></svg>'
        f"<figcaption>Residuals, {scale:.0f} times enlarged. They should point everywhere: a pattern means that the "
        "sheet is bent or the model too simple.</figcaption>"
    )


def _coverage_svg(section: LensSection) -> str:
    """Draw how many points were seen in each part of the picture."""
    width, height = section.lens.size_px
    across, down = 16, max(1, round(16 * height / width))
    counts = np.zeros((down, across))
    places = (section.residuals_px[:, :2] / (width, height) * (across, down)).astype(int)
    inside = ((places >= 0) & (places < (across, down))).all(axis=1)
    np.add.at(counts, (places[inside, 1], places[inside, 0]), 1)
    strength = np.where(counts > 0, 0.08 + 0.92 * counts / max(counts.max(), 1), 0.0)
    cells = "".join(
        f'<rect x="{x}" y="{y}" width="1" height="1" fill="#1d6fd6" opacity="{strength[y, x]:.2f}"/>'
        for y in range(down)
        for x in range(across)
    )
    return (
        f'<svg viewBox="0 0 {across} {down}" width="{SVG_WIDTH_PX}" role="img" aria-label="coverage">{cells}</svg>'
        "<figcaption>Coverage: where in the picture points were seen. Empty corners are guessed.</figcaption>"
    )


def _photo(photo: PhotoComparison) -> str:
    def one(title: str, image_bgr: NDArray[np.uint8], residual: float) -> str:
        result = (
            "no lines measured" if math.isnan(residual) else f"lines are {residual:.3f} cell off the grid"
        )
        return f"<figure>{_image(image_bgr)}<figcaption>{title}: {result}</figcaption></figure>"

    changed = [
        f"<tr><td>{format_square(row, column)}</td><td>{html.escape(old)}</td><td>{html.escape(new)}</td></tr>"
        for row, (before, after) in enumerate(zip(photo.rows_before, photo.rows_after, strict=False))
        for column, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    ]
    differences = (
        f"<table><tr><th>square</th><th>without</th><th>with</th></tr>{''.join(changed)}</table>"
        if changed
        else "<p>The same is read with and without the profile.</p>"
        if photo.rows_before
        else ""
    )
    note = f'<p class="bad">{html.escape(photo.note)}</p>' if photo.note else ""
    return (
        f"<h3>{html.escape(photo.name)}</h3>{note}<div class='pair'>"
        + one("without the profile", photo.before_bgr, photo.residual_before)
        + one("with it", photo.after_bgr, photo.residual_after)
        + f"</div>{differences}"
    )


def _board(section: BoardSection) -> str:
    fixed = "it must not move" if section.corners_px is not None else "it may move"
    return (
        "<h2>Board</h2>"
        + _facts({"lines found on its edges": f"{section.fit:.0%}", "place": fixed})
        + f"<figure>{_image(section.empty_bgr)}<figcaption>The empty board from above</figcaption></figure>"
        + _made(section.origin.made)
    )


def draw_tiles(section: TilesSection) -> NDArray[np.uint8]:
    """Draw the enrolled tiles side by side, (height, width, 3) uint8 BGR."""
    cells = [cv2.resize(cell, (64, 64), interpolation=cv2.INTER_CUBIC) for cell in section.examples_bgr]
    columns = min(14, len(cells))
    cells += [np.full((64, 64, 3), 245, np.uint8)] * (-len(cells) % columns)
    rows = [np.concatenate(cells[start : start + columns], axis=1) for start in range(0, len(cells), columns)]
    return np.asarray(np.concatenate(rows), np.uint8)


def _tiles(section: TilesSection, trial: TilesComparison | None) -> str:
    network_rate = prototype_rate = math.nan
    if section.network:  # an older profile names no weights, and these rates were not measured
        network_rate = section.prototypes.network_error_rate
        prototype_rate = float(section.prototypes.prototype_error_rates.mean())
    left_out = "every other tile of a letter" if section.is_of_one_photo else "its photo"
    facts = {
        "examples": f"{len(section.labels)} of {len(section.letters)} letters",
        "read by the network alone": _share(section.network_right),
        f"read with the set, {left_out} left out": _share(section.letters_right),
        "letters that the network takes for others": _share(network_rate),
        "letters that similarity takes for others": _share(prototype_rate),
    }
    parts = ["<h2>Tiles</h2>", _facts(facts)]
    sheet = draw_tiles(section)
    parts.append(f"<figure>{_image(sheet)}<figcaption>The enrolled tiles, upright</figcaption></figure>")
    if trial is not None:
        parts.append(
            '<div class="pair">'
            + _confusions("Without the set", trial.truth, trial.before)
            + _confusions(f"With the set, {left_out} left out", trial.truth, trial.after)
            + "</div>"
        )
    return "".join(parts) + _made(section.origin.made)


def _confusions(title: str, truth: Sequence[str], read: Sequence[str]) -> str:
    pairs = [(want, have) for want, have in zip(truth, read, strict=True) if have]
    wrong = Counter((want, have) for want, have in pairs if want != have)
    rows = "".join(
        f"<tr><td>{html.escape(want)}</td><td>{html.escape(have)}</td><td>{count}</td></tr>"
        for (want, have), count in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:20]
    )
    right = len(pairs) - wrong.total()
    body = (
        f"<table><tr><th>is</th><th>read as</th><th>times</th></tr>{rows}</table>"
        if rows
        else '<p class="good">No letter is taken for another.</p>'
    )
    return f"<div><h3>{title}</h3><p>{right} of {len(pairs)} right</p>{body if pairs else ''}</div>"


def _light(section: LightSection) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(MEASURES.get(name, name))}</td><td>{value:.3g}</td></tr>"
        for name, value in section.measures.items()
    )
    advice = "".join(f"<li>{html.escape(line)}</li>" for line in section.advice)
    verdict = f"<ul>{advice}</ul>" if advice else '<p class="good">The light is good.</p>'
    table = f"<table><tr><th>measure</th><th>value</th></tr>{rows}</table>"
    return f"<h2>Light</h2>{verdict}{table}{_made(section.origin.made)}"


def _facts(facts: dict[str, str]) -> str:
    return (
        '<div class="facts">'
        + "".join(
            f'<div class="fact"><b>{html.escape(value)}</b><span>{html.escape(name)}</span></div>'
            for name, value in facts.items()
        )
        + "</div>"
    )


def _share(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.1%}"


def _made(date: str) -> str:
    return f'<p class="sub">Measured {html.escape(date.replace("T", " "))}</p>'


def _image(image_bgr: NDArray[np.uint8]) -> str:
    data = encode_jpeg(image_bgr, 85)
    height, width = image_bgr.shape[:2]
    return (
        f'<img width="{width}" height="{height}" alt="" '
        f'src="data:image/jpeg;base64,{base64.b64encode(data).decode()}">'
    )
