"""The documents' pictures of a tournament: the page for the hall, the break page, and a moment on the overlay.

Run it as ``python -m docs.figures.tournament_pictures``; it needs Chromium. The moves are typed.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from pathlib import Path

from docs.figures.images import IMAGES
from tests.support.browser import CHROMIUM
from tests.support.on_air import serve_tables
from tilesight.live import GameSettings, LiveGame, Tournament
from vision.game_events import Command, Verb

QUALITY = 82
PLAYERS = """name,rating,club,flag
Anna Jónsdóttir,1873,Hugin,is
Jón Sigurðsson,1790,Reykjavík,is
Björn Lund,1702,Oslo,no
Eva Szabó,1844,Budapest,hu
Mette Holm,1655,Aarhus,dk
Lars Berg,1710,Bergen,no
Ida Nagy,1590,Szeged,hu
Ari Egilsson,1625,Akureyri,is
"""
PAIRS = (
    ("Anna Jónsdóttir", "Jón Sigurðsson"),
    ("Björn Lund", "Eva Szabó"),
    ("Mette Holm", "Lars Berg"),
    ("Ida Nagy", "Ari Egilsson"),
)
FIRST = (
    ("8D HRAKI", "G8 .AFT"),
    ("8F ÞORN", "H6 BÖ.N"),
    ("8E SNÚA", "H7 S.GA"),
    ("8G REXI", "H6 HV.R"),
)


def give(game: LiveGame, verb: str, *words: str) -> None:
    """Give a command."""
    game.apply_command(Command(verb=Verb(verb), words=words))


def play(game: LiveGame, number: int) -> None:
    """Play a short game, and begin the next one."""
    first, second = game.state.game.players
    for text in FIRST[number]:
        give(game, "play", *text.split())
    winner, loser = (first, second) if number % 2 else (second, first)
    give(game, "end", f"{loser}=AGR", f"{winner}=")
    give(game, "new-game", "as-is")  # the games are cut short
    for text in FIRST[(number + 1) % 4]:
        give(game, "play", *text.split())
    for player, left in zip(
        game.state.game.players, ("12:41", "4:37", "0:52", "9:08")[number % 2 :], strict=False
    ):
        give(game, "time", player, left)
    give(game, "start")


def main() -> None:
    """Play the games, and take a screenshot of each page."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    from playwright.sync_api import sync_playwright

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "players.csv").write_text(PLAYERS, encoding="utf-8")
        tables = "".join(
            f'[table.table-{number}]\nplayers = ["{one}", "{other}"]\nlabel = "Table {number}"\n'
            for number, (one, other) in enumerate(PAIRS, 1)
        )
        event = folder / "event.toml"
        head = 'title = "Íslandsmótið 2026"\nround = 4\nbest-of = 3\nchallenge = 5\nplayers = "players.csv"\n'
        event.write_text(head + tables, encoding="utf-8")
        tournament = Tournament(event, notify=print)
        games = [
            stack.enter_context(
                tournament.open_table(
                    GameSettings(
                        name=f"table-{number}",
                        edition="icelandic",
                        clock_s=1500.0,
                        rack_delay_s=0,
                        language="en",
                    ),
                    folder / f"table-{number}.db",
                )
            )
            for number in range(1, 5)
        ]
        for number, game in enumerate(games):
            play(game, number)
        give(games[0], "title", "Íslandsmótið 2026 · table 1")
        give(games[0], "countdown", "9:42")
        tournament.refresh()
        air = stack.enter_context(serve_tables(*games, tournament=tournament))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1920, "height": 1080}, device_scale_factor=0.6667)
        for name, path in (
            ("hall", "hall"),
            ("break", "break?table=table-1"),
            ("moment", "overlay?table=table-1"),
        ):
            page.goto(f"{air.address}/{path}")
            page.wait_for_timeout(1500)
            if name == "moment":
                give(games[0], "challenge", "lost")
                time.sleep(1.0)
            page.screenshot(path=str(IMAGES / f"on-air-{name}.jpg"), type="jpeg", quality=QUALITY)
        browser.close()


if __name__ == "__main__":
    main()
