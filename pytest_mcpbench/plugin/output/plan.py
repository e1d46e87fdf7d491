"""Plan of a comparison (``--mcpbench-plan``), shown in place of running it."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.gate.plan import GatePlan, plan_gate
from pytest_mcpbench.core.model_names import is_in_process
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.workers import worker_count
from pytest_mcpbench.plugin.collection.item_state import ARMS
from pytest_mcpbench.plugin.execution.arm_comparisons import SAME
from pytest_mcpbench.plugin.execution.session_door import SESSION
from pytest_mcpbench.plugin.output.gates import GateItem, rules_of
from pytest_mcpbench.reporting.texts.gate import plan_lines


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
        self._plans = [(gate.nodeid, self._lines(gate, session.items, len(gates))) for gate in gates]
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_sep("=", "mcpbench: plan")
        for node_id, lines in self._plans:
            terminalreporter.write_line(f"{node_id}:", bold=True)
            for line in lines:
                terminalreporter.write_line(f"  {line}")

    def _lines(self, gate: GateItem, items: list[pytest.Item], gates: int) -> list[str]:
        comparisons = self._config.stash[SESSION].session.comparisons
        assert comparisons is not None, "a run with a plan compares arms"
        comparison = comparisons.of_file(Path(gate.key.file))
        if comparison.is_same:
            return [SAME]
        changed = [f"changed: {change}" for change in comparison.changes_to(gate.key.arm)]
        rules = rules_of(self._config.stash[SETTINGS], gates)
        return [*changed, *plan_lines(self._plan(gate, items, gates), rules)]

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
        return plan_gate(
            len(tasks),
            rules_of(self._config.stash[SETTINGS], gates),
            trials=max(1, len(own) // max(1, len(tasks))),
            recorded=len(recorded),
            cost_usd=sum(known_costs) / len(known_costs) if known_costs else self._cost_in_process(gate.key.model),
        )

    def _cost_in_process(self, model: str) -> float | None:
        """Return the cost of an agent that asks no provider, which is 0; ``None`` for any other agent."""
        return 0.0 if is_in_process(model, self._config.stash[SETTINGS].aliases) else None
