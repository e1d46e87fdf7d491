"""The page with all attempts: the file of ``--mcpbench-page``, or a file beside the report of pytest-html."""

import os
import time
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.forms.number_formats import quantity

if TYPE_CHECKING:
    from pytest_mcpbench.core.record import RunRecord


class PageFile:
    """Writes the page at the end of the session, in the process that has all entries."""

    def __init__(self, config: pytest.Config, settings: Settings, results: RunResults, channel: WorkerChannel) -> None:
        self._results = results
        self._channel = channel
        self.path = settings.page or _beside(config.getoption("htmlpath", None))

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


def _beside(html: str | None) -> Path | None:
    """Return the name of the page beside the report of pytest-html: ``report.mcpbench.html`` for ``report.html``."""
    if html is None:
        return None
    path = Path(os.path.expandvars(html)).expanduser()
    return path.with_name(f"{path.stem}.mcpbench.html")
