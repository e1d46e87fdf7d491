"""Annotations of failing tasks in jobs of GitHub Actions."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_mcpbench.plugin.output.run_results import RunResults

_OTHER_PLUGIN = "pytest_github_actions_annotate_failures"


class Annotations:
    """Prints commands that GitHub shows at the lines of the tasks, unless another plugin annotates failures."""

    def __init__(self, config: pytest.Config, results: RunResults) -> None:
        self._config = config
        self._results = results

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        is_of_github = os.environ.get("GITHUB_ACTIONS") == "true"
        if not is_of_github or not self._results.entries or self._config.pluginmanager.has_plugin(_OTHER_PLUGIN):
            return
        from pytest_mcpbench.reporting.texts.annotations import github_commands

        with self._results.writing("the annotations for GitHub"):
            directory = directory_in_repository(self._config.rootpath, os.environ)
            for command in github_commands(self._results.entries, directory=directory):
                terminalreporter.write_line(command)


def directory_in_repository(root: Path, environment: Mapping[str, str]) -> str | None:
    """Return the directory relative to the checked out repository; ``None`` if it is outside of it."""
    repository = Path(environment.get("GITHUB_WORKSPACE", root)).resolve()
    return root.resolve().relative_to(repository).as_posix() if root.resolve().is_relative_to(repository) else None
