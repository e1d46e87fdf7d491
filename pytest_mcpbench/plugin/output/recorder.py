"""From an item's report to its record on disk, and from all reports to the report of the run."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.item_state import RUN_STATE, RunState
from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.core.record import RunRecord
    from pytest_mcpbench.core.report import Entry, Report


class Recorder:
    """Writes records in the process that makes them; gathers entries in the one that reports."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._worker: str = getattr(config, "workerinput", {}).get("workerid", "main")
        self._writer: Any = None
        self._entries: dict[str, Entry] = {}
        self.directory = _directory(config, settings)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        state = item.stash.get(RUN_STATE, None)
        if state is not None and _is_decisive(report):
            self._record(item, call, report, state)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Let go of the attempt when all is done with it: pytest keeps its items to the end."""
        try:
            return (yield)
        finally:
            if RUN_STATE in item.stash:
                del item.stash[RUN_STATE]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if getattr(report, "mcpbench", None) is not None:
            entry = self.entry(report)
            self._entries[entry.node_id] = entry

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist where the run's records go."""
        node.workerinput["mcpbench_directory"] = str(self.directory)

    def entry(self, report: Any) -> "Entry":
        """The entry that a report carries."""
        from pytest_mcpbench.core.report import Entry

        return Entry.model_validate(report.mcpbench)

    def keep_lost(self, record: "RunRecord") -> "Entry":
        """Write a record that its own process could not write, and give its entry.

        Its file is read before those of the workers: where another of them makes the attempt again, that one counts.
        """
        from contextlib import closing

        from pytest_mcpbench.core.report import Entry
        from pytest_mcpbench.runtime.records import RecordWriter

        with closing(RecordWriter(self.directory, worker="crashed")) as writer:
            return Entry.of(record, writer.append(record))

    def has_entry(self, node_id: str) -> bool:
        return node_id in self._entries

    @property
    def has_entries(self) -> bool:
        return bool(self._entries)

    def report(self) -> "Report":
        """Everything that was reported so far."""
        from pytest_mcpbench.core.report import Report, with_distinct_suites
        from pytest_mcpbench.runtime.records import read_facts

        facts = read_facts(self.directory)
        return Report(entries=with_distinct_suites(self._entries.values()), facts=facts, directory=str(self.directory))

    def _record(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, state: RunState
    ) -> None:
        from pytest_mcpbench.core.report import Entry
        from pytest_mcpbench.plugin.output import item_records

        record = item_records.record_of(item, call, report, state)
        ref = self.append(record)
        entry = Entry.of(record, ref)
        report.mcpbench = entry.as_json()  # type: ignore[attr-defined]  # reports may carry attributes
        item.user_properties.extend(item_records.properties_of(entry))
        report.user_properties = list(item.user_properties)
        if call.excinfo is not None and item_records.is_ours(call):
            report.longrepr = str(call.excinfo.value)

    def write_facts(self) -> None:
        """Say with what the run was made, unless another process of it has done so."""
        if (self.directory / "run.json").exists():
            return
        from pytest_mcpbench.plugin.collection import contents
        from pytest_mcpbench.plugin.output import run_facts
        from pytest_mcpbench.runtime import records

        facts = {**run_facts.run_facts(self._config, self._settings), "contents": contents.facts(self._config)}
        records.write_facts(self.directory, facts)

    def append(self, record: "RunRecord") -> Any:
        """Write the record and say where it lies."""
        from pytest_mcpbench.runtime import records

        if self._writer is None:
            self.write_facts()
            self._writer = records.RecordWriter(self.directory, worker=self._worker)
        return self._writer.append(record)

    def pytest_sessionfinish(self) -> None:
        """Write the reports that were asked for, once, where all entries are."""
        if not self._entries or hasattr(self._config, "workerinput"):
            return
        report = self.report()
        if self._settings.markdown is not None:
            from pytest_mcpbench.reporting import markdown

            self._settings.markdown.write_text(markdown.text(report), encoding="utf-8")
        if self._settings.json is not None:
            from pytest_mcpbench.reporting import json

            self._settings.json.write_text(json.text(report), encoding="utf-8")
        self._config.hook.pytest_mcpbench_report(config=self._config, report=report)

    def pytest_unconfigure(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _is_decisive(report: pytest.TestReport) -> bool:
    """The report of the call or, where it never came to that, of the failed set-up."""
    return report.when == "call" or (report.when == "setup" and not report.passed)


def _directory(config: pytest.Config, settings: Settings) -> Path:
    workerinput = getattr(config, "workerinput", None)
    if workerinput is not None and "mcpbench_directory" in workerinput:
        return Path(workerinput["mcpbench_directory"])
    if settings.out is not None:
        return settings.out
    import secrets
    from datetime import UTC, datetime

    name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    return config.rootpath / ".mcpbench" / "runs" / name
