"""`tilesight read`: photos to boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesight.cli.messages import print_json, sanitize, say
from tilesight.cli.options import (
    CornersOption,
    ForceOption,
    FormatName,
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    check_edition_is_named,
    edition_option,
    list_editions,
    load_profile_option,
    parse_corners,
    path_argument,
    path_option,
)
from vision.errors import (
    BoardNotFoundError,
    ExitCode,
    InputError,
    MissingProgramError,
    PictureMismatchError,
    SettingsError,
    VisionError,
)

if TYPE_CHECKING:
    from scoring import Edition, Layout, Lexicon
    from vision.capture import Frame
    from vision.core import Stopwatch
    from vision.observation import BoardObservation
    from vision.pipeline import EditionMismatches, GameContext
    from vision.profile import Profile

__all__ = ["read"]

SEVERITY = (ExitCode.OK, ExitCode.USAGE, ExitCode.BOARD_NOT_FOUND, ExitCode.INPUT, ExitCode.MISSING_PROGRAM)
"""Exit codes of photos; a later one outweighs an earlier one."""
TIFF_ENDINGS = (".tif", ".tiff")
MAX_DOUBTS = 10
"""Uncertain squares that are named, the least certain first; chosen."""


def read(
    images: Annotated[list[Path], path_argument(metavar="IMAGE...", help="Pictures of boards.")],
    edition: Annotated[
        str | None,
        edition_option(
            "A shipped edition (icelandic, ...) or an edition file; found from the tiles if left out."
        ),
    ] = None,
    corners: CornersOption = None,
    profile: ProfileOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    lexicon: LexiconOption = None,
    format_name: Annotated[
        FormatName, typer.Option("--format", "-f", help="How the board is printed.")
    ] = FormatName.TEXT,
    picture: Annotated[
        Path | None,
        path_option(metavar="OUT", help="Also draw the found grid and what was read, for one image."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Read the boards in photos.

    Example: tilesight read board.jpg --edition icelandic --picture seen.png
    """
    corners_px = parse_corners(corners)
    if picture is not None and len(images) > 1:
        raise SettingsError(f"--picture {picture}: one picture shows one image, {len(images)} were given")
    if picture is not None:
        from vision.core import check_picture_path

        check_picture_path(picture, images, force=force)
    from scoring import load_edition, load_lexicon
    from vision.capture import open_picture
    from vision.core import Stopwatch
    from vision.pipeline import warm_up

    check_edition_is_named(edition, reader, lexicon)
    named = load_edition(edition) if edition is not None else None
    words = (
        load_lexicon(lexicon, named.tokens, notify=say) if lexicon is not None and named is not None else None
    )
    known = load_profile_option(profile)
    # A drawing, given corners and a calibrated camera need all pixels.
    may_reduce = not (picture or corners_px or (known is not None and known.depends_on_size))
    photos: PhotoReader | None = None
    worst = ExitCode.OK
    for image in images:
        stopwatch = Stopwatch()
        try:
            with stopwatch.stage("decode"):
                frame = open_picture(image, may_reduce=may_reduce)
        except (InputError, MissingProgramError) as error:  # HEIC needs a package that other pictures do not
            worst = worst_of(worst, error.exit_code)
            report_failure(image, error, format_name)
            continue
        try:
            warm_up()
            # Made only now, so that a wrong file name is reported before the network is loaded.
            if photos is None:
                editions = [named] if named is not None else find_readable_editions(known)
                photos = PhotoReader(editions, reader, words, known)
            found, rules, shares = photos.read(image, frame, corners_px, stopwatch)
        except (InputError, BoardNotFoundError, PictureMismatchError) as error:
            # a profile or corners that fit other images are no wrong command
            is_input = isinstance(error, PictureMismatchError) and len(images) > 1
            worst = worst_of(worst, ExitCode.INPUT if is_input else error.exit_code)
            report_failure(image, error, format_name, frame)
            if picture is not None and photos is not None and isinstance(error, BoardNotFoundError):
                save_refusal(picture, frame, error, photos.editions[0])
            continue
        report(image, found, rules, shares, format_name, with_name=len(images) > 1)
        for message in photos.list_remarks(image, found, rules, is_given=corners_px is not None):
            say(f"{image}: {message}")
        if picture is not None:
            save_picture(picture, found)
    if worst is not ExitCode.OK:
        raise typer.Exit(worst)


def find_readable_editions(profile: Profile | None) -> list[Edition]:
    """Return the shipped editions whose letters can be read, and report the others."""
    from vision.pipeline import select_readable_editions  # loads the networks' package

    return select_readable_editions(list_editions(), profile, say)


class PhotoReader:
    """Reads photos with one edition, or of several possible ones with that of their tiles."""

    def __init__(
        self,
        editions: Sequence[Edition],
        reader: ReaderName,
        lexicon: Lexicon | None,
        profile: Profile | None,
    ) -> None:
        self.editions = editions
        self._reader, self._lexicon, self._profile = reader, lexicon, profile
        self._contexts: dict[Layout, GameContext] = {}
        self._mismatches: dict[str, EditionMismatches] = {}
        self._reported: set[str] = set()

    def read(
        self,
        image: Path,
        frame: Frame,
        corners_px: Sequence[Sequence[float]] | None,
        stopwatch: Stopwatch,
    ) -> tuple[BoardObservation, Edition | None, Mapping[str, float] | None]:
        """Read a photo.

        The edition is None where none was named and no tile shows it; so are the probabilities of editions where one
        was named.
        """
        from vision.pipeline import read_any_edition

        reading = read_any_edition(
            frame, self.editions, self._context, corners_px=corners_px, stopwatch=stopwatch
        )
        if len(self.editions) == 1:
            return reading.observation, reading.edition, None
        say(f"{image}: {reading.remark}")
        shares = {guess.edition.name: guess.probability for guess in reading.guesses}
        return reading.observation, reading.edition if reading.shows_edition else None, shares

    def list_remarks(
        self, image: Path, found: BoardObservation, edition: Edition | None, *, is_given: bool
    ) -> list[str]:
        """List what does not fit the profile or the edition, and a TIFF file's pages that were not read.

        The edition's remarks are listed once. `is_given` says whether the user gave the corners. Modules are imported
        where they are needed, as that takes time.
        """
        remarks: list[str] = []
        if self._profile is not None:
            from vision.pipeline import ProfileMismatches

            layout = (edition or self.editions[0]).layout
            remarks += ProfileMismatches(self._profile, layout, is_given=is_given).new_messages(found, image)
        if image.suffix.lower() in TIFF_ENDINGS:  # metadata of other kinds would take a tenth of the time
            from vision.capture import read_bytes, read_metadata

            remarks += filter(None, [read_metadata(read_bytes(image)).remark])
        if edition is not None:
            from vision.pipeline import EditionMismatches

            known = self._mismatches.setdefault(edition.name, EditionMismatches(edition))
            remarks += known.new_messages(found)
        return remarks

    def _context(self, editions: Sequence[Edition]) -> GameContext:
        """Return what boards of editions of one layout are read with."""
        from vision.pipeline import GameContext, load_recognizer

        layout = editions[0].layout
        if layout not in self._contexts:
            letters = tuple(dict.fromkeys(token for edition in editions for token in edition.tokens))
            recognizer = load_recognizer(
                self._reader.value, editions[0], notify=self._say_once, profile=self._profile, letters=letters
            )
            self._contexts[layout] = GameContext(
                edition=editions[0], recognizer=recognizer, lexicon=self._lexicon, profile=self._profile
            )
        return self._contexts[layout]

    def _say_once(self, message: str) -> None:
        """Print a line on the profile, which is the same for each layout."""
        if message not in self._reported:
            self._reported.add(message)
            say(message)


def worst_of(worst: ExitCode, code: ExitCode) -> ExitCode:
    """Return the exit code after one more failure, that of the failure which outweighs the others."""
    return max(worst, code, key=SEVERITY.index)


def report_failure(
    image: Path, error: VisionError, format_name: FormatName, frame: Frame | None = None
) -> None:
    """Report a picture without a board: a line on standard error and, as JSON, on standard output."""
    message = str(error) if str(image) in str(error) else f"{image}: {error}"
    say(message)
    if format_name is FormatName.JSON:
        status = "board-not-found" if isinstance(error, BoardNotFoundError) else "unreadable"
        record: dict[str, object] = {"image": str(image), "status": status, "message": message}
        if frame is not None and isinstance(error, BoardNotFoundError) and error.tried_px is not None:
            record["tried_corners_px"] = frame.to_picture(error.tried_px).round(2).tolist()
        print_json(record)


def report(
    image: Path,
    found: BoardObservation,
    edition: Edition | None,
    shares: Mapping[str, float] | None,
    format_name: FormatName,
    with_name: bool,
) -> None:
    """Print the board in the chosen format; an empty board of no edition is printed as CGP of the English one."""
    board = found.decoded.board
    if format_name is FormatName.JSON:
        from tilesight.output import build_photo_record

        print_json(build_photo_record(str(image), found, edition, shares))
    elif format_name is FormatName.CGP:
        from scoring import COVERED, CgpPosition, format_cgp, load_edition

        if hidden := sum(row.count(COVERED) for row in board.rows):
            say(f"{image}: squares that cannot be seen: {hidden}; CGP has them as empty ones")
        edition = edition or load_edition("english")
        print(format_cgp(CgpPosition.of_board(board, edition), edition.tokens), flush=True)
    else:
        if with_name:
            print(sanitize(f"{image}:"))
        print(format_reading(found), flush=True)


def format_reading(found: BoardObservation) -> str:
    """Format the board as text: columns with letters, rows with numbers, the uncertain squares below."""
    from scoring import column_name, format_square

    board, decoded = found.decoded.board, found.decoded
    names = [column_name(column) for column in range(found.grid.columns)]
    width = 1 + max(len(text) for row in (names, *board.rows) for text in row)
    lines = ["   " + "".join(name.rjust(width) for name in names)]
    for number, row in enumerate(board.rows, start=1):
        lines.append(f"{number:3d}" + "".join(("·" if token == "." else token).rjust(width) for token in row))
    if decoded.doubts:
        worst = sorted(decoded.doubts, key=lambda doubt: decoded.confidence[doubt.row, doubt.column])
        reasons: dict[str, list[str]] = {}
        for doubt in worst:
            reasons.setdefault(format_square(doubt.row, doubt.column), []).append(doubt.reason)
        squares = [f"{square} ({'; '.join(each)})" for square, each in reasons.items()]
        shown = squares[:MAX_DOUBTS]
        more = f", and {len(squares) - len(shown)} more" if len(squares) > len(shown) else ""
        lines.append(f"in doubt: {', '.join(shown)}{more}")
    if not found.is_orientation_certain:
        lines.append("which side is up is a guess: the letters do not tell it clearly")
    if found.other_boards:
        lines.append(f"other boards in view: {found.other_boards}; the largest was read")
    lines += found.remarks
    return "\n".join(lines)


def save_refusal(path: Path, frame: Frame, error: BoardNotFoundError, edition: Edition) -> None:
    """Save the photo with the best grid that was refused, that grid rectified, and the reason."""
    from vision.core import Grid, write_picture
    from vision.drawing import WRONG, draw_grid, draw_reason, stack_panels
    from vision.rectification import rectify

    panels = [("no board found", frame.image_bgr)]
    if error.tried_px is not None:
        try:
            tried = Grid.from_corners(error.tried_px, edition.layout.rows, edition.layout.columns)
        except SettingsError:
            pass  # a folded quadrilateral: there is nothing to draw
        else:
            panels = [
                ("the best grid, refused", draw_grid(frame.image_bgr, tried, colour=WRONG)),
                ("what it shows from above", rectify(frame.image_bgr, tried, cell_px=40).image_bgr),
            ]
    write_picture(path, draw_reason(stack_panels(panels), str(error)))


def save_picture(path: Path, found: BoardObservation) -> None:
    """Save the photo with its grid next to the rectified board with what was read."""
    from vision.core import write_picture
    from vision.drawing import draw_grid, draw_tokens, stack_panels

    photo = draw_grid(found.frame.image_bgr, found.grid)
    board = draw_tokens(found.rectified, found.decoded.board.rows, found.decoded.confidence)
    write_picture(path, stack_panels([("the grid in the photo", photo), ("what was read", board)]))
