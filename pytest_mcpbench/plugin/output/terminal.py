"""Terminal output of a run: what its agents can be expected to pass, and at the end failures, tables and results."""

import os
import shlex
import shutil
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.model_names import (
    DEFAULT_JUDGE,
    EXPECTATIONS,
    JUDGES_WITHOUT_MODEL,
    LEXICAL,
    ORACLE,
    REPLAY,
    is_competitor,
)
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.suite_paths import find_suite_file
from pytest_mcpbench.plugin.output.report_entry import entry_fields, has_entry
from pytest_mcpbench.plugin.output.run_facts import client_differences
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.suite_files.loading import read_suite

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry

# Reports of tasks in the sections that pytest prints at the end of a run: few by default, all on request.

MOST_FAILURES = 5
"""Failures that are printed one by one unless the command line asks for all."""
_CATEGORIES = ("failed", "error")
_DEFAULT_REPORT_CHARACTERS = "fE"


class ShownReports:
    """Takes reports of tasks out of ``terminalreporter.stats`` while pytest prints a section, and puts them back.

    pytest has no hook for that: it prints whatever is in ``terminalreporter.stats``. Reports of other tests stay.
    """

    def __init__(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._reporter = terminalreporter
        self._all: dict[str, list[Any]] = {name: list(terminalreporter.stats.get(name, ())) for name in _CATEGORIES}

    @property
    def of_tasks(self) -> list[tuple[str, Any]]:
        """Category and report of each task that did not pass, errors first."""
        return [(name, report) for name in reversed(_CATEGORIES) for report in self._all[name] if _is_task(report)]

    @property
    def most_lines(self) -> int | None:
        """Number of failures to list by one line each; ``None``: all.

        ``-rf``, ``-ra`` and ``-rA`` ask for all, and so does whoever asks for all messages; ``-q`` and other ``-r``
        ask for none.
        """
        asked = self._reporter.config.option.reportchars != _DEFAULT_REPORT_CHARACTERS
        if asked:
            return None if self._reporter.hasopt("f") else 0
        if self._shows_all_messages:
            return None
        return MOST_FAILURES if self._reporter.config.get_verbosity() >= 0 else 0

    def prepare_long_sections(self, selected: Iterable["Entry"]) -> None:
        """Leave the messages of the selected tasks with ``-v``, none without, all with ``-vv`` or ``--tb``.

        Errors stay, but one for each reason: if a server does not start, all of its tasks fail for the same one.
        """
        if self._shows_all_messages:
            return
        is_verbose = self._reporter.config.get_verbosity() > 0
        names = {entry.node_id for entry in selected} if is_verbose else set()
        failed = (report for report in self._all["failed"] if not _is_task(report) or report.nodeid in names)
        self._set("failed", failed)
        self._set("error", _one_per_reason(self._all["error"]))

    def prepare_short_summary(self) -> None:
        """Leave the reports of other tests: the lines of tasks are printed uncut by :class:`Terminal`."""
        for name in _CATEGORIES:
            self._set(name, (report for report in self._all[name] if not _is_task(report)))

    def restore(self) -> None:
        """Put all reports back, for the counts in the last line."""
        for name in _CATEGORIES:
            self._set(name, self._all[name])

    @property
    def _shows_all_messages(self) -> bool:
        config = self._reporter.config
        return config.get_verbosity() > 1 or config.option.tbstyle not in ("auto", "no")

    def _set(self, name: str, reports: Iterable[Any]) -> None:
        remaining = list(reports)
        if remaining:
            self._reporter.stats[name] = remaining
        else:
            self._reporter.stats.pop(name, None)


def _is_task(report: Any) -> bool:
    """Return whether the first line of the report is enough; a user's own test also shows where it failed."""
    return has_entry(report) and isinstance(report.longrepr, str)


def _one_per_reason(reports: Iterable[Any]) -> Iterable[Any]:
    """Yield one report per reason, at most five of tasks.

    The first line of an error is its reason. The rest, such as the server's stderr, may contain the directory of the
    attempt.
    """
    seen: set[str] = set()
    for report in reports:
        error = (entry_fields(report) or {}).get("error")
        reason = error.partition("\n")[0] if error else None
        if reason is None or (reason not in seen and len(seen) < MOST_FAILURES):
            yield report
        if reason is not None:
            seen.add(reason)


class Terminal:
    """Output in the hooks of pytest's terminal; none in a run without tasks."""

    def __init__(self, config: pytest.Config, settings: Settings, results: RunResults) -> None:
        self._config = config
        self._settings = settings
        self._results = results
        self._shown: ShownReports | None = None

    def pytest_report_header(self) -> list[str]:
        if not self._settings.suites:
            return [*self._client()]
        names = (", ".join(self._settings.suites), ", ".join(self._settings.models))
        # A run that shows something in place of running leaves no records.
        records = "" if self._settings.runs_nothing else f"; records in {_relative(self._results.directory)}"
        suite = f"mcpbench: suite {names[0]}; model {names[1]}{records}"
        return [suite, *self._client(), *self._expectations(), *self._open_texts()]

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        has_tasks = any(item.get_closest_marker("mcpbench") for item in items)
        return self._expectations() if has_tasks and not self._settings.suites else []

    def _client(self) -> Iterator[str]:
        """Yield which client's profile decides how models see servers; several are columns of the results."""
        name = self._settings.conditions.get("client")
        if name is not None:
            others = ", ".join(client_differences(self._config, self._settings, self._settings.conditions))
            exception = f", but for {others}" if others else ""
            yield f"mcpbench: client {name}: models see servers as it shows them{exception}"
            blind = [model for model in self._settings.models if model == ORACLE or model.startswith(REPLAY)]
            if blind:
                has = "have" if len(blind) > 1 else "has"
                effect = "only the names of tools, and which tools the client leaves out, can change results"
                yield f"mcpbench: {', '.join(blind)} {has} no model: {effect}"

    def _expectations(self) -> list[str]:
        """Return what the results of agents without a model can be expected to be, before pytest shows any of them."""
        models = self._settings.models
        told = [f"mcpbench: {EXPECTATIONS[model]}" for model in dict.fromkeys(models) if model in EXPECTATIONS]
        is_asked = LEXICAL in models and not any(map(is_competitor, models))
        return [*told, "mcpbench: choose a model with --model=NAME"] if is_asked else told

    def _open_texts(self) -> Iterator[str]:
        """Yield, for models without a model as judge, what part of free words stays unscored, and what decides it."""
        if not any(map(is_competitor, self._settings.models)):
            return
        for name in self._settings.suites:
            try:
                suite = read_suite(find_suite_file(name, self._config), catalogue_of(self._config).names)
            except (McpBenchError, OSError, pytest.UsageError):
                continue  # its collection reports the error
            measured, judge = suite.open_texts, self._settings.judge or suite.judge or DEFAULT_JUDGE
            if measured is not None and judge in JUDGES_WITHOUT_MODEL:
                yield (
                    f"mcpbench: {name}: without a model as judge, right attempts in free words can stay unscored "
                    f"({measured.unscored} of {measured.attempts} when measured); --mcpbench-judge=keyfacts+MODEL "
                    "decides them, with at most one request an attempt, of about 2,000 tokens"
                )

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        entry = entry_fields(report)
        if entry is None or entry["outcome"] != "unscored" or report.when != "call":
            return None
        return "unscored", "u", "UNSCORED"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        # Workers of pytest-xdist call the hook too, and nobody reads what they write.
        if not self._results.exist or is_worker(terminalreporter.config):
            return (yield)
        self._shown = ShownReports(terminalreporter)
        failed: list[Entry] = []
        selected: list[Entry] = []
        with self._results.writing("the list of failed tasks", ""):
            from pytest_mcpbench.reporting.texts.failures import select_failures

            by_node_id = {entry.node_id: entry for entry in self._results.entries}
            of_tasks = (by_node_id.get(report.nodeid) for _, report in self._shown.of_tasks)
            failed = [entry for entry in of_tasks if entry is not None]
            selected = select_failures(failed, self._shown.most_lines)
        self._shown.prepare_long_sections(selected)
        yield
        with self._results.writing("the list of failed tasks", ""):
            self._show_failures(terminalreporter, failed, selected)
        self._shown.restore()
        with self._results.writing("the summary", ""):
            self._show_tables(terminalreporter)
        return None

    def end_long_sections(self) -> None:
        """Prepare the short summary, which pytest prints next."""
        if self._shown is not None:
            self._shown.prepare_short_summary()

    def _show_failures(
        self, terminalreporter: pytest.TerminalReporter, failed: "list[Entry]", selected: "list[Entry]"
    ) -> None:
        """List failures as pytest's short summary would; if they are a few of many, cut to one line on a terminal."""
        if not selected or terminalreporter.config.option.no_summary:
            return
        from pytest_mcpbench.reporting.forms.display_text import terminal_safe
        from pytest_mcpbench.reporting.texts import failures

        # pytest itself cuts no line in CI.
        is_whole = len(selected) == len(failed) or "CI" in os.environ or "BUILD_NUMBER" in os.environ
        lines = failures.whole_lines if is_whole else failures.cut_lines
        terminalreporter.write_sep("=", "failed tasks")
        words = {"failed": "FAILED", "error": "ERROR"}
        messages = {
            report.nodeid: f"{words[category]} {report.nodeid} - {report.longrepr.partition(chr(10))[0]}"
            for category, report in (self._shown.of_tasks if self._shown is not None else ())
        }
        for line in lines(selected, messages, _columns(terminalreporter)):
            terminalreporter.write_line(terminal_safe(line))
        if len(selected) < len(failed):
            terminalreporter.write_line(f"… and {len(failed) - len(selected):,} more; -rf lists all")

    def _show_tables(self, terminalreporter: pytest.TerminalReporter) -> None:
        from pytest_mcpbench.reporting.forms.display_text import one_line, terminal_safe
        from pytest_mcpbench.reporting.texts import terminal
        from pytest_mcpbench.reporting.texts.gate import headline
        from pytest_mcpbench.reporting.texts.result_sentences import telling_attempt

        report = self._results.report()
        if terminalreporter.hasopt("s"):
            # For -rs, -ra and -rA: pytest itself has no such outcome.
            for entry in (entry for entry in report.entries if entry.outcome == "unscored"):
                line = f"UNSCORED {entry.node_id} - {one_line(entry.why_unscored, 2000)}"
                terminalreporter.write_line(terminal_safe(line))
        terminalreporter.write_sep("=", "mcpbench")
        verdicts = {headline(gate): {"red" if gate.fails else "green": True, "bold": True} for gate in report.gates}
        verbosity, columns = terminalreporter.config.get_verbosity(), _columns(terminalreporter)
        for line in terminal.lines(report, verbosity=verbosity, columns=columns, is_brief=verbosity == 0):
            terminalreporter.write_line(terminal_safe(line), **verdicts.get(line, {}))
        terminalreporter.write_line(f"records: {_relative(self._results.directory)}")
        sentences = terminal.sentence_lines(report, columns)
        if sentences:
            terminalreporter.line("")
        for line in sentences:
            terminalreporter.write_line(terminal_safe(line), bold=True)
        attempt = telling_attempt(report)
        if attempt is not None:
            words = (*_command(), "show", _relative(self._results.directory), *attempt)
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
