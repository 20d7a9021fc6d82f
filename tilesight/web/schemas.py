"""The schemas of requests and answers, which the OpenAPI page describes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tilesight.live import MomentKind
from vision.game_events import Verb

__all__ = [
    "Answer",
    "CalibrationBody",
    "CalibrationStep",
    "CalibrationView",
    "CameraView",
    "Change",
    "ClockView",
    "CodeView",
    "CommandBody",
    "DifferenceView",
    "DoubtView",
    "EditionView",
    "EventView",
    "HallPlayer",
    "HallTable",
    "MatchView",
    "Model",
    "MomentView",
    "MoveView",
    "OperatorView",
    "PlayerView",
    "SessionBody",
    "SessionView",
    "StandingView",
    "Status",
    "TableLine",
    "TableView",
    "TokenBody",
    "UnseenView",
]

Square = tuple[int, int]


class Model(BaseModel):
    """The base of all schemas: unknown keys are refused, and numbers that JSON does not have."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ClockView(Model):
    """A player's clock at the moment `now_s` of the answer."""

    left_s: float
    running: bool


class PlayerView(Model):
    """A player: points, place, whether on turn, the rack as far as it may be shown; `won`: games of the match."""

    name: str
    total: int
    place: int
    on_turn: bool
    rack: list[str]
    clock: ClockView | None
    won: float = 0
    rating: int | None = None
    club: str = ""
    flag: str = ""


class MatchView(Model):
    """The match: the event, its round, the table's label, the number of the game, and whether the match is decided."""

    event: str = ""
    round: str = ""
    table: str = ""
    best_of: int | None = None
    game: int = 1
    decided: bool = False


class MomentView(Model):
    """A moment: a bingo, a challenge, a new leader, the end; `points` won, lost or ahead; `valid` is the ruling."""

    kind: MomentKind
    player: str | None
    word: str = ""
    points: int = 0
    valid: bool | None = None
    challenger: str | None = None
    gained: int = 0
    turn_lost: bool = False
    final: bool = False


class MoveView(Model):
    """One event of the game, as a line of a score sheet.

    `valid` is the ruling of a challenge; `lost` are the points that the challenger of a valid play loses.
    """

    player: int
    kind: str
    score: int
    total: int
    position: str = ""
    word: list[str] = []
    words: list[tuple[str, int]] = []
    placed: list[tuple[int, int, str]] = []
    bonus: int = 0
    text: str = ""
    provisional: bool = False
    valid: bool | None = None
    challenger: int | None = None
    lost: int = 0


class UnseenView(Model):
    """The number of each unseen tile, in the edition's order; null if the edition has no tile counts."""

    tiles: list[tuple[str, int]] | None
    total: int | None


class CameraView(Model):
    """Whether frames arrive, and what the camera does."""

    watching: bool
    status: str


class TableView(Model):
    """A table as viewers see it, without anything that must stay private."""

    table: str
    title: str
    sequence: int
    now_s: float
    edition: str
    rows: list[list[str]]
    players: list[PlayerView]
    moves: list[MoveView]
    newest: list[Square]
    unseen: UnseenView
    over: str | None
    final: bool = True
    watching: bool
    language: str
    match: MatchView = MatchView()
    countdown_s: float | None = None


class DoubtView(Model):
    """A tile that may have been misread, with its alternatives."""

    square: Square
    name: str
    token: str
    confidence: float
    others: list[tuple[str, float]]


class DifferenceView(Model):
    """Where the board and the record differ: squares of tiles that one of them lacks.

    `undone` says that these tiles were taken out of the record by hand; `play` is the first of those plays.
    """

    extra: list[str]
    missing: list[str]
    squares: list[Square]
    undone: bool
    play: str


class OperatorView(TableView):
    """A table as its operator sees it.

    `word_checks` says for each word of each move whether the list has it. `change_texts` has each move as the command
    `change` takes it, or an empty text for a move that it does not change. `own_title` is the title that was entered;
    it is empty where the names stand for it.
    """

    doubts: list[DoubtView]
    attention: str
    question: str
    difference: DifferenceView | None
    problems: list[str]
    undoable: bool
    redoable: bool
    camera: CameraView
    rack_delay_s: float
    own_title: str
    overtime: list[tuple[str, int]] = []
    word_checks: list[list[bool]]
    change_texts: list[str]


class EditionView(Model):
    """What does not change during a game: letters, values and the board."""

    name: str
    title: str
    language: str
    rows: int
    columns: int
    tokens: list[str]
    values: dict[str, int]
    counts: dict[str, int | None]
    premiums: list[str]
    start: list[Square]
    rack_size: int


class TableLine(Model):
    """A table in the list of tables; `machine` is where it is, empty for this one."""

    table: str
    title: str
    players: list[str]
    totals: list[int]
    edition: str
    watching: bool
    over: str | None
    machine: str = ""


class Change(Model):
    """The events of one journal entry and the table after it; `state` is null if a later entry follows at once.

    `moments` is what is worth a line of its own; it is empty for what was missed.
    """

    sequence: int
    events: list[dict[str, Any]]
    state: TableView | OperatorView | None
    moments: list[MomentView] = []


class StandingView(Model):
    """A player in the standings of the event."""

    place: int
    name: str
    games: int
    wins: float
    spread: int
    points: int
    rating: int | None = None
    club: str = ""
    flag: str = ""


class EventView(Model):
    """The event: title, round, when it starts, and the standings after each game."""

    title: str
    round: str
    starts_s: float | None
    now_s: float
    standings: list[StandingView]


class HallPlayer(Model):
    """A player on the page for the hall."""

    name: str
    total: int
    won: float
    on_turn: bool
    clock: ClockView | None
    flag: str


class HallTable(Model):
    """A table on the page for the hall; `last` is its last turn as text, which is `move`."""

    table: str
    title: str
    match: MatchView
    players: list[HallPlayer]
    last: str
    move: MoveView | None = None
    over: str | None
    final: bool = True
    watching: bool
    unseen: int | None
    now_s: float


class Status(Model):
    """What the camera does now."""

    watching: bool
    status: str = ""


Word = Annotated[str, Field(max_length=1000)]
"""A word of a command: longer than any command takes, so that the command says what is wrong. Chosen."""


class CommandBody(Model):
    """An operator's command: its verb and its words."""

    verb: Verb
    words: Annotated[list[Word], Field(max_length=16)] = []
    sequence: Annotated[int | None, Field(ge=0, le=2**53)] = None


class CalibrationBody(Model):
    """An action at a step of a calibration."""

    step: Literal["lens", "board", "tiles", "light"]
    action: Literal["take", "again", "measure", "read"]
    text: Annotated[str, Field(max_length=4000)] = ""
    fixed: bool = False


class CalibrationStep(Model):
    """A step of a calibration: what to do, the pictures that were taken, and the result."""

    name: str
    title: str
    text: str
    taken: list[str]
    missing: str
    ready: bool
    result: str
    advice: list[str]
    picture: int


class CalibrationView(Model):
    """A calibration as its page shows it; `message` reports a failure, `rows` is a board as it was read."""

    profile: str
    steps: list[CalibrationStep]
    step: str = ""
    message: str = ""
    rows: str = ""


class TokenBody(Model):
    """The console's token, or a code that is good once."""

    token: Annotated[str, Field(max_length=200)]


class SessionBody(Model):
    """The name of a device in the list of sessions."""

    name: Annotated[str, Field(max_length=40)]


class SessionView(Model):
    """A device that is signed in: what it may do, and whether it is the one that asks."""

    name: str
    device: str
    address: str
    opened_s: float
    used_s: float
    own: bool
    right: str


class CodeView(Model):
    """An address that signs one device in, once, and its QR code as SVG."""

    address: str
    svg: str


class Answer(Model):
    """The journal entry of a command, or why it was refused."""

    sequence: int | None = None
    message: str = ""
