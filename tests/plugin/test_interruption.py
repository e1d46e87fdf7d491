"""Signals that come at a bad moment."""

import signal
import time
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mcpbench.plugin.xdist.interruption import Interruption


@pytest.fixture(autouse=True)
def interruption() -> Iterator[None]:
    # Ray, which other tests start, leaves a handler of its own.
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    channel: Any = SimpleNamespace(is_worker=False)
    scratch: Any = SimpleNamespace(remove=lambda: None)
    handlers = Interruption(channel, scratch)
    handlers.prepare()
    yield
    handlers.pytest_unconfigure()
    signal.signal(signal.SIGTERM, before)


class _Finalized:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def _in_finalizer() -> None:
    _Finalized()


class _Key:
    is_armed = False

    def __hash__(self) -> int:
        if self.is_armed:
            signal.raise_signal(signal.SIGTERM)
        return 0


def _in_weak_dictionary() -> None:
    key, value = _Key(), _Key()
    values = weakref.WeakValueDictionary({key: value})
    key.is_armed = True
    del value
    key.is_armed = False
    del values


@pytest.mark.parametrize("send", [_in_finalizer, _in_weak_dictionary])
def test_a_signal_where_python_drops_exceptions_comes_again(send: Callable[[], None]) -> None:
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):  # noqa: PT012 (the signal may come at either line)
        send()
        time.sleep(5)
