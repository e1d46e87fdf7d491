"""Errors are the same after their way between processes."""

import dataclasses

import pytest

from pytest_mcpbench.core.context import NotFoundError
from pytest_mcpbench.core.errors import (
    EngineError,
    McpBenchError,
    ModelError,
    SandboxError,
    ServerError,
    SourceLocation,
    TaskError,
    UsageError,
)
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.runtime.remote.errors import SerializedError

ERRORS = [
    UsageError("no"),
    TaskError("no tool", SourceLocation("a.yaml", line=3), field="tools", remedy="Name one."),
    ServerError("it died", "notes", "call", stderr="Traceback", returncode=-9),
    ModelError("refused", "gpt", status=401, attempts=3),
    SandboxError("no seed"),
    EngineError("lost"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.kind)
def test_an_error_comes_home_as_it_was(error: McpBenchError) -> None:
    home = SerializedError.model_validate_json(SerializedError.from_error(error).model_dump_json()).to_error()
    assert (type(home), dataclasses.asdict(home), str(home)) == (type(error), dataclasses.asdict(error), str(error))


def test_what_was_done_before_the_error_comes_too() -> None:
    error = ModelError("refused", "gpt")
    error.trajectory = Trajectory(steps=(Step(text="So far."),))
    home = SerializedError.model_validate_json(SerializedError.from_error(error).model_dump_json()).to_error()
    assert home.trajectory == error.trajectory


def test_an_error_of_a_class_that_is_not_known_everywhere_becomes_its_base_with_its_sentence() -> None:
    error = NotFoundError("nothing is there", path="notes[x]", part="x")
    home = SerializedError.from_error(error).to_error()
    assert (type(home), str(home)) == (SandboxError, str(error))
