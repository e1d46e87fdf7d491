"""Judges and local models for commands."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.model_names import local_target, panel_members
from pytest_mcpbench.files.project_file import project_table
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.local.engine_process import EngineProcess
from pytest_mcpbench.models.local.resolution import describe, resolve

# Local models of a command: resolved and started before it asks them, and ended with it.


def model_aliases() -> Mapping[str, Any]:
    """Read ``[tool.mcpbench.models]`` of the pyproject.toml in the working directory."""
    aliases: Mapping[str, Any] = project_table(Path()).get("models", {})
    return aliases


@contextmanager
def served_aliases(names: str, *, are_asked: bool = True) -> Iterator[Mapping[str, Any]]:
    """Return the project's aliases, with tables for the local models among names, which serve inside of the context.

    Args:
        names: Name of a model, or of several with commas between.
        are_asked: Whether the models are asked; if not, no engine is started and no server is looked for.

    Raises:
        UsageError: a local model cannot run here.
    """
    aliases = dict(model_aliases())
    targets = [target for name in panel_members(names) if (target := local_target(name, aliases)) is not None]
    with ExitStack() as stack:
        for alias, table, address in targets:
            model = resolve(address) if are_asked else describe(address)
            print(f"{alias} is {model.description}; $0", file=sys.stderr)
            process: EngineProcess | None = model.start()
            if process is not None:
                stack.enter_context(closing(process))
                process.wait()
            model.release()
            # One request at a time, as in a run: more would only wait for each other.
            aliases[alias] = {"concurrency": 1, **model.table_with(table)}
        yield aliases


# Judges for commands: a judge by its name, and one event loop in which it is asked.


def call_with_judge(function: Callable[..., Any], *arguments: Any, name: str) -> Any:
    """Return the result of an asynchronous function, called with the arguments and the judge of that name."""

    async def call(aliases: Mapping[str, Any]) -> Any:
        async with Models(aliases) as models:
            return await function(*arguments, named_judge(name, models))

    with served_aliases(name) as aliases:
        return anyio.run(call, aliases)


def named_judge(name: str, models: Models) -> Judge:
    """Return the judge with that name. Raises ``UsageError`` if it does not judge."""
    judge = make_judge(name, models)
    if judge is None:
        raise UsageError(f"--judge {name}: name a judge that decides, keyfacts or a model.")
    return judge
