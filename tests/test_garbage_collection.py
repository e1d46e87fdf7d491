"""Pause of the garbage collection."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from pytest_mcpbench.garbage_collection import paused_collection, rare_collection


def test_the_collection_goes_on_after_a_pause_even_if_its_block_fails() -> None:
    with pytest.raises(OSError, match="disk"):
        _fail_in_a_pause()
    assert gc.isenabled()


def test_a_pause_within_a_pause_does_not_end_it() -> None:
    with paused_collection():
        with paused_collection():
            pass
        assert not gc.isenabled()


@pytest.fixture
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("thresholds")
def test_cycles_of_attempts_are_still_collected_while_the_collection_is_rare() -> None:
    gc.set_threshold(700, 10, 10)
    with rare_collection():
        assert gc.get_threshold() == (7_000, 10, 10)
        cycle = _Node()
        gone = weakref.ref(cycle)
        del cycle
        gc.collect()
        assert gone() is None
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.usefixtures("thresholds")
def test_a_collection_that_somebody_turned_off_stays_off() -> None:
    gc.set_threshold(0)
    with rare_collection():
        assert gc.get_threshold()[0] == 0


class _Node:
    def __init__(self) -> None:
        self.itself = self


def _fail_in_a_pause() -> None:
    with paused_collection():
        assert not gc.isenabled()
        raise OSError("disk")
