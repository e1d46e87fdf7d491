"""Terminal output of a run: one line per failing task, and a table at the end."""

import os
import shutil
import textwrap
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.options.settings import Settings
from pytest_mcpbench.plugin.output.recorder import Recorder
from pytest_mcpbench.plugin.output.report_entry import entry_fields, has_entry

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Report


class Terminal:
    """Output in the hooks of pytest's terminal; none in a run without tasks."""

    def __init__(self, config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._recorder = recorder
        self._hidden: dict[str, list[Any]] = {}

    def pytest_report_header(self) -> str | None:
        if not self._settings.suites:
            return None
        names = (", ".join(self._settings.suites), ", ".join(self._settings.models))
        return f"mcpbench: suite {names[0]}; model {names[1]}; records in {_relative(self._recorder.directory)}"

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        entry = entry_fields(report)
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
        """Leave reports out of the long sections whose line in the short summary says the same, except with ``-v``.

        pytest has no hook for that: it prints whatever is in ``terminalreporter.stats``.
        """
        if terminalreporter.config.get_verbosity() > 0:
            return
        stats = terminalreporter.stats
        self._hidden = {name: list(stats.get(name, ())) for name in ("failed", "error")}
        if terminalreporter.hasopt("f"):
            _set_reports(stats, "failed", (report for report in self._hidden["failed"] if not _is_task(report)))
        if terminalreporter.hasopt("E"):
            _set_reports(stats, "error", _one_per_reason(self._hidden["error"]))

    def restore(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Restore the hidden reports for the short summary and show the reasons that pytest would truncate there."""
        truncated = [report for report in self._hidden.get("failed", ()) if _is_task(report) and _is_truncated(report)]
        if truncated and terminalreporter.hasopt("f"):
            terminalreporter.write_sep("=", "failed tasks")
        for report in truncated if terminalreporter.hasopt("f") else ():
            terminalreporter.write_line(f"{report.nodeid}:")
            terminalreporter.write_line(_wrapped(report.longrepr.partition("\n")[0]))
        for name, reports in self._hidden.items():
            _set_reports(terminalreporter.stats, name, reports)

    def _show_table(self, terminalreporter: pytest.TerminalReporter) -> None:
        from pytest_mcpbench.reporting import terminal
        from pytest_mcpbench.reporting.gate import headline

        report = self._recorder.report()
        if terminalreporter.hasopt("s"):
            for line in _unscored(report):
                terminalreporter.write_line(line)
        terminalreporter.write_sep("=", "mcpbench")
        verdicts = {headline(gate): {"red" if gate.fails else "green": True, "bold": True} for gate in report.gates}
        for line in terminal.lines(report, verbosity=terminalreporter.config.get_verbosity()):
            terminalreporter.write_line(line, **verdicts.get(line, {}))
        terminalreporter.write_line(f"records: {_relative(self._recorder.directory)}")


class Restorer:
    """Restores hidden reports between the long sections and the short summary of pytest.

    pytest calls ``pytest_terminal_summary`` in between; :class:`Terminal` wraps that hook, this plugin implements it.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._terminal.restore(terminalreporter)


def _unscored(report: "Report") -> Iterator[str]:
    """Yield a line per unscored attempt for ``-rs``, ``-ra`` and ``-rA``: pytest itself has no such outcome."""
    from pytest_mcpbench.reporting.display_text import one_line

    for entry in report.entries:
        if entry.outcome == "unscored":
            yield f"UNSCORED {entry.node_id} - {one_line(entry.why_unscored, 2000)}"


def _set_reports(stats: dict[str, list[Any]], name: str, reports: Iterable[Any]) -> None:
    remaining = list(reports)
    if remaining:
        stats[name] = remaining
    else:
        stats.pop(name, None)


def _is_task(report: Any) -> bool:
    """Return whether the first line of the report is enough; a user's own test also shows where it failed."""
    return has_entry(report) and isinstance(report.longrepr, str)


def _is_truncated(report: Any) -> bool:
    """Return whether pytest truncates the report's line in its short summary, which it does not do in CI."""
    if any(os.environ.get(name) for name in ("CI", "BUILD_NUMBER")):
        return False
    first = report.longrepr.partition("\n")[0]
    return len(f"FAILED {report.nodeid} - {first}") > shutil.get_terminal_size().columns


def _wrapped(text: str) -> str:
    columns = max(40, shutil.get_terminal_size().columns - 1)
    return textwrap.fill(text, columns, initial_indent="  ", subsequent_indent="  ")


def _one_per_reason(reports: Iterable[Any]) -> Iterable[Any]:
    """Yield one report per reason: if a server does not start, all its tasks fail for the same one.

    The first line of an error is its reason. The rest, such as the server's stderr, may contain the directory of the
    attempt.
    """
    seen: set[str] = set()
    for report in reports:
        error = (entry_fields(report) or {}).get("error")
        reason = error.partition("\n")[0] if error else None
        if reason is None or reason not in seen:
            yield report
        if reason is not None:
            seen.add(reason)


def _relative(directory: Path) -> str:
    try:
        return str(directory.relative_to(Path.cwd()))
    except ValueError:
        return str(directory)
