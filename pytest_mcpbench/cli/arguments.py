"""Types and forms of arguments of several commands."""

import argparse
import math
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError

# Types of arguments: runs and numbers; the message of a refused one says what would be right.

RUN_HELP = "directory of a run, as it was passed to --mcpbench-out, or last for the latest run"


def run_directory(text: str) -> Path:
    """Return the directory of a run; ``last`` is the latest run of the project."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.runs.lookup import run_path

    try:
        return run_path(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive(text: str) -> int:
    """Return a whole number from 1."""
    return _whole_number(text, "a whole number from 1", low=1)


def count(text: str) -> int:
    """Return a whole number from 0."""
    return _whole_number(text, "a whole number from 0", low=0)


def port(text: str) -> int:
    """Return the number of a port, from 0 (any free one) to 65535."""
    return _whole_number(text, "a port, which is a number from 0 to 65535", low=0, high=65535)


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def _whole_number(text: str, expected: str, *, low: int, high: float = math.inf) -> int:
    try:
        number = int(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return number


# Arguments of the form ``NAME=VALUE``.


def split_named_value(text: str, option: str) -> tuple[str, str]:
    """Return name and value. Raises UsageError if one of them or the equals sign is missing."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"{option}: write NAME=VALUE instead of {text!r}.")
    return name, value
