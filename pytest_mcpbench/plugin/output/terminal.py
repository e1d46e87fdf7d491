"""What a run shows in the terminal: one line a failing task, and a table at the end."""

import os
import shutil
import textwrap
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.options.settings import Settings
from pytest_mcpbench.plugin.output.recorder import Recorder

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Report


class Terminal:
    """The terminal's part of the plugin; says nothing in a run without tasks."""

    def __init__(self, config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._recorder = recorder
        self._hidden: dict[str, list[Any]] = {}

    def pytest_report_header(self) -> str | None:
        if not self._settings.suites:
            return None
        names = (", ".join(self._settings.suites), ", ".join(self._settings.models))
        return f"mcpbench: suite {names[0]}; model {names[1]}; records in {_shown(self._recorder.directory)}"

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        entry = getattr(report, "mcpbench", None)
        if entry is None or entry["outcome"] != "unscored" or report.when != "call":
            return None
        return "unscored", "u", "UNSCORED"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        if not self._recorder.has_entries:
            return (yield)
        self._hide(terminalreporter)
        yield
        self._show_table(terminalreporter)
        return None

    def _hide(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Keep what a line in the short summary says anyway out of the long sections, unless ``-v`` asks for it."""
        if terminalreporter.config.get_verbosity() > 0:
            return
        stats = terminalreporter.stats
        self._hidden = {name: list(stats.get(name, ())) for name in ("failed", "error")}
        if terminalreporter.hasopt("f"):
            _keep(stats, "failed", (report for report in self._hidden["failed"] if not _is_task(report)))
        if terminalreporter.hasopt("E"):
            _keep(stats, "error", _first_of_each(self._hidden["error"]))

    def restore(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Put back what was hidden, before the short summary is written, with the reasons that this will cut off."""
        cut = [report for report in self._hidden.get("failed", ()) if _is_task(report) and _is_cut(report)]
        if cut and terminalreporter.hasopt("f"):
            terminalreporter.write_sep("=", "failed tasks")
        for report in cut if terminalreporter.hasopt("f") else ():
            terminalreporter.write_line(f"{report.nodeid}:")
            terminalreporter.write_line(_wrapped(report.longrepr.partition("\n")[0]))
        for name, reports in self._hidden.items():
            _keep(terminalreporter.stats, name, reports)

    def _show_table(self, terminalreporter: pytest.TerminalReporter) -> None:
        from pytest_mcpbench.reporting import terminal

        report = self._recorder.report()
        if terminalreporter.hasopt("s"):
            for line in _unscored(report):
                terminalreporter.write_line(line)
        terminalreporter.write_sep("=", "mcpbench")
        for line in terminal.lines(report, verbosity=terminalreporter.config.get_verbosity()):
            terminalreporter.write_line(line)
        terminalreporter.write_line(f"records: {_shown(self._recorder.directory)}")


class Restorer:
    """Runs between pytest's long sections and its short summary, which the hidden reports belong to."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._terminal.restore(terminalreporter)


def _unscored(report: "Report") -> Iterator[str]:
    """What ``-rs``, ``-ra`` and ``-rA`` say of each attempt without a verdict: pytest knows no such outcome."""
    from pytest_mcpbench.reporting.text import one_line

    for entry in report.entries:
        if entry.outcome == "unscored":
            yield f"UNSCORED {entry.node_id} - {one_line(entry.why_unscored, 2000)}"


def _keep(stats: dict[str, list[Any]], name: str, reports: Iterable[Any]) -> None:
    kept = list(reports)
    if kept:
        stats[name] = kept
    else:
        stats.pop(name, None)


def _is_task(report: Any) -> bool:
    """Whether the report's own first line says enough; a test that people wrote themselves shows where it failed."""
    return hasattr(report, "mcpbench") and isinstance(report.longrepr, str)


def _is_cut(report: Any) -> bool:
    """Whether the report's line in pytest's short summary is longer than the terminal. In CI pytest does not cut it."""
    if any(os.environ.get(name) for name in ("CI", "BUILD_NUMBER")):
        return False
    first = report.longrepr.partition("\n")[0]
    return len(f"FAILED {report.nodeid} - {first}") > shutil.get_terminal_size().columns


def _wrapped(text: str) -> str:
    columns = max(40, shutil.get_terminal_size().columns - 1)
    return textwrap.fill(text, columns, initial_indent="  ", subsequent_indent="  ")


def _first_of_each(reports: Iterable[Any]) -> Iterable[Any]:
    """Of tasks that all failed for one reason, such as a server that does not start, only the first.

    One reason is one first line: what follows, such as the server's stderr, may name the attempt's own directory.
    """
    seen: set[str] = set()
    for report in reports:
        error = getattr(report, "mcpbench", {}).get("error")
        reason = error.partition("\n")[0] if error else None
        if reason is None or reason not in seen:
            yield report
        if reason is not None:
            seen.add(reason)


def _shown(directory: Path) -> str:
    try:
        return str(directory.relative_to(Path.cwd()))
    except ValueError:
        return str(directory)
