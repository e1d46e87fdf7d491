"""Tracebacks that pytest renders while other threads of the process run attempts ahead."""

import functools
import sys
from typing import Any

from _pytest._code import code, source

from pytest_mcpbench.simulated.python_syntax import parse_in_threads

_SAFE_FROM = (3, 12)
"""Version of Python from which threads do not disturb each other's parsing."""


def protect_tracebacks() -> None:
    """Let pytest try again where reading the source of a traceback fails because another thread parses.

    The error would be an internal error of pytest, which ends the run. pytest has no public way to change this.
    """
    find = source.getstatementrange_ast
    if sys.version_info >= _SAFE_FROM or hasattr(find, "__wrapped__"):
        return

    @functools.wraps(find)
    def retrying(*arguments: Any, **named: Any) -> Any:
        return parse_in_threads(lambda: find(*arguments, **named))

    source.getstatementrange_ast = code.getstatementrange_ast = retrying  # type: ignore[attr-defined]
