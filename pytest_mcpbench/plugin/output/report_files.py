"""Reports that options and CI systems ask for, written in the process that has all entries."""

import os
import time
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.forms.number_formats import quantity

if TYPE_CHECKING:
    from pytest_mcpbench.core.record import RunRecord


class ReportFiles:
    """Writer of the report of ``--mcpbench-json`` and of those of hooks."""

    def __init__(self, config: pytest.Config, settings: Settings, results: RunResults) -> None:
        self._config = config
        self._settings = settings
        self._results = results

    def pytest_sessionfinish(self) -> None:
        if not self._results.exist or is_worker(self._config):
            return
        if self._settings.json is not None:
            # Imported here: only runs with this option need it.
            from pytest_mcpbench.reporting.data import json

            with self._results.writing("the report of --mcpbench-json", "--format json --out FILE"):
                text = json.text(self._results.report())
                self._settings.json.write_text(text, encoding="utf-8", errors="backslashreplace")
        with self._results.writing("the report of a hook pytest_mcpbench_report"):
            self._config.hook.pytest_mcpbench_report(config=self._config, report=self._results.report())


class PageFile:
    """Writes the page at the end of the session, in the process that has all entries."""

    def __init__(self, config: pytest.Config, settings: Settings, results: RunResults, channel: WorkerChannel) -> None:
        self._results = results
        self._channel = channel
        self.path = settings.page
        html = config.getoption("htmlpath", None)
        if self.path is None and html is not None:
            # Beside the report of pytest-html: `report.mcpbench.html` for `report.html`.
            beside = Path(os.path.expandvars(html)).expanduser()
            self.path = beside.with_name(f"{beside.stem}.mcpbench.html")

    def pytest_sessionfinish(self) -> None:
        if self.path is None or not self._results.exist or self._channel.is_worker:
            return
        self._results.say(f"writing the page of {quantity(len(self._results.entries), 'attempt')} to {self.path}")
        started = time.perf_counter()
        with self._results.writing("the page", "--format html --out FILE"):
            self._write(self.path)
            size, took = self.path.stat().st_size / 1e6, time.perf_counter() - started
            self._results.say(f"the page has {size:.1f} MB; writing it took {took:.1f} s")

    def path_from(self, directory: Path) -> PurePath | None:
        """Return the path of the page relative to a directory; absolute if they are on different drives."""
        if self.path is None:
            return None
        try:
            return PurePath(os.path.relpath(self.path, directory))
        except ValueError:
            return self.path.absolute()

    def _write(self, path: Path) -> None:
        """Write the page under another name first: nobody opens half a page, and a failure keeps the old one."""
        from pytest_mcpbench.files.atomic_file import replacing
        from pytest_mcpbench.garbage_collection import paused_collection
        from pytest_mcpbench.metrics.catalogue import descriptions
        from pytest_mcpbench.reporting.page.attempt_blocks import read_blocks
        from pytest_mcpbench.reporting.page.report_page import report_page
        from pytest_mcpbench.runs.records import read_record

        report = self._results.report()

        def read(position: int) -> "RunRecord | None":
            ref = report.entries[position].record
            return read_record(self._results.directory, ref) if ref else None

        with (
            replacing(path) as scratch,
            paused_collection(),
            scratch.open("w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            file.writelines(report_page(report, read_blocks(read), descriptions=descriptions()))


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
