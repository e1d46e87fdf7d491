"""Measurement of a command: seconds, processor seconds, memory."""

import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_SECONDS = 900.0


@dataclass(frozen=True)
class Measurement:
    """Numbers of one run of a command, or the medians of several runs."""

    seconds: float
    processor_seconds: float
    """Processor time of the command and of all processes that it started and waited for, such as servers and
    workers.
    """
    peak_mb: float
    """Resident memory of the largest of these processes."""


class CommandError(Exception):
    """A command failed."""


def measure(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str] | None = None,
    *,
    exit_codes: Sequence[int] = (0,),
) -> Measurement:
    """Run a command to its end.

    Raises ``CommandError`` with the last lines of its output if it ends with none of the exit codes.
    """
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=directory,
            env={**_environment(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        guard = threading.Timer(MOST_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        guard.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        if process.returncode not in exit_codes:
            output.seek(0)
            last_lines = output.read().decode(errors="replace")[-2000:]
            raise CommandError(f"{' '.join(command)} ended with {process.returncode}:\n{last_lines}")
    return Measurement(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(runs: Iterable[Measurement]) -> Measurement:
    """Return the median of each number, computed independently."""
    values = list(runs)
    return Measurement(
        statistics.median(run.seconds for run in values),
        statistics.median(run.processor_seconds for run in values),
        statistics.median(run.peak_mb for run in values),
    )


def _environment() -> dict[str, str]:
    """Return our environment without variables that disable bytecode caching; without it every start compiles again."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
