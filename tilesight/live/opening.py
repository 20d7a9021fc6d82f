"""Open a live game with its journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from scoring import CHALLENGE, TOURNAMENT, Edition, Game, load_edition, locate_edition
from tilesight.live.game import LiveGame
from tilesight.live.journal import Entry, Journal, is_begun, load_recorded_edition
from tilesight.live.match import compose_names
from tilesight.live.settings import GameSettings
from vision.errors import InputError, SettingsError

__all__ = ["find_other_score", "open_game", "open_table"]


def open_game(
    name: str,
    journal: Path | None,
    *,
    edition: Edition | str | None = None,
    players: Sequence[str] | None = None,
    source: str = "",
    has_operator: bool = True,
    on_write_error: Callable[[InputError], None] | None = None,
) -> LiveGame:
    """Open a live game: a new one, or the journal's as it is.

    Parameters
    ----------
    name, has_operator, on_write_error
        As for `LiveGame`.
    journal : Path or None
        The journal's file, which is made if it does not exist; None to keep the game in memory only. One without moves
        begins again if edition or players differ.
    edition : Edition or str, optional
        Name or file of the edition, or without a journal the edition; the journal's, or ``english``, by default.
    players : sequence of str, optional
        The names in the order of play; the journal's, or A and B, by default.
    source : str
        What is watched, for a new journal.

    Raises
    ------
    InputError
        If the journal cannot be opened.
    SettingsError
        If the journal belongs to a game of another edition or other players, or the settlement of tournaments is
        wanted where the game has not two players.
    """
    make = partial(LiveGame, name, has_operator=has_operator, on_write_error=on_write_error)
    if journal is None:
        names = _name_players(players)
        new = Game(edition=load_edition(edition or "english"), players=names)
        _check_settlement(edition, names)
        return make(new.edition, None, players=names)
    if isinstance(edition, Edition):
        raise SettingsError("edition: a journal keeps its name or its file; give that, not an Edition")
    return _open_recorded(make, journal, edition=edition, players=players, source=source)


def open_table(
    settings: GameSettings,
    journal: Path,
    *,
    edition: str,
    players: Sequence[str] | None,
    first_number: int,
    any_rule: bool,
    now: Callable[[], float],
) -> LiveGame:
    """Open the live game of a table of an event; the sides of its journal may be swapped, as after each game.

    Parameters
    ----------
    settings : GameSettings
        The table's settings, apart from those that follow.
    journal : Path
        The journal's file, as for `open_game`.
    edition : str
        Name or file of the edition.
    players : sequence of str or None
        The names in the order of play; None for those of the journal.
    first_number : int
        Number of the first entry of a new journal.
    any_rule : bool
        Whether the journal may have another rule for challenges: an event changes it from game to game.
    now : callable
        Seconds since 1970.

    Raises
    ------
    InputError, SettingsError
        As by `open_game`.
    """
    make = partial(
        LiveGame,
        settings.name,
        clock_s=settings.clock_s,
        title=settings.title,
        rack_delay_s=settings.rack_delay_s,
        delay_s=settings.delay_s,
        language=settings.language,
        now=now,
    )
    return _open_recorded(
        make,
        journal,
        edition=edition,
        players=players,
        source=settings.source or "",
        first_number=first_number,
        any_order=True,
        any_rule=any_rule,
    )


def _open_recorded(
    make: Callable[[Edition, Journal], LiveGame],
    path: Path,
    *,
    edition: str | None,
    players: Sequence[str] | None,
    source: str,
    first_number: int = 1,
    any_order: bool = False,
    any_rule: bool = False,
) -> LiveGame:
    """Open the live game of a journal, which `make` makes from its edition and the journal."""
    names = _name_players(players)
    # A game that cannot begin must not leave a journal behind.
    Game(edition=load_edition(edition or "english"), players=names)
    if not is_begun(path):
        _check_settlement(edition, names)
    opened = Journal.open(
        path, edition=edition or "english", players=names, source=source, first_number=first_number
    )
    try:
        if difference := _find_difference(opened, edition, players, any_order=any_order, any_rule=any_rule):
            if opened.has_moves:
                load_recorded_edition(opened.edition, path)  # a file that was moved is no other game
                raise SettingsError(
                    f"{path}: a journal of another game ({difference}); name another file, or give this one its "
                    "own edition and players"
                )
            names = names if players is not None else opened.players
            _check_settlement(edition or opened.edition, names)
            opened.restart(edition=edition or opened.edition, players=names)
        return make(load_recorded_edition(opened.edition, path, has_moves=opened.has_moves), opened)
    except BaseException:
        opened.close()
        raise


def _name_players(players: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(players) if players is not None else ("A", "B")


def _check_settlement(edition: Edition | str | None, players: Sequence[str]) -> None:
    """Check that the settlement of tournaments, which is that of two players, is wanted for no others."""
    if isinstance(edition, str) and TOURNAMENT in edition and len(players) != 2:
        raise SettingsError(
            f"{edition}: the settlement of tournaments is for two players, and the game has {len(players)}; leave out "
            f"{TOURNAMENT}, or --settlement tournament"
        )


def find_other_score(entries: Sequence[Entry]) -> str:
    """Return that a game has other points than its journal's entries report; empty if it has the same.

    A journal names the file of its edition, and a file can be changed.
    """
    for entry in reversed(entries):
        now = dict(zip(entry.game.players, entry.game.totals, strict=True))
        for event in reversed(entry.events):
            then = event.get("totals") or {event.get("player"): event.get("total")}
            other = [
                name for name, total in then.items() if total is not None and now.get(name, total) != total
            ]
            if other:
                name = other[0]
                return (
                    f"{name} had {then[name]} points when the game was recorded, and has {now[name]} by the rules of "
                    f"{entry.game.edition.name} as they are now; if its file was changed, put back what it was"
                )
            if "totals" in event or "total" in event:
                return ""
    return ""


def _find_difference(
    journal: Journal, edition: str | None, players: Sequence[str] | None, *, any_order: bool, any_rule: bool
) -> str:
    """Return what the journal's game has that is not wanted: its players or its edition; empty if it is the game."""
    if players is not None:
        names = compose_names(players)
        # A player who was renamed has both names: the command that began the game goes on with it.
        known = map(compose_names, (journal.players, journal.names))
        if not any(names == each or (any_order and sorted(names) == sorted(each)) for each in known):
            return f"players: {','.join(journal.names)}"
    if edition is not None:
        wanted, recorded = locate_edition(edition) or edition, journal.edition
        if any_rule:
            wanted, recorded = (each.partition(CHALLENGE)[0] for each in (wanted, recorded))
        if wanted != recorded:
            return f"edition: {journal.edition}"
    return ""
