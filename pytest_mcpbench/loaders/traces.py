"""Reader of server traces, one JSON object per line; docs/reference/fidelity.md describes the format."""

from collections.abc import Iterator

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.loaders.field_errors import FieldError, to_field_error
from pytest_mcpbench.text.json_reading import read_json


def read_traces(text: str, file: str, *, require_results: bool = True) -> tuple[Trace, ...]:
    """Parse the traces of a JSONL file; the line number identifies a trace without an id.

    Args:
        text: Content of the file.
        file: Name of the file, for error messages.
        require_results: Reject calls without a recorded result.

    Raises:
        TaskError: A line is not a trace, or the file contains none.
    """
    traces = tuple(_traces(text, file, require_results=require_results))
    if not traces:
        raise TaskError("the file contains no trace.", SourceLocation(file))
    return traces


def _traces(text: str, file: str, *, require_results: bool) -> Iterator[Trace]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = SourceLocation(file, line=number)
            try:
                trace = _trace(line)
            except FieldError as error:
                raise error.at(place) from None
            if require_results:
                _check_results(trace, place)
            yield trace if trace.id else trace.model_copy(update={"id": f"line-{number}"})


def _trace(line: str) -> Trace:
    try:
        return Trace.model_validate(read_json(line))
    except ValidationError as error:
        raise to_field_error(error, Trace) from None
    except ValueError as error:
        raise FieldError(None, f"not valid JSON: {error}.") from None


def _check_results(trace: Trace, place: SourceLocation) -> None:
    for number, call in enumerate(trace.calls):
        if call.result is None:
            remedy = "Record it with mcpbench record-traces, which calls the real server."
            raise TaskError("the real server's result is missing.", place, f"calls[{number}].result", remedy)
