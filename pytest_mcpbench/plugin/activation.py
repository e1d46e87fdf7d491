"""The boundary between what every pytest run loads and what runs with tasks load.

A run whose command line or project speaks of this plugin loads it at once, before the session starts. Any other run
loads it with the first task file, lock file or test with a fixture of ours: most runs of most users have none, and pay
for the fixtures and the declarations of the options only.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.options.option import OptionReader, only_lists
from pytest_mcpbench.options.settings import ALL_OPTIONS
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.file_names import LOCK_ENDING, SUITE_ENDING, TASK_FILE_ENDINGS

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.session import Session


FIXTURES = frozenset(
    {
        "mcp_agent",
        "mcp_call",
        "mcp_item",
        "mcp_job",
        "mcp_lint",
        "mcp_protocol_faults",
        "mcp_run",
        "mcp_sandbox",
        "mcp_sanitizers",
        "mcp_scorecard",
        "mcp_server",
        "mcp_servers",
        "mcp_session",
        "mcp_task",
        "mcp_tools",
        "tool_response_snapshot",
        "tool_schema_snapshot",
    }
)
"""Names of the fixtures for tests; a test compares them with those that exist."""

_OF_OTHERS = ("numprocesses", "tx", "htmlpath", "allure_report_dir")
"""Options of pytest-xdist, pytest-html and allure-pytest, with which the parts work from the start of the session."""
_OF_OTHERS_IN_WORKERS = ("allure_report_dir",)
"""Those of them that have work in the workers of pytest-xdist, which collect the tests."""

_ACTIVATION = pytest.StashKey["Activation"]()


def replace_older_comment(config: pytest.Config) -> None:
    """Remove the file of ``--mcpbench-markdown`` before anything can end the run, such as an unknown option.

    A workflow that comments in any case would else show the report of an earlier run. A run that ends before its
    session leaves a comment with its error. The file stays as it is if pytest only prints something, such as its help.
    """
    given = config.known_args_namespace
    name = getattr(given, "mcpbench_markdown", None) or config.getini("mcpbench_markdown")
    if not name or only_lists(given):
        return
    file = config.invocation_params.dir / name
    # No device, and no link to one, such as /dev/stdout.
    with suppress(OSError):
        if file.is_file() and not file.is_symlink():
            file.unlink()

    def comment_on_error() -> None:
        # pytest calls it while it handles the exception that ends the run.
        if sys.exception() is not None:
            from pytest_mcpbench.plugin.output.run_end import write_early_comment

            write_early_comment(config, file)

    config.add_cleanup(comment_on_error)


def prepare(config: pytest.Config) -> None:
    """Load the plugin if the run speaks of it, or wait for the first task. Raises a usage error for wrong options."""
    if is_worker(config):
        config.pluginmanager.register(SentReports(), "mcpbench-sent-reports")
    activation = config.stash[_ACTIVATION] = Activation(config)
    if _speaks_of_tasks(config):
        activation.load()
    else:
        config.pluginmanager.register(activation, "mcpbench-activation")


def load(config: pytest.Config) -> None:
    """Load the plugin unless it is loaded; its hooks and fixtures work from now on."""
    config.stash[_ACTIVATION].load()


def services(config: pytest.Config) -> Session:
    """Load the plugin unless it is loaded, and return the services that run attempts."""
    # Imported here: only runs with tasks need it.
    from pytest_mcpbench.plugin.execution.session_door import DOOR

    load(config)
    return config.stash[DOOR].session


class Activation:
    """Loads the parts of the plugin once, and calls those of their hooks that pytest has called before."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_loaded = False
        self._session: pytest.Session | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Remove secrets from an error that ends the collection, for which the part with this hook comes too late."""
        try:
            return (yield)
        except BaseException:
            if self._is_loaded:
                from pytest_mcpbench.plugin.output.secret_removal import CleanErrors

                with CleanErrors(self._config):
                    raise
            raise

    def load(self) -> None:
        """Register the parts with pytest, which calls their ``pytest_configure`` if it is late."""
        if self._is_loaded:
            return
        self._is_loaded = True
        with paused_collection():
            from pytest_mcpbench.plugin import registration
            from pytest_mcpbench.plugin.collection.known_secrets import cleaned_usage_error

        manager = self._config.pluginmanager
        others = manager.get_plugins()
        try:
            registration.activate(self._config)
        except pytest.UsageError as error:
            raise cleaned_usage_error(self._config, error) from None
        if self._session is not None:
            manager.subset_hook_caller("pytest_sessionstart", others)(session=self._session)


class SentReports:
    """Reports of a worker as pytest-xdist can send them: a directory that is not collected may have any name.

    Workers send reports, those of directories first, before they know whether there is a task.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self) -> Generator[None, Any, Any]:
        sent = yield
        # `repr` escapes a lone surrogate. Without one, there is nothing to import.
        if "\\ud" not in repr(sent):
            return sent
        from pytest_mcpbench.text.normal_forms import without_surrogates

        return without_surrogates(sent)


def may_run_suites(config: pytest.Config, args: list[str]) -> bool:
    """Return whether the command line or the ini file may name a suite; before pytest has parsed the command line."""
    return bool(config.getini("mcpbench_suite")) or any("suite" in each or each.startswith("@") for each in args)


def _speaks_of_tasks(config: pytest.Config) -> bool:
    """Return whether options, arguments, the ini file or the pyproject.toml of the project name this plugin."""
    others = _OF_OTHERS_IN_WORKERS if is_worker(config) else _OF_OTHERS
    if any(config.getoption(name, None) for name in others):
        return True
    reader = OptionReader(config)
    try:
        if any(reader.value(option.name, kind=option.type) not in (None, "", []) for option in ALL_OPTIONS):
            return True
    except pytest.UsageError:
        return True
    endings = (*TASK_FILE_ENDINGS, LOCK_ENDING, SUITE_ENDING)
    if any(argument.partition("::")[0].endswith(endings) for argument in map(str, config.args)):
        return True
    try:
        return b"mcpbench" in (config.rootpath / "pyproject.toml").read_bytes()
    except OSError:
        return False
