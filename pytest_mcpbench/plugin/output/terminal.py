"""Terminal output of a run: what its agents can be expected to pass, and at the end failures, tables and results."""

import os
import shlex
import shutil
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.model_names import EXPECTATIONS, LEXICAL
from pytest_mcpbench.plugin.options.settings import Settings
from pytest_mcpbench.plugin.output.recorder import Recorder
from pytest_mcpbench.plugin.output.report_entry import entry_fields
from pytest_mcpbench.plugin.output.shown_reports import ShownReports
from pytest_mcpbench.plugin.worker_channel import is_worker

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry, Report


class Terminal:
    """Output in the hooks of pytest's terminal; none in a run without tasks."""

    def __init__(self, config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._recorder = recorder
        self._shown: ShownReports | None = None

    def pytest_report_header(self) -> list[str]:
        if not self._settings.suites:
            return []
        names = (", ".join(self._settings.suites), ", ".join(self._settings.models))
        records = f"records in {_relative(self._recorder.directory)}"
        return [f"mcpbench: suite {names[0]}; model {names[1]}; {records}", *self._expectations()]

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        has_tasks = any(item.get_closest_marker("mcpbench") for item in items)
        return self._expectations() if has_tasks and not self._settings.suites else []

    def _expectations(self) -> list[str]:
        """Return what the results of agents without a model can be expected to be, before pytest shows any of them."""
        models = self._settings.models
        told = [f"mcpbench: {EXPECTATIONS[model]}" for model in dict.fromkeys(models) if model in EXPECTATIONS]
        return [*told, "mcpbench: choose a model with --model=NAME"] if LEXICAL in models else told

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        entry = entry_fields(report)
        if entry is None or entry["outcome"] != "unscored" or report.when != "call":
            return None
        return "unscored", "u", "UNSCORED"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        # Workers of pytest-xdist call the hook too, and nobody reads what they write.
        if not self._recorder.has_entries or is_worker(terminalreporter.config):
            return (yield)
        self._shown = ShownReports(terminalreporter)
        failed, selected = self._failures()
        self._shown.prepare_long_sections(selected)
        yield
        self._show_failures(terminalreporter, failed, selected)
        self._shown.restore()
        self._show_tables(terminalreporter)
        return None

    def end_long_sections(self) -> None:
        """Prepare the short summary, which pytest prints next."""
        if self._shown is not None:
            self._shown.prepare_short_summary()

    def _failures(self) -> "tuple[list[Entry], list[Entry]]":
        """Return the attempts whose reports are listed here, and those of them to list one by one."""
        from pytest_mcpbench.reporting.failure_list import select_failures

        assert self._shown is not None
        by_node_id = {entry.node_id: entry for entry in self._recorder.entries}
        of_tasks = (by_node_id.get(report.nodeid) for _, report in self._shown.of_tasks)
        failed = [entry for entry in of_tasks if entry is not None]
        return failed, select_failures(failed, self._shown.most_lines)

    def _show_failures(
        self, terminalreporter: pytest.TerminalReporter, failed: "list[Entry]", selected: "list[Entry]"
    ) -> None:
        """List failures as pytest's short summary would; if they are a few of many, cut to one line on a terminal."""
        if not selected or terminalreporter.config.option.no_summary:
            return
        from pytest_mcpbench.reporting import failure_list
        from pytest_mcpbench.reporting.display_text import terminal_safe

        # pytest itself cuts no line in CI.
        is_whole = len(selected) == len(failed) or "CI" in os.environ or "BUILD_NUMBER" in os.environ
        lines = failure_list.whole_lines if is_whole else failure_list.cut_lines
        terminalreporter.write_sep("=", "failed tasks")
        for line in lines(selected, self._messages(), _columns(terminalreporter)):
            terminalreporter.write_line(terminal_safe(line))
        if len(selected) < len(failed):
            terminalreporter.write_line(f"… and {len(failed) - len(selected):,} more; -rf lists all")

    def _messages(self) -> dict[str, str]:
        """Return the line of each failing task by its node id."""
        reports = self._shown.of_tasks if self._shown is not None else []
        words = {"failed": "FAILED", "error": "ERROR"}
        return {
            report.nodeid: f"{words[category]} {report.nodeid} - {report.longrepr.partition(chr(10))[0]}"
            for category, report in reports
        }

    def _show_tables(self, terminalreporter: pytest.TerminalReporter) -> None:
        from pytest_mcpbench.reporting import terminal
        from pytest_mcpbench.reporting.display_text import terminal_safe
        from pytest_mcpbench.reporting.gate import headline
        from pytest_mcpbench.reporting.result_sentences import telling_attempt

        report = self._recorder.report()
        if terminalreporter.hasopt("s"):
            for line in _unscored(report):
                terminalreporter.write_line(terminal_safe(line))
        terminalreporter.write_sep("=", "mcpbench")
        verdicts = {headline(gate): {"red" if gate.fails else "green": True, "bold": True} for gate in report.gates}
        verbosity, columns = terminalreporter.config.get_verbosity(), _columns(terminalreporter)
        for line in terminal.lines(report, verbosity=verbosity, columns=columns, is_brief=verbosity == 0):
            terminalreporter.write_line(terminal_safe(line), **verdicts.get(line, {}))
        terminalreporter.write_line(f"records: {_relative(self._recorder.directory)}")
        sentences = terminal.sentence_lines(report, columns)
        if sentences:
            terminalreporter.line("")
        for line in sentences:
            terminalreporter.write_line(terminal_safe(line), bold=True)
        attempt = telling_attempt(report)
        if attempt is not None:
            words = (*_command(), "show", _relative(self._recorder.directory), *attempt)
            terminalreporter.write_line(terminal_safe(f"See one: {shlex.join(words)}"))


class EndOfLongSections:
    """Tells :class:`Terminal` that pytest has printed its long sections and not yet its short summary.

    pytest calls ``pytest_terminal_summary`` in between; :class:`Terminal` wraps that hook, this plugin implements it.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self) -> None:
        self._terminal.end_long_sections()


def _unscored(report: "Report") -> Iterator[str]:
    """Yield a line per unscored attempt for ``-rs``, ``-ra`` and ``-rA``: pytest itself has no such outcome."""
    from pytest_mcpbench.reporting.display_text import one_line

    for entry in report.entries:
        if entry.outcome == "unscored":
            yield f"UNSCORED {entry.node_id} - {one_line(entry.why_unscored, 2000)}"


def _columns(terminalreporter: pytest.TerminalReporter) -> int:
    return terminalreporter.config.get_terminal_writer().fullwidth


def _relative(directory: Path) -> str:
    try:
        return str(directory.relative_to(Path.cwd()))
    except ValueError:
        return str(directory)


def _command() -> list[str]:
    """Return the words that start ``mcpbench`` of this environment in the shell, whether it is activated or not."""
    script = shutil.which("mcpbench", path=str(Path(sys.executable).parent))
    if script is None:
        return [sys.executable, "-m", "pytest_mcpbench.cli"]
    on_path = shutil.which("mcpbench")
    return ["mcpbench"] if on_path and Path(on_path).samefile(script) else [_relative(Path(script))]
