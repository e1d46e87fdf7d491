"""A watchdog kills the groups that it guards, and nothing else."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_mcpbench.servers.watchdog import Watchdog
from tests.servers.subjects import becomes_true


@contextmanager
def a_group() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_only_guarded_groups_are_killed_at_the_end() -> None:
    watchdog = Watchdog()
    with a_group() as guarded, a_group() as released, a_group() as guarded_too:
        for group in (guarded, released, guarded_too):
            watchdog.guard(group.pid)
        watchdog.release(released.pid)
        watchdog.close()
        assert becomes_true(lambda: guarded.poll() is not None and guarded_too.poll() is not None)
        assert released.poll() is None


def test_a_watchdog_that_never_guarded_anything_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr("subprocess.Popen", started.append)
    watchdog = Watchdog()
    watchdog.kill()
    watchdog.close()
    assert started == []
