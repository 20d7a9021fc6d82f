"""The connection to an MQTT broker: its address, its login, and a thread that connects again and again.

States are published with quality of service 0 and kept by the broker. A message that is lost with its connection is
followed by a newer one: after each connection everything is published anew. With quality of service 1 a client sends
an older state again after a newer one, and the broker would keep the older one.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from scoring import read_text
from tilesight.web.hub.settings import SETTINGS
from vision.errors import InputError, SettingsError

__all__ = ["PASSWORD_VARIABLE", "USER_VARIABLE", "Broker", "BrokerConnection", "parse_broker"]

USER_VARIABLE = "TILESIGHT_BROKER_USER"
PASSWORD_VARIABLE = "TILESIGHT_BROKER_PASSWORD"
PACKET_HEAD = 8
"""Bytes of a published message before its topic and its content, at most."""
PORTS = {"mqtt": 1883, "mqtts": 8883}
_ROOT = re.compile(r"[A-Za-z0-9_-]{1,40}(?:/[A-Za-z0-9_-]{1,40}){0,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """The address of a broker, and how one logs in there.

    Parameters
    ----------
    host : str
        Its name or address.
    port : int
        Its port.
    root : str
        The topic under which all of Tilesight's topics are.
    is_encrypted : bool
        Whether it is reached by TLS.
    authority : Path or None
        The certificate of the authority that signed the broker's; None for those that the system knows.
    user, password : str
        The login; empty for none.
    """

    host: str
    port: int
    root: str = "tilesight"
    is_encrypted: bool = False
    authority: Path | None = None
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The address for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.is_encrypted else 'mqtt'}://{host}:{self.port}"


def parse_broker(
    address: str,
    *,
    login: Path | None = None,
    authority: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Broker:
    """Parse the address of a broker, and find its login.

    Parameters
    ----------
    address : str
        ``HOST``, ``HOST:PORT``, ``mqtt://HOST:PORT/TOPIC`` or, for TLS, ``mqtts://HOST:PORT/TOPIC``.
    login : Path, optional
        A file with the user in its first line and the password in its second; by default the environment has them.
    authority : Path, optional
        A certificate in PEM, for TLS.
    environment : mapping of str to str
        The environment.

    Raises
    ------
    SettingsError
        If the address makes no sense, or holds a password, which other users of the machine could see.
    InputError
        If a file cannot be read.
    """
    example = "write HOST, HOST:PORT, or mqtts://HOST for TLS"
    if "@" in address:  # checked first, since the other refusals show the address
        raise SettingsError(
            "the broker's address has a user: other users of this machine can see it; set "
            f"{USER_VARIABLE} and {PASSWORD_VARIABLE}, or name a file with --broker-login"
        )
    try:
        url = urlsplit(address if "://" in address else f"mqtt://{address}", allow_fragments=False)
    except ValueError:
        url = urlsplit("")
    if url.scheme not in PORTS or not url.hostname or url.query:
        raise SettingsError(f"{address}: not the address of a broker; {example}")
    try:
        port = PORTS[url.scheme] if url.port is None else url.port
    except ValueError:
        port = 0
    if not port:
        raise SettingsError(f"{address}: the port is not a number from 1 to 65535; {example}")
    root = url.path.strip("/") or "tilesight"
    if not _ROOT.fullmatch(root):
        raise SettingsError(f"{address}: a topic has letters, digits, - and _, such as {url.hostname}/club")
    is_encrypted = url.scheme == "mqtts"
    if authority is not None and not is_encrypted:
        raise SettingsError(f"--broker-ca {authority}: goes with TLS; write mqtts://{url.hostname}")
    user, password = environment.get(USER_VARIABLE, ""), environment.get(PASSWORD_VARIABLE, "")
    if login is not None:
        user, password = read_login(login)
    return Broker(
        host=url.hostname,
        port=port,
        root=root,
        is_encrypted=is_encrypted,
        authority=authority,
        user=user,
        password=password,
    )


def read_login(path: Path) -> tuple[str, str]:
    """Read a user and a password from a file.

    Raises
    ------
    InputError
        If it cannot be read, or lacks one of them.
    """
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"--broker-login {path}: cannot be read ({reason})") from error
    if len(lines) < 2 or not lines[0] or not lines[1]:
        raise InputError(
            f"--broker-login {path}: write the user in its first line, the password in its second"
        )
    return lines[0], lines[1]


def describe_failure(error: Exception, broker: Broker) -> str:
    """Say in one line why a broker cannot be reached, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"{broker.name}: the broker's certificate is not trusted ({error.verify_message}); "
            "name its authority with --broker-ca"
        )
    if isinstance(error, ssl.SSLError):
        return f"{broker.name}: no TLS there; check the port, or write mqtt:// for a broker without TLS"
    if isinstance(error, socket.gaierror):
        return f"{broker.name}: there is no machine of that name; check the address"
    if isinstance(error, TimeoutError):
        return f"{broker.name}: no answer; check the address, and whether a firewall is between"
    if isinstance(error, ConnectionRefusedError):
        return f"{broker.name}: no broker listens there; start it, or check the port"
    return f"{broker.name}: cannot be reached ({getattr(error, 'strerror', None) or error})"


class BrokerConnection:
    """A connection to a broker, in a thread of its own; what is lost is connected again.

    Parameters
    ----------
    broker : Broker
        The broker.
    notify : callable
        Called with one line when the broker cannot be reached, refuses, or is there again.
    will : (str, bytes), optional
        A topic and what the broker publishes there when this client is lost.
    """

    def __init__(
        self,
        broker: Broker,
        notify: Callable[[str], None],
        *,
        will: tuple[str, bytes] | None = None,
    ) -> None:
        self.broker = broker
        self.problem = ""
        self.refusal = ""
        """Why the broker gives no messages, although it is there."""
        self.on_connected: Callable[[], None] = lambda: None
        self.on_message: Callable[[str, bytes, bool], None] = lambda _topic, _payload, _kept: None
        self._notify = notify
        self._is_stopping = threading.Event()
        self._wait_s = SETTINGS.retry_s
        self._is_accepted: bool | None = None
        """Whether the broker has accepted this connection; None if nothing has answered."""
        self._largest_packet = 0
        """Bytes that the broker takes, as it says; 0 if it does not."""
        self._too_large: set[str] = set()
        self._settling = threading.Timer(0.0, self._settle)
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            protocol=mqtt.MQTTv5,
            reconnect_on_failure=False,  # the thread below says what is wrong
        )
        client.connect_timeout = SETTINGS.connect_timeout_s
        # Then only the thread below writes: two threads must not use one TLS connection at once.
        client.on_socket_register_write = lambda *_: None
        if broker.is_encrypted:
            client.tls_set_context(make_tls_context(broker))
        if broker.user:
            client.username_pw_set(broker.user, broker.password)
        if will is not None:
            client.will_set(*will, qos=1, retain=True)
        client.on_connect = self._handle_connect
        client.on_disconnect = self._handle_disconnect
        client.on_subscribe = self._handle_subscribe
        client.on_message = lambda _client, _data, message: self.on_message(
            message.topic, bytes(message.payload), message.retain
        )
        self._client = client
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
        if broker.user and not broker.is_encrypted and not is_local(broker.host):
            notify(f"{broker.name}: the password is sent unencrypted; write mqtts:// for a broker with TLS")

    @property
    def is_connected(self) -> bool:
        """Whether the broker is there."""
        return bool(self._client.is_connected())

    def start(self) -> None:
        """Connect, and stay connected."""
        self._thread.start()

    def publish(self, topic: str, payload: bytes) -> bool:
        """Publish a state that the broker keeps; return False without a connection, or where it is too large."""
        if not self.is_connected:
            return False
        size = len(payload) + len(topic.encode()) + PACKET_HEAD
        if not self._largest_packet or size <= self._largest_packet:
            self._too_large.discard(topic)
            self._client.publish(topic, payload, qos=0, retain=True)
            return True
        if topic not in self._too_large:  # sent, it would end the connection
            self._too_large.add(topic)
            self._notify(
                f"{self.broker.name}: {topic} is not published: it has {size} bytes, and the broker takes "
                f"{self._largest_packet}; raise its max_packet_size"
            )
        return False

    def subscribe(self, topics: list[str]) -> None:
        """Ask for topics; the broker sends what it keeps of them, also if it did before."""
        with contextlib.suppress(ValueError):  # not connected: asked again when it is
            self._client.subscribe([(topic, 0) for topic in topics])

    def unsubscribe(self, topic: str) -> None:
        """Ask for no more of a topic."""
        with contextlib.suppress(ValueError):
            self._client.unsubscribe(topic)

    def stop(self, farewell: tuple[str, bytes] | None = None) -> None:
        """Disconnect; a last message may be published before."""
        self._is_stopping.set()
        if self.is_connected:
            if farewell is not None:
                info = self._client.publish(*farewell, qos=1, retain=True)
                with contextlib.suppress(ValueError, RuntimeError):
                    info.wait_for_publish(1.0)
            self._client.disconnect()
        if self._thread.is_alive():
            self._thread.join(SETTINGS.connect_timeout_s)

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._is_accepted = None
            try:
                self._client.connect(self.broker.host, self.broker.port, keepalive=SETTINGS.keep_alive_s)
                self._client.loop(0.0)  # makes what wakes the next line when there is something to send
                self._client.loop_forever()
            except (OSError, ValueError) as error:
                self._report(describe_failure(error, self.broker))
            if self._is_stopping.wait(self._wait_s):
                return
            self._wait_s = min(2 * self._wait_s, SETTINGS.max_retry_s)

    def _report(self, problem: str) -> None:
        """Report a problem, each one once until a connection lasts."""
        if problem != self.problem and not self._is_stopping.is_set():
            self._notify(f"{problem}; trying again")
        self.problem = problem

    def _settle(self) -> None:
        """Count the connection as one that lasts."""
        if self.problem:
            self._notify(f"{self.broker.name}: connected")
        self.problem, self._wait_s = "", SETTINGS.retry_s

    def _handle_connect(
        self,
        _client: mqtt.Client,
        _data: Any,
        _flags: Any,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self._is_accepted = not reason.is_failure
        if reason.is_failure:
            advice = f"check {USER_VARIABLE} and {PASSWORD_VARIABLE}, or --broker-login"
            self._report(f"{self.broker.name}: the broker refuses this client ({reason}); {advice}")
            return
        self._largest_packet = getattr(properties, "MaximumPacketSize", 0)
        self.refusal = ""
        self._settling = threading.Timer(SETTINGS.settle_s, self._settle)
        self._settling.daemon = True
        self._settling.start()
        self.on_connected()

    def _handle_subscribe(
        self, _client: mqtt.Client, _data: Any, _number: int, reasons: list[ReasonCode], _properties: Any
    ) -> None:
        failure = next((reason for reason in reasons if reason.is_failure), None)
        if failure is not None and not self.refusal:
            self.refusal = (
                f"{self.broker.name}: the broker refuses the topics ({failure}); check its access list for "
                f"{self.broker.root}/v1/#"
            )
            self._notify(self.refusal)

    def _handle_disconnect(
        self,
        _client: mqtt.Client,
        _data: Any,
        flags: mqtt.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._settling.cancel()
        if self._is_accepted is None:
            self._report(f"{self.broker.name}: no MQTT broker answers there; check the port")
        elif flags.is_disconnect_packet_from_server:
            self._report(f"{self.broker.name}: the broker ends the connection ({reason})")
        elif self._is_accepted:
            self._report(f"{self.broker.name}: the connection to the broker is lost")


def make_tls_context(broker: Broker) -> ssl.SSLContext:
    """Make the TLS settings for a broker, whose certificate is always checked.

    Raises
    ------
    InputError
        If the file of the authority cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=broker.authority)
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror if isinstance(error, FileNotFoundError) else "no certificate in PEM"
        raise InputError(f"--broker-ca {broker.authority}: {reason}") from error


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    return host in ("localhost", "127.0.0.1", "::1")
