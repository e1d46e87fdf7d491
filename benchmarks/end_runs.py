"""Measurement of how runs end on signals: seconds, exit code, what is lost and what is left.

python benchmarks/end_runs.py --workers 0 2 16 --signals INT TERM HUP
"""

import argparse
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import kill_runs

_TASKS = 400


def end_once(workers: int, names: Sequence[str]) -> str:
    """End a run with one or more signals; return what was observed."""
    identity, provider = os.urandom(8).hex(), kill_runs.Provider()
    kind = kill_runs.Kind(("-n", str(workers)) if workers else ())
    with tempfile.TemporaryDirectory(prefix="end-") as place, kill_runs.serve(provider) as url:
        directory = Path(place)
        kill_runs.write_suite(directory, kind, _TASKS)
        (directory / "tmp").mkdir()
        with kill_runs.pytest_run(kind, directory, url, identity) as run:
            _wait_for_replies(provider, run, 40)
            start = time.monotonic()
            for name in names:
                os.kill(run.pid, getattr(signal, f"SIG{name}"))
                time.sleep(0.3 if len(names) > 1 else 0)
            code = run.wait(timeout=120)
            seconds = time.monotonic() - start
        finished = provider.finished_before(start)
        lost = finished - kill_runs.attempts_of(directory / "out").keys()
        log = (directory / "log0").read_text(errors="replace")
        left = [each.name for each in (directory / "tmp").iterdir() if not each.name.startswith("pytest-of-")]
        processes = kill_runs.left_processes(identity)
        keep = os.environ.get("KEEP_LOG")
        if keep:
            Path(keep).write_text(log)
    return (
        f"-n {workers} {'+'.join(names)}: {seconds:.1f} s, exit code {code}, {len(finished)} finished, "
        f"{len(lost)} lost, {processes} processes and {len(left)} directories left, traceback: {'Traceback' in log}"
    )


def _wait_for_replies(provider: kill_runs.Provider, run: "subprocess.Popen[bytes]", count: int) -> None:
    while len(provider.replies) < count and run.poll() is None:
        time.sleep(0.02)


def main() -> None:
    """Measure each combination that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", nargs="+", type=int, default=[0, 2, 16])
    parser.add_argument("--signals", nargs="+", default=["INT", "TERM", "HUP", "INT+INT"])
    options = parser.parse_args()
    for workers in options.workers:
        for names in options.signals:
            print(end_once(workers, names.split("+")), flush=True)


if __name__ == "__main__":
    main()
