"""Whether the file of a film is complete, by the structure of its container."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

__all__ = ["is_cut_short"]

_PACKET_BYTES = 188
"""Bytes of a packet of an MPEG transport stream."""
_PACKET_STARTS = b"GG"
"""First bytes of two packets."""


def is_cut_short(path: Path) -> bool:
    """Whether a file ends before its container does: MP4, AVI, Matroska or a transport stream; else False.

    See ISO/IEC 14496-12, section 4.2, OpenDML AVI 1.02, RFC 9559, and ISO/IEC 13818-1, section 2.4.3.2.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(_PACKET_BYTES + 1)
        if start[::_PACKET_BYTES] == _PACKET_STARTS:
            return size % _PACKET_BYTES > 0
        if start.startswith(b"RIFF"):
            return _find_riff_end(file, size) > size
        if start.startswith(b"\x1a\x45\xdf\xa3"):
            return _find_matroska_end(start) > size
        return _is_mp4_cut_short(file, size)


def _find_riff_end(file: BinaryIO, size: int) -> int:
    """Return where the chunks of an AVI end; the start of a chunk whose size is not known."""
    at = 0
    while at + 8 <= size:
        file.seek(at)
        header = file.read(8)
        length = int.from_bytes(header[4:], "little")
        if header[:4] != b"RIFF" or length == 0xFFFFFFFF:
            break
        at += 8 + length
    return at


def _find_matroska_end(start: bytes) -> int:
    """Return where the segment ends; 0 if its size is not known, as while it is recorded."""
    at, length = 0, 0
    for name in (b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"):  # the header, then the segment
        at += length
        if start[at : at + 4] != name or at + 12 > len(start):
            return 0
        n_bytes = 9 - start[at + 4].bit_length()
        all_ones = (1 << 7 * n_bytes) - 1
        length = int.from_bytes(start[at + 4 : at + 4 + n_bytes], "big") & all_ones
        if length == all_ones:
            return 0
        at += 4 + n_bytes
    return at + length


def _is_mp4_cut_short(file: BinaryIO, size: int) -> bool:
    """Whether a file ends inside of a box of MP4."""
    at = 0
    while at + 8 <= size:
        file.seek(at)
        header = file.read(16)
        length, kind = int.from_bytes(header[:4], "big"), header[4:8]
        if length == 1:
            length = int.from_bytes(header[8:], "big")
        if length < 8 or (at == 0 and kind != b"ftyp"):
            return False
        at += length
        if at > size:
            return kind in (b"mdat", b"moov", b"moof")
    return False
