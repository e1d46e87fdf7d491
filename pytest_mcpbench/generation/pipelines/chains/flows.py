"""Flows of values from results into arguments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.generation.pipeline.paths import Path, path_text, scalars
from pytest_mcpbench.generation.pipelines.chains.candidates import Flow, SampleCall

_LEAST_NUMBER = 10
"""Smaller numbers are equal by chance too often."""
_SHORTEST_TEXT = 2


def flow_into(value: Any, results: Sequence[SampleCall], request: str) -> tuple[int, str] | None:
    """Return the index of the latest call whose result has the value of an argument, and the path to it.

    A value that the request states, or that is too common to tell anything, comes from no result. A result that
    repeats an argument of its own call is no source of it.
    """
    if isinstance(value, bool) or value is None:
        is_telling = False
    else:
        is_telling = len(value.strip()) >= _SHORTEST_TEXT if isinstance(value, str) else abs(value) >= _LEAST_NUMBER
    # A request states a value as a word of its own: 100 does not state 10.
    if not is_telling or re.search(rf"(?i)(?<!\w){re.escape(str(value).strip())}(?!\w)", request) is not None:
        return None
    for index in reversed(range(len(results))):
        if any(given == value for _, given in argument_values(results[index].arguments)):
            continue
        for path, found in scalars(results[index].result):
            if type(found) is type(value) and found == value and (text := path_text(path)) is not None:
                return index, text
    return None


def flows_into(call: SampleCall, earlier: SampleCall, request: str) -> Iterator[Flow]:
    """Yield the flows from one call into another."""
    for path, value in argument_values(call.arguments):
        source = flow_into(value, [earlier], request)
        if source is not None:
            yield Flow(path=source[1], parameter=".".join(map(str, path)))


def argument_values(arguments: Mapping[str, Any]) -> list[tuple[Path, Any]]:
    """Return all texts and numbers in arguments, with their paths."""
    return list(scalars(dict(arguments)))
