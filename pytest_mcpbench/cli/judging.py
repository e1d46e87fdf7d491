"""Judges for commands: a judge by its name, and one event loop in which it is asked."""

from collections.abc import Callable, Mapping
from typing import Any

import anyio

from pytest_mcpbench.cli.local_models import served_aliases
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.factory import make_judge
from pytest_mcpbench.runtime.models.factory import Models


def call_with_judge(function: Callable[..., Any], *arguments: Any, name: str) -> Any:
    """Return the result of an asynchronous function, called with the arguments and the judge of that name."""

    async def call(aliases: Mapping[str, Any]) -> Any:
        async with Models(aliases) as models:
            return await function(*arguments, _judge(name, models))

    with served_aliases(name) as aliases:
        return anyio.run(call, aliases)


def _judge(name: str, models: Models) -> Judge:
    judge = make_judge(name, models)
    if judge is None:
        raise UsageError(f"--judge {name}: name a judge that decides, keyfacts or a model.")
    return judge
