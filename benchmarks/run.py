"""Complete benchmark in one command; the results are written as JSON, Markdown and SVG.

python benchmarks/run.py [--rounds 3] [--only compare|growth|goals …] [--without-peers] [--out DIR]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import growth
import tables
from comparison import compare
from goals import goals
from harnesses import OURS, peers
from workloads import ALL, LATENCY, TRIVIAL

HERE = Path(__file__).resolve().parent
KINDS = dict.fromkeys(workload.kind for workload in ALL)
PARTS = ("compare", "growth", "goals")
_TINY = (tuple(replace(workload, tasks=2) for workload in (TRIVIAL, LATENCY[-1])), OURS[:1], (2,), 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the results."""
    options = _options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    workloads, own, sizes, starts = (ALL, OURS, growth.SIZES, growth.STARTS) if not options.tiny else _TINY
    workloads = tuple(workload for workload in workloads if not options.kinds or workload.kind in options.kinds)
    results = _previous_results(options.out / "results.json")
    machine = {"processors": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory(prefix="mcpbench-bench-") as scratch, provider() as base_url:
        directory = Path(scratch)
        if "compare" in options.only:
            harnesses = own if options.without_peers else (*own, *peers())
            rows = compare(harnesses, workloads, base_url, directory, rounds=options.rounds)
            results["compare"] = _merge_rows(results.get("compare", []), rows)
        if "growth" in options.only:
            results["growth"] = growth.measure_growth(directory, sizes, rounds=options.rounds)
        if "goals" in options.only:
            results["plain"] = growth.plain_costs(directory, sizes[-1], rounds=options.rounds, starts=starts)
    results["machine"] = {**machine, "rounds": options.rounds}
    results["goals"] = goals(results)
    _write(options.out, results)
    print(tables.markdown(results))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3, help="interleaved runs of which medians are taken")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure again")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS], default=(), help="kinds of workload to compare")
    parser.add_argument("--without-peers", action="store_true", help="install and run no other harness")
    parser.add_argument("--tiny", action="store_true", help="a few tasks of each kind: whether everything runs")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="where results are read and written")
    return parser.parse_args(arguments)


def _previous_results(path: Path) -> dict[str, Any]:
    """Return earlier results of the parts that are not measured now."""
    previous: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return previous


def _merge_rows(previous: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the earlier rows with those of the same workload replaced by the new ones."""
    again = {(row["workload"], row["harness"]) for row in rows}
    unchanged = [row for row in previous if (row["workload"], row["harness"]) not in again]
    order = [workload.name for workload in ALL]
    return sorted([*unchanged, *rows], key=lambda row: (order.index(row["workload"]), row["harness"]))


def _write(directory: Path, results: dict[str, Any]) -> None:
    (directory / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (directory / "results.md").write_text(tables.markdown(results))
    if "growth" in results:
        (directory / "growth.svg").write_text(tables.curve(results["growth"]))


@contextmanager
def provider() -> Iterator[str]:
    """Start the fake provider in a separate process and yield its address without the latency."""
    command = [sys.executable, str(HERE / "provider.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
