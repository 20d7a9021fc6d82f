"""What machines publish: a message about each machine, and one about each of its tables.

Topics, under the root of the broker's address: ``v1/MACHINE/about``, ``v1/MACHINE/event`` and
``v1/MACHINE/tables/TABLE``. Every message is JSON, and the broker keeps the last one of each topic. A message
about a machine is published under ``event``, too, where the one of its lost connection does not replace it:
its event stays known. A table's message holds what viewers may see at that moment, and nothing else.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tilesight.web.hub.settings import SETTINGS
from tilesight.web.schemas import EditionView, EventView, HallTable, MomentView, TableLine, TableView

__all__ = ["Entry", "MachineMessage", "TableMessage", "Topics", "parse_message"]

NAME = "[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?"


class Message(BaseModel):
    """The base of all messages; what a later version adds is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Entry(Message):
    """A journal entry: its number, and the part of its events that viewers may see."""

    number: Annotated[int, Field(ge=0, le=2**53)]
    events: list[dict[str, Any]]


Points = Annotated[int, Field(ge=-9999, le=9999)]
ListedResult = tuple[str, str, Points, str, Points]
"""A line of the file of results: its round, and both players with their points."""


class MachineMessage(Message):
    """A machine: whether it is connected, its run and time, the revision of each table's message, and its event.

    A revision of 0 says that nothing was published of the table. The standings of `event` leave `results` out: machines
    may have one file of them. `renamed` has the new names of players by former ones.
    """

    connected: bool
    run: Annotated[str, Field(max_length=40)] = ""
    now_s: float = 0.0
    tables: dict[str, int] = {}
    event: EventView | None = None
    results: list[ListedResult] = []
    renamed: dict[str, str] = {}


class TableMessage(Message):
    """A table as its viewers see it at the moment `now_s` of the machine.

    `run` differs each time the machine's program starts, and `revision` counts the messages of one run.
    """

    run: Annotated[str, Field(max_length=40)]
    revision: int
    now_s: float
    language: Annotated[str, Field(max_length=20)] = "en"
    line: TableLine
    view: TableView
    hall: HallTable
    moments: list[MomentView] = []
    edition: EditionView
    fields: dict[str, str]
    gcg: str
    gcg_message: str = ""
    recent: Annotated[list[Entry], Field(max_length=10_000)] = []


class Topics:
    """The topics of a broker.

    Parameters
    ----------
    root : str
        The topic under which all of them are.
    """

    def __init__(self, root: str) -> None:
        self._root = f"{root}/v1"
        self._pattern = re.compile(f"{re.escape(self._root)}/({NAME})/(?:about|event|tables/({NAME}))")

    @property
    def all(self) -> list[str]:
        """The filters of all messages."""
        return [self.about("+"), self.event("+"), self.table("+", "+")]

    def about(self, machine: str) -> str:
        """Return the topic about a machine."""
        return f"{self._root}/{machine}/about"

    def event(self, machine: str) -> str:
        """Return the topic of the last message about a machine that was connected."""
        return f"{self._root}/{machine}/event"

    def table(self, machine: str, table: str) -> str:
        """Return the topic of a table."""
        return f"{self._root}/{machine}/tables/{table}"

    def parse(self, topic: str) -> tuple[str, str | None] | None:
        """Return the machine and the table of a topic, None for a message about the machine; None if it is not ours."""
        found = self._pattern.fullmatch(topic)
        return (found[1], found[2]) if found is not None else None


MessageType = TypeVar("MessageType", bound=Message)


def parse_message(kind: type[MessageType], payload: bytes) -> MessageType | None:
    """Parse a message; None if it is none of this kind, or too large."""
    if len(payload) > SETTINGS.max_message:
        return None
    try:
        return kind.model_validate_json(payload)
    except ValidationError:
        return None
