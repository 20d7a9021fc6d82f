"""Which pictures there are: every kind of source, each picture once, and no source that could do harm."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from tilesight.digitise.sources.discovery import find_source_files, read_source
from vision.errors import InputError


def touched(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return folder


def names(items: list, folder: Path) -> list[str]:  # type: ignore[type-arg]
    return [str(Path(item.name).relative_to(folder)) for item in items]


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_a_folder_gives_its_pictures_in_name_order_with_those_of_its_subfolders(tmp_path: Path) -> None:
    touched(tmp_path, "b10.jpg", "b2.JPG", "a.heic", "notes.txt", ".hidden.jpg", "old/c.png", ".trash/d.jpg")
    assert names(find_source_files([str(tmp_path)]), tmp_path) == ["a.heic", "b2.JPG", "b10.jpg", "old/c.png"]


def test_the_results_are_no_source(tmp_path: Path) -> None:
    touched(tmp_path, "a.jpg", "out/boards/a.jpg")
    assert names(find_source_files([str(tmp_path)], excluded=tmp_path / "out"), tmp_path) == ["a.jpg"]


def test_pictures_that_were_made_are_no_source_wherever_they_are_named(tmp_path: Path) -> None:
    made = [f"club/{name}/a.jpg" for name in ("boards", "thumbnails", ".work")]
    touched(tmp_path, "club/a.jpg", "club/games/b.jpg", *made)
    (tmp_path / "link").symlink_to(tmp_path / "club" / "boards")
    (tmp_path / "list.txt").write_text("\n".join(made))
    for source in ("club", "club/**/*.jpg", "list.txt", "link"):
        found = find_source_files([str(tmp_path / source)], excluded=tmp_path / "club")
        wanted = ["club/a.jpg", "club/games/b.jpg"] if source.startswith("club") else []
        assert names(found, tmp_path) == wanted


def test_names_in_another_encoding_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (b"h\xfasi\xf0.jpg", b"t\xf3m.jpg"):
        (folder / os.fsdecode(name)).write_bytes(b"" if name.startswith(b"t") else b"picture")
    house, empty = find_source_files([str(folder)])
    assert house.name == f"{folder}/h\\xfasi\\xf0.jpg"
    assert read_source(house) == b"picture"
    with pytest.raises(InputError, match="the file is empty") as caught:
        read_source(empty)
    assert str(caught.value).startswith(empty.name)


def test_two_names_that_are_written_the_same_are_distinguished(tmp_path: Path) -> None:
    for name in (b"br\xe9f.jpg", rb"br\xe9f.jpg"):
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    assert names(find_source_files([str(tmp_path)]), tmp_path) == [r"br\xe9f.jpg", r"br\xe9f.jpg (2)"]


def test_what_a_folder_holds_apart_from_pictures_is_reported(tmp_path: Path) -> None:
    touched(
        tmp_path, "a.avif", "b.jfif", "c.gif", "film.mov", "old/film.MOV", "notes", ".hidden.mov", "out/d.csv"
    )
    (tmp_path / "around").symlink_to(tmp_path)
    skipped: Counter[str] = Counter()
    found = find_source_files([str(tmp_path)], excluded=tmp_path / "out", skipped=skipped)
    assert names(found, tmp_path) == ["a.avif", "b.jfif", "c.gif"]
    assert skipped == {".mov": 2, "without an ending": 1, "linked folders": 1}


def test_a_link_in_a_circle_is_one_problem_among_the_pictures(tmp_path: Path) -> None:
    touched(tmp_path, "good.jpg")
    (tmp_path / "a.jpg").symlink_to("a.jpg")
    circle, good = find_source_files([str(tmp_path)])
    assert read_source(good) == b"good.jpg"
    with pytest.raises(InputError, match=r"a\.jpg: cannot be opened"):
        read_source(circle)


def test_a_picture_has_the_name_of_its_file_rather_than_that_of_a_link(tmp_path: Path) -> None:
    touched(tmp_path, "b.jpg", "c.jpg")
    for link in ("a.jpg", "d.jpg"):
        (tmp_path / link).symlink_to("b.jpg")
    assert names(find_source_files([str(tmp_path)]), tmp_path) == ["b.jpg", "c.jpg"]


@pytest.mark.parametrize("line", ["x" * 300, "a\0b.jpg", "x" * 300 + "*"])
def test_a_line_that_is_no_name_is_one_problem_among_the_pictures(tmp_path: Path, line: str) -> None:
    touched(tmp_path, "good.jpg")
    (tmp_path / "list.txt").write_text(f"{line}\ngood.jpg\n")
    bad, good = find_source_files([str(tmp_path / "list.txt")])
    assert "no file can have such a name" in str(bad.problem)
    assert "\0" not in bad.name + str(bad.problem)
    assert good.problem is None


def test_patterns_name_files_and_a_picture_named_twice_is_one(tmp_path: Path) -> None:
    touched(tmp_path, "2019/a.jpg", "2019/b.jpg", "2020/c.jpg")
    found = find_source_files(
        [str(tmp_path / "**" / "*.jpg"), str(tmp_path / "2020"), str(tmp_path / "2019" / "a.jpg")]
    )
    assert names(found, tmp_path) == ["2019/a.jpg", "2019/b.jpg", "2020/c.jpg"]


def test_a_pattern_of_several_folders_goes_folder_by_folder(tmp_path: Path) -> None:
    wanted = [f"{folder}/{name}.jpg" for folder in ("1", "2", "9", "10") for name in ("a", "a (1)", "b")]
    for name in reversed(wanted):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names(find_source_files([f"{tmp_path}/*/*.jpg"]), tmp_path) == wanted


def test_a_text_that_is_like_a_pattern_is_no_list(tmp_path: Path) -> None:
    touched(tmp_path, "a.jpg", "more.jpg/b.jpg")
    (tmp_path / "readme.txt").write_text("Photos of 2019.\nb.jpg\n")
    zipped(tmp_path / "c.zip", {"d.jpg": b"d"})
    skipped: Counter[str] = Counter()
    found = find_source_files([str(tmp_path / "*")], skipped=skipped)
    assert names(found, tmp_path) == ["a.jpg", "c.zip/d.jpg", "more.jpg/b.jpg"]
    assert +skipped == {".txt": 1}
    assert names(find_source_files([str(tmp_path / "*.zip")]), tmp_path) == ["c.zip/d.jpg"]
    (tmp_path / "readme.txt").write_text("a.jpg\n")
    assert names(find_source_files([str(tmp_path / "*.txt")]), tmp_path) == ["a.jpg"]


def test_a_pattern_in_a_list_is_none_in_the_name_of_its_folder(tmp_path: Path) -> None:
    folder = touched(tmp_path / "scans [1]", "a.jpg", "b.jpg", "c.png")
    other = touched(tmp_path / "other", "d.jpg")
    (folder / "list.txt").write_text(f"*.jpg\n{other}/*.jpg\nnone*\n")
    found = find_source_files([str(folder / "list.txt")])
    assert names(found, tmp_path) == ["scans [1]/a.jpg", "scans [1]/b.jpg", "other/d.jpg", "scans [1]/none*"]
    assert [str(item.problem) for item in found if item.problem] == [
        f"{folder}/none*: nothing has a name like this; check the pattern"
    ]


@pytest.mark.parametrize("pattern", ["club [[]2014]/*.jpg", "club [2014]/*.jpg", "*/club [2014]/**/*.jpg"])
def test_brackets_in_a_pattern_may_be_those_of_names(tmp_path: Path, pattern: str) -> None:
    touched(tmp_path, "in/club [2014]/b-1.jpg", "in/club 3/b-1.jpg", "in/list.txt")
    start = tmp_path if pattern.startswith("*") else tmp_path / "in"
    (tmp_path / "in" / "list.txt").write_text("club [2014]/*.jpg\n")
    for source in (start / pattern, tmp_path / "in" / "list.txt"):
        (found,) = find_source_files([str(source)])
        assert found.name == str(tmp_path / "in" / "club [2014]" / "b-1.jpg")


def test_a_list_names_sources_relative_to_itself(tmp_path: Path) -> None:
    touched(tmp_path, "in/a.jpg", "in/more/b.jpg")
    (tmp_path / "in" / "list.txt").write_text("# my photos\na.jpg\n\nmore\nnone.jpg\n")
    found = find_source_files([str(tmp_path / "in" / "list.txt")])
    assert names(found, tmp_path / "in") == ["a.jpg", "more/b.jpg", "none.jpg"]
    with pytest.raises(InputError, match="no such file"):
        read_source(found[-1])


def test_a_list_that_lists_itself_ends(tmp_path: Path) -> None:
    touched(tmp_path, "a.jpg")
    (tmp_path / "a.txt").write_text("a.txt\nb.txt\na.jpg\n" * 20)
    (tmp_path / "b.txt").write_text("a.txt\nb.txt\n" * 20)
    assert names(find_source_files([str(tmp_path / "a.txt")]), tmp_path) == ["a.jpg"]


def test_a_line_with_a_hash_is_a_comment_unless_a_file_is_called_so(tmp_path: Path) -> None:
    touched(tmp_path, "#1.jpg", "2.jpg")
    (tmp_path / "l.txt").write_text("#1.jpg\n# 2.jpg\n2.jpg\n")
    assert names(find_source_files([str(tmp_path / "l.txt")]), tmp_path) == ["#1.jpg", "2.jpg"]


def test_the_results_of_another_run_are_no_source_and_that_is_reported(tmp_path: Path) -> None:
    touched(
        tmp_path,
        "a.jpg",
        "boards/b.jpg",
        "first/.work/results.sqlite",
        "first/boards/a.jpg",
        "first/mine.jpg",
    )
    for source, wanted, told in (
        (".", ["a.jpg", "boards/b.jpg"], {"folders of results": 1}),
        ("**/*.jpg", ["a.jpg", "boards/b.jpg"], {"folders of results": 1}),
        ("*", ["a.jpg", "boards/b.jpg"], {"folders of results": 1}),
        ("*/*/*.jpg", [], {"pictures of results": 1}),
        ("first", ["first/mine.jpg"], {"pictures of results": 1}),
        ("first/boards/a.jpg", [], {"pictures of results": 1}),
    ):
        skipped: Counter[str] = Counter()
        found = find_source_files([str(tmp_path / source)], skipped=skipped)
        assert (names(found, tmp_path) if wanted else [item.problem for item in found]) == wanted
        assert +skipped == told


def test_a_pattern_enters_no_link(tmp_path: Path) -> None:
    touched(tmp_path, "g/a/z.jpg", "g/.hidden/y.jpg", "g/b/c/a/x.jpg", "g/b/[1].jpg")
    for number in range(3):
        (tmp_path / "g" / "a" / f"l{number}").symlink_to(tmp_path / "g")
    everything = ["g/a/z.jpg", "g/b/[1].jpg", "g/b/c/a/x.jpg"]
    for pattern, wanted in (
        ("g/**/*.jpg", everything),
        ("**/*.jpg", everything),
        ("g/**", everything),
        ("**/a/**/*.jpg", ["g/a/z.jpg", "g/b/c/a/x.jpg"]),
        ("g/**/c/*/*.jpg", ["g/b/c/a/x.jpg"]),
    ):
        skipped: Counter[str] = Counter()
        assert (
            sorted(names(find_source_files([str(tmp_path / pattern)], skipped=skipped), tmp_path)) == wanted
        )
        assert skipped["linked folders"] >= 3


def test_a_pattern_names_folders_with_all_of_their_pictures(tmp_path: Path) -> None:
    touched(tmp_path, "2019-01/a.jpg", "2019-02/deeper/b.jpg", "2019.jpg", "2020/c.jpg")
    (tmp_path / "2019-03").symlink_to(tmp_path / "2020")
    for pattern, wanted in (
        ("2019-*", ["2019-01/a.jpg", "2019-02/deeper/b.jpg"]),
        ("2019*", ["2019-01/a.jpg", "2019-02/deeper/b.jpg", "2019.jpg"]),
        ("**/2019-*", ["2019-01/a.jpg", "2019-02/deeper/b.jpg"]),
        ("**/deeper", ["2019-02/deeper/b.jpg"]),
    ):
        skipped: Counter[str] = Counter()
        found = find_source_files([str(tmp_path / pattern)], skipped=skipped)
        assert sorted(names(found, tmp_path)) == wanted
        assert skipped == {"linked folders": 1}


def test_a_pattern_that_begins_with_any_folder_is_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched(tmp_path, "a/b.jpg", "c.jpg")
    monkeypatch.chdir(tmp_path)
    assert [item.name for item in find_source_files(["**/*.jpg"])] == ["a/b.jpg", "c.jpg"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.zip", None, "no such file"),
        ("bad.zip", b"PK\3\4 and no more", "damaged"),
        ("list.txt", b"\xff\xfe\x00", "UTF-8"),
        ("none.txt", None, "no such file"),
        ("none*.jpg", None, "pattern"),
        ("empty.txt", b"# photos of 2019\n\n", "lists no picture"),
    ],
)
def test_a_source_that_cannot_be_read_is_one_problem_among_the_pictures(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    touched(tmp_path, "good.jpg")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    bad, good = find_source_files([str(tmp_path / name), str(tmp_path / "good.jpg")])
    assert words in str(bad.problem)
    assert name in str(bad.problem)
    assert good.problem is None
    with pytest.raises(InputError, match=words):
        read_source(bad)


def test_a_folder_without_a_picture_is_a_problem_unless_it_is_in_another_one(tmp_path: Path) -> None:
    touched(tmp_path, "a/b.jpg", "a/notes.txt", "list.txt", "minutes/notes.txt")
    for name in ("a/empty", "mount"):
        (tmp_path / name).mkdir()
    (tmp_path / "list.txt").write_text("mount\n")
    for source in ("mount", "list.txt", "m*"):
        problem, picture = find_source_files([str(tmp_path / source), str(tmp_path / "a")])
        assert picture.problem is None
        assert problem.problem == f"{tmp_path / 'mount'}: no picture there; is the disk mounted?"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may list every folder")
def test_a_folder_that_may_not_be_listed_is_reported(tmp_path: Path) -> None:
    touched(tmp_path, "a.jpg", "shut/b.jpg")
    (tmp_path / "shut").chmod(0)
    items = find_source_files([str(tmp_path)])
    (tmp_path / "shut").chmod(0o700)
    assert [item.problem is None for item in items] == [True, False]


def test_a_member_without_a_name_is_no_picture(tmp_path: Path) -> None:
    path = zipped(tmp_path / "p.zip", {"?": b"-", "a.jpg": b"a"})
    data = path.read_bytes()
    at = data.index(b"PK\1\2")
    # the length of its name in the directory, and the name; the entry's extra field takes its place
    data = data[: at + 28] + b"\0\0\1\0" + data[at + 32 :]
    path.write_bytes(data)
    assert zipfile.ZipFile(path).namelist() == ["", "a.jpg"]
    (found,) = find_source_files([str(path)])
    assert found.name.endswith("a.jpg")


def test_an_archive_is_read_member_by_member(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "p.zip",
        {
            "x/10.jpg": b"ten",
            "x/9.jpg": b"nine",
            "x/note.txt": b"-",
            "__MACOSX/x/9.jpg": b"-",
            "x/.a.jpg": b"-",
        },
    )
    skipped: Counter[str] = Counter()
    items = find_source_files([str(tmp_path)], skipped=skipped)
    assert [item.name for item in items] == [f"{path}/x/9.jpg", f"{path}/x/10.jpg"]
    assert [read_source(item) for item in items] == [b"nine", b"ten"]
    assert skipped == {".txt": 1}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["p.zip"]


def test_an_archive_without_a_file_is_a_problem_and_one_of_other_files_is_counted(tmp_path: Path) -> None:
    zipped(tmp_path / "empty.zip", {})
    zipped(tmp_path / "mac.zip", {"__MACOSX/x/9.jpg": b"-", "x/": b""})
    zipped(tmp_path / "texts.zip", {"a.txt": b"-", "b": b"-"})
    skipped: Counter[str] = Counter()
    found = find_source_files([str(tmp_path)], skipped=skipped)
    assert [each.problem for each in found] == [
        f"{tmp_path / name}: no picture in this archive; copy it again" for name in ("empty.zip", "mac.zip")
    ]
    assert skipped == {".txt": 1, "without an ending": 1}


def test_a_pipe_called_zip_is_a_problem_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.zip")
    touched(tmp_path, "a.jpg")
    picture, pipe = find_source_files([str(tmp_path)])
    assert picture.problem is None
    assert pipe.problem == f"{tmp_path / 'p.zip'}: cannot be opened (a pipe; name a file)"


@pytest.mark.parametrize(
    "name", ["../../evil.jpg", "/etc/evil.jpg", "..\\evil.jpg", "C:\\evil.jpg", "a/../../b.jpg"]
)
def test_a_member_whose_name_leads_out_is_refused_and_nothing_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    path = zipped(tmp_path / "in" / "slip.zip", {name: b"evil", "good.jpg": b"good"})
    problems = {item.name: item.problem for item in find_source_files([str(path)])}
    assert problems.pop(f"{path}/good.jpg") is None
    (problem,) = problems.values()
    assert "leads out of the archive" in str(problem)
    assert [each.name for each in tmp_path.rglob("*.jpg")] == []


def test_an_archive_packed_on_windows_has_folders(tmp_path: Path) -> None:
    path = zipped(tmp_path / "win.zip", {"game\\10.jpg": b"ten", "game\\9.jpg": b"nine"})
    items = find_source_files([str(path)])
    assert [item.name for item in items] == [f"{path}/game/9.jpg", f"{path}/game/10.jpg"]
    assert [read_source(item) for item in items] == [b"nine", b"ten"]


def test_a_member_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", {"bomb.bmp": bytes(257_000_000)})
    (item,) = find_source_files([str(path)])
    assert "257 MB are too many for a picture" in str(item.problem)


def test_archives_in_archives_and_locked_ones_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"inner.zip": b"PK", "locked.jpg": b"secret", "empty.jpg": b""})
    data = bytearray(path.read_bytes())
    at = data.rindex(b"locked.jpg")  # the central directory's entry; its flags stand 38 bytes before the name
    data[at - 38] |= 1
    path.write_bytes(data)
    empty, inner, locked = find_source_files([str(path)])
    assert "an archive in an archive" in str(inner.problem)
    assert "encrypted" in str(locked.problem)
    with pytest.raises(InputError, match="empty"):
        read_source(empty)


def test_a_damaged_member_is_an_error_of_its_own(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.jpg": os.urandom(4_000), "b.jpg": b"fine"})
    data = bytearray(path.read_bytes())
    data[500] ^= 0xFF
    path.write_bytes(data)
    damaged, fine = find_source_files([str(path)])
    with pytest.raises(InputError, match=r"a\.zip/a\.jpg: cannot be unpacked"):
        read_source(damaged)
    assert read_source(fine) == b"fine"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_of_any_kind_is_an_error_of_its_own(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.jpg", bytes(range(256)) * 20)
    whole = path.read_bytes()
    (item,) = find_source_files([str(path)])
    refusals = []
    for at in range(35, 90):
        path.write_bytes(whole[:at] + b"\xff\xff" + whole[at + 2 :])
        os.utime(path, ns=(at, at))
        try:
            assert read_source(item) == bytes(range(256)) * 20  # a damaged header may unpack all the same
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > 20
    assert all(each.startswith(f"{path}/a.jpg: cannot be unpacked") for each in refusals)


def test_an_archive_is_opened_once_for_all_its_members_and_anew_when_it_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "a.zip", {f"{number}.jpg": b"picture" for number in range(20)})
    items = find_source_files([str(path)])
    opened: list[Path] = []

    class Counted(zipfile.ZipFile):
        def __init__(self, file: Path) -> None:
            opened.append(file)
            super().__init__(file)

    with monkeypatch.context() as patch:
        patch.setattr(zipfile, "ZipFile", Counted)
        assert {read_source(item) for item in items} == {b"picture"}
        assert opened == [path]
    zipped(path, {"0.jpg": b"another picture"})
    assert read_source(items[0]) == b"another picture"
