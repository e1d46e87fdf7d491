"""Cost as the number of tasks grows, and cost of runs that attempt no task."""

import json
import shutil
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from harnesses import HERE, plugin_command
from measurement import Measurement, measure, median
from workloads import Workload

SIZES = (100, 300, 1_000, 3_000, 10_000)
KINDS = {"trivial": "trivial task", "tool": "tool call in process"}
STARTS = 5
"""Starts of pytest per round; many, because the cost of one start is small."""


def measure_growth(directory: Path, sizes: tuple[int, ...], *, rounds: int) -> list[dict[str, Any]]:
    """Return a row for each kind of task and size with the cost of the complete command."""
    runs: dict[tuple[str, int], list[Measurement]] = defaultdict(list)
    for _ in range(rounds):
        for kind, name in KINDS.items():
            for size in sizes:
                runs[kind, size].append(_measure_run(Workload(name, kind, size), directory / "growth"))
                print(f"{name}, {size} tasks: {runs[kind, size][-1]}", file=sys.stderr, flush=True)
    return [{"kind": kind, "tasks": size, **vars(median(measurements))} for (kind, size), measurements in runs.items()]


def plain_costs(directory: Path, size: int, *, rounds: int, starts: int) -> dict[str, Any]:
    """Return the seconds of a start without tasks beyond pytest's own, of collecting, and of rescoring a stored run."""
    place = directory / "plain"
    (place / "empty").mkdir(parents=True)
    (place / "empty" / "test_nothing.py").write_text("def test_nothing(): pass\n")
    start = statistics.median(_start_beyond_pytest(place / "empty") for _ in range(starts * rounds))
    collect = median(_measure_collection(Workload("", "tool", size), place / "collect") for _ in range(rounds))
    rescore = median(_measure_rescoring(Workload("", "tool", size), place / "rescore", rounds))
    return {"tasks": size, "start_seconds": start, "collect": vars(collect), "rescore": vars(rescore)}


def _measure_run(workload: Workload, place: Path) -> Measurement:
    try:
        return measure(plugin_command()(workload, None, place), place, _ENVIRONMENT)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _start_beyond_pytest(place: Path) -> float:
    """Return processor seconds, because wall time this short is unreliable on a busy machine."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    without = measure([*pytest, "-p", "no:mcpbench"], place)
    return measure(pytest, place).processor_seconds - without.processor_seconds


def _measure_collection(workload: Workload, place: Path) -> Measurement:
    return measure([*plugin_command()(workload, None, place), "--collect-only"], place, _ENVIRONMENT)


def _measure_rescoring(workload: Workload, place: Path, rounds: int) -> list[Measurement]:
    """Measure rescoring on the records of a small run, repeated as further trials until there are enough."""
    few = Workload(workload.name, workload.kind, min(100, workload.tasks))
    measure(plugin_command()(few, None, place), place, _ENVIRONMENT)
    _repeat_records(place / "out" / "records-main.jsonl", workload.tasks // few.tasks)
    mcpbench = [sys.executable, "-c", "import sys; from pytest_mcpbench.cli import main; sys.exit(main())"]
    rescore = [*mcpbench, "rescore", str(place / "out"), "--suite", str(place / "suite.toml")]
    return [measure([*rescore, "--out", f"again-{number}"], place, _ENVIRONMENT) for number in range(rounds)]


def _repeat_records(path: Path, times: int) -> None:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    with path.open("w") as file:
        for trial in range(1, times + 1):
            for record in records:
                run = {**record["run"], "trial": trial}
                file.write(json.dumps({**record, "trial": trial, "run": run}, separators=(",", ":")) + "\n")


_ENVIRONMENT = {"PYTHONPATH": str(HERE), "NO_COLOR": "1"}
