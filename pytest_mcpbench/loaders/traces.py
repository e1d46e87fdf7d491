"""Reader of server traces, one JSON object per line; docs/reference/fidelity.md describes the format."""

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.loaders.field_errors import models_of_lines


def read_traces(text: str, file: str, *, require_results: bool = True) -> tuple[Trace, ...]:
    """Parse the traces of a JSONL file; the line number identifies a trace without an id.

    Args:
        text: Content of the file.
        file: Name of the file, for error messages.
        require_results: Reject calls without a recorded result.

    Raises:
        TaskError: A line is not a trace, or the file contains none.
    """
    traces: list[Trace] = []
    for place, trace in models_of_lines(text, file, Trace):
        without_result = [index for index, call in enumerate(trace.calls) if call.result is None]
        if require_results and without_result:
            remedy = "Record it with mcpbench record-traces, which calls the real server."
            field = f"calls[{without_result[0]}].result"
            raise TaskError("the real server's result is missing.", place, field, remedy)
        traces.append(trace if trace.id else trace.model_copy(update={"id": f"line-{place.line}"}))
    if not traces:
        raise TaskError("the file contains no trace.", SourceLocation(file))
    return tuple(traces)
