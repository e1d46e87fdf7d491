"""End of a run whose provider refuses the key, does not know the model, or could never be reached.

Every further attempt would end the same.
"""

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE
from pytest_mcpbench.plugin.output.report_entry import read_entry
from pytest_mcpbench.plugin.output.run_results import RunResults

if TYPE_CHECKING:
    from pytest_mcpbench.core.judgement import Verdict

_ATTRIBUTE = "mcpbench_refused"
_UNREACHABLE = "mcpbench_unreachable"
"""Attribute of the report of an attempt whose model could not be reached, as far as its process knows never."""


def is_refusal(report: pytest.TestReport) -> bool:
    """Return whether the report of an attempt ends the run."""
    return hasattr(report, _ATTRIBUTE)


class RefusalStop:
    """Stop of the run, with a usage error, after the first attempt whose model, judge or user is refused."""

    def __init__(self, config: pytest.Config, results: RunResults, stop_workers: Callable[[], None]) -> None:
        self._config = config
        self._results = results
        self._stop_workers = stop_workers
        self._refusal: str | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        # Before the recorder releases the evidence.
        refusal = _refusal(item, call)
        report = yield
        if refusal is not None:
            setattr(report, _ATTRIBUTE, refusal)
            if getattr(_attempt_error(call), "is_unreachable", False):
                setattr(report, _UNREACHABLE, True)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Stop in the process that has all reports."""
        refusal: str | None = getattr(report, _ATTRIBUTE, None)
        if refusal is None or self._refusal is not None or is_worker(self._config) or self._has_answered(report):
            return
        self._refusal = refusal
        # pytest's own session checks its attribute, and the reports state it; that of pytest-xdist checks another.
        for name, attribute in (("session", "shouldfail"), ("dsession", "shouldstop")):
            session: Any = self._config.pluginmanager.get_plugin(name)
            if session is not None:
                setattr(session, attribute, refusal)
        self._stop_workers()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            if self._refusal is not None:
                advice = "every further attempt would end the same; correct the model's name, key or address"
                advice += ", or start what answers there"
                raise pytest.UsageError(f"{self._refusal}; {advice}, then continue with --mcpbench-resume") from None

    def _has_answered(self, report: pytest.TestReport) -> bool:
        """Return whether a model that could not be reached has answered another process of this run."""
        own = read_entry(report) if hasattr(report, _UNREACHABLE) else None
        return own is not None and any(
            entry.model == own.model and entry.steps and not entry.is_taken_over for entry in self._results.entries
        )


def _refusal(item: pytest.Item, call: pytest.CallInfo[None]) -> str | None:
    """Return the refusal that ended the attempt of the item or that its judge met; ``None`` if there is none."""
    if (error := _attempt_error(call)) is not None:
        return str(error) if getattr(error, "is_refused", False) else None
    state = item.stash.get(ITEM_STATE, None)
    if call.when != "setup" or state is None or state.evidence is None:
        return None
    return next(_refusals(state.evidence.verdicts.values()), None)


def _attempt_error(call: pytest.CallInfo[None]) -> Exception | None:
    """Return the error that ended an attempt; ``None`` if there is none."""
    return (
        call.excinfo.value.error if call.excinfo is not None and isinstance(call.excinfo.value, AttemptError) else None
    )


def _refusals(verdicts: "Iterable[Verdict]") -> Generator[str]:
    for verdict in verdicts:
        if verdict.is_refused:
            yield f"judge: {verdict.error}"
        yield from _refusals(verdict.votes)
