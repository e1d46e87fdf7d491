"""The hooks by which a ``conftest.py`` or another plugin extends a run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.agents.dispatchers import Dispatcher
    from pytest_mcpbench.agents.users.dialogue import User
    from pytest_mcpbench.clients.profile import ClientProfile
    from pytest_mcpbench.core.judgement import Judge
    from pytest_mcpbench.core.loading import Loader
    from pytest_mcpbench.core.report import Report
    from pytest_mcpbench.core.score import Metric
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.generation.pipeline.setup import Pipeline
    from pytest_mcpbench.options.settings import Settings


def pytest_mcpbench_metrics(config: pytest.Config) -> "Mapping[str, Metric]":  # type: ignore[empty-body]  # a specification
    """Return metrics by name.

    A metric is a function ``(task, evidence) -> Score`` without side effects. A name that two plugins define is a
    usage error.
    """


def pytest_mcpbench_loaders(config: pytest.Config) -> "Mapping[str, Loader]":  # type: ignore[empty-body]  # a specification
    """Return loaders of task files by name, for ``loader = "name"`` in a suite.toml.

    A loader is a function ``(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]``.
    """


def pytest_mcpbench_servers(config: pytest.Config) -> "Mapping[str, ServerRef]":  # type: ignore[empty-body]  # a specification
    """Return servers by name; tasks of every suite can use them in addition to the suite's own."""


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_agent(config: pytest.Config, settings: "Settings", model: str) -> "Agent | None":
    """Return the agent for ``--model=<model>``, or ``None`` to leave it to other plugins.

    The first result wins; the built-in agents come last.
    """


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_judge(config: pytest.Config, settings: "Settings", judge: str) -> "Judge | None":
    """Return the judge for ``--mcpbench-judge=<judge>``, or ``None`` to leave it to other plugins.

    It is called with the name of each member of a panel, and with what follows ``keyfacts+``. The first result wins;
    ``keyfacts`` and models come last.
    """


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_dispatcher(
    config: pytest.Config, settings: "Settings", dispatcher: str
) -> "Dispatcher | None":
    """Return the dispatcher for ``--mcpbench-dispatcher=<dispatcher>``, or ``None`` to leave it to other plugins.

    The first result wins; ``bm25``, ``regex`` and embedding models come last.
    """


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_user(
    config: pytest.Config, settings: "Settings", user: str
) -> "Callable[[Task, int], User] | None":
    """Return what makes the users for ``--mcpbench-user=<user>``, or ``None`` to leave it to other plugins.

    That is a function ``(task, trial) -> User``, called for each attempt at a task whose user has a goal. The first
    result wins; models come last.
    """


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_client(config: pytest.Config, client: str) -> "ClientProfile | None":
    """Return the profile for ``--mcpbench-client=<client>``, or ``None`` to leave it to other plugins.

    It is called when the options are read, before tasks are collected. The first result wins; the profiles of the
    package and files come last.
    """


@pytest.hookspec(firstresult=True)
def pytest_mcpbench_make_pipeline(pipeline: str) -> "Pipeline | None":
    """Return the pipeline for ``mcpbench generate --pipeline <pipeline>``, or ``None`` for one of the package.

    It is called for the ``conftest.py`` of the directory in which the command is run.
    """


def pytest_mcpbench_report(config: pytest.Config, report: "Report") -> None:
    """Use the report of the finished run; called once, in the controlling process."""
