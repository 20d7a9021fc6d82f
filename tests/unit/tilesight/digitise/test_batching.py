"""Which pictures are handed out together."""

from __future__ import annotations

from collections.abc import Iterator

from scoring import load_edition
from tilesight.digitise.reading.photo_reader import Reading
from tilesight.digitise.workers.batching import MAX_BYTES_TOGETHER, MAX_TOGETHER, Batch, Task, batched

HOW = Reading(editions=(load_edition("english"),))


def tasks(number: int, size: int = 10, way: str = "plain") -> list[Task]:
    return [
        Task(sha256=f"{at}", name=f"{at}.jpg", data=b"." * size, how=HOW, way=way) for at in range(number)
    ]


def sizes(all_tasks: list[Task], most: int, threads: int) -> list[int]:
    batches = list(batched(all_tasks, most, lambda: threads))
    assert [task for batch in batches for task in batch.tasks] == all_tasks
    assert len({batch.key for batch in batches}) == len(batches)
    return [len(batch.tasks) for batch in batches]


def test_batches_that_only_begin_alike_are_two() -> None:
    """Runs that share a cluster share what they call alike."""
    first, other, third = tasks(3)
    assert Batch(tasks=(first, other)).key != Batch(tasks=(first, third)).key
    assert Batch(tasks=(first,)).key != Batch(tasks=tuple(tasks(1, way="turned"))).key
    assert Batch(tasks=(first, other)).key == Batch(tasks=tuple(tasks(2))).key


def test_many_are_handed_out_together_and_the_last_ones_one_by_one() -> None:
    shares = sizes(tasks(200), 200, 2)
    assert shares[:10] == [MAX_TOGETHER] * 10
    assert shares == sorted(shares, reverse=True)
    assert shares[-8:] == [1] * 8


def test_more_processes_get_smaller_shares() -> None:
    assert max(sizes(tasks(64), 64, 16)) == 1


def test_large_pictures_travel_alone() -> None:
    assert sizes(tasks(5, MAX_BYTES_TOGETHER), 100, 1) == [1] * 5
    assert sizes(tasks(5, MAX_BYTES_TOGETHER // 2), 100, 1) == [2, 2, 1]


def test_pictures_that_are_read_otherwise_travel_apart() -> None:
    mixed = tasks(3) + tasks(2, way="turned")
    assert sizes(mixed, 100, 1) == [3, 2]


def test_fewer_than_were_expected_are_all_handed_out() -> None:
    assert sizes(tasks(3), 1_000, 1) == [3]
    assert sizes([], 1_000, 1) == []


def test_a_picture_is_asked_for_when_its_batch_is() -> None:
    asked: list[int] = []

    def more() -> Iterator[Task]:
        for at, task in enumerate(tasks(20)):
            asked.append(at)
            yield task

    next(batched(more(), 1_000, lambda: 1))
    assert len(asked) == MAX_TOGETHER
