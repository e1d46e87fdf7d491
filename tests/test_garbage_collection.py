"""Pause of the garbage collection."""

import gc

import pytest

from pytest_mcpbench.concurrency import paused_collection


def test_the_collection_goes_on_after_a_pause_even_if_its_block_fails() -> None:
    with pytest.raises(OSError, match="disk"):
        _fail_in_a_pause()
    assert gc.isenabled()


def test_a_pause_within_a_pause_does_not_end_it() -> None:
    with paused_collection():
        with paused_collection():
            pass
        assert not gc.isenabled()


def _fail_in_a_pause() -> None:
    with paused_collection():
        assert not gc.isenabled()
        raise OSError("disk")
