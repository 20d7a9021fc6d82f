"""A photographed game: a photo for each turn, and the truth in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import cv2

from samples.errors import SpecificationError
from samples.optics import Camera, Light
from samples.rendering.photo import RenderedPhoto, render_photo
from samples.style import Style
from scoring import Board, Edition, Play, load_edition, score_play

__all__ = ["Turn", "render_game"]

Turn = Play | Literal["pass", "withdrawn"]


def render_game(
    folder: Path,
    turns: Sequence[Turn],
    edition: str | Edition,
    *,
    style: Style,
    camera: Camera,
    lights: Sequence[Light],
    seed: int,
    players: Sequence[str] = ("A", "B"),
    jpeg_quality: int = 88,
) -> tuple[RenderedPhoto, ...]:
    """Render a game and write ``turn-01.jpg``, ``turn-02.jpg``... and ``game.json``.

    Parameters
    ----------
    folder : Path
        Where to write; created where it does not exist.
    turns : sequence of Play, "pass" or "withdrawn"
        The turn before each photo. ``"withdrawn"`` takes the last play back.
    edition : str or Edition
        Rules and layout.
    style, camera
        Look of the set, and the camera, the same in all photos.
    lights : sequence of Light
        One for each photo; the last one is used for all that follow.
    seed : int
        Of textures, of each tile's position, and of the noise, which differs from photo to photo.
    players : sequence of str
        Names in the order of play.
    jpeg_quality : int
        Of the files.

    Returns
    -------
    tuple of RenderedPhoto
        The photos.

    Raises
    ------
    SpecificationError
        If there is no play to withdraw, or no light is given.
    scoring.IllegalPlayError
        If a play is against the rules.
    """
    edition = load_edition(edition)
    if not lights:
        raise SpecificationError("lights: got none; give one Light for each photo, or one for all")
    folder.mkdir(parents=True, exist_ok=True)
    boards = [Board.empty(edition.layout)]
    totals = dict.fromkeys(players, 0)
    events: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    photos = []
    for index, turn in enumerate(turns):
        name = f"turn-{index + 1:02d}.jpg"
        if turn == "withdrawn":
            if not events or events[-1]["kind"] != "play":
                raise SpecificationError(
                    f"turns: number {index + 1} withdraws a play, but no play comes before it"
                )
            boards.pop()
            event = {**events[-1], "kind": "withdrawn", "score": -events[-1]["score"], "after_image": name}
        elif isinstance(turn, Play):
            scored = score_play(boards[-1], turn, edition)
            boards.append(boards[-1].with_tiles(turn))
            event = {
                "after_image": name,
                "kind": "play",
                "coord": scored.position,
                "word": scored.main_word.text,
                "placed": [[p.row, p.column, p.token] for p in turn],
                "score": scored.total,
            }
        else:
            event = {"after_image": name, "kind": "pass", "placed": [], "score": 0}
        if turn != "withdrawn":
            event["player"] = players[sum(e["kind"] != "withdrawn" for e in events) % len(players)]
        totals[event["player"]] += event["score"]
        events.append(event)
        photo = render_photo(
            boards[-1].rows,
            edition,
            style=style,
            camera=camera,
            light=lights[min(index, len(lights) - 1)],
            seed=seed,
            moment=index,
        )
        photos.append(photo)
        cv2.imwrite(str(folder / name), photo.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])
        frames.append(
            {
                "image": name,
                "board": ["".join(row) if all(len(t) == 1 for t in row) else list(row) for row in photo.rows],
                "corners_px": photo.corners_px.round(2).tolist(),
            }
        )
    truth = {
        "edition": edition.name,
        "players": list(players),
        "totals": list(totals.values()),
        "events": events,
        "frames": frames,
    }
    (folder / "game.json").write_text(
        json.dumps(truth, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return tuple(photos)
