"""Composition of the plugin: makes its parts, passes them to each other and registers their hooks with pytest."""

from pathlib import Path

import pytest

from pytest_mcpbench.options.reading import read_settings
from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED, Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection import built_ins
from pytest_mcpbench.plugin.collection.arms import ARMS, Arms
from pytest_mcpbench.plugin.collection.file_names import SUITE_ENDING
from pytest_mcpbench.plugin.collection.suite_samples import SuiteSamples
from pytest_mcpbench.plugin.execution.external_agents import ExternalAgents
from pytest_mcpbench.plugin.execution.local_models import LOCAL_MODELS, LocalEngines, resolve_local_models
from pytest_mcpbench.plugin.execution.option_validation import OptionValidation
from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess
from pytest_mcpbench.plugin.execution.refusals import RefusalGate
from pytest_mcpbench.plugin.execution.scratch import Scratch
from pytest_mcpbench.plugin.execution.session import SESSION, make_session
from pytest_mcpbench.plugin.output.annotations import Annotations
from pytest_mcpbench.plugin.output.estimate import Estimate
from pytest_mcpbench.plugin.output.gates import Gates
from pytest_mcpbench.plugin.output.html import HtmlReport
from pytest_mcpbench.plugin.output.page import PageFile
from pytest_mcpbench.plugin.output.plan import Plan
from pytest_mcpbench.plugin.output.progress import ProgressCounter, ProgressLine
from pytest_mcpbench.plugin.output.recorder import Recorder
from pytest_mcpbench.plugin.output.run_end import RunEnd, RunVerdict, UnreportedAttempts
from pytest_mcpbench.plugin.output.secret_removal import SecretRemoval
from pytest_mcpbench.plugin.output.terminal import EndOfLongSections, Terminal
from pytest_mcpbench.plugin.output.unscored_attempts import UnscoredAttempts
from pytest_mcpbench.plugin.xdist.interruption import Interruption
from pytest_mcpbench.plugin.xdist.scheduler_choice import SchedulerChoice
from pytest_mcpbench.plugin.xdist.stopping import StopSignal
from pytest_mcpbench.plugin.xdist.workers import CrashRecovery, WorkerSetup


def activate(config: pytest.Config) -> None:
    """Read the settings, register the parts of the plugin, and add the suites of ``--suite`` to the collection."""
    channel = WorkerChannel(config)
    settings = read_settings(config)
    local_models = config.stash[LOCAL_MODELS] = resolve_local_models(config, settings, channel)
    config.stash[SETTINGS] = settings = local_models.apply(settings)
    for name, part in _parts(config, settings, channel).items():
        config.pluginmanager.register(part, name)
    _collect_suites(config, settings)


def _parts(config: pytest.Config, settings: Settings, channel: WorkerChannel) -> dict[str, object]:
    """Return the parts that have hooks or fixtures, by plugin name; pytest calls those that come later first."""
    local_models = config.stash[LOCAL_MODELS]
    recorder = Recorder(config, settings, channel)
    scratch = Scratch(channel)
    interruption = Interruption(channel, scratch)
    stop_signal = StopSignal(config, channel, scratch)
    provider = ProviderProcess(config, settings, scratch)
    terminal = Terminal(config, settings, recorder)
    page = PageFile(config, settings, recorder, channel)
    arms = config.stash[ARMS] = Arms(config, settings)
    arms.read()
    session = config.stash[SESSION] = make_session(config, channel, scratch, recorder.directory, stop_signal.check)
    engines = (
        LocalEngines(local_models, session.models, provider, recorder.store_speeds) if local_models.resolved else None
    )
    counter = ProgressCounter(session.lookahead)
    parts = {
        "scratch": scratch,
        "channel": channel,
        "engine": session.engine,
        # Before the shard, and both before the validation: hooks with `trylast` run in the order of this table.
        "suite-samples": SuiteSamples(),
        "shard": _sharding(settings, channel, recorder),
        "sample": _sampling(settings, channel),
        "tags": _tag_filter(settings, channel),
        "breakdown-tags": _breakdown_tags(settings, channel),
        "built-ins": built_ins,
        "built-in-agents": session.built_in_agents,
        "external-agents": ExternalAgents(),
        "cassette": session.cassette,
        "executor": session.executor,
        "journal": session.journal,
        "provider": provider,
        "engines": engines,
        "tool-formats": _tool_format_probes(config, settings, channel, session.models.cache),
        "tool-set-order": _tool_set_order() if local_models else None,
        # Before the validation, which writes run.json with the number of attempts.
        "run-end": RunEnd(config, channel, recorder, session.budget_gate),
        "validation": OptionValidation(
            config,
            session.models,
            session.agents,
            session.judges,
            session.users,
            session.comparisons,
            channel,
            recorder.prepare,
            interruption.prepare,
        ),
        "gates": Gates(config, session, recorder, channel) if settings.compares_arms else None,
        "plan": Plan(config) if settings.plan else None,
        "estimate": Estimate(config) if settings.estimate else None,
        "progress-counter": counter,
        "progress": ProgressLine(config, counter, session.models, session.local, provider, engines),
        "upcoming": session.upcoming,
        "lookahead": session.lookahead,
        "budget": session.budget if session.budget.is_limited else None,
        "budget-gate": session.budget_gate if session.budget.is_limited else None,
        "unreported": UnreportedAttempts(session.lookahead, session.scorer, recorder, channel),
        "stopping": stop_signal,
        "refusals": RefusalGate(config, stop_signal.send),
        "interruption": interruption,
        "scheduler": SchedulerChoice(),
        "workers": WorkerSetup(recorder, provider, stop_signal, scratch, local_models),
        "recorder": recorder,
        "crashes": CrashRecovery(recorder, channel),
        "terminal": terminal,
        "verdict": RunVerdict(config, settings, channel, recorder),
        "unscored": UnscoredAttempts(settings, recorder),
        "end-of-long-sections": EndOfLongSections(terminal),
        "annotations": Annotations(config, recorder),
        "page": page,
        "html": HtmlReport(config, recorder, page),
        "allure": _allure(config, recorder),
        "secrets": SecretRemoval(config, settings),
    }
    return {f"mcpbench-{name}": part for name, part in parts.items() if part is not None}


def _sharding(settings: Settings, channel: WorkerChannel, recorder: Recorder) -> object | None:
    if settings.shard is None:
        return None
    from pytest_mcpbench.plugin.collection.task_selection import Sharding

    return Sharding(settings.shard, channel, recorder.write_facts)


def _tool_format_probes(
    config: pytest.Config, settings: Settings, channel: WorkerChannel, cache: Path
) -> object | None:
    """Return the part that finds out tool formats; a remote engine does so where its attempts run."""
    if channel.is_worker or settings.asks_nobody(config) or settings.engine not in (LOCAL, SHARED):
        return None
    from pytest_mcpbench.plugin.execution.tool_format_probes import ToolFormatProbes, models_to_probe

    names = models_to_probe(settings)
    return ToolFormatProbes(config, settings, names, cache) if names else None


def _tool_set_order() -> object:
    from pytest_mcpbench.plugin.collection.tool_set_order import ToolSetOrder

    return ToolSetOrder()


def _allure(config: pytest.Config, recorder: Recorder) -> object | None:
    if not config.getoption("allure_report_dir", None):
        return None
    from pytest_mcpbench.plugin.output.allure import AllureAttachments

    return AllureAttachments(recorder)


def _sampling(settings: Settings, channel: WorkerChannel) -> object | None:
    if settings.sample is None:
        return None
    from pytest_mcpbench.plugin.collection.task_selection import Sampling

    return Sampling(settings.sample, channel)


def _breakdown_tags(settings: Settings, channel: WorkerChannel) -> object | None:
    if not settings.by:
        return None
    from pytest_mcpbench.plugin.collection.task_selection import BreakdownTags
    from pytest_mcpbench.reporting.tables.breakdown import split_names

    return BreakdownTags([tag for text in settings.by for tag in split_names(text)], channel)


def _tag_filter(settings: Settings, channel: WorkerChannel) -> object | None:
    if not settings.tags:
        return None
    from pytest_mcpbench.core.selection import TagSelection
    from pytest_mcpbench.plugin.collection.task_selection import TagFilter

    return TagFilter(TagSelection.parse(settings.tags), channel)


def _collect_suites(config: pytest.Config, settings: Settings) -> None:
    """Add the suites of ``--suite`` to the paths of the command line, unless it names single items of them.

    Without paths only the suites are collected: not the working directory, and not the ``testpaths``.
    """
    explicit = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    if not settings.suites and not any(SUITE_ENDING in argument for argument in explicit):
        return
    from pytest_mcpbench.plugin.collection import suite_paths

    named = [suite_paths.resolve_argument(argument, config) for argument in explicit]
    files = {name: suite_paths.find_suite_file(name, config) for name in settings.suites}
    suite_paths.remember_whole_suites(files, named, config)
    added = dict.fromkeys(files.values())
    config.args_source = pytest.Config.ArgsSource.ARGS
    config.args = [*named, *(str(file) for file in added if not suite_paths.has_items_of(file, named, config))]
