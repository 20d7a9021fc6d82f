"""The endpoints of the photo page; all need a device that is signed in for it."""

from __future__ import annotations

import base64
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from scoring import Edition, ScoringError
from tilesight.corners import parse_corners
from tilesight.digitise.reading import PhotoRequest, Result
from tilesight.digitise.report import photo_data
from tilesight.web.access import Right
from tilesight.web.photo import BoardBody, BoardTextsView, PhotoService, PhotoView, TooBusyError, format_texts
from tilesight.web.routes.dependencies import ContextDep, IdentityDep, require_right
from tilesight.web.routes.responses import CHANGING, GUARDED
from tilesight.web.schemas import Answer, EditionView
from tilesight.web.serializers import serialize_edition
from vision.errors import InputError, SettingsError, VisionError
from vision.pipeline import select_probable_editions

__all__ = ["router"]

router = APIRouter(
    prefix="/api/photo",
    tags=["photos"],
    dependencies=[Depends(require_right(Right.PHOTOGRAPHER))],
    responses=GUARDED,
)


def get_photos(context: ContextDep) -> PhotoService:
    """Return what reads photos.

    Raises
    ------
    HTTPException
        If this server reads none.
    """
    if context.photos is None:
        raise HTTPException(404, "this server reads no photos; start it with --photos")
    return context.photos


PhotosDep = Annotated[PhotoService, Depends(get_photos)]

UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("/editions")
def list_editions(photos: PhotosDep) -> list[EditionView]:
    """The editions that a photo may be of."""
    return [serialize_edition(edition) for edition in photos.editions.values()]


@router.post(
    "",
    responses={
        **CHANGING,
        408: {"description": "The photo took too long to arrive.", "content": {"text/plain": {}}},
        503: {"model": Answer, "description": "Photos are being read; try again."},
    },
    openapi_extra=UPLOAD,
)
async def read_photo(
    request: Request,
    photos: PhotosDep,
    identity: IdentityDep,
    edition: Annotated[str, Query(max_length=40)] = "",
    corners: Annotated[str, Query(max_length=200)] = "",
    turn: Annotated[int, Query(ge=0, le=3)] = 0,
) -> PhotoView:
    """Read the board in a photo: its file is the request's body. No file is kept."""
    pairs = parse_corners(corners or None, "corners")
    known = PhotoRequest(
        edition=find_edition(photos, edition) if edition else None,
        quarter_turns=turn,
        corners_px=tuple(pairs) if pairs is not None else None,
    )
    data = await request.body()
    if not data:
        raise HTTPException(422, "the photo is empty; choose another file")
    try:
        result = await photos.read(identity.name, data, known)
    except TooBusyError as error:
        raise HTTPException(503, str(error)) from error
    except (SettingsError, InputError):
        raise
    except VisionError as error:
        raise HTTPException(422, str(error)) from error
    return serialize_photo(result)


@router.post("/texts", responses=CHANGING)
def show_texts(body: BoardBody, photos: PhotosDep) -> BoardTextsView:
    """A corrected board as CGP, as GCG with a made-up order of play, and as lines of text."""
    edition = find_edition(photos, body.edition)
    try:
        texts = format_texts([row.split(" ") for row in body.rows], edition)
    except ScoringError as error:
        raise HTTPException(422, str(error)) from error
    return BoardTextsView(cgp=texts.cgp, gcg=texts.gcg, text=texts.text, gcg_message=texts.gcg_message)


def find_edition(photos: PhotoService, name: str) -> Edition:
    """Return an edition by its name.

    Raises
    ------
    HTTPException
        If there is none.
    """
    if name not in photos.editions:
        raise HTTPException(422, f"there is no such edition; choose one of {', '.join(photos.editions)}")
    return photos.editions[name]


def serialize_photo(result: Result) -> PhotoView:
    """Convert the result of a reading; pictures travel in it, since none is kept."""
    board = result.record.board
    # no other photo of its game is compared with it, so that all doubts are shown
    data = photo_data(result.record, {doubt.square for doubt in board.doubts} if board is not None else None)
    fields = {name: data[name] for name in PhotoView.model_fields if name in data}
    pictures = {"board": result.board_jpeg, "thumbnail": result.thumbnail_jpeg}
    encoded = {name: base64.b64encode(jpeg).decode() for name, jpeg in pictures.items() if jpeg is not None}
    shares = board.editions if board is not None and board.tiles else None
    editions = select_probable_editions(shares) if shares else None
    return PhotoView(**{**fields, **encoded}, editions=editions)
