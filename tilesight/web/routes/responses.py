"""The answers of the API as its description lists them."""

from __future__ import annotations

from typing import Any

from tilesight.web.schemas import Change, Status

__all__ = [
    "ANSWER_CONTENT",
    "CHANGING",
    "GUARDED",
    "PICTURE",
    "REFUSALS",
    "STREAM",
    "Responses",
]

Responses = dict[int | str, dict[str, Any]]

TEXT_CONTENT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
# With the key `model`, FastAPI gives a refusal the media type of the endpoint's other answers.
ANSWER_CONTENT: dict[str, Any] = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
REFUSALS: Responses = {
    400: {"description": "The request is malformed.", "content": TEXT_CONTENT},
    404: {"description": "There is no such table, or nothing to show yet.", "content": ANSWER_CONTENT},
    422: {"description": "The request makes no sense; the message says why.", "content": ANSWER_CONTENT},
    429: {"description": "Too many requests.", "content": TEXT_CONTENT},
}
GUARDED: Responses = {
    **REFUSALS,
    401: {"description": "The token is missing or wrong.", "content": ANSWER_CONTENT},
    403: {"description": "The device has no right to this.", "content": ANSWER_CONTENT},
}
CHANGING: Responses = {
    403: {
        "description": "The device has no right to this, or the request comes from another site.",
        "content": {**ANSWER_CONTENT, **TEXT_CONTENT},
    },
    413: {"description": "The request is too large.", "content": TEXT_CONTENT},
    415: {"description": "Send application/json.", "content": TEXT_CONTENT},
}
"""What `SecurityMiddleware` may answer to a change."""
PICTURE: Responses = {200: {"content": {"image/jpeg": {}}, "description": "A JPEG picture."}}
STREAM: Responses = {
    200: {
        "model": Change | Status,
        "content": {
            "text/event-stream": {"schema": {"type": "object"}}
        },  # FastAPI takes a stream for a string
        "description": "Events `change`, with `Change` as data and the journal entry as id, `status` with "
        "`Status`, and `alive` with `{}`. Last-Event-ID goes on after an entry.",
    },
    503: {"description": "Too many listeners.", "content": ANSWER_CONTENT},
}
