"""Certificates of TLS, and pages without them."""

from __future__ import annotations

import contextlib
import datetime
import json
import ssl
import stat
import threading
import time
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.on_air import TOKEN, open_table
from tilesight.cli.serving.place import Link, ServedPlace, describe_place, find_certificate
from tilesight.web.access.security import ConsoleToken
from tilesight.web.access.sessions import Sessions
from tilesight.web.app import make_app
from tilesight.web.certificates import fingerprint, load_own_certificate
from tilesight.web.context import AppContext
from tilesight.web.qr_codes import draw_qr_svg, draw_qr_text
from tilesight.web.server import make_server, open_listening_socket
from vision.errors import InputError, SettingsError


def test_a_certificate_of_its_own_encrypts_and_is_kept(tmp_path: Path) -> None:
    hosts = {"localhost", "127.0.0.1"}
    files = load_own_certificate(tmp_path / "state", hosts)
    assert stat.S_IMODE(files[1].stat().st_mode) == 0o600
    before = fingerprint(files[0])
    assert load_own_certificate(tmp_path / "state", {"localhost"}) == files
    assert fingerprint(files[0]) == before
    table = open_table(tmp_path)
    token = ConsoleToken(TOKEN)
    context = AppContext(live_games=[table], token=token, sessions=Sessions(token))
    server = make_server(make_app(context, notify=print), certificate=files)
    sock = open_listening_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        trust = ssl.create_default_context(cafile=str(files[0]))
        with contextlib.closing(
            HTTPSConnection("127.0.0.1", sock.getsockname()[1], context=trust)
        ) as browser:
            browser.request(
                "POST", "/api/session", json.dumps({"token": TOKEN}), {"Content-Type": "application/json"}
            )
            answer = browser.getresponse()
            assert answer.status == 200
            assert "Secure" in (answer.getheader("set-cookie") or "")
    finally:
        server.should_exit = True
        thread.join(60)
        sock.close()
        table.close()
    load_own_certificate(tmp_path / "state", {*hosts, "board.local"})
    assert fingerprint(files[0]) != before, "another name needs another certificate"


def test_a_key_that_is_not_of_the_certificate_is_replaced_with_it(tmp_path: Path) -> None:
    """As after a kill between the writes of the two files."""
    certificate, key = load_own_certificate(tmp_path / "one", {"localhost"})
    load_own_certificate(tmp_path / "other", {"localhost"})[1].replace(key)
    before = fingerprint(certificate)
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
        *load_own_certificate(tmp_path / "one", {"localhost"})
    )
    assert fingerprint(certificate) != before


def test_somebody_elses_certificate_is_left_as_it_is(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "club")])
    now = datetime.datetime.now(datetime.UTC)
    without_hosts = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=300))
        .sign(key, hashes.SHA256())
    )
    pem, no_encryption = serialization.Encoding.PEM, serialization.NoEncryption()
    own = without_hosts.public_bytes(pem)
    (tmp_path / "certificate.pem").write_bytes(own)
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, no_encryption)
    )
    with pytest.raises(InputError, match="name one with --tls-cert"):
        load_own_certificate(tmp_path, {"localhost"})
    assert (tmp_path / "certificate.pem").read_bytes() == own


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("other", None, None), "write --tls self"),
        ((None, Path("a.pem"), None), "go together"),
        (("self", Path("a.pem"), Path("b.pem")), "go together"),
        ((None, Path("a.pem"), Path("b.pem")), "No such file"),
    ],
)
def test_tls_options_that_make_no_sense_are_refused(
    options: tuple[str | None, Path | None, Path | None], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        find_certificate(*options, set())


def test_http_on_a_network_is_warned_of_and_a_code_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    link = Link("console", "http://hall:1/console#a-code")
    describe_place(ServedPlace(host="0.0.0.0", port=1), "http://hall:1", [link], "a-token")
    shown = capsys.readouterr()
    assert "token:   a-token" in shown.out
    assert "█" in shown.out
    assert "everybody on this network can read the token" in shown.err
    describe_place(ServedPlace(host="127.0.0.1", port=1), "http://127.0.0.1:1", [link], "a-token")
    assert capsys.readouterr().err == ""
    assert draw_qr_svg("x").startswith("<svg")
    assert draw_qr_text("x").strip() != ""
