"""The process in which attempts run ahead: tracebacks beside other threads, and rare collections of cycles."""

import functools
import sys
from collections.abc import Generator
from typing import Any

import pytest
from _pytest._code import code, source

from pytest_mcpbench.garbage_collection import rare_collection
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


class RareCollection:
    """Collects reference cycles less often while the items of a run with tasks run."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        with rare_collection():
            return (yield)
