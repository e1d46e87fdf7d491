"""Reader of results in the format of MCP-RADAR's appendix C (Eval-Result): what another harness recorded."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, JsonValue, ValidationError

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.loaders.field_errors import to_field_error
from pytest_mcpbench.loaders.json_records import read_json_records

_NULL_AS_EMPTY = BeforeValidator(lambda value: "" if value is None else value)


class EvalCall(FrozenModel):
    """A call as the model wrote it."""

    model_config = ConfigDict(extra="ignore")

    name: str
    arguments: Annotated[str | dict[str, JsonValue], _NULL_AS_EMPTY] = ""
    """Text as the model wrote it, JSON or not, or an object."""


class ToolUsage(FrozenModel):
    """The calls of an attempt; their number and names follow from them."""

    model_config = ConfigDict(extra="ignore")

    tool_calls: tuple[EvalCall, ...] = ()


class EvalResult(FrozenModel):
    """One attempt; what follows from a task (``ground_truth``) or is to be computed (``success``) is not read."""

    model_config = ConfigDict(extra="ignore")

    unique_id: Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))] = ""
    """Id of the task; other harnesses have ids of their own."""
    question: str
    mcpbench_trial: int | None = None
    """Number of the attempt among those of its task, from 1, in files that this program has written."""
    prediction: Annotated[str, _NULL_AS_EMPTY] = ""
    tool_usage: ToolUsage = ToolUsage()


def is_eval_results(content: bytes, file: str) -> bool:
    """Return whether the first record of a file is a result."""
    first = next(read_json_records(content, file), None)
    return first is not None and isinstance(first.value, dict) and {"question", "tool_usage"} <= first.value.keys()


def read_eval_results(content: bytes, file: str) -> Iterator[EvalResult]:
    """Yield the results of a JSON array, of JSON lines, or of one object.

    Raises:
        TaskError: one of them is not a result.
    """
    for record in read_json_records(content, file):
        if record.problem is not None:
            raise TaskError(f"{record.problem}.", record.place)
        try:
            result = EvalResult.model_validate(record.value)
        except ValidationError as error:
            raise to_field_error(error, EvalResult).at(record.place) from None
        yield result
