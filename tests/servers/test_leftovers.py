"""Processes of killed runs are ended by the next run, and those of living runs are not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mcpbench.servers import leftovers
from pytest_mcpbench.servers.leftovers import MARK, Owner, end_leftovers, marked_children
from tests.servers.subjects import becomes_true

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
HERE = Owner.this_process()
MARK_OF_ENDED_PROCESS = "from pytest_mcpbench.servers.leftovers import *; print(Owner.this_process().new_mark())"


@contextmanager
def marked(mark: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "300"], env={**os.environ, MARK: mark}, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_processes_of_an_ended_owner_are_ended_and_those_of_a_living_one_stay() -> None:
    command = [sys.executable, "-c", MARK_OF_ENDED_PROCESS]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with marked(f"{ended}-1") as server, marked(ended) as provider, marked(f"{HERE.new_mark()}-1") as other_run:
        end_leftovers()
        assert becomes_true(lambda: server.poll() is not None and provider.poll() is not None)
        assert other_run.poll() is None


def test_the_id_of_an_ended_owner_may_belong_to_another_process_now() -> None:
    with marked(replace(HERE, start_time="1").new_mark()) as left:
        end_leftovers()
        assert becomes_true(lambda: left.poll() is not None)


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param(replace(HERE, start_time="1", namespace="1").new_mark(), id="another container"),
        pytest.param("0a1b2c-1", id="an earlier version"),
        pytest.param("", id="empty"),
    ],
)
def test_a_mark_whose_owner_cannot_be_seen_is_left_alone(mark: str) -> None:
    with marked(mark) as other:
        end_leftovers()
        assert other.poll() is None


def test_a_run_inside_a_leftover_does_not_end_its_own_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = replace(HERE, start_time="1").new_mark()
    monkeypatch.setenv(MARK, mark)
    killed: list[int] = []
    # Other runs on this machine, which are not inside the leftover, may end the worker at any moment.
    monkeypatch.setattr(leftovers, "kill", killed.append)
    with marked(mark) as worker:
        monkeypatch.delenv(MARK)
        end_leftovers()
        assert worker.pid in killed or worker.poll() is not None
        killed.clear()
        monkeypatch.setenv(MARK, mark)
        end_leftovers()
        assert worker.pid not in killed


def test_what_a_library_starts_is_marked_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, "inherited")
    with marked_children():
        owner = Owner.of_mark(subprocess.run(["printenv", MARK], stdout=subprocess.PIPE, text=True, check=True).stdout)
    assert (owner, os.environ[MARK], os.environ.get("SPT_NOENV")) == (HERE, "inherited", None)
