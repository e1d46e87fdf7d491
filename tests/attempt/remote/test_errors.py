"""Errors are the same after serialization."""

import dataclasses

import pytest

from pytest_mcpbench.attempt.remote.messages import SerializedError
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

ERRORS = [
    UsageError("no"),
    TaskError("no tool", SourceLocation("a.yaml", line=3), field="tools", remedy="Name one."),
    ServerError("it died", "notes", "call", stderr="Traceback", returncode=-9),
    ModelError("refused", "gpt", status=401, attempts=3),
    SandboxError("no seed"),
    EngineError("lost"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.kind)
def test_an_error_is_restored_unchanged(error: McpBenchError) -> None:
    restored = SerializedError.model_validate_json(SerializedError.from_error(error).model_dump_json()).to_error()
    assert (type(restored), dataclasses.asdict(restored), str(restored)) == (
        type(error),
        dataclasses.asdict(error),
        str(error),
    )


def test_the_trajectory_before_the_error_is_restored_too() -> None:
    error = ModelError("refused", "gpt")
    error.trajectory = Trajectory(steps=(Step(text="So far."),))
    restored = SerializedError.model_validate_json(SerializedError.from_error(error).model_dump_json()).to_error()
    assert restored.trajectory == error.trajectory


def test_an_error_of_a_class_that_is_not_known_everywhere_becomes_its_base_with_its_sentence() -> None:
    error = NotFoundError("nothing is there", path="notes[x]", part="x")
    restored = SerializedError.from_error(error).to_error()
    assert (type(restored), str(restored)) == (SandboxError, str(error))
