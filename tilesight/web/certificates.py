"""A certificate that the server signs itself, so that a network's listeners read nothing."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import os
from collections.abc import Collection
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from vision.errors import InputError

__all__ = ["VALID_DAYS", "fingerprint", "load_own_certificate"]

VALID_DAYS = 397
"""Days for which a certificate is good: browsers refuse more."""
RENEW_DAYS = 30
"""Days before its end from which on a new one is made; chosen."""


def load_own_certificate(folder: Path, hosts: Collection[str]) -> tuple[Path, Path]:
    """Return the files of the server's own certificate and of its key; make them where they are missing.

    Parameters
    ----------
    folder : Path
        Where they are kept, so that a device that trusts the certificate goes on to do so.
    hosts : collection of str
        Names and addresses of the server.

    Raises
    ------
    InputError
        If they cannot be read or written.
    """
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    try:
        if not _is_good(certificate_file, key_file, hosts):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            certificate, key = _make_certificate(sorted(hosts))
            _write_private(key_file, key)
            certificate_file.write_bytes(certificate)
    except (OSError, TypeError, ValueError, x509.ExtensionNotFound) as error:
        raise InputError(
            f"{folder}: no certificate can be kept there ({error}); name one with --tls-cert"
        ) from error
    return certificate_file, key_file


def fingerprint(certificate_file: Path) -> str:
    """Return the SHA-256 fingerprint of a certificate, as browsers show it."""
    certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
    digest = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


def _is_good(certificate_file: Path, key_file: Path, hosts: Collection[str]) -> bool:
    """Whether the files belong together, as they do not after a kill between two writes, and are good for the hosts."""
    if not (certificate_file.exists() and key_file.exists()):
        return False
    certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
    key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
    if certificate.public_key() != key.public_key():
        return False
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    known = {str(name.value) for name in names}
    ends = certificate.not_valid_after_utc - datetime.timedelta(days=RENEW_DAYS)
    return set(hosts) <= known and datetime.datetime.now(datetime.UTC) < ends


def _make_certificate(hosts: Collection[str]) -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tilesight")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return made.public_bytes(serialization.Encoding.PEM), private


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write_private(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
