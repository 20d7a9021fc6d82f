"""What is prepared before the first photo."""

from vision.pipeline import warm_up


def test_one_thread_prepares_it_and_ends() -> None:
    thread = warm_up()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert warm_up() is thread
