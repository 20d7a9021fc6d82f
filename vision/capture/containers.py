"""Whether the file of a film is complete, by the structure of its container."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

__all__ = ["find_fault"]

_PACKETS = ((0, 188), (4, 192))
"""Offset of the first byte of a packet of an MPEG transport stream, and its bytes; in M2TS a time is before each."""
_PACKET_STARTS = b"GG"
"""First bytes of two packets."""
_FIRST_BOXES = (b"ftyp", b"wide", b"mdat", b"free", b"skip", b"moov")
"""Boxes with which files of MP4 and QuickTime begin."""
_CUT_SHORT = "the file is cut short: its end is missing; copy it again from the camera"


def find_fault(path: Path) -> str:
    """Return why a film's file is not complete: MP4, AVI, Matroska or a transport stream; else "".

    See ISO/IEC 14496-12, section 4.2, OpenDML AVI 1.02, RFC 9559, and ISO/IEC 13818-1, section 2.4.3.2.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(sum(_PACKETS[-1]) + 1)
        packet_bytes = next((step for at, step in _PACKETS if start[at::step] == _PACKET_STARTS), None)
        if packet_bytes is not None:
            is_cut_short = size % packet_bytes > 0
        elif start.startswith(b"RIFF"):
            is_cut_short = _find_riff_end(file, size) > size
        elif start.startswith(b"\x1a\x45\xdf\xa3"):
            is_cut_short = _find_matroska_end(start) > size
        elif start[4:8] in _FIRST_BOXES:
            return _find_mp4_fault(file, size)
        else:
            return ""
    return _CUT_SHORT if is_cut_short else ""


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


def _find_mp4_fault(file: BinaryIO, size: int) -> str:
    """Return the fault of a file that ends inside of a box of MP4, or has no index."""
    at, kinds = 0, [b""]
    while at + 8 <= size:
        file.seek(at)
        header = file.read(16)
        length = int.from_bytes(header[:4], "big")
        kinds.append(header[4:8])
        if length == 1:
            length = int.from_bytes(header[8:], "big")
        if length < 8:  # 0: to the end of the file
            break
        at += length
    if at > size and kinds[-1] in (b"mdat", b"moov", b"moof"):
        return _CUT_SHORT
    if b"mdat" in kinds and b"moov" not in kinds:
        return (
            "the recording was not finished: its index is missing; "
            "repair it with the camera, or with a program such as untrunc and another film of that camera"
        )
    return ""
