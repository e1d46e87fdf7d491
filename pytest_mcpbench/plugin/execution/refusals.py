"""End of a run whose provider refuses the key or does not know the model: every further attempt would end the same."""

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE

if TYPE_CHECKING:
    from pytest_mcpbench.core.judgement import Verdict

_ATTRIBUTE = "mcpbench_refused"


def is_refusal(report: pytest.TestReport) -> bool:
    """Return whether the report of an attempt ends the run."""
    return hasattr(report, _ATTRIBUTE)


class RefusalGate:
    """Gate that ends the run with a usage error after the first attempt whose model, judge or user is refused."""

    def __init__(self, config: pytest.Config, stop_workers: Callable[[], None]) -> None:
        self._config = config
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
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Stop in the process that has all reports."""
        refusal: str | None = getattr(report, _ATTRIBUTE, None)
        if refusal is None or self._refusal is not None or is_worker(self._config):
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
                advice = "every further attempt would end the same; correct the model's name or its key"
                raise pytest.UsageError(f"{self._refusal}; {advice}, then continue with --mcpbench-resume") from None


def _refusal(item: pytest.Item, call: pytest.CallInfo[None]) -> str | None:
    """Return the refusal that ended the attempt of the item or that its judge met; ``None`` if there is none."""
    error = (
        call.excinfo.value.error if call.excinfo is not None and isinstance(call.excinfo.value, AttemptError) else None
    )
    if error is not None:
        return str(error) if getattr(error, "is_refused", False) else None
    state = item.stash.get(ITEM_STATE, None)
    if call.when != "setup" or state is None or state.evidence is None:
        return None
    return next(_refusals(state.evidence.verdicts.values()), None)


def _refusals(verdicts: "Iterable[Verdict]") -> Generator[str]:
    for verdict in verdicts:
        if verdict.is_refused:
            yield f"judge: {verdict.error}"
        yield from _refusals(verdict.votes)
