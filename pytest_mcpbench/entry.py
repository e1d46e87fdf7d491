"""Entry point of the pytest plugin: hooks that delegate.

Loaded by every pytest run of its users: with the modules that it imports, it loads only pytest and the standard
library.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.options import settings as options
from pytest_mcpbench.plugin import activation, fixtures
from pytest_mcpbench.plugin.collection import file_names

MARKER = (
    "mcpbench(suite=None, model=None, trials=None, server=None): run the test once for each task of the suite, model "
    "and trial, with the fixtures mcp_task, mcp_run, mcp_scorecard, …; mcp_tools is of that server only"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the prefixed options and the ini values."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the extension points."""
    from pytest_mcpbench import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None]:
    """Add ``--suite``, ``--model`` and ``--trials`` after all other plugins and conftests have added their options."""
    activation.replace_older_comment(early_config)
    if activation.may_run_suites(early_config, args):
        from pytest_mcpbench.plugin.collection import suite_paths

        with suite_paths.conftests_of_suites(early_config, args, parser):
            yield
    else:
        yield
    options.add_short_options(early_config, parser)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, the fixtures and, in a run that speaks of tasks, all other parts of the plugin."""
    config.addinivalue_line("markers", MARKER)
    config.pluginmanager.register(fixtures)
    activation.prepare(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect ``*.mcpbench.yaml|yml|jsonl``, ``*tools.lock.json``, and a ``suite.toml`` that the command line names."""
    if file_names.is_lock_file(file_path):
        activation.load(parent.config)
        from pytest_mcpbench.plugin.execution.lock_items import LockFile

        return LockFile.from_parent(parent, path=file_path)
    if not file_names.is_task_file(file_path, parent.session):
        return None
    activation.load(parent.config)
    from pytest_mcpbench.plugin.collection.task_items import TaskFile

    return TaskFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize users' own tests over tasks or servers; raise an error for a marker that has no effect."""
    if not activation.FIXTURES.isdisjoint(metafunc.fixturenames):
        activation.load(metafunc.config)
    if "mcp_job" in metafunc.fixturenames or "mcp_server" in metafunc.fixturenames:
        from pytest_mcpbench.plugin.collection import written_tests

        written_tests.parametrize(metafunc)
    elif any(mark.name == "mcpbench" for mark in metafunc.definition.own_markers):
        from pytest_mcpbench.plugin.collection import written_tests

        written_tests.require_fixture(metafunc)


def pytest_assertrepr_compare(config: pytest.Config, op: str, left: Any, right: Any) -> list[str] | None:
    """Explain ``assert mcp_scorecard["ast"] >= 0.9``."""
    if type(left).__name__ != "Score" and type(right).__name__ != "Score":
        return None
    from pytest_mcpbench.plugin.collection import written_tests

    return written_tests.explain_comparison(op, left, right, verbosity=config.get_verbosity())
