"""Python's collection of reference cycles, while many objects are created that stay."""

import functools
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 7_000
"""New objects between two collections of the youngest while attempts run: ten times Python's number."""


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the collection of reference cycles in a block.

    Python traverses all objects again and again while their number grows. That takes a fifth of the time to read
    thousands of records and finds nothing, because records have no cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect reference cycles less often in a block, and leave out what exists before it until the process ends.

    Modules, settings and tasks stay as long as the process. Python would traverse them again and again while attempts
    come and go, which takes a fifth of the processor time of short attempts, and several times at the end. Only the
    first block of a process leaves objects out, so that a process with many runs keeps no garbage of them.
    """
    thresholds = gc.get_threshold()
    _leave_out_what_exists()
    # A number of zero means that somebody has turned the collection off.
    gc.set_threshold(thresholds[0] and max(thresholds[0], _NEW_OBJECTS), *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@functools.cache
def _leave_out_what_exists() -> None:
    """Leave out of all collections what exists at the first call; later calls do nothing."""
    # To ask for the number of objects left out would count them, which takes longer than a short run.
    gc.freeze()
