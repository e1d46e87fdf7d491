"""Performance goals of the project, compared with the measured numbers."""

from collections.abc import Iterator
from typing import Any

OURS = "pytest-mcpbench"
Goal = dict[str, Any]


def goals(results: dict[str, Any]) -> list[Goal]:
    """Return a row for each goal whose numbers were measured."""
    return [
        *_comparison_goals(results.get("compare", [])),
        *_growth_goals(results.get("growth", [])),
        *_plain_cost_goals(results.get("plain")),
    ]


def _comparison_goals(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    named = {(row["harness"], row["kind"], row["concurrency"]): row for row in rows}
    for kind, most in (("trivial", 3.0), ("tool", 6.0)):
        if row := named.get((OURS, kind, 8)):
            yield _at_most(f"{row['workload']}: processor ms a task", 1000 * row["task_processor_seconds"], most)
    if row := named.get((OURS, "latency", 200)):
        yield _at_most("200 tasks x 2 turns x 0.5 s, 200 in flight: seconds of the whole command", row["seconds"], 3.5)
    if row := named.get((OURS, "latency", 32)):
        yield _at_least("the same with 32 in flight: share of the limit", row["efficiency"], 0.9)
    for kind, least in (("shared", 5.0), ("per_task", 3.0)):
        mine = named.get((f"{OURS}, forked", kind, 8)) or named.get((OURS, kind, 8))
        if mine and (other := named.get(("Inspect AI", kind, 8))):
            times = other["task_seconds"] / mine["task_seconds"]
            yield _at_least(f"{mine['workload']}: times Inspect's throughput", times, least)


def _growth_goals(rows: list[dict[str, Any]]) -> Iterator[Goal]:
    for kind in dict.fromkeys(row["kind"] for row in rows):
        sizes = [row for row in rows if row["kind"] == kind]
        if len(sizes) < 3:
            continue
        first, middle, last = sizes[0], sizes[len(sizes) // 2], sizes[-1]
        yield _at_most(
            f"{kind}, {first['tasks']} to {last['tasks']} tasks: MB a task", _slope(first, last, "peak_mb"), 0.1
        )
        bend = _slope(middle, last, "processor_seconds") / _slope(first, middle, "processor_seconds")
        yield _at_most(f"{kind}: processor seconds a further task, large runs to small ones", bend, 1.25)


def _plain_cost_goals(plain: dict[str, Any] | None) -> Iterator[Goal]:
    if plain:
        yield _at_most("start without tasks, beyond pytest's: ms", 1000 * plain["start_seconds"], 20.0)
        yield _at_most(f"{plain['tasks']} tasks collected: seconds", plain["collect"]["seconds"], 2.5)
        yield _at_most(f"{plain['tasks']} stored runs scored again: seconds", plain["rescore"]["seconds"], 10.0)


def _slope(low: dict[str, Any], high: dict[str, Any], number: str) -> float:
    rise: float = high[number] - low[number]
    return rise / (high["tasks"] - low["tasks"])


def _at_most(name: str, value: float, most: float) -> Goal:
    return {"name": name, "value": value, "goal": f"<= {most:g}", "reached": value <= most}


def _at_least(name: str, value: float, least: float) -> Goal:
    return {"name": name, "value": value, "goal": f">= {least:g}", "reached": value >= least}
