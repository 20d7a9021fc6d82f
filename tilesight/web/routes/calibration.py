"""The endpoints of the calibration page; all need the token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Response
from starlette.concurrency import run_in_threadpool

from tilesight.web.context import Calibrator
from tilesight.web.routes.dependencies import ContextDep, GameDep, OperatorOnly, answer_picture
from tilesight.web.routes.responses import CHANGING, GUARDED, PICTURE
from tilesight.web.schemas import CalibrationBody, CalibrationStep, CalibrationView
from vision.errors import InputError

if TYPE_CHECKING:
    from calibration.session import CalibrationState

__all__ = ["router"]

router = APIRouter(
    prefix="/api/tables/{table}/calibration",
    tags=["calibration"],
    dependencies=[OperatorOnly],
    responses=GUARDED,
)


def get_calibrator(stream: GameDep, context: ContextDep) -> Calibrator:
    """Return the calibration of the table's camera.

    Raises
    ------
    HTTPException
        If the table has no camera.
    """
    found = context.calibrators.get(stream.game.state.name)
    if found is None:
        raise HTTPException(404, "this table has no camera to calibrate; start it with a source")
    return found


CalibratorDep = Annotated[Calibrator, Depends(get_calibrator)]


def make_view(state: CalibrationState) -> CalibrationView:
    """Return what the page shows of a calibration."""
    steps = [
        CalibrationStep(
            name=shown.step.name,
            title=shown.step.title,
            text=shown.step.text,
            taken=list(shown.taken),
            missing=shown.missing,
            ready=shown.ready,
            result=shown.result,
            advice=list(shown.advice),
            picture=shown.picture,
        )
        for shown in state.steps
    ]
    return CalibrationView(
        profile=state.profile, steps=steps, step=state.step, message=state.message, rows=state.rows
    )


@router.get("")
def show_calibration(calibrator: CalibratorDep) -> CalibrationView:
    """The steps, the pictures that were taken for each, and the results."""
    return make_view(calibrator.state())


@router.post("", responses=CHANGING)
async def calibrate(calibrator: CalibratorDep, body: CalibrationBody) -> CalibrationView:
    """Take a picture, or measure a step."""
    state = await run_in_threadpool(calibrator.act, body.step, body.action, body.text, fixed=body.fixed)
    return make_view(state)


@router.get("/camera.jpg", responses=PICTURE, response_class=Response)
def show_raw_picture(calibrator: CalibratorDep) -> Response:
    """The camera's newest picture."""
    return answer_picture(calibrator.camera())


@router.get("/{step}.jpg", responses=PICTURE, response_class=Response)
def show_result(calibrator: CalibratorDep, step: Literal["lens", "board", "tiles", "light"]) -> Response:
    """The result of a step."""
    return answer_picture(calibrator.picture(step))


@router.get("/sheet.pdf", responses={200: {"content": {"application/pdf": {}}}}, response_class=Response)
def show_sheet(calibrator: CalibratorDep) -> Response:
    """The sheet to print, at 100 %."""
    return Response(calibrator.sheet(), media_type="application/pdf")


@router.get("/report.html", responses={200: {"content": {"text/html": {}}}}, response_class=Response)
def save_report(calibrator: CalibratorDep) -> Response:
    """All measurements as an HTML page to be saved."""
    try:
        report = calibrator.report()
    except InputError as error:  # about the profile, not about the journal
        raise HTTPException(507, str(error)) from error
    headers = {"content-disposition": 'attachment; filename="calibration.html"'}
    return Response(report, media_type="text/html; charset=utf-8", headers=headers)
