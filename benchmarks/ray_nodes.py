"""Attempts on a Ray cluster of two nodes on this machine, one of which is killed every minute and replaced.

    python benchmarks/ray_nodes.py --attempts 5000 --every 60

Printed are the attempts by outcome, how many are lost or in the report twice, the requests that the provider answered
(more than one for each attempt are those that a killed node had asked), their cost, and the time. The exit code is 1
if anything is lost, doubled or an error.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import kill_runs

from pytest_mcpbench.runs.records import read_report

_DOLLARS_PER_MILLION = 100.0
_TOKENS = 15
"""Tokens of each request and its reply, as the provider says."""
_STORE_BYTES = 80 * 2**20
_REPOSITORY = str(Path(__file__).parents[1])


def main() -> None:
    """Run, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=5000)
    parser.add_argument("--every", type=float, default=60.0, help="seconds between kills")
    parser.add_argument("--in-flight", type=int, default=16, help="attempts at once in each of the two processes")
    arguments = parser.parse_args()
    from ray.cluster_utils import Cluster

    # Nodes import this package from here.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_REPOSITORY, os.environ.get("PYTHONPATH"))))
    provider = kill_runs.Provider()
    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    with tempfile.TemporaryDirectory(prefix="ray-nodes-") as place, kill_runs.serve(provider) as url:
        directory = Path(place)
        kill_runs.write_suite(directory, kill_runs.Kind(()), arguments.attempts)
        price = f"input_price = {_DOLLARS_PER_MILLION}, output_price = {_DOLLARS_PER_MILLION}"
        (directory / "pyproject.toml").write_text(f'[tool.mcpbench.models]\nm = {{url = "{url}", {price}}}\n')
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        try:
            kills, seconds, code = _run(directory, cluster, arguments)
        finally:
            cluster.shutdown()
        entries = read_report(directory / "out").entries
        output = (directory / "log").read_text(errors="replace")
    outcomes = Counter(entry.outcome for entry in entries)
    counts = Counter(entry.task_id for entry in entries)
    lost, doubled = arguments.attempts - len(counts), sum(count > 1 for count in counts.values())
    requests = sum(map(len, provider.replies.values()))
    reported = sum(entry.usage.cost_usd or 0.0 for entry in entries)
    paid = requests * _TOKENS * _DOLLARS_PER_MILLION / 1e6
    print(f"{arguments.attempts} attempts, {kills} nodes killed: {dict(outcomes)}, lost {lost}, doubled {doubled}")
    print(f"{requests} requests answered: ${paid:.2f}, of which the report has ${reported:.2f}; {seconds:.0f} s")
    print(*(line for line in output.splitlines() if "restarted because" in line or "per node" in line), sep="\n")
    if lost or doubled or code or outcomes.keys() != {"passed"}:
        print(output[-3000:])
        sys.exit(1)


def _run(directory: Path, cluster: Any, arguments: argparse.Namespace) -> tuple[int, float, int]:
    """Run pytest while nodes are killed; return the number of kills, the seconds, and the exit code."""
    node, kills, began = cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES), 0, time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--model=m", "--mcpbench-out=out"]
    command += [f"--mcpbench-engine=ray://{cluster.address}", f"--mcpbench-concurrency={arguments.in_flight}"]
    with (directory / "log").open("wb") as log, subprocess.Popen(command, cwd=directory, stdout=log, stderr=log) as run:
        try:
            while True:
                try:
                    return kills, time.monotonic() - began, run.wait(arguments.every)
                except subprocess.TimeoutExpired:
                    cluster.remove_node(node, allow_graceful=False)
                    kills += 1
                    node = cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES)
        finally:
            run.kill()


if __name__ == "__main__":
    main()
