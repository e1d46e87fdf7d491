"""Time and memory that pytest needs to collect native tasks, for several numbers of tasks.

    python benchmarks/collection.py [NUMBER …]

The same number of plain parametrized tests is measured too, to show what pytest alone needs.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUITE = """\
[[files]]
path = "tasks.jsonl"
[servers.mail]
factory = "pytest_mcpbench.simulated.mail.server:server"
"""
PLAIN = """\
import pytest
@pytest.mark.parametrize("number", range({number}))
def test_task(number): pass
"""


def main() -> None:
    """Print a table."""
    numbers = [int(argument) for argument in sys.argv[1:]] or [100, 1_000, 10_000]
    print(f"{'tasks':>8}  {'seconds':>8}  {'MB':>6}  {'pytest alone: seconds':>22}  {'MB':>6}")
    for number in numbers:
        with tempfile.TemporaryDirectory() as scratch:
            directory = Path(scratch)
            write_project(directory, number)
            ours = measure_collection(directory, "--suite=suite.toml")
            plain = measure_collection(directory, "test_plain.py", "-p", "no:mcpbench")
        print(f"{number:>8}  {ours[0]:>8.2f}  {ours[1]:>6.0f}  {plain[0]:>22.2f}  {plain[1]:>6.0f}")


def write_project(directory: Path, number: int) -> None:
    """Write a suite with a number of tasks, and a test file with as many plain test items."""
    lines = (json.dumps(task(index)) for index in range(number))
    (directory / "tasks.jsonl").write_text("\n".join(lines) + "\n")
    (directory / "suite.toml").write_text(SUITE)
    (directory / "test_plain.py").write_text(PLAIN.format(number=number))


def task(index: int) -> dict[str, object]:
    """Return a task such as a server author would write."""
    arguments = {"to": ["anna@example.com"], "subject": f"Number {index}", "body": "Hello."}
    return {
        "id": f"task-{index}",
        "ask": f"Send a mail with the subject 'Number {index}' to anna@example.com.",
        "tool": "send_email",
        "arguments": arguments,
        "tags": {"domain": "email"},
    }


def measure_collection(directory: Path, *arguments: str) -> tuple[float, float]:
    """Return seconds and peak memory in MB of ``pytest --collect-only``; the faster of two runs."""
    plugins = ["-p", "no:html", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *plugins, *arguments]
    runs = [measure_once(command, directory) for _ in range(2)]
    return min(seconds for seconds, _ in runs), min(memory for _, memory in runs)


def measure_once(command: list[str], directory: Path) -> tuple[float, float]:
    """Return seconds and peak memory in MB of one run."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL)
    _, status, usage = _wait(process.pid)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def _wait(pid: int) -> tuple[int, int, resource.struct_rusage]:
    import os

    return os.wait4(pid, 0)


if __name__ == "__main__":
    main()
