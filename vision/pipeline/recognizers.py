"""Load the recognizer that an edition and a profile need, and hold what a game is read with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scoring import BLANK, Edition, Lexicon
from vision.errors import MissingProgramError, SettingsError
from vision.profile import Profile, TilesSection
from vision.recognition import CompositeReader, LetterReader, SquareReader, known_letters

__all__ = [
    "GameContext",
    "find_unknown_letters",
    "load_few_shot_recognizer",
    "load_recognizer",
    "load_tesseract",
    "select_readable_editions",
]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GameContext:
    """What a game's pictures are read with.

    Parameters
    ----------
    edition : Edition
        The letters, how many of each there are, and the board's layout.
    recognizer : SquareReader
        Reads the squares.
    lexicon : Lexicon, optional
        Words that are a little more likely than others, and that name blanks.
    profile : Profile, optional
        What calibration measured of the camera and the board.
    """

    edition: Edition
    recognizer: SquareReader
    lexicon: Lexicon | None = None
    profile: Profile | None = None


def load_recognizer(
    name: str,
    edition: Edition,
    notify: Callable[[str], None] | None = None,
    profile: Profile | None = None,
    letters: Sequence[str] = (),
) -> SquareReader:
    """Load a recognizer by its name.

    Tesseract reads letters only, so the network finds tiles, blanks and values. Tesseract is also taken where the
    network does not know the edition's letters.

    Parameters
    ----------
    name : str
        ``network`` or ``tesseract``.
    edition : Edition
        The edition whose letters are read.
    notify : callable, optional
        Gets one line where another recognizer takes over.
    profile : Profile, optional
        A profile; its enrolled tiles help to read.
    letters : sequence of str, optional
        The letters that enrolled tiles may have; those of `edition` if none are given.

    Raises
    ------
    SettingsError
        If there is no such recognizer.
    MissingProgramError
        If Tesseract or its language is needed and not installed.
    """
    from vision.recognition import CascadeReader

    if name == "network" and profile is not None and profile.tiles is not None:
        return load_few_shot_recognizer(profile.tiles, edition, notify, letters)
    if name == "network":
        network = CascadeReader.load(layout=edition.layout, possible_letters=letters or edition.tokens)
        unknown = find_unknown_letters(network.tokens, edition)
        if not unknown:
            return network
        lack = f"edition {edition.name}: the network does not know its letters {' '.join(unknown)}"
        tesseract = load_tesseract(edition, lack)
        if notify is not None:
            notify(
                f"{lack}; Tesseract reads the letters instead, more slowly and less surely; enrol its tiles with "
                "'tilesight calibrate tiles'"
            )
        return CompositeReader(squares=network, letters=tesseract)
    if name == "tesseract":
        from vision.recognition import TesseractReader

        tesseract = TesseractReader.for_edition(edition)
        return CompositeReader(squares=CascadeReader.load(layout=edition.layout), letters=tesseract)
    raise SettingsError(f"reader: {name!r} is unknown; choose network or tesseract")


def find_unknown_letters(tokens: Sequence[str], edition: Edition) -> tuple[str, ...]:
    """Return the letters of an edition that are not among a recognizer's tokens."""
    return tuple(token for token in edition.tokens if token not in tokens)


def select_readable_editions(
    editions: Iterable[Edition], profile: Profile | None, notify: Callable[[str], None]
) -> list[Edition]:
    """Return the editions that a photo may be of where none is named: Tesseract reads letters of a named one only.

    Parameters
    ----------
    editions : iterable of Edition
        The editions.
    profile : Profile, optional
        A profile, whose enrolled tiles are known too.
    notify : callable
        Gets one line for each edition that is left out.
    """
    enrolled = profile.tiles.prototypes.tokens if profile is not None and profile.tiles is not None else ()
    tokens, readable = (*known_letters(), *enrolled), []
    for edition in editions:
        if unknown := find_unknown_letters(tokens, edition):
            notify(
                f"edition {edition.name}: photos are read without it, since the network does not know its letters "
                f"{' '.join(unknown)}; read photos of it with 'tilesight read --edition'"
            )
        else:
            readable.append(edition)
    return readable


def load_tesseract(edition: Edition, lack: str) -> LetterReader:
    """Load Tesseract for an edition that the network cannot read; `lack` says why it is needed."""
    from vision.recognition import TesseractReader, installed_languages, language_for

    language = language_for(edition, lack)
    try:
        installed = language in installed_languages()
    except MissingProgramError as error:
        raise MissingProgramError(
            f"{lack}, and Tesseract is not installed; enrol its tiles with 'tilesight calibrate tiles', or "
            f"run apt-get install tesseract-ocr tesseract-ocr-{language.replace('_', '-')}"
        ) from error
    if not installed:
        raise MissingProgramError(
            f"{lack}, and Tesseract's language {language!r} is not installed; enrol its tiles with "
            f"'tilesight calibrate tiles', or run apt-get install tesseract-ocr-{language.replace('_', '-')}"
        )
    return TesseractReader.for_edition(edition)


def load_few_shot_recognizer(
    tiles: TilesSection,
    edition: Edition,
    notify: Callable[[str], None] | None = None,
    letters: Sequence[str] = (),
) -> SquareReader:
    """Load the recognizer of an enrolled set.

    Parameters
    ----------
    tiles : TilesSection
        The set.
    edition : Edition
        The edition whose letters are read.
    notify : callable, optional
        Gets one line where letters of the edition are not known, the set has letters that the edition lacks, or it has
        to be enrolled again.
    letters : sequence of str, optional
        As for `load_recognizer`.

    Raises
    ------
    SettingsError
        If the examples cannot be enrolled with this version's network.
    """
    from vision.recognition import CascadeReader, EnrolledReader, enrol_prototypes

    network = CascadeReader.load(
        features=True, layout=edition.layout, possible_letters=letters or edition.tokens
    )
    unknown = sorted({*edition.tokens} - {*tiles.prototypes.tokens, *network.tokens})
    if unknown and notify is not None:
        notify(
            f"edition {edition.name}: the profile lacks tiles {' '.join(unknown)}, and the network does not know them; "
            "enrol them with 'tilesight calibrate tiles', or use --reader tesseract"
        )
    foreign = sorted({*tiles.prototypes.tokens} - {*edition.tokens, *network.tokens, BLANK})
    if foreign and notify is not None:
        notify(
            f"profile: its tiles are of edition {tiles.edition}, and letters are not looked for: {' '.join(foreign)}; "
            "name the file of that edition with --edition"
        )
    prototypes = tiles.prototypes
    if tiles.network != network.fingerprint:
        side = network.cell_px + 2 * network.margin_px
        if tiles.examples_bgr.shape[1] != side:
            raise SettingsError(
                f"profile: its tiles are pictures of {tiles.examples_bgr.shape[1]} px, the network takes {side} px; "
                "enrol them again with 'tilesight calibrate tiles'"
            )
        if notify is not None:
            notify(
                "the profile's tiles were enrolled for other weights; they are enrolled again from its pictures"
            )
        alphabet = tuple(dict.fromkeys((*edition.tokens, *(t for t in tiles.labels if t != BLANK))))
        prototypes = enrol_prototypes(
            tiles.examples_bgr, tiles.labels, tiles.photos, network, alphabet
        ).prototypes
    if prototypes.confusion_matrix.shape[1] != len(network.tokens):
        raise SettingsError(
            f"profile: its tiles were measured with {prototypes.confusion_matrix.shape[1]} letters, the network has "
            f"{len(network.tokens)}; restore it, or enrol them again with 'tilesight calibrate tiles'"
        )
    return EnrolledReader(network=network, prototypes=prototypes, tokens=tuple(letters) or edition.tokens)
