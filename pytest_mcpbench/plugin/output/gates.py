"""Gates of a comparison: items that run last, confirm the changes with fresh trials and give the verdict."""

import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.gate.plan import GatePlan, plan_gate
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.model_names import is_in_process
from pytest_mcpbench.options.settings import SETTINGS, Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel, receive_output
from pytest_mcpbench.options.workers import worker_count
from pytest_mcpbench.plugin.collection.item_state import ARMS
from pytest_mcpbench.plugin.execution.arm_comparisons import SAME
from pytest_mcpbench.plugin.execution.session_door import DOOR
from pytest_mcpbench.plugin.output.gate_run import GateKey, GateRun
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.texts.gate import plan_lines, result_lines

MISSED = "below its floor: the gate decides"
"""Reason with which a failed attempt of a comparison is reported: it is a measurement."""


class GateFailedError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest creates this class at run time
    """The candidate is worse than the baseline, or cannot be compared with it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)


class GateItem(pytest.Item):
    """Verdict on one arm of a suite with one model."""

    def __init__(self, *, key: GateKey, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.key = key
        self.add_marker(pytest.mark.mcpbench)

    @property
    def id(self) -> Any:
        """Node id in parts, as that of tasks."""
        return type(super().id).parse(self.nodeid)

    def runtest(self) -> None:
        gates = self.config.stash[GATES]
        result = gates.decide(self.nodeid, self.key)
        self.user_properties += gates.properties(result)
        if result.fails:
            raise GateFailedError(gates.text(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the verdict without a traceback."""
        is_ours = isinstance(excinfo.value, GateFailedError)
        return str(excinfo.value) if is_ours else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, self.name


class Gates:
    """Adds the gates to the collected items, decides them, and lets single attempts of a comparison fail no run.

    Workers of pytest-xdist do not know each other's attempts, so the controller decides the gates after them.
    """

    def __init__(self, config: pytest.Config, results: RunResults, channel: WorkerChannel) -> None:
        self._config = config
        self._results = results
        self._channel = channel
        self._of_workers: dict[str, list[str]] = {}
        """Node id -> parts of its :class:`GateKey`."""
        config.stash[GATES] = self

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Add a gate for each arm and model of a suite of which both sides are selected."""
        reference = self._config.stash[SETTINGS].reference_arm
        arms: dict[tuple[Any, str], dict[str, None]] = {}
        for item in items:
            job = getattr(item, "job", None)
            if job is not None and job.arm:
                arms.setdefault((item.parent, job.model), {})[job.arm] = None
        gates: list[GateItem] = []
        for (parent, model), names in arms.items():
            for arm in names if reference in names else ():
                if arm != reference:
                    label = model.replace("[", "(").replace("]", ")")
                    name = f"gate[{label}]" if arm == "candidate" else f"gate[{arm}-{label}]"
                    gates.append(GateItem.from_parent(parent, name=name, key=GateKey(str(parent.path), arm, model)))
        items.extend(gates)
        self._channel.output.gates = {gate.nodeid: [*gate.key] for gate in gates}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leave the gates of a worker to the controller."""
        return True if isinstance(item, GateItem) and self._channel.is_worker else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report an attempt below its floor as missed, not as failed."""
        report = yield
        job = getattr(item, "job", None)
        if report.when == "call" and report.failed and job is not None and job.arm:
            report.outcome = "skipped"
            report.wasxfail = MISSED
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        return ("missed", "m", "MISSED") if getattr(report, "wasxfail", None) == MISSED else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._of_workers.update(receive_output(node).gates)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Decide the gates of the workers."""
        result = yield
        if not session.shouldstop and not session.shouldfail:
            for node_id, key in self._of_workers.items():
                # Decide a gate in the controller of pytest-xdist, and report it as a worker would.
                hook = self._config.hook
                location = (node_id.partition("::")[0], 0, node_id.partition("::")[2])
                hook.pytest_runtest_logstart(nodeid=node_id, location=location)
                for report in self._reports(node_id, GateKey(*key), location):
                    hook.pytest_runtest_logreport(report=report)
                hook.pytest_runtest_logfinish(nodeid=node_id, location=location)
        return result

    def decide(self, node_id: str, key: GateKey) -> GateResult:
        """Confirm the changes with fresh trials, store the result and return it."""
        gates = {each: GateKey(*parts) for each, parts in (self._channel.output.gates or self._of_workers).items()}
        others = {each: other for each, other in gates.items() if other[1:] == key[1:] and other.file != key.file}
        run = GateRun(self._config, self._config.stash[DOOR].session, self._results, key, others)
        result = run.result(node_id, rules_of(self._config.stash[SETTINGS], len(gates)))
        self._results.keep_gate(result)
        self._remember_losses(result)
        return result

    def text(self, result: GateResult) -> str:
        """Return the explanation of a result."""
        return "\n".join(result_lines(result))

    def properties(self, result: GateResult) -> list[tuple[str, Any]]:
        """Return the properties of a gate in JUnit reports."""
        return [
            ("verdict", result.verdict),
            ("tasks", result.tasks),
            ("confirmed", ", ".join(each.task for each in result.confirmed)),
            ("attempts", result.attempts),
            ("cost_usd", "unknown" if result.usage.cost_usd is None else result.usage.cost_usd),
        ]

    def _remember_losses(self, result: GateResult) -> None:
        """Let ``--lf`` compare the tasks that got worse again: their attempts did not fail, so pytest forgets them."""
        last_failed: Any = getattr(self._config.pluginmanager.get_plugin("lfplugin"), "lastfailed", None)
        lost = [each.task for each in result.changed if each.direction == "worse"] if result.fails else []
        file = result.node_id.partition("::")[0]
        for entry in self._results.entries if last_failed is not None else ():
            if (
                entry.file == file
                and entry.task_id in lost
                and entry.model == result.model
                and "fresh" not in entry.arm
            ):
                last_failed[entry.node_id] = True

    def _reports(self, node_id: str, key: GateKey, location: tuple[str, int, str]) -> Iterator[pytest.TestReport]:
        """Yield the reports of the three phases of an item."""
        start = time.time()
        failure: str | None
        properties: list[tuple[str, Any]]
        try:
            result = self.decide(node_id, key)
        except Exception as error:
            # As pytest does with an item: the error of one gate must not take the reports of the others.
            failure, properties = f"{type(error).__name__}: {error}", []
        else:
            failure, properties = self.text(result) if result.fails else None, self.properties(result)
        for when in ("setup", "call", "teardown"):
            is_failed = when == "call" and failure is not None
            yield pytest.TestReport(
                nodeid=node_id,
                location=location,
                keywords={},
                outcome="failed" if is_failed else "passed",
                longrepr=failure if is_failed else None,
                when=when,
                duration=time.time() - start if when == "call" else 0.0,
                user_properties=properties,
            )


GATES = pytest.StashKey[Gates]()


def rules_of(settings: Settings, gates: int) -> GateRules:
    """Return the rules of a gate; all gates of a run together raise a false alarm with the probability ``alpha``."""
    return GateRules(alpha=settings.alpha / max(1, gates), margin=settings.margin, fresh_trials=settings.confirm)


# Plan of a comparison (``--mcpbench-plan``), shown in place of running it.


class GatePlans:
    """Shows the plan of each gate and runs no item."""

    def __init__(self, config: pytest.Config) -> None:
        settings = config.stash[SETTINGS]
        if not settings.compares_arms:
            raise pytest.UsageError("--mcpbench-plan: there is nothing to compare; add --mcpbench-baseline=SOURCE")
        if worker_count(config) > 1 or config.getoption("tx", None):
            raise pytest.UsageError("--mcpbench-plan runs nothing: leave -n out")
        self._config = config
        self._plans: list[tuple[str, list[str]]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Make the plans; the attempts do not run."""
        gates = [item for item in session.items if isinstance(item, GateItem)]
        comparisons = self._config.stash[DOOR].session.comparisons
        assert comparisons is not None, "a run with a plan compares arms"
        rules = rules_of(self._config.stash[SETTINGS], len(gates))
        plans = []
        for gate in gates:
            comparison = comparisons.of_file(Path(gate.key.file))
            if comparison.is_same:
                lines = [SAME]
            else:
                changed = [f"changed: {change}" for change in comparison.changes_to(gate.key.arm)]
                lines = [*changed, *plan_lines(self._plan(gate, session.items, len(gates)), rules)]
            plans.append((gate.nodeid, lines))
        self._plans = plans
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_sep("=", "mcpbench: plan")
        for node_id, lines in self._plans:
            terminalreporter.write_line(f"{node_id}:", bold=True)
            for line in lines:
                terminalreporter.write_line(f"  {line}")

    def _plan(self, gate: GateItem, items: list[pytest.Item], gates: int) -> GatePlan:
        jobs = [
            item.job
            for item in items
            if item.parent is gate.parent and hasattr(item, "job") and not any(item.iter_markers("skip"))
        ]
        own = [job for job in jobs if job.arm == gate.key.arm and job.model == gate.key.model]
        tasks = {job.loaded.id for job in own}
        run = self._config.stash[ARMS].recorded_run
        known = [run.record(job.suite, job.task, job.model, job.trial) for job in own] if run is not None else []
        recorded = [record for record in known if record is not None and record.outcome != "error"]
        costs = [record.evidence.trajectory.usage.cost_usd for record in recorded if record.evidence]
        known_costs = [cost for cost in costs if cost is not None]
        # An agent that asks no provider costs nothing.
        usual = 0.0 if is_in_process(gate.key.model, self._config.stash[SETTINGS].aliases) else None
        return plan_gate(
            len(tasks),
            rules_of(self._config.stash[SETTINGS], gates),
            trials=max(1, len(own) // max(1, len(tasks))),
            recorded=len(recorded),
            cost_usd=sum(known_costs) / len(known_costs) if known_costs else usual,
        )
