"""Word lists: members, files and their encodings."""

from pathlib import Path

import pytest

from scoring import DataFileError, Lexicon, ScoringError, load_edition, load_lexicon, load_word_index

HUNGARIAN = load_edition("hungarian").tokens


def test_words_are_found_however_their_letters_are_tiled() -> None:
    lexicon = Lexicon.of(["szer", "KÉS", "e\u0301g"])
    assert len(lexicon) == 3
    assert lexicon.contains(("SZ", "E", "R"))
    assert ["S", "Z", "e", "R"] in lexicon
    assert ("É", "G") in lexicon
    assert ("K", "?", "S") not in lexicon
    assert "KÉS" in lexicon
    assert "kés" in lexicon
    assert "KÉ" not in lexicon
    assert 3 not in lexicon
    assert repr(lexicon) == "<Lexicon of 3 words>"


def test_a_text_is_no_list_of_words() -> None:
    with pytest.raises(ScoringError, match="words is the text 'hraki'; give a list of words"):
        Lexicon.of("hraki", load_edition("icelandic"))


def test_words_are_spelled_as_those_of_a_file_with_the_letters_of_the_edition(tmp_path: Path) -> None:
    path, turkish = tmp_path / "words", tuple("AIİKŞ")
    for letters, texts in ((turkish, ["iş", "kışı"]), (load_edition("french"), ["été", "cœur"])):
        path.write_text("\n".join(texts), encoding="utf-8")
        lexicon = load_lexicon(path, letters)
        assert Lexicon.of(texts, letters) == lexicon
        assert all(text in lexicon and text in Lexicon.of(texts, letters) for text in texts)
    assert Lexicon.of(["été"]).words == {"ÉTÉ"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1"])
def test_a_word_list_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "words"
    path.write_bytes("ég\nkés\nword\nszép-ség\nÉl el\n\nKés\n".encode(encoding))
    assert load_lexicon(path, HUNGARIAN).words == {"ÉG", "KÉS"}


@pytest.mark.parametrize("bad", [b"caf\xe9\n", b"bad\xff\n", b"\xc5\nf\xc3\n", b"abc\xff\xfeabc\n"])
def test_bad_bytes_of_a_utf_8_list_cost_their_words_only(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "words"
    path.write_bytes("rød\nøl\nblå\nhus\n".encode() + bad + "ærlig\n".encode())
    assert load_lexicon(path, load_edition("danish")).words == {"RØD", "ØL", "BLÅ", "HUS", "ÆRLIG"}


@pytest.mark.parametrize(
    ("letters", "text", "encodings"),
    [
        ("french", "été père noël hôte maïs cœur", "cp1252 iso-8859-15"),
        ("danish", "rød blå ærlig", "iso-8859-1 cp850 cp865"),
        ("german", "über äh größe", "iso-8859-1 cp437"),
        ("swedish", "älg öra blå", "iso-8859-1 mac_roman"),
        ("hungarian", "erős fű kő ház", "iso-8859-2 cp852"),
        ("polish", "książka świat kąt kot", "iso-8859-2 cp1250 iso-8859-16 cp852"),
        ("AĞIİKLŞT", "ışık iş kağıt şal", "iso-8859-9 cp1254"),  # Turkish
        ("ABĊDEFĠGĦHIJKLMNOPQRSTUVWXŻZ", "għaġeb ċar żgħir ħobż", "iso-8859-3"),  # Maltese
        ("AĀBCČDEĒFGĢHIĪJKĶLĻMNŅOPRSŠTUŪVZŽ", "māja ķirsis ļoti šķērs", "iso-8859-13 cp1257"),  # Latvian
        ("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "λόγος άνθρωπος φως Άμα", "iso-8859-7 cp1253"),  # Greek
    ],
)
def test_a_list_is_read_in_the_encodings_of_its_language(
    tmp_path: Path, letters: str, text: str, encodings: str
) -> None:
    path = tmp_path / "words"
    alphabet = load_edition(letters) if letters.islower() else tuple(letters)
    path.write_text(text.replace(" ", "\n"), encoding="utf-8")
    words = load_lexicon(path, alphabet)
    assert len(words) == len(text.split())
    for encoding in encodings.split():
        path.write_bytes(text.replace(" ", "\n").encode(encoding))
        assert load_lexicon(path, alphabet) == words, encoding


@pytest.mark.parametrize("encoding", ["iso-8859-2", "cp1250"])
def test_letters_that_no_tile_has_name_the_encoding_where_many_fit_no_other(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "words"
    path.write_bytes("maşină\nţară\ncasă\n".encode(encoding))
    assert load_lexicon(path, load_edition("romanian-rosian")).words == {"MASINA", "TARA", "CASA"}


@pytest.mark.parametrize(
    ("edition", "text"),
    [
        ("german", "über grün höhle mädchen schön tür größer geht´s"),
        ("french", "été père noël maïs hôte blé déjà fête l´eau"),
        ("english", "café naïve rosé fiancé cliché déjà élan house don´t"),
        ("swedish", "öra älg å sjö blå två åtta öl rock´n"),
    ],
)
def test_signs_of_latin_1_are_no_letters(tmp_path: Path, edition: str, text: str) -> None:
    path = tmp_path / "words"
    letters = load_edition(edition)
    path.write_text(text.replace(" ", "\n"), encoding="utf-8")
    words = load_lexicon(path, letters)
    path.write_text(text.replace(" ", "\n"), encoding="iso-8859-1")
    assert load_lexicon(path, letters) == words


@pytest.mark.parametrize("encoding", ["iso-8859-1", "cp1252"])
def test_a_foreign_word_does_not_change_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "words"
    path.write_bytes("père\nété\nça\naïeul\nmaïs\nblé\nhôte\nsmørgås\n".encode(encoding))
    words = {"PERE", "ETE", "CA", "AIEUL", "MAIS", "BLE", "HOTE"}
    assert load_lexicon(path, load_edition("french")).words == words


@pytest.mark.parametrize(
    ("letters", "text", "words"),
    [
        (
            load_edition("french").tokens,
            "été\nc\u0153ur\nnoe\u0308l\nça\nd'or",
            {"ETE", "COEUR", "NOEL", "CA"},
        ),
        (load_edition("spanish").tokens, "piña\ncanción", {"PIÑA", "CANCION"}),
        (load_edition("romanian-rosian").tokens, "țară", {"TARA"}),
        (tuple("IİKLŞ"), "ışık\niş\ni\u0307lk\nIŞIK", {"IŞIK", "İŞ", "İLK"}),
        (load_edition("danish").tokens, "æøå\nidé", {"ÆØÅ", "IDE"}),
        (
            ("A", "DŽ", "LJ", "NJ", "O", "P", "U"),
            "ǉuǌa\nǅoǆ\nǈUǌ\npOǉA",
            {"LJUNJA", "DŽODŽ", "LJUNJ", "POLJA"},
        ),
        (("A", "D", "DZ", "O"), "ǆo\nǳo", {"DZO"}),
        (("Ǉ", "A"), "ǉa", {"ǇA"}),
        (("IJ", "S"), "ĳs", {"IJS"}),
        (("A", "L", "L·L"), "aŀla", {"AL·LA"}),
        (tuple("ΕΗΙΛΝΟΣ"), "λίνος\nελληνι\u0390", {"ΛΙΝΟΣ", "ΕΛΛΗΝΙΙ"}),
    ],
)
def test_accents_without_a_tile_are_removed(
    tmp_path: Path, letters: tuple[str, ...], text: str, words: set[str]
) -> None:
    path = tmp_path / "words"
    path.write_text(text, encoding="utf-8")
    assert load_lexicon(path, letters).words == words


def test_a_long_line_that_is_no_word_takes_no_time(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("szó\n" + "cs" * 10_000 + "1\n", encoding="utf-8")
    assert load_lexicon(path, HUNGARIAN).words == {"SZÓ"}
    assert load_lexicon(path, ("SZ", "Ó")).words == {"SZÓ"}


def test_what_is_no_word_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words"
    with pytest.raises(DataFileError, match="cannot be read: No such file"):
        load_lexicon(path, HUNGARIAN)
    path.write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0ELF\n")
    with pytest.raises(DataFileError, match="no text"):
        load_lexicon(path, HUNGARIAN)
    path.write_text("szó\nkés\n", encoding="utf-16")
    with pytest.raises(DataFileError, match="save it as UTF-8"):
        load_lexicon(path, HUNGARIAN)
    path.write_text("кот\nток\n", encoding="cp1251")
    with pytest.raises(
        DataFileError, match="the first is 'êîò'; if its letters are others, save it as UTF-8"
    ):
        load_lexicon(path, tuple("КОТ"))
    path.write_text("1\n2\n")
    with pytest.raises(DataFileError, match="is it a word list"):
        load_lexicon(path, HUNGARIAN)
    path.write_text("\n4\tszó" + 60 * "-" + "\nkés/S\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"; the first is '4\\tszó-{35}'; is it"):
        load_lexicon(path, HUNGARIAN)


@pytest.mark.parametrize("line", ["kés/S", "kés 3", "kés\téles tárgy", "kés,1", "# kés"])
def test_lines_that_are_no_words_are_reported_if_they_are_more_than_a_few(tmp_path: Path, line: str) -> None:
    path = tmp_path / "words"
    words = ["szó", "ölőkéről", "quay", "l'ami", "szép-ség", "d\u2019or", "жук"] * 200
    for ends, count in (("\n", 15), ("\r\n", 1400)):
        path.write_bytes(ends.join(["", words[0] + " ", *[line] * count, *words[1:]]).encode())
        reports: list[str] = []
        assert load_lexicon(path, HUNGARIAN, notify=reports.append).words == {"SZÓ", "ÖLŐKÉRŐL"}
        numbers = f"{count:,} of {count + 1400:,}"
        start = f"{path}: lines that are no words are skipped: {numbers}, such as {line!r}"
        assert reports == [f"{start}; write one word a line"]
        for _ in range(2):  # a list in the cache is reported, too
            load_word_index(path, HUNGARIAN, cache=tmp_path, notify=reports.append)
        assert reports == reports[:1] * 3
    path.write_text("\n".join([line] * 14 + words), encoding="utf-8")
    load_lexicon(path, HUNGARIAN, notify=reports.append)
    assert len(reports) == 3
