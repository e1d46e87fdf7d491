"""The exit code of runs with attempts that have no verdict."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.output.run_results import RunResults

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry


class UnscoredAttempts:
    """Fails a run in which nothing was decided and, with ``--mcpbench-unscored=fail``, one with an unscored attempt."""

    def __init__(self, settings: Settings, results: RunResults) -> None:
        self._settings = settings
        self._results = results

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Set the exit code; failures and interruptions keep theirs."""
        yield
        if session.exitstatus == pytest.ExitCode.OK and not is_worker(session.config) and self._problem() is not None:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        problem = self._problem()
        if problem is not None and not is_worker(terminalreporter.config):
            terminalreporter.write_line(f"mcpbench: {problem}", red=True)

    def _problem(self) -> str | None:
        """Return why the attempts without a verdict fail the run, or ``None``."""
        entries = self._results.entries
        unscored = [entry for entry in entries if _lacks_score(entry)]
        if unscored and not any(entry.outcome in ("passed", "failed") for entry in entries):
            return "the run fails, because none of its attempts has a verdict; --mcpbench-judge=MODEL may decide them"
        # The gate decides about the attempts of a comparison.
        counted = [entry for entry in unscored if not entry.arm]
        if counted and self._settings.unscored == "fail":
            attempts = "1 attempt is" if len(counted) == 1 else f"{len(counted):,} attempts are"
            return f"the run fails, because {attempts} unscored (--mcpbench-unscored=fail)"
        return None


def _lacks_score(entry: "Entry") -> bool:
    """Return whether a score is missing; a test that skips itself is unscored too."""
    return entry.outcome == "unscored" and any(name in entry.unscored for name in entry.floors)
