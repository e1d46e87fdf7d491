"""Errors that a metric raised, with its source location."""

import os
import traceback
from collections.abc import Iterator
from types import CodeType

from pytest_mcpbench.core.errors import MetricError, SourceLocation

_MOST_CHARACTERS = 200


def metric_error(name: str, metric: object, error: Exception) -> MetricError:
    """Return a metric error with the stack frames from the metric's call on; call it in the ``except`` block."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return MetricError(f"raised {what[:_MOST_CHARACTERS]}", name, location_of(metric), tuple(_frames(error)))


def location_of(metric: object) -> SourceLocation | None:
    """Return file, as seen from the working directory, and line of a function or of a class' ``__call__``."""
    function = metric if hasattr(metric, "__code__") else _call_of(type(metric))
    code: CodeType | None = getattr(function, "__code__", None)
    return SourceLocation(_relative_path(code.co_filename), line=code.co_firstlineno) if code is not None else None


def _call_of(kind: type) -> object:
    return next((vars(each)["__call__"] for each in kind.__mro__ if "__call__" in vars(each)), None)


def _frames(error: Exception) -> Iterator[str]:
    """Yield all frames except the first, which is the caller's."""
    for frame in traceback.extract_tb(error.__traceback__)[1:]:
        yield f"  {_relative_path(frame.filename)}:{frame.lineno}: in {frame.name}: {frame.line}"


def _relative_path(file: str) -> str:
    from_here = os.path.relpath(file)
    return file if from_here.startswith(os.pardir) else from_here
