"""Reads traces of a server: one a line, as docs/reference/fidelity.md describes them."""

import json
from collections.abc import Iterator

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.loaders.complaint import FieldError, complaint


def read_traces(text: str, file: str, *, recorded: bool = True) -> tuple[Trace, ...]:
    """The traces of a JSONL file; one without an id gets its line as such.

    Args:
        text: Content of the file.
        file: Its name, for messages.
        recorded: Whether every call must have its result.

    Raises:
        TaskError: a line is no trace, or there is none.
    """
    traces = tuple(_traces(text, file, recorded=recorded))
    if not traces:
        raise TaskError("there is no trace in it.", SourceLocation(file))
    return traces


def _traces(text: str, file: str, *, recorded: bool) -> Iterator[Trace]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = SourceLocation(file, line=number)
            try:
                trace = _trace(line)
            except FieldError as wrong:
                raise wrong.at(place) from None
            if recorded:
                _check_results(trace, place)
            yield trace if trace.id else trace.model_copy(update={"id": f"line-{number}"})


def _trace(line: str) -> Trace:
    try:
        return Trace.model_validate(json.loads(line))
    except ValidationError as error:
        raise complaint(error, Trace) from None
    except ValueError as error:
        raise FieldError(None, f"not valid JSON: {error}.") from None


def _check_results(trace: Trace, place: SourceLocation) -> None:
    for number, call in enumerate(trace.calls):
        if call.result is None:
            remedy = "Record it: mcpbench record-traces makes the calls on the real server."
            raise TaskError("the real server's answer is missing.", place, f"calls[{number}].result", remedy)
