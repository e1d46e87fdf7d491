"""Python source as a syntax tree, also while another thread makes one."""

from collections.abc import Callable
from typing import TypeVar

Tree = TypeVar("Tree")

_TRIES = 20


def parsed(parse: Callable[[], Tree]) -> Tree:
    """What a call of ``ast.parse`` gives or raises.

    CPython 3.11 counts the depth of the tree for all threads together: where a second thread parses at the same time,
    as pytest does for a traceback, either may end in a SystemError that says nothing of the source.
    """
    for _ in range(_TRIES):
        try:
            return parse()
        except SystemError:
            continue
    return parse()
