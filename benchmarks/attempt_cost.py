"""Cost of one attempt in function calls and memory, beside the committed figures.

    python benchmarks/attempt_cost.py            # measure and print beside results/attempt_cost.json; never fails
    python benchmarks/attempt_cost.py --save     # measure and store as the figures of a release

Unlike times, these numbers are nearly the same on every machine, however busy it is: a change of a few percent is seen.
Each workload runs with few and with many tasks; the difference, divided by the further tasks, leaves out the start.
"""

import argparse
import gc
import itertools
import json
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from harnesses import plugin_command
from run import provider
from workloads import LATENCY, TOOL, Workload

HERE = Path(__file__).resolve().parent
STORED = HERE / "results" / "attempt_cost.json"
FEW, MANY = 50, 150
NOTEWORTHY = 0.1
"""Share by which a figure may grow before its line says so."""
WORKLOADS = (TOOL, replace(LATENCY[1], name="model over HTTP", latency_seconds=0.0))
FIGURES = {"calls": "function calls", "kept_kb": "kB kept"}

Costs = dict[str, dict[str, float]]


def main() -> None:
    """Print the cost of an attempt of each workload."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--save", action="store_true", help=f"store the figures in {STORED.relative_to(HERE.parent)}")
    parser.add_argument("--run", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(_run_here(options.run)))
        return
    with provider() as url:
        costs = {workload.name: _cost(workload, url) for workload in WORKLOADS}
    stored: Costs = json.loads(STORED.read_text()) if STORED.is_file() else {}
    print(_table(costs, stored))
    if options.save:
        STORED.write_text(json.dumps(costs, indent=1) + "\n")


def _table(costs: Costs, stored: Costs) -> str:
    lines = [f"{'one attempt':22}{'':16}{'now':>10}{'stored':>10}"]
    for workload, figures in costs.items():
        for figure, value in figures.items():
            before = stored.get(workload, {}).get(figure)
            line = f"{workload:22}{FIGURES[figure]:16}{value:10.1f}"
            if before:
                grown = value > before * (1 + NOTEWORTHY)
                line += f"{before:10.1f}{value / before:7.2f}x{'  <- dearer' if grown else ''}"
            lines.append(line)
    return "\n".join(lines)


def _cost(workload: Workload, url: str) -> dict[str, float]:
    """Return what each attempt beyond the first ones adds."""
    few, many = (_measure(workload, url, tasks) for tasks in (FEW, MANY))
    return {figure: round((many[figure] - few[figure]) / (MANY - FEW), 1) for figure in FIGURES}


def _measure(workload: Workload, url: str, tasks: int) -> Mapping[str, float]:
    """Return the figures of a run of its own process."""
    with tempfile.TemporaryDirectory(prefix="mcpbench-cost-") as directory:
        address = f"{url}/0/v1" if workload.kind == "latency" else None
        pytest_command = plugin_command()(replace(workload, tasks=tasks), address, Path(directory))
        arguments = pytest_command[pytest_command.index("pytest") + 1 :]
        command = [sys.executable, str(Path(__file__).resolve()), "--run", *arguments]
        run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stdout + run.stderr)
    figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return figures


def _run_here(arguments: list[str]) -> dict[str, float]:
    """Run pytest in this process and return the function calls of all its threads, and the memory that is left."""
    # All threads share the counter, because next() is atomic.
    counter = itertools.count()

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        if event in ("call", "c_call"):
            next(counter)

    tracemalloc.start()
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        pytest.main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    calls = next(counter)
    gc.collect()
    return {"calls": calls, "kept_kb": tracemalloc.get_traced_memory()[0] / 1024}


if __name__ == "__main__":
    main()
