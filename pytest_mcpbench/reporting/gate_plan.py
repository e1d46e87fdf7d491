"""Plan of a gate as text."""

from collections.abc import Iterator

from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.gate.plan import GatePlan
from pytest_mcpbench.reporting.number_formats import money


def plan_lines(plan: GatePlan, rules: GateRules) -> Iterator[str]:
    """Yield what the gate will cost and what it can see."""
    recorded = f", {plan.recorded} more are recorded" if plan.recorded else ""
    yield f"{plan.tasks} tasks; first trials: {plan.first} attempts{recorded}"
    yield (
        f"fresh trials of tasks that change: {rules.fresh_trials} in each arm; "
        f"about {plan.typical:.0f} attempts in all if nothing changed, at most {plan.most}"
    )
    yield f"cost: {_cost(plan)}"
    yield f"false alarms: at most {rules.alpha * 100:g} %"
    for sight in plan.sights:
        yield f"sees {sight.loss}: {sight.probability * 100:.0f} %"
    if plan.needed_tasks is not None and plan.needed_tasks > plan.tasks:
        yield (
            f"cannot exclude a loss of {rules.margin * 100:g} points in all tasks: "
            f"that takes {plan.needed_tasks} tasks even if none changes"
        )


def _cost(plan: GatePlan) -> str:
    if plan.cost_usd is None:
        return "unknown, because no earlier run with this model says what an attempt costs"
    if not plan.cost_usd:
        return "$0"
    return f"about {money(plan.cost_usd * plan.typical)}, at most {money(plan.cost_usd * plan.most)}"
