"""Checks, before anything starts, that the servers which a task names are in its suite."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.sandbox import FILES
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task


def check_server_names(record: LoadedTask, suite: SuiteManifest) -> LoadedTask:
    """Return the record; with an error if its seeds, state checks or verify checks name a server that the suite lacks.

    A suite without servers is not checked: a fixture may provide them.
    """
    if record.task is None or not suite.servers:
        return record
    for field, name, known in _references(record.task, suite):
        if name not in known:
            problem = f"no server is called {name!r}; there are: {', '.join(known)}."
            return replace(record, task=None, error=TaskError(problem, record.place, field, did_you_mean(name, known)))
    return record


def _references(task: Task, suite: SuiteManifest) -> Iterator[tuple[str, str, Collection[str]]]:
    """Yield the field, the server that it names, and the servers that exist."""
    servers = tuple(suite.servers)
    yield from ((f"context.seeds.{name}", name, servers) for name in task.context.seeds)
    for at, check in enumerate(task.expected.state):
        if check.world is not None:
            yield f"state[{at}].world", check.world, (*servers, FILES)
    for at, verify in enumerate(task.expected.verify):
        if verify.server is not None:
            yield f"verify[{at}].server", verify.server, servers
