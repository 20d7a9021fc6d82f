"""QR codes of addresses, for the terminal and for pages."""

from __future__ import annotations

import io

import segno

__all__ = ["draw_qr_svg", "draw_qr_text"]


def draw_qr_svg(text: str) -> str:
    """Draw a text as a QR code in SVG."""
    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        drawn, kind="svg", scale=6, border=4, xmldecl=False, light="#fff"
    )
    return drawn.getvalue().decode()


def draw_qr_text(text: str) -> str:
    """Draw a text as a QR code in characters of a terminal."""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=drawn, border=2, compact=True)
    return drawn.getvalue()
