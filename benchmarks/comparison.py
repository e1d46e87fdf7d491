"""Comparison of the harnesses on the same workloads, in interleaved rounds."""

import shutil
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harnesses import HERE, Harness
from measurement import CommandError, Measurement, measure, median
from workloads import TURNS, Workload


def compare(
    harnesses: Sequence[Harness], workloads: Sequence[Workload], base_url: str, directory: Path, *, rounds: int
) -> list[dict[str, Any]]:
    """Return one row per workload and harness."""
    runs: dict[tuple[Harness, Workload], list[Measurement]] = defaultdict(list)
    starts: dict[tuple[Harness, Workload], list[Measurement]] = defaultdict(list)
    for _ in range(rounds):
        for workload in workloads:
            for harness in harnesses:
                if not harness.supports(workload):
                    continue
                limited = harness.fit_workload(workload)
                starts[harness, workload].append(measure_once(harness, limited.of_one_task, base_url, directory))
                runs[harness, workload].append(measure_once(harness, limited, base_url, directory))
                print(f"{workload.name}: {harness.name}: {runs[harness, workload][-1]}", file=sys.stderr, flush=True)
    return [
        comparison_row(
            harness, harness.fit_workload(workload), median(runs[harness, workload]), median(starts[harness, workload])
        )
        for workload in workloads
        for harness in harnesses
        if (harness, workload) in runs
    ]


def measure_once(harness: Harness, workload: Workload, base_url: str, directory: Path) -> Measurement:
    """Run a workload once with a harness."""
    place = directory / "project"
    url = f"{base_url}/{workload.latency_seconds}/v1" if workload.kind == "latency" else None
    command = harness.command(workload, url, place)
    place.mkdir(exist_ok=True)
    try:
        return measure(command, place, {"PYTHONPATH": str(HERE), "NO_COLOR": "1"})
    except CommandError as error:
        raise SystemExit(f"{harness.name}, {workload.name}: {error}") from None
    finally:
        shutil.rmtree(place, ignore_errors=True)


def comparison_row(
    harness: Harness, workload: Workload, all_tasks: Measurement, one_task: Measurement
) -> dict[str, Any]:
    """Return the numbers of a workload: those of the command, and those per task beyond the first."""
    more = workload.tasks - 1
    starting = one_task.seconds - TURNS * workload.latency_seconds
    working = all_tasks.seconds - starting
    return {
        "harness": harness.name,
        "workload": workload.name,
        "kind": workload.kind,
        "tasks": workload.tasks,
        "concurrency": workload.concurrency,
        "seconds": all_tasks.seconds,
        "start_seconds": starting,
        "limit_seconds": workload.limit_seconds,
        "efficiency": workload.limit_seconds / working if workload.limit_seconds else None,
        "task_seconds": (all_tasks.seconds - one_task.seconds) / more,
        "task_processor_seconds": (all_tasks.processor_seconds - one_task.processor_seconds) / more,
        "peak_mb": all_tasks.peak_mb,
        "task_mb": (all_tasks.peak_mb - one_task.peak_mb) / more,
    }
