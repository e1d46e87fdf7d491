"""Registration of the plugin's parts with pytest, each with the collaborators that it needs."""

import pytest

from pytest_mcpbench.plugin.collection.file_names import SUITE_ENDING
from pytest_mcpbench.plugin.options.settings import LOCAL, SETTINGS, SHARED, Settings, read_settings

MARKER = (
    "mcpbench(suite=None, model=None, trials=None, server=None): run the test once for each task of the suite, model "
    "and trial, with the fixtures mcp_task, mcp_run, mcp_scorecard, …; mcp_tools is of that server only"
)


def activate(config: pytest.Config) -> None:
    """Keep the settings, register the rest of the plugin, add the suites that were asked for to what is collected."""
    settings = read_settings(config)
    config.stash[SETTINGS] = settings
    _register(config, settings)
    _collect_suites(config, settings)


def _register(config: pytest.Config, settings: Settings) -> None:
    """The rest of the plugin; each part imports what it needs when it is first used."""
    from pytest_mcpbench.plugin import built_ins
    from pytest_mcpbench.plugin.execution import (
        fixtures,
        lookahead,
        option_validation,
        provider_process,
        session,
        upcoming_items,
    )
    from pytest_mcpbench.plugin.output import html, progress, recorder, snapshots, terminal
    from pytest_mcpbench.plugin.xdist import crash_recovery, stopping

    records = recorder.Recorder(config, settings)
    shown = terminal.Terminal(config, settings, records)
    state = session.Session(config, settings)
    shared = provider_process.Sharing(config, settings)
    coming = upcoming_items.Upcoming(config)
    if settings.engine == SHARED:
        from pytest_mcpbench.plugin.execution import shared_engine

        config.pluginmanager.register(shared_engine.SharedEngine(config, settings, state), "mcpbench-engine")
    elif settings.engine != LOCAL:
        from pytest_mcpbench.plugin.execution import engine

        config.pluginmanager.register(engine.Engine(config, settings, state), "mcpbench-engine")
    if settings.shard is not None:
        from pytest_mcpbench.plugin.collection import sharding

        config.pluginmanager.register(sharding.Sharding(config, settings.shard, records), "mcpbench-shard")
    for name, plugin in {
        "built-ins": built_ins,
        "fixtures": fixtures,
        "snapshots": snapshots,
        "session": state,
        "sharing": shared,
        "vetting": option_validation.OptionValidation(config, settings, state),
        "progress": progress.ProgressLine(config, state, shared),
        "upcoming": coming,
        "lookahead": lookahead.LookAhead(config, state, coming, window=lookahead.window(config, settings)),
        "stopping": stopping.Stopping(config),
        "recorder": records,
        "losses": crash_recovery.CrashRecovery(config, records),
        "terminal": shown,
        "restorer": terminal.Restorer(shown),
        "html": html.Html(records),
    }.items():
        config.pluginmanager.register(plugin, f"mcpbench-{name}")


def _collect_suites(config: pytest.Config, settings: Settings) -> None:
    """Collect the suites beside the paths of the command line; where that names items of a suite, these alone."""
    explicit = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    if not settings.suites and not any(SUITE_ENDING in argument for argument in explicit):
        return
    from pytest_mcpbench.plugin.collection import suite_paths

    named = [suite_paths.argument(each, config) for each in explicit]
    files = [suite_paths.find(name, config) for name in settings.suites]
    config.args = [*named, *(str(file) for file in files if not suite_paths.has_items_of(file, named, config))]
