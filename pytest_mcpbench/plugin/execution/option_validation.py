"""Ends a run before its first task where the command line names what does not exist.

After collection, because only then every ``conftest.py`` is known, whose hooks may give the name a meaning.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.execution import fixture_needs
from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.core.suite import SuiteManifest
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session

_REFUSED = "mcpbench_refused"


class OptionValidation:
    """A worker of xdist that refuses a name collects nothing and tells its controller, which ends the run."""

    def __init__(self, config: pytest.Config, settings: Settings, session: "Session") -> None:
        self._config = config
        self._settings = settings
        self._session = session
        self._refused: str | None = None
        """What a worker has refused."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        problem = None if session.testsfailed else self._problem(items)
        if problem is None:
            return
        workeroutput: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if workeroutput is None:
            raise pytest.UsageError(problem)
        workeroutput[_REFUSED] = problem
        items.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended."""
        self._refused = getattr(node, "workeroutput", {}).get(_REFUSED, self._refused)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Let all workers end before the run does."""
        result = yield
        if self._refused is not None:
            raise pytest.UsageError(self._refused)
        return result

    def _problem(self, items: Iterable[pytest.Item]) -> str | None:
        """The first that is found."""
        found = self._jobs(items)
        named = dict.fromkeys(job.model for item, job in found.items() if fixture_needs.takes_the_named_agent(item))
        checks: Sequence[Callable[[], None]] = (
            self._require_metrics,
            self._make_report_directories,
            self._require_suite_of_public_data,
            lambda: self._require_dispatcher_of_top_k([*found.values()]),
            lambda: self._require_agents(named),
            lambda: self._require_conditions({id(job.suite): job for job in found.values()}.values()),
        )
        try:
            for check in checks:
                check()
        except Exception as error:
            if _is_misuse(error):
                return str(error)
            raise
        return None

    def _jobs(self, items: Iterable[pytest.Item]) -> "dict[pytest.Item, Job]":
        if SUITES not in self._config.stash:
            return {}
        from pytest_mcpbench.plugin.collection import jobs

        return {item: job for item in items if (job := jobs.of_item(item)) is not None}

    def _require_metrics(self) -> None:
        if not self._settings.metrics and not self._settings.floors:
            return
        from pytest_mcpbench.plugin.collection.catalogue import catalogue_of

        catalogue = catalogue_of(self._config)
        catalogue.check_metric_names("--mcpbench-metric", self._settings.metrics)
        catalogue.check_metric_names("--mcpbench-floor", self._settings.floors)

    def _make_report_directories(self) -> None:
        """Make the directories of the reports now: an error at the end would cost the report of a paid run."""
        for option, file in (("markdown", self._settings.markdown), ("json", self._settings.json)):
            if file is not None:
                _make_directory_of(f"--mcpbench-{option}", file)

    def _require_suite_of_public_data(self) -> None:
        """Only where the command line asks for it: with the ini file a part of the tests may be run."""
        data = self._settings.data
        if data is None or self._config.getoption("mcpbench_data") is None:
            return
        read: Iterable[SuiteManifest] = self._config.stash.get(SUITES, {}).values()
        if not any(Path(suite.directory) == data.resolve() for suite in read):
            raise pytest.UsageError(
                "--mcpbench-data: no suite of this run reads it; name one, such as --suite=toolbench"
            )

    def _require_dispatcher_of_top_k(self, found: "Sequence[Job]") -> None:
        """Only where the command line says how many tools are picked: the ini file may say it for other runs."""
        if not found or self._config.getoption("mcpbench_top_k") is None:
            return
        from pytest_mcpbench.core.conditions import NO_DISPATCHER

        if all(job.suite.dispatcher == NO_DISPATCHER for job in found):
            remedy = "name a dispatcher too, such as --mcpbench-dispatcher=bm25"
            raise pytest.UsageError(f"--mcpbench-top-k: nothing picks tools in this run; {remedy}")

    def _require_agents(self, names: Iterable[str]) -> None:
        """What else keeps an agent from being made, such as a key that is not set, is an error of its items."""
        for name in names:
            self._require_agent(name)

    def _require_agent(self, name: str) -> None:
        from pytest_mcpbench.runtime.agents.factory import WITHOUT_MODEL

        if name in WITHOUT_MODEL:
            return
        try:
            self._session.agent(name)
        except Exception as error:
            # Of anything else the items that need the agent make it again, and report why that fails.
            if _is_misuse(error):
                raise

    def _require_conditions(self, one_of_each_suite: "Iterable[Job]") -> None:
        for job in one_of_each_suite:
            self._require_judge(job)
            self._require_dispatcher(job)

    def _require_judge(self, job: "Job") -> None:
        from pytest_mcpbench.runtime.judges.factory import WITHOUT_MODEL

        if self._session.judge_name(job) not in WITHOUT_MODEL:
            self._session.judge(job)

    def _require_dispatcher(self, job: "Job") -> None:
        from pytest_mcpbench.core.conditions import NO_DISPATCHER
        from pytest_mcpbench.runtime.dispatchers.factory import BM25, Dispatchers

        if job.suite.dispatcher not in (NO_DISPATCHER, BM25):
            Dispatchers(self._session.models).get(job.suite.dispatcher)


def _make_directory_of(option: str, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the directory {file.parent} cannot be made: {error.strerror}"
        raise pytest.UsageError(f"{option}: {problem}") from None
    if file.is_dir():
        raise pytest.UsageError(f"{option}: {file} is a directory; name a file")


def _is_misuse(error: Exception) -> bool:
    """Whether the command line is wrong; our own errors are imported only where there is one."""
    from pytest_mcpbench.core.errors import UsageError

    return isinstance(error, UsageError | pytest.UsageError)
