"""The pages in every language, in a real browser: nothing overflows, and the server's texts are translated."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.tools.catalogues import CHECKOUT, HOLE, extract_file
from scoring import load_edition
from tests.support.browser import wait_for_sequence
from tests.support.on_air import BEARER, TOKEN, open_table, send_commands, serve_tables
from tilesight.languages import LANGUAGES, load_catalogue
from tilesight.live import MatchInfo
from tilesight.web import PhoneCamera
from tilesight.web.photo import PhotoService

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PAGES = CHECKOUT / "tilesight/web/pages"
GAME = (
    "play 8D HRAKI",
    "challenge",
    "play 8D HRAKI",
    "pass",
    "withdraw",
    "play 8D HRAKI",
    "exchange 3",
    "clock Anna 10",
    "end Anna=AAAAAAA Jón=RRRRRRR",
)
"""A game in which every kind of turn is seen."""
COMPOSED = {
    "move 2: Anna had this pass, but it was the turn of Jón": "2. lépés: itt Anna szerepel (passz), de Jón volt soron",
    "the play at 8D touches no tile on the board; the game waits for the next picture": "a(z) 8D lépés nem ér a táblán "
    "lévő zsetonhoz; a játszma a következő képre vár",
    "H8: nothing in the game, a blank seen; I8: A in the game, B seen": "H8: a játszmában semmi, a képen joker; "
    "I8: a játszmában A, a képen B",
    "12 pictures, points lie 0.21 px off; focal length 900.0 px, deviation 0.4%": "12 kép, a pontok eltérése 0.21 "
    "képpont; fókusztávolság 900.0 képpont, szórás 0.4%",
    "the play needs 3 blank and 1 is on the board, but hungarian has 2 in all; lower case is a blank": "a lépéshez 3 "
    "joker kell, és 1 van a táblán, de a(z) hungarian kiadásban összesen 2 van; a kisbetű joker",
    "play P8 AB: A on P8 is off the board of 15 rows and 15 columns": "play P8 AB: A (P8) kívül esik a 15 soros, "
    "15 oszlopos táblán",
    "the board lacks tiles that the record has: B3; if they are there, straighten them or take away what covers "
    "them; the command board takes the board as it is": "a tábláról a jegyzőkönyvben szereplő zsetonok hiányoznak: "
    "B3; ha ott vannak, igazítsa őket egyenesre, vagy vegye el, ami takarja őket; a board parancs átveszi a táblát, "
    "ahogy van",
    "no board found: the picture is dark (median level 9 of 255); add light": "nem található tábla: a kép sötét "
    "(középső szint 9 a 255-ből); adjon több fényt",
    "not a picture that can be read; JPEG, PNG can": "ez nem olvasható kép; ezek olvashatók: JPEG, PNG",
    "camera 7: cannot be opened; is it plugged in, and free?": "camera 7: nem nyitható meg; csatlakoztatva van, és "
    "szabad?",
    'event.toml: the title is "Cup: 2026" now; 2 games of "Cup" no longer count; '
    "write the old title to have them back": (
        "event.toml: a cím most „Cup: 2026”; „Cup” 2 játszmája már nem számít; írja vissza a régi címet, hogy újra "
        "számítsanak"
    ),
    "club.json: it was made for pictures of 1280x720 px, this one has 720x1280, turned by a quarter; set the camera to "
    "that size, or calibrate it for this one": "club.json: 1280x720 képpontos képekhez készült, ez 720x1280 méretű, "
    "negyed fordulattal elforgatva; állítsa a kamerát arra a méretre, vagy kalibrálja ehhez",
    "Anna": "Anna",
}
"""Texts of the server with values that are texts themselves, and what the page shows in Hungarian."""
OVERFLOWING = """() => [...document.querySelectorAll("#scene *")]
  .filter((each) => each.children.length === 0 && /\\p{L}{2}/u.test(each.textContent) && each.checkVisibility())
  .filter((each) => each.closest(".visually-hidden, svg") === null)
  .filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    const part = each.closest(".part").getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(each);
    const { width } = text.getBoundingClientRect();
    return each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
      || width > right - left + 1 || left < part.left - 1 || right > part.right + 1;
  })
  .map((each) => each.textContent)"""
"""Texts of the overlay that are cut or leave their part."""


def test_no_word_of_the_overlay_overflows_in_any_language(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    tables = {
        language: open_table(tmp_path, language, players=("Anna", "Jón"), clock_s=60.0, language=language)
        for language in LANGUAGES
    }
    with serve_tables(*tables.values()) as air:
        for language, table in tables.items():
            page = open_page(f"{air.address}/overlay?table={language}", 1920, 1080)
            wait_for_sequence(page, 0)
            assert page.locator("html").get_attribute("lang") == language
            seen = [page.evaluate(OVERFLOWING)]
            for command in GAME:
                send_commands(table, command)
                wait_for_sequence(page, table.state.sequence)
                seen.append(page.evaluate(OVERFLOWING))
            assert seen == [[]] * (len(GAME) + 1), language
            caption = page.locator("#moves .caption").inner_text()
            assert caption.casefold() == str(load_catalogue(language).pages.get("Moves", "Moves")).casefold()


def test_the_console_speaks_the_browsers_language_and_translates_the_server(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", locale="nb-NO")
        wait_for_sequence(page, 0)
        assert page.locator("#camera-state").inner_text() == "ikke noe kamera"
        page.keyboard.press("n")
        page.keyboard.type("8D HRAKÞÞ")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#telling .answer').textContent !== ''")
        refusal = "legget trenger 2 Þ, og 0 ligger på brettet, men icelandic har 1 i alt"
        assert page.locator("#telling .answer").inner_text() == f"play 8D HRAKÞÞ: {refusal}"
        assert page.locator("#attention .calm").inner_text() == "Ingenting er usikkert."
        page.select_option("select.language", "hu")
        page.wait_for_selector("html[lang=hu][data-sequence]")
        assert page.locator("#camera-state").inner_text() == "nincs kamera"
        assert page.locator("#actions [data-verb=pass]").inner_text().startswith("Passz")
        for english, hungarian in COMPOSED.items():
            translate = "async (text) => (await import('/assets/language.js')).translateMessage(text)"
            assert page.evaluate(translate, english) == hungarian


def test_every_problem_of_a_move_is_translated(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """Problems of several sentences, such as those that end in "settle again", too."""
    texts = {str(text) for _, text in extract_file(CHECKOUT / "scoring" / "game" / "problems.py")}
    values = {name: f"{name}-1" for text in texts for name in HOLE.findall(text)}
    translate = "async (texts) => texts.map((await import('/assets/language.js')).translateMessage)"
    with serve_tables(open_table(tmp_path)) as air:
        for language in ("da", "hu", "is", "nb"):
            page = open_page(f"{air.address}/console?lang={language}#{TOKEN}")
            wait_for_sequence(page, 0)
            server = load_catalogue(language).server
            shown = page.evaluate(translate, [f"move 12: {text.format(**values)}" for text in texts])
            message = [str(server[text]).format(**values) for text in texts]
            move = str(server["move {index}: {message}"])
            assert shown == [move.format(index=12, message=each) for each in message]


@pytest.mark.parametrize("path", ["photo", "phone", "calibrate"])
def test_every_page_for_operators_has_the_list_of_languages(
    tmp_path: Path, open_page: Callable[..., Page], path: str
) -> None:
    photos = PhotoService([load_edition("icelandic")])
    with serve_tables(open_table(tmp_path), photos=photos, phones={"final": PhoneCamera()}) as air:
        page = open_page(f"{air.address}/{path}#{TOKEN}", 360, 640)
        page.select_option("select.language", "da")
        page.wait_for_selector("html[lang=da] select.language")
        assert page.input_value("select.language") == "da"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


CUT = """() => [...document.querySelectorAll("#actions button, .player button, header, #moves .edit button")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().bottom > innerHeight)
  .map((each) => each.textContent)"""
"""Controls of the console that are cut or below the screen."""


@pytest.mark.parametrize(("count", "width", "height"), [(4, 1024, 768), (4, 1280, 720), (2, 1280, 720)])
def test_the_consoles_controls_fit_a_small_screen(
    tmp_path: Path, open_page: Callable[..., Page], count: int, width: int, height: int
) -> None:
    names = ("Anna", "Jón", "Guðrún", "Þorvaldur")
    table = open_table(tmp_path, players=names[:count], clock_s=1500.0)
    send_commands(table, "play 8D HRAKI", "pass", "rack Anna RAKIABÐ")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/console#{TOKEN}", width, height)
        wait_for_sequence(page, table.state.sequence)
        for language in LANGUAGES:
            page.goto(f"{air.address}/console?lang={language}")
            page.wait_for_selector(f"html[lang={language}][data-sequence]", state="attached")
            assert page.evaluate(CUT) == [], language
            assert page.evaluate(
                "() => [document.documentElement.scrollHeight, document.body.scrollWidth]"
            ) == [height, width]


OUTSIDE_CARDS = """() => [...document.querySelectorAll(".player :is(div, button)")]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const card = each.closest(".player");
    const [own, whole, won] = [each, card, card.querySelector(".won")].map((one) => one.getBoundingClientRect());
    const isCut = each.className !== "name" && each.scrollWidth > each.clientWidth + 1;
    const isBeneath = each.className !== "won" && own.left < won.right && won.left < own.right
      && own.top < won.bottom && won.top < own.bottom;
    return isCut || isBeneath || own.right > whole.right || own.bottom > whole.bottom;
  })
  .map((each) => each.textContent)"""
"""What is cut, leaves its player's card, or is under the games won."""


def test_cards_show_racks_wins_and_buttons_on_small_screens(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    names = ("Kovács-Szentgyörgyi Éva", "Nagy Béla", "Szabó Ödön", "Tóth Ági")
    for count in (2, 4):
        table = open_table(tmp_path, f"of-{count}", "hungarian", names[:count], clock_s=1500.0)
        send_commands(table, "play 8F SZÓL", "rack Nagy Béla [GY][LY][NY][SZ][TY][ZS]?")
        table.set_match(MatchInfo(best_of=5, number=3, won=(1.5, 0.5, 0.0, 0.0)[:count]))
        with serve_tables(table) as air:
            page = open_page(f"{air.address}/console#{TOKEN}", 1366, 768, "hu-HU")
            wait_for_sequence(page, table.state.sequence)
            for width, height in ((1366, 768), (1280, 720), (390, 844)):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(OUTSIDE_CARDS) == [], (count, width)


def test_viewers_pages_translate_no_text_of_the_server() -> None:
    files = {file.name: file.read_text() for file in PAGES.glob("*.*s")}
    for page in PAGES.glob("*.html"):
        if 'data-reader="operator"' in page.read_text():
            continue
        todo, needed = [f"{page.stem}.js"], set()
        while todo:
            needed.add(script := todo.pop())
            found = re.findall(r'from "\./(.+?)"', files[script])
            todo += [each for each in found if each not in needed]
        assert [each for each in needed - {"language.js"} if "translateMessage" in files[each]] == [], page


def test_a_page_has_the_tables_language_the_browsers_or_the_chosen_one(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path), open_table(tmp_path, "left", "german", language="da")) as air:

        def ask(query: str, accepted: str = "hu") -> str:
            answer = air.json(f"/api/language?{query}", headers={"Accept-Language": accepted})
            return str(answer["language"])

        assert [ask(""), ask("table=left"), ask("table=none"), ask("table=left&lang=hu")] == [
            "is",
            "da",
            "is",
            "hu",
        ]
        assert [ask("reader=operator"), ask("reader=operator&lang=nb"), ask("reader=operator", "de")] == [
            "hu",
            "nb",
            "en",
        ]
        assert air.json("/api/tables/left")["language"] == "da"
        assert air.json("/api/language?reader=operator&lang=is")["server"] != {}
        assert air.json("/api/language?lang=is")["server"] == {}
        assert air.request("GET", "/api/language?reader=nobody", headers=BEARER)[0] == 422
