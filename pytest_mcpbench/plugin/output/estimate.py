"""Estimate of a run (``--mcpbench-estimate``), shown in place of running it."""

import pytest

from pytest_mcpbench.core.run_estimate import RunEstimate
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.workers import worker_count
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.execution.estimation import RunEstimator
from pytest_mcpbench.plugin.execution.local_models import LOCAL_MODELS
from pytest_mcpbench.plugin.execution.session_door import DOOR
from pytest_mcpbench.reporting.texts.run_estimate import budget_line, estimate_json, estimate_lines, estimate_table
from pytest_mcpbench.reporting.texts.terminal import render_table


class Estimate:
    """Shows the requests, tokens and cost of the run, and runs no item."""

    def __init__(self, config: pytest.Config) -> None:
        if config.stash[SETTINGS].compares_arms:
            raise pytest.UsageError("--mcpbench-estimate: a comparison has a plan of its own; use --mcpbench-plan")
        if worker_count(config) > 1 or config.getoption("tx", None):
            raise pytest.UsageError("--mcpbench-estimate runs nothing: leave -n out")
        self._config = config
        self._estimate: RunEstimate | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Make the estimate; the attempts do not run. Errors of the collection end the run as usual."""
        if session.testsfailed:
            return None

        settings = self._config.stash[SETTINGS]
        local = self._config.stash[LOCAL_MODELS].names
        estimator = RunEstimator(settings, self._config.stash[DOOR].session, self._config.rootpath, local)
        self._estimate = estimator.estimate(session.items)
        if settings.json is not None:
            text = known_secrets(self._config).remove(estimate_json(self._estimate))
            settings.json.write_text(text, encoding="utf-8")
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._estimate is None:
            return

        terminalreporter.write_sep("=", "mcpbench: estimate")
        for line in (*render_table(estimate_table(self._estimate)), *estimate_lines(self._estimate)):
            terminalreporter.write_line(line)
        budget = self._config.stash[SETTINGS].max_cost
        if budget is not None:
            terminalreporter.write_line(budget_line(self._estimate, budget))
