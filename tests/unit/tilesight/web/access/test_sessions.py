"""Devices that sign in and out, codes, and cookies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, send_commands, serve_tables
from tilesight.web.access.rights import Right
from tilesight.web.access.security import ConsoleToken, name_cookie
from tilesight.web.access.sessions import Sessions
from tilesight.web.settings import SETTINGS
from vision.errors import InputError

DESK = "/api/tables/final/desk"


def sign_in(air: RunningServer, secret: str = TOKEN, **headers: str) -> dict[str, str]:
    status, answered, _ = air.request("POST", "/api/session", {"token": secret}, headers)
    assert status == 200
    return {"Cookie": answered["set-cookie"].partition(";")[0]}


def test_each_device_has_a_session_of_its_own_that_can_be_revoked(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        one, other = sign_in(air, **{"User-Agent": "Tablet"}), sign_in(air, **{"User-Agent": "Phone"})
        assert one != other
        listed = air.json("/api/session", one)
        assert {each["device"]: each["own"] for each in listed} == {"Tablet": True, "Phone": False}
        assert not any(each["name"] in json.dumps([one, other]) for each in listed)
        name = next(each["name"] for each in listed if not each["own"])
        assert air.request("POST", "/api/session/revoke", {"name": name}, other)[0] == 200
        assert air.request("GET", DESK, headers=other)[0] == 401
        assert air.request("GET", DESK, headers=one)[0] == 200
        assert air.request("POST", "/api/session/revoke", {"name": name}, one)[0] == 404
        air.request("POST", "/api/session/end", {}, one)
        assert air.request("GET", DESK, headers=one)[0] == 401, (
            "who signs out is out, whoever kept the cookie"
        )
        assert air.request("GET", "/api/session")[0] == 401


def test_a_device_of_this_machine_has_no_address_in_the_list(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        cookie = sign_in(air)
        assert [each["address"] for each in air.json("/api/session", cookie)] == [""]


def test_a_device_that_is_signed_out_gets_no_more_events(tmp_path: Path) -> None:
    table = open_table(tmp_path, rack_delay_s=30)
    with serve_tables(table) as air:
        for secret, right, path in (
            (TOKEN, "operator", "desk"),
            (ConsoleToken(TOKEN).commentary, "commentator", "commentary"),
        ):
            cookie = sign_in(air, secret)
            with air.events(f"/api/tables/final/{path}/events", headers=cookie) as events:
                next(events)
                listed = air.json("/api/session", BEARER)
                name = next(each["name"] for each in listed if each["right"] == right)
                assert air.request("POST", "/api/session/revoke", {"name": name}, BEARER)[0] == 200
                send_commands(table, "rack Anna ABÐ")
                assert next(events, None) is None


def test_a_code_is_good_once(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        status, _, body = air.request("POST", "/api/session/code", {}, BEARER)
        made = json.loads(body)
        code = made["address"].partition("#")[2]
        assert (status, made["svg"][:4]) == (200, "<svg")
        assert air.request("GET", DESK, headers=sign_in(air, code))[0] == 200
        assert air.request("POST", "/api/session", {"token": code})[0] == 401
        assert air.request("POST", "/api/session/code", {})[0] == 401


def test_sessions_survive_a_restart_with_the_same_token_and_revoked_ones_do_not(tmp_path: Path) -> None:
    token, store, now = ConsoleToken(TOKEN), tmp_path / "revoked.json", [1000.0]
    first = Sessions(token, store, lambda: now[0])
    kept, gone = first.open("Tablet", ""), first.open("Phone", "")
    found = first.find(gone)
    assert found is not None
    assert first.revoke(found.name)
    again = Sessions(token, store, lambda: now[0])
    assert again.find(kept) is not None
    assert again.find(gone) is None
    assert Sessions(ConsoleToken("another-token-for-tests"), None, lambda: now[0]).find(kept) is None
    for forged in ("", ".", "a.b.c", kept[:-1], kept + "a", kept.replace(".1000.", ".9999.")):
        assert again.find(forged) is None
    now[0] += SETTINGS.cookie_age_s + 1
    assert again.find(kept) is None
    store.write_text("no list")
    with pytest.raises(InputError, match="remove the file"):
        Sessions(token, store)


def test_a_device_that_cannot_be_revoked_for_good_stays_signed_in(tmp_path: Path) -> None:
    sessions = Sessions(ConsoleToken(TOKEN), tmp_path / "no-folder" / "revoked.json")
    cookie = sessions.open("Phone", "")
    found = sessions.find(cookie)
    assert found is not None
    with pytest.raises(InputError):
        sessions.revoke(found.name)
    assert sessions.find(cookie) is not None


def test_codes_and_lists_are_bounded() -> None:
    now = [0.0]
    sessions = Sessions(ConsoleToken(TOKEN), None, lambda: now[0])
    codes = [sessions.make_code() for _ in range(SETTINGS.max_codes + 1)]
    assert not sessions.use_code(codes[0])
    now[0] = SETTINGS.code_lifetime_s + 1
    assert not sessions.use_code(codes[-1])
    assert sessions.use_code(sessions.make_code(lifetime_s=None))
    for number in range(SETTINGS.max_sessions + 5):
        sessions.open(f"device {number}", "")
    assert len(sessions.sessions) == SETTINGS.max_sessions


def test_a_right_is_part_of_the_signed_cookie() -> None:
    token = ConsoleToken(TOKEN)
    sessions = Sessions(token)
    right = sessions.use_code(sessions.make_code(right=Right.CAMERA))
    assert right is Right.CAMERA
    cookie = sessions.open("a phone", "192.0.2.7", right)
    again = Sessions(token).find(cookie)  # a restart forgets the list, not the right
    assert again is not None
    assert (again.right, again.device) == (Right.CAMERA, "")
    as_operator = cookie.replace(".camera", "")
    assert Sessions(token).find(as_operator) is None
    unknown = f"number.director.{cookie.split('.')[2]}"
    assert Sessions(token).find(f"{unknown}.{token.sign(unknown)}") is None
    assert sessions.use_code(sessions.make_code()) is Right.OPERATOR


def test_two_servers_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    other_token = TOKEN + "-of-the-other"
    with (
        serve_tables(open_table(tmp_path)) as one,
        serve_tables(open_table(tmp_path, "left"), token=other_token) as other,
    ):
        cookies = [
            air.request("POST", "/api/session", {"token": token})[1]["set-cookie"].partition(";")[0]
            for air, token in ((one, TOKEN), (other, other_token))
        ]
        assert len({cookie.partition("=")[0] for cookie in cookies}) == 2
        both = {"Cookie": "; ".join(cookies)}  # a browser sends the cookies of a host to each of its ports
        assert one.request("GET", "/api/session", headers=both)[0] == 200
        assert other.request("GET", "/api/session", headers=both)[0] == 200


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost:8000", "tilesight-console-8000"),
        ("[::1]:8001", "tilesight-console-8001"),
        ("[::1]", "tilesight-console"),
        ("stream.example", "tilesight-console"),
        ("", "tilesight-console"),
    ],
)
def test_a_cookies_name_has_the_port(host: str, name: str) -> None:
    assert name_cookie(host) == name
