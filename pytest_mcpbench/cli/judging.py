"""Judges for commands: a judge by its name, and one event loop in which it is asked."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.factory import make_judge
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.project_file import project_table


def call_with_judge(function: Callable[..., Any], *arguments: Any, name: str) -> Any:
    """Return the result of an asynchronous function, called with the arguments and the judge of that name."""

    async def call() -> Any:
        async with Models(model_aliases()) as models:
            return await function(*arguments, _judge(name, models))

    return anyio.run(call)


def _judge(name: str, models: Models) -> Judge:
    judge = make_judge(name, models)
    if judge is None:
        raise UsageError(f"--judge {name}: name a judge that decides, keyfacts or a model.")
    return judge


def model_aliases() -> Mapping[str, Any]:
    """Read ``[tool.mcpbench.models]`` of the pyproject.toml in the working directory."""
    aliases: Mapping[str, Any] = project_table(Path()).get("models", {})
    return aliases
