"""Repetition of attempts that ended as errors, at the end of the run, when an outage may be over."""

from collections import Counter
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from pytest_mcpbench.plugin.collection.jobs import job_of_item
from pytest_mcpbench.plugin.execution.scheduler import worker_interactor
from pytest_mcpbench.plugin.execution.session_door import SessionDoor
from pytest_mcpbench.plugin.output.refusals import is_refusal
from pytest_mcpbench.plugin.output.report_entry import RERUN, entry_fields

_KINDS = ("server", "model", "agent", "engine")
"""Kinds of errors that need not occur again; the others are mistakes in files and options."""


class ErrorQueue:
    """Queue of items whose attempts ended as errors; each process runs its own ones again when it has no others.

    Args:
        most: Number of times that one item is repeated.
        door: Door to the scheduler.
        closing: Type of the items that need the outcomes of all others.
    """

    def __init__(self, most: int, door: SessionDoor, closing: type[pytest.Item] | tuple[()]) -> None:
        self._most = most
        self._door = door
        self._closing = closing
        self._queue: list[pytest.Item] = []
        self._repetitions: Counter[pytest.Item] = Counter()
        self._is_repeating = False

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run an item in place of pytest, which would report the end of an item that is to run again."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if job_of_item(item) is None:
            runtestprotocol(item, nextitem=nextitem)
        else:
            # Report of an item that is to run again only its error.
            properties = len(item.user_properties)
            reports: list[Any] = runtestprotocol(item, log=False, nextitem=nextitem)
            fields = entry_fields(reports[0])
            # An error that a later attempt may not meet.
            may_end_otherwise = fields is not None and fields.get("error_kind") in _KINDS and not is_refusal(reports[0])
            if may_end_otherwise and self._repetitions[item] < self._most:
                del item.user_properties[properties:]
                self._repetitions[item] += 1
                self._queue.append(item)
                reports = reports[:1]
                reports[0].outcome = RERUN
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if not self._is_repeating and (nextitem is None or isinstance(nextitem, self._closing)):
            self._is_repeating = True
            self._repeat_all(item.session, nextitem)
            self._is_repeating = False
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        return ("rerun", "R", "RERUN") if report.outcome == RERUN else None

    def _repeat_all(self, session: pytest.Session, nextitem: pytest.Item | None) -> None:
        interactor = worker_interactor(session.config)
        last = getattr(interactor, "item_index", None)
        try:
            while self._queue:
                items, self._queue = self._queue, []
                self._door.session.scheduler.expect(items)
                for item, following in zip(items, [*items[1:], nextitem], strict=True):
                    if session.shouldstop or session.shouldfail:
                        return
                    if interactor is not None:
                        # A worker of pytest-xdist checks that each report is of the item of this index.
                        interactor.item_index = session.items.index(item)
                    session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        finally:
            self._door.session.scheduler.expect(())
            if interactor is not None:
                interactor.item_index = last
