"""Films of random games with hands, and with the mishaps of a real table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samples.drawing import SKINS_BGR, Hand
from samples.fonts import FontSplit
from samples.optics import Light
from samples.random.plays import random_play
from samples.random.styles import random_style
from samples.random.views import random_camera
from samples.rendering import Film, FilmEvent, Reach, Shot
from samples.style import Style
from scoring import EMPTY, Board, Edition, Play, load_edition, score_play

__all__ = ["Mishaps", "random_film"]

CUP_REACH = 3.0
"""Cells around a cup without a tile: a hand that places one must not touch the cup."""
FILM_SKINS_BGR = SKINS_BGR[:4]
"""Colours of hands in films."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mishaps:
    """Probabilities, per turn, of what happens besides the plays.

    Parameters
    ----------
    withdraw : float
        The play is challenged and withdrawn.
    misplace : float
        A tile is placed on another square first, and moved before the turn ends.
    pause : float
        The hand leaves for half a second in the middle of the play.
    straighten : float
        The tiles are pushed into their squares between two turns.
    bump : float
        The camera is bumped between two turns.
    switch : float
        A light is switched between two turns.
    rotate : float
        The board is turned by 180 degrees between two turns.
    cup : float
        A cup is on an empty corner of the board for a turn.
    sweep : float
        The tiles are swept off the board at the end; a probability per game.
    """

    withdraw: float = 0.0
    misplace: float = 0.0
    pause: float = 0.0
    straighten: float = 0.0
    bump: float = 0.0
    switch: float = 0.0
    rotate: float = 0.0
    cup: float = 0.0
    sweep: float = 0.0

    @classmethod
    def usual(cls) -> Mishaps:
        """Mishaps of a usual game."""
        return cls(withdraw=0.1, misplace=0.15, pause=0.2, straighten=0.2, bump=0.12, switch=0.06)


def random_film(
    rng: np.random.Generator,
    edition: str | Edition = "english",
    *,
    plays: int | Sequence[Play] = 8,
    mishaps: Mishaps | None = None,
    cell_px: float = 34.0,
    fonts: FontSplit = "train",
    style: Style | None = None,
) -> Film:
    """Film a random game between two players.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same film.
    edition : str or Edition
        Letters, layout and rules.
    plays : int or sequence of Play
        Number of plays, withdrawn ones included; or the plays themselves.
    mishaps : Mishaps, optional
        None by default.
    cell_px : float
        Size of a cell in pixels.
    fonts : {"train", "heldout"}
        Typefaces of the tiles.
    style : Style, optional
        Tiles and board instead of random ones.
    """
    rules = load_edition(edition)
    script = _Script(rng=rng, edition=rules, mishaps=mishaps or Mishaps())
    script.write(plays)
    camera = random_camera(rng, easy=True)
    light = Light(
        brightness=float(rng.uniform(0.75, 1.1)),
        gradient=float(rng.uniform(0, 0.3)),
        gradient_deg=float(rng.uniform(0, 360)),
        direction_deg=float(rng.uniform(0, 360)),
        shadow_length=float(rng.uniform(0.2, 1.0)),
        shadow_depth=float(rng.uniform(0.2, 0.5)),
        defocus_px=0.5,
        noise=float(rng.uniform(0.5, 2.5)),
    )
    hands = tuple(
        Hand(
            skin_bgr=FILM_SKINS_BGR[int(rng.integers(len(FILM_SKINS_BGR)))],
            sleeve_bgr=(
                float(rng.uniform(20, 220)),
                float(rng.uniform(20, 220)),
                float(rng.uniform(20, 220)),
            ),
        )
        for _ in range(2)
    )
    style = style or random_style(rng, fonts=fonts, letters=rules.tokens)
    # a lamp that a tile reflects would hide its letter during the film
    style = replace(
        style,
        tiles=replace(style.tiles, gloss=0.0),
        handling=replace(style.handling, quarter_turns=0.0),
    )
    return Film(
        edition=rules,
        players=("A", "B"),
        shots=tuple(script.shots),
        events=tuple(script.events),
        style=style,
        camera=replace(
            camera,
            cell_px=cell_px,
            tilt_deg=float(rng.uniform(0, 28)),
            azimuth_deg=float(rng.normal(0, 8)),
            distance=2.4,
            margins=(0.12, 0.12, 0.12, 0.12),
        ),
        light=light,
        hands=hands,
        seed=int(rng.integers(1 << 30)),
        flicker=float(rng.choice((0.0, 0.0, 0.015))),
    )


@dataclass(slots=True, kw_only=True)
class _Script:
    """Builds a film's shots and events turn by turn."""

    rng: np.random.Generator
    edition: Edition
    mishaps: Mishaps
    shots: list[Shot] = field(default_factory=list)
    events: list[FilmEvent] = field(default_factory=list)

    def write(self, plays: int | Sequence[Play]) -> None:
        """Add the shots and events of all turns."""
        given: Iterator[Play] = iter(()) if isinstance(plays, int) else iter(plays)
        count = plays if isinstance(plays, int) else len(plays)
        tokens = [token for token, count in self.edition.counts.items() for _ in range(count or 2)]
        bag = [str(token) for token in self.rng.permutation(tokens)]
        racks = [[bag.pop() for _ in range(self.edition.rack_size)] for _ in range(2)]
        scene = Shot(seconds=2.0, board=Board.empty(self.edition.layout))
        self.shots.append(scene)
        player = 0
        for _ in range(count):
            play = next(given, None) or random_play(self.rng, scene.board, self.edition, racks[player])
            if play is None:
                break
            scene = self._add_mishap(scene)
            if self.mishaps.cup and self._toss(self.mishaps.cup):
                scene = self._put_cup(scene, play, player)
            board = scene.board
            scored = score_play(board, play, self.edition).total
            scene = self._place_tiles(scene, play, player)
            self._add_event("play", player, play, scored)
            scene = self._add_rest(scene)
            if self._toss(self.mishaps.withdraw):
                scene = self._withdraw(scene, play, player)
                self._add_event("withdrawn", player, play, -scored)
                scene = self._add_rest(scene)
            else:
                for tile in play:
                    if tile.token in racks[player]:  # given plays come from no rack
                        racks[player].remove(tile.token)
                racks[player] += [bag.pop() for _ in range(min(len(play), len(bag)))]
            if scene.cup_xy is not None:
                scene = self._take_cup(scene, player)
            player = 1 - player
        if self.mishaps.sweep and self._toss(self.mishaps.sweep):
            self._sweep(scene, player)

    def _toss(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def _add_event(self, kind: str, player: int, play: Play, score: int) -> None:
        off_s = sum(shot.seconds for shot in self.shots)
        self.events.append(
            FilmEvent(
                kind="play" if kind == "play" else "withdrawn",
                player=player,
                play=play,
                score=score,
                hands_off_s=off_s,
            )
        )

    def _add_rest(self, scene: Shot) -> Shot:
        """Add a pause without hands; the scene itself."""
        self.shots.append(replace(scene, seconds=float(self.rng.uniform(2.2, 3.5)), reach=None))
        return scene

    def _add_mishap(self, scene: Shot) -> Shot:
        """Add what happens between two turns; the scene afterwards."""
        rng, odds = self.rng, self.mishaps
        changed = scene
        if self._toss(odds.straighten) and not scene.straightened:
            middle = (float(rng.uniform(5, 10)), float(rng.uniform(5, 10)))
            self._add_visit(scene, int(rng.integers(2)), middle, 0.4)
            changed = replace(changed, straightened=True)
            self.shots.append(
                replace(changed, seconds=0.3, reach=Reach(player=0, start_xy=middle, end_xy=(7.5, 20.0)))
            )
        if self._toss(odds.bump):
            shift = rng.normal(0, 7, 2)
            changed = replace(
                changed, bump_px=(float(shift[0]), float(shift[1])), bump_deg=float(rng.normal(0, 0.7))
            )
        if self._toss(odds.switch):
            changed = replace(changed, brightness=0.6 if changed.brightness == 1.0 else 1.0)
        if self._toss(odds.rotate):
            changed = replace(changed, turned=not changed.turned)
        if changed is not scene:
            self.shots.append(replace(changed, seconds=float(rng.uniform(1.5, 2.5)), reach=None))
        return changed

    def _add_visit(self, scene: Shot, player: int, at: tuple[float, float], seconds: float) -> None:
        """Add a hand that comes from its player's side."""
        home = self._home(player)
        self.shots.append(
            replace(scene, seconds=seconds, reach=Reach(player=player, start_xy=home, end_xy=at))
        )

    def _home(self, player: int) -> tuple[float, float]:
        rows, columns = self.edition.layout.rows, self.edition.layout.columns
        x = float(self.rng.uniform(0.35, 0.65)) * columns
        return (x, rows + 4.5) if player == 0 else (x, -4.5)

    def _place_tiles(self, scene: Shot, play: Play, player: int) -> Shot:
        """Add the tiles one by one, under a hand that comes and goes; the scene afterwards."""
        rng = self.rng
        tiles = list(play)
        pause_at = (
            int(rng.integers(1, len(tiles))) if len(tiles) > 1 and self._toss(self.mishaps.pause) else 0
        )
        for number, tile in enumerate(tiles):
            if number and number == pause_at:
                self.shots.append(replace(scene, seconds=float(rng.uniform(0.3, 0.7)), reach=None))
            x, y = _locate(scene, tile.row, tile.column)
            at = (x, y + 0.1 if player == 0 else y - 0.1)
            if number == len(tiles) - 1 and self._toss(self.mishaps.misplace):
                scene = self._try_elsewhere(scene, tile.token, player)
            self._add_visit(scene, player, at, float(rng.uniform(0.25, 0.5)))
            scene = replace(scene, board=scene.board.with_tiles([tile]))
            self.shots.append(replace(scene, seconds=0.2, reach=Reach(player=player, start_xy=at, end_xy=at)))
            self._add_departure(scene, player, at)
        return scene

    def _add_departure(self, scene: Shot, player: int, at: tuple[float, float]) -> None:
        """Add a hand that goes back to its player's side."""
        home = self._home(player)
        seconds = float(self.rng.uniform(0.2, 0.4))
        self.shots.append(
            replace(scene, seconds=seconds, reach=Reach(player=player, start_xy=at, end_xy=home))
        )

    def _try_elsewhere(self, scene: Shot, token: str, player: int) -> Shot:
        """Add a tile that is placed on a free square and taken away again; the scene afterwards."""
        free = [s for s in np.ndindex(*scene.board.size) if scene.board[s] == EMPTY]
        row, column = free[int(self.rng.integers(len(free)))]
        at = _locate(scene, row, column)
        self._add_visit(scene, player, at, 0.3)
        tried = replace(scene, board=Board(rows=_put_token(scene.board, row, column, token)))
        self.shots.append(replace(tried, seconds=0.2, reach=Reach(player=player, start_xy=at, end_xy=at)))
        aside = (at[0] + 2.0, at[1] + (3.0 if player == 0 else -3.0))
        self.shots.append(replace(tried, seconds=0.3, reach=Reach(player=player, start_xy=at, end_xy=aside)))
        self.shots.append(replace(tried, seconds=0.3, reach=Reach(player=player, start_xy=aside, end_xy=at)))
        self.shots.append(replace(scene, seconds=0.2, reach=Reach(player=player, start_xy=at, end_xy=at)))
        return scene

    def _put_cup(self, scene: Shot, play: Play, player: int) -> Shot:
        """Add a cup on a corner that stays free of tiles, where there is one; the scene afterwards."""
        rows, columns = scene.board.size
        taken = [_locate(scene, tile.row, tile.column) for tile in (*scene.board.tiles(), *play)]
        for down, across in self.rng.permutation([(0, 0), (0, 1), (1, 0), (1, 1)]).tolist():
            middle = (columns - 2.0 if across else 2.0, rows - 2.0 if down else 2.0)
            if all(max(abs(x - middle[0]), abs(y - middle[1])) > CUP_REACH for x, y in taken):
                self._add_visit(scene, player, middle, 0.4)
                scene = replace(scene, cup_xy=middle)
                self._add_departure(scene, player, middle)
                return self._add_rest(scene)
        return scene

    def _take_cup(self, scene: Shot, player: int) -> Shot:
        """Add a hand that takes the cup away; the scene afterwards."""
        assert scene.cup_xy is not None
        self._add_visit(scene, player, scene.cup_xy, 0.4)
        self._add_departure(replace(scene, cup_xy=None), player, scene.cup_xy)
        return self._add_rest(replace(scene, cup_xy=None))

    def _sweep(self, scene: Shot, player: int) -> None:
        """Add hands that take all tiles off the board, a few columns at a time."""
        for columns in np.array_split(np.arange(scene.board.size[1]), 4):
            at = _locate(scene, (scene.board.size[0] - 1) / 2, float(columns.mean()))
            self._add_visit(scene, player, at, 0.3)
            gone = [tile for tile in scene.board.tiles() if tile.column in columns]
            scene = replace(scene, board=scene.board.without(gone))
            self._add_departure(scene, player, at)
        self._add_rest(scene)

    def _withdraw(self, scene: Shot, play: Play, player: int) -> Shot:
        """Add a hand that takes the play's tiles away; the scene afterwards."""
        for tile in play:
            at = _locate(scene, tile.row, tile.column)
            self._add_visit(scene, player, at, 0.3)
            scene = replace(scene, board=scene.board.without([tile]))
            self.shots.append(replace(scene, seconds=0.2, reach=Reach(player=player, start_xy=at, end_xy=at)))
            self._add_departure(scene, player, at)
        return scene


def _locate(scene: Shot, row: float, column: float) -> tuple[float, float]:
    """Find the place of a hand over a square, in cells at the film's start: players stay when the board is turned."""
    rows, columns = scene.board.size
    x, y = column + 0.5, row + 0.5
    return (columns - x, rows - y) if scene.turned else (x, y)


def _put_token(board: Board, row: int, column: int, token: str) -> tuple[tuple[str, ...], ...]:
    rows = [list(line) for line in board.rows]
    rows[row][column] = token
    return tuple(map(tuple, rows))
