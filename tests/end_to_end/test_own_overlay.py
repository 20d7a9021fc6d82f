"""A page of another address: it shows the game as viewers see it, and reaches nothing that needs the token."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.documents.pages import code_blocks
from tests.support.on_air import TOKEN, open_table, send_commands, serve_tables

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
OpenPage = Callable[..., "Page"]

READ = """
async ([address, options]) => {
  try {
    const answer = await fetch(address, options);
    return [answer.status, await answer.text()];
  } catch (error) {
    return [0, error.name];
  }
}
"""


@pytest.fixture
def other_server() -> Iterator[str]:
    """The address of a server with an empty page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_overlay_of_the_guide_works_from_a_file(tmp_path: Path, open_page: OpenPage) -> None:
    (block,) = (block for block in code_blocks("html") if block.page == "docs/guides/stream.md")
    own = tmp_path / "own.html"
    with serve_tables(open_table(tmp_path, "table")) as air:
        own.write_text(block.text.replace(":8000/", f":{air.port}/"), encoding="utf-8")
        page = open_page(own.as_uri(), 1280, 300)
        page.wait_for_selector("#scores:text-is('Anna 0 : Jón 0')")
        send_commands(air.tables["table"], "play 8D HRAKI")
        page.wait_for_selector("#scores:text-is('Anna 28 : Jón 0')")
        assert page.inner_text("#last").startswith("Anna 8D HRAKI")
    with serve_tables(open_table(tmp_path, "table"), port=air.port) as air:
        send_commands(air.tables["table"], "name Jón Benedikt")
        page.wait_for_selector("#scores:text-is('Anna 28 : Benedikt 0')")


def test_a_foreign_page_reads_what_viewers_see_and_nothing_of_the_console(
    tmp_path: Path, open_page: OpenPage, other_server: str
) -> None:
    table = send_commands(open_table(tmp_path), "play 8D HRAKI")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}")
        page.wait_for_selector("html[data-sequence='1']", state="attached")
        page.goto(other_server)
        path = f"{air.address}/api/tables/final"
        for shown in (path, f"{path}/game.gcg", f"{air.address}/obs/final/last_play.txt"):
            status, text = page.evaluate(READ, [shown, {}])
            assert (status, "HRAKI" in text or '"H","R"' in text) == (200, True), shown
        assert page.evaluate(READ, [f"{air.address}/api/tables/none", {}])[0] == 404
        with_cookie = {"credentials": "include"}
        with_token = {"headers": {"Authorization": f"Bearer {TOKEN}"}}
        change = {"method": "POST", "body": '{"verb": "pass"}', **with_cookie}
        for hidden, options in (
            *((f"{path}{end}", with_cookie) for end in ("", "/desk", "/commentary", "/camera.jpg")),
            (f"{path}/desk", with_token),
            (f"{path}/commands", change),
            (f"{path}/commands", {**change, "headers": {"Content-Type": "application/json"}}),
            (f"{air.address}/console", {}),
        ):
            assert page.evaluate(READ, [hidden, options]) == [0, "TypeError"], hidden
        assert table.state.sequence == 1
