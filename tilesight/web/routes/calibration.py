"""Calibrating a table's camera from a page; all of it needs the token."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Response
from starlette.concurrency import run_in_threadpool

from tilesight.web.context import (
    CHANGING,
    GUARDED,
    PICTURE,
    Calibrator,
    ContextDep,
    GameDep,
    Operator,
    picture,
)
from tilesight.web.schemas import CalibrationBody, CalibrationView
from vision.errors import InputError

__all__ = ["router"]

router = APIRouter(
    prefix="/api/tables/{table}/calibration",
    tags=["calibration"],
    dependencies=[Operator],
    responses=GUARDED,
)


def calibrator_of(at: GameDep, air: ContextDep) -> Calibrator:
    """What calibrates the table."""
    found = air.calibrators.get(at.table.state.name)
    if found is None:
        raise HTTPException(404, "this table has no camera to calibrate; start it with a source")
    return found


Calibrating = Annotated[Calibrator, Depends(calibrator_of)]


@router.get("")
def show_calibration(calibrator: Calibrating) -> CalibrationView:
    """The steps, what was taken for each, and what came of it."""
    return CalibrationView(**calibrator.state())


@router.post("", responses=CHANGING)
async def calibrate(calibrator: Calibrating, body: CalibrationBody) -> CalibrationView:
    """Takes a picture, or measures what was taken."""
    state = await run_in_threadpool(calibrator.act, body.step, body.action, body.text, fixed=body.fixed)
    return CalibrationView(**state)


@router.get("/camera.jpg", responses=PICTURE, response_class=Response)
def show_raw_picture(calibrator: Calibrating) -> Response:
    """The newest picture as the camera gave it."""
    return picture(calibrator.camera())


@router.get("/{step}.jpg", responses=PICTURE, response_class=Response)
def show_result(calibrator: Calibrating, step: Literal["lens", "board", "tiles", "light"]) -> Response:
    """What came of a step."""
    return picture(calibrator.picture(step))


@router.get("/sheet.pdf", responses={200: {"content": {"application/pdf": {}}}}, response_class=Response)
def show_sheet(calibrator: Calibrating) -> Response:
    """The sheet to print, at 100%."""
    return Response(calibrator.sheet(), media_type="application/pdf")


@router.get("/report.html", responses={200: {"content": {"text/html": {}}}}, response_class=Response)
def save_report(calibrator: Calibrating) -> Response:
    """All that was measured, to be saved: a page that needs no server."""
    try:
        report = calibrator.report()
    except InputError as error:  # the profile is at fault, not the journal
        raise HTTPException(507, str(error)) from error
    headers = {"content-disposition": 'attachment; filename="calibration.html"'}
    return Response(report, media_type="text/html; charset=utf-8", headers=headers)
