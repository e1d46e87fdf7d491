"""Composition of the plugin: makes its parts, passes them to each other and registers their hooks with pytest."""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.model_names import alias_target
from pytest_mcpbench.garbage_collection import paused_collection, rare_collection
from pytest_mcpbench.options.reading import read_settings
from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED, Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection import catalogue, failures, suite_paths
from pytest_mcpbench.plugin.collection.deselection import SuiteSamples
from pytest_mcpbench.plugin.collection.file_names import SUITE_ENDING
from pytest_mcpbench.plugin.collection.item_state import ARMS
from pytest_mcpbench.plugin.collection.jobs import job_of_item
from pytest_mcpbench.plugin.execution.access import EarlyAccess
from pytest_mcpbench.plugin.execution.local_models import LOCAL_MODELS, LocalEngines, resolve_local_models
from pytest_mcpbench.plugin.execution.option_validation import OptionValidation
from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess
from pytest_mcpbench.plugin.execution.scratch import Scratch
from pytest_mcpbench.plugin.execution.session_door import DOOR, SessionDoor
from pytest_mcpbench.plugin.output.html import HtmlReport
from pytest_mcpbench.plugin.output.progress import ProgressCounter, ProgressLine
from pytest_mcpbench.plugin.output.recorder import Recorder
from pytest_mcpbench.plugin.output.refusals import RefusalStop
from pytest_mcpbench.plugin.output.report_files import Annotations, PageFile, ReportFiles
from pytest_mcpbench.plugin.output.run_end import RunEnd, RunVerdict, UnreportedAttempts, UnscoredAttempts
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.plugin.output.secret_removal import SecretRemoval
from pytest_mcpbench.plugin.output.terminal import EndOfLongSections, Terminal
from pytest_mcpbench.plugin.tracebacks import protect_tracebacks
from pytest_mcpbench.plugin.xdist.defaults import SchedulerChoice, limit_workers
from pytest_mcpbench.plugin.xdist.interruption import Interruption, StopSignal
from pytest_mcpbench.plugin.xdist.workers import CrashRecovery, SerialFiles, WorkerSetup
from pytest_mcpbench.servers.exposure import servers_needed
from pytest_mcpbench.servers.loading import connection_pool

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.session import Session


def activate(config: pytest.Config) -> None:
    """Read the settings, register the parts of the plugin, and add the suites of ``--suite`` to the collection."""
    protect_tracebacks()
    channel = WorkerChannel(config)
    settings = read_settings(config)
    limit = limit_workers(config, settings)
    if limit is not None:
        config.pluginmanager.register(limit, "mcpbench-worker-limit")
        # The engine and the attempts at once depend on the number of workers.
        settings = read_settings(config)
    local_models = config.stash[LOCAL_MODELS] = resolve_local_models(config, settings, channel)
    config.stash[SETTINGS] = settings = local_models.apply(settings)
    for name, part in _parts(config, settings, channel).items():
        config.pluginmanager.register(part, name)
    uses = (settings.record, settings.replay, settings.max_cost, settings.max_seconds)
    has_uses = settings.record_tools or any(value is not None for value in uses)
    # The services have something to do or to refuse before the first task is known.
    if settings.engine != LOCAL or settings.compares_arms or has_uses:
        _ = config.stash[DOOR].session
    _collect_suites(config, settings)


def _parts(config: pytest.Config, settings: Settings, channel: WorkerChannel) -> dict[str, object]:
    """Return the parts that have hooks or fixtures, by plugin name; pytest calls those that come later first."""
    local_models = config.stash[LOCAL_MODELS]
    results = RunResults(config, settings, channel)
    scratch = Scratch(channel)
    interruption = Interruption(channel, scratch)
    stop_signal = StopSignal(config, channel, scratch)
    provider = ProviderProcess(config, settings, scratch)
    terminal = Terminal(config, settings, results)
    page = PageFile(config, settings, results, channel)
    door = config.stash[DOOR] = SessionDoor(
        config, partial(_make_session, config, channel, scratch, results.directory, stop_signal.check)
    )
    engines = LocalEngines(local_models, door, provider, results.store_facts) if local_models.resolved else None
    counter = ProgressCounter(door)
    tool_set_order: object = None
    if local_models:
        from pytest_mcpbench.plugin.collection.tool_set_order import ToolSetOrder

        tool_set_order = ToolSetOrder()
    estimate: object = None
    if settings.estimate:
        from pytest_mcpbench.plugin.output.estimate import Estimate

        estimate = Estimate(config)
    run_end = RunEnd(config, channel, results, door)
    parts = {
        "scratch": scratch,
        "channel": channel,
        "rare-collection": RareCollection(config, has_attempts=settings.engine == LOCAL),
        # Before the shard, and both before the validation: hooks with `trylast` run in the order of this table.
        "suite-samples": SuiteSamples(),
        **_selection(settings, channel, results),
        "built-ins": catalogue,
        "failures": failures,
        "provider": provider,
        "engines": engines,
        "tool-formats": _tool_format_probes(config, settings, channel, config.rootpath / ".mcpbench"),
        "tool-set-order": tool_set_order,
        # Before the comparison, whose gates in workers are no items to run.
        "requeue": _requeue(settings, door),
        # Before the validation, which writes run.json with the number of attempts.
        "run-end": run_end,
        "access": EarlyAccess(config, channel),
        "validation": OptionValidation(config, door, channel, lambda: results.stored.prepare(), interruption.prepare),
        **_comparison(config, settings, results, channel),
        "estimate": estimate,
        "progress-counter": counter,
        "progress": ProgressLine(config, counter, door, provider, engines),
        "serial-files": SerialFiles(channel),
        "unreported": UnreportedAttempts(door, results, channel),
        "stopping": stop_signal,
        "refusals": RefusalStop(config, results, stop_signal.send),
        "interruption": interruption,
        "scheduler": SchedulerChoice(),
        "workers": WorkerSetup(results, provider, stop_signal, scratch, local_models),
        "report-files": ReportFiles(config, settings, results),
        "recorder": Recorder(config, settings, results),
        "crashes": CrashRecovery(results, channel),
        "terminal": terminal,
        "verdict": RunVerdict(config, settings, channel, results, run_end),
        "unscored": UnscoredAttempts(settings, results),
        "end-of-long-sections": EndOfLongSections(terminal),
        "annotations": Annotations(config, results),
        "page": page,
        "html": HtmlReport(config, results, page),
        "allure": _allure(config, results),
        "secrets": SecretRemoval(config, settings),
    }
    return {f"mcpbench-{name}": part for name, part in parts.items() if part is not None}


# Parts that only some runs need; what they import is imported here, or where it is used, with the reason beside it.


def _make_session(
    config: pytest.Config,
    channel: WorkerChannel,
    scratch: Scratch,
    directory: Path,
    check_stop: Callable[[pytest.Session], None],
) -> "Session":
    with paused_collection():
        from pytest_mcpbench.plugin.execution.session import make_session

    return make_session(config, channel, scratch, directory, check_stop)


def _selection(settings: Settings, channel: WorkerChannel, results: RunResults) -> dict[str, object | None]:
    """Return the parts that select tasks, in the order in which they do so."""
    if not (settings.shard or settings.sample or settings.tags or settings.by):
        return {}
    from pytest_mcpbench.plugin.collection import task_selection

    return task_selection.parts(settings, channel, lambda: results.stored.write_facts())


def _comparison(
    config: pytest.Config, settings: Settings, results: RunResults, channel: WorkerChannel
) -> dict[str, object | None]:
    """Return the parts of a comparison of arms. Raises a usage error for a wrong source of an arm."""
    if not settings.compares_arms and not settings.plan:
        return {}
    from pytest_mcpbench.plugin.collection.arms import Arms
    from pytest_mcpbench.plugin.output.gates import GatePlans, Gates

    if settings.compares_arms:
        arms = config.stash[ARMS] = Arms(config, settings)
        arms.read()
    return {
        "gates": Gates(config, results, channel) if settings.compares_arms else None,
        "plan": GatePlans(config) if settings.plan else None,
    }


def _requeue(settings: Settings, door: SessionDoor) -> object | None:
    if not settings.requeue_errors:
        return None
    from pytest_mcpbench.plugin.output.gates import GateItem
    from pytest_mcpbench.plugin.requeue import ErrorQueue

    return ErrorQueue(settings.requeue_errors, door, GateItem if settings.compares_arms else ())


def _tool_format_probes(
    config: pytest.Config, settings: Settings, channel: WorkerChannel, cache: Path
) -> object | None:
    """Return the part that finds out tool formats; a remote engine does so where its attempts run."""
    if channel.is_worker or settings.asks_nobody(config) or settings.engine not in (LOCAL, SHARED):
        return None
    tables = {name: alias_target(name, settings.aliases)[1] for name in settings.models}
    # The tool format of such a model must be found out by a request.
    names = [name for name, table in tables.items() if isinstance(table, Mapping) and table.get("tools") == "auto"]
    if not names:
        return None
    from pytest_mcpbench.plugin.execution.tool_format_probes import ToolFormatProbes

    return ToolFormatProbes(config, settings, names, cache)


def _allure(config: pytest.Config, results: RunResults) -> object | None:
    if not config.getoption("allure_report_dir", None):
        return None
    from pytest_mcpbench.plugin.output.allure import AllureAttachments

    return AllureAttachments(config, results)


def _collect_suites(config: pytest.Config, settings: Settings) -> None:
    """Add the suites of ``--suite`` to the paths of the command line, unless it names single items of them.

    Without paths only the suites are collected: not the working directory, and not the ``testpaths``.
    """
    explicit = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    if not settings.suites and not any(SUITE_ENDING in argument for argument in explicit):
        return
    named = [suite_paths.resolve_argument(argument, config) for argument in explicit]
    files = {name: suite_paths.find_suite_file(name, config) for name in settings.suites}
    suite_paths.remember_parts(files, named, config)
    added = dict.fromkeys(files.values())
    config.args_source = pytest.Config.ArgsSource.ARGS
    config.args = [*named, *(str(file) for file in added if not suite_paths.has_items_of(file, named, config))]


class RareCollection:
    """Collects no reference cycles until the items of a run with tasks run, and then less often.

    What comes before, modules and tasks, stays: a collection at the first item finds 60 objects of 140,000. Python
    would traverse all of it several times while it grows.
    """

    def __init__(self, config: pytest.Config, *, has_attempts: bool) -> None:
        self._has_attempts = has_attempts
        """Whether attempts run in this process, and not in that of an engine."""
        self._pause = ExitStack()
        self._pause.enter_context(paused_collection())
        config.add_cleanup(self._pause.close)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        is_listed = session.config.option.collectonly
        if self._has_attempts and not is_listed and any(map(_has_server, session.items)):
            # The first attempt would import it. Here it is among what is left out of all collections.
            connection_pool()
        self._pause.close()
        with rare_collection():
            return (yield)


def _has_server(item: pytest.Item) -> bool:
    """Return whether the item's attempt needs a server."""
    job = job_of_item(item)
    try:
        return job is not None and bool(servers_needed(job.task, job.suite))
    except TaskError:
        return False
