"""Comment on a run that ends before its session, with the error that pytest prints."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.output.run_end import early_failure
from pytest_mcpbench.reporting.pull_request import report


def write_early_comment(config: pytest.Config, file: Path) -> None:
    """Write the comment if an exception is being handled that ended the run, unless the session has written one."""
    error = sys.exception()
    if not isinstance(error, Exception) or is_worker(config):
        return
    facts = {"failed_tests": [list(early_failure(config, error))]}
    code = {"exit_code": int(pytest.ExitCode.USAGE_ERROR)} if isinstance(error, pytest.UsageError) else {}
    # pytest tells the error in any case.
    with suppress(OSError):
        if file.exists():
            return
        text = report.text(Report(facts={**facts, **code}))
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
