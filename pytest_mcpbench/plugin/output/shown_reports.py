"""Reports of tasks in the sections that pytest prints at the end of a run: few by default, all on request."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.output.report_entry import entry_fields, has_entry

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry

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
