"""Parsing of Python source that is safe while other threads parse too."""

from collections.abc import Callable
from typing import TypeVar

Tree = TypeVar("Tree")

_TRIES = 20


def parse_in_threads(parse: Callable[[], Tree]) -> Tree:
    """Call ``parse``, which calls ``ast.parse``, and retry if it fails because of another thread.

    CPython 3.11 counts the depth of the syntax tree for all threads together: if a second thread parses at the same
    time, as pytest does for a traceback, either may fail with a SystemError that is unrelated to the source.
    """
    for _ in range(_TRIES):
        try:
            return parse()
        except SystemError:
            continue
    return parse()
