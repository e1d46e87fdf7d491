"""Cost of sixteen workers, for trivial tests and for a suite: `python benchmarks/many_workers.py [ROUNDS [WORKERS]]`.

The suite is the shipped `radar`, its model the fake provider without latency, most of whose attempts fail. Rounds
alternate; numbers are medians.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from measurement import Measurement, measure, median

TASKS = 515
_TESTS = f"""
import pytest

@pytest.mark.parametrize("number", range({TASKS}))
def test_trivial(number):
    assert number >= 0
"""
_PROVIDER = Path(__file__).with_name("provider.py")


def main(rounds: int = 3, workers: int = 16) -> None:
    """Print seconds and processor seconds, and both as multiples of pytest and xdist alone."""
    with TemporaryDirectory() as directory, _provider() as url:
        place = Path(directory)
        (place / "test_trivial.py").write_text(_TESTS)
        (place / "pytest.ini").write_text("[pytest]\n")
        commands = _commands(url, workers)
        runs: dict[str, list[Measurement]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                runs[name].append(measure(command, place, exit_codes=(0, 1)))
    _show({name: median(made) for name, made in runs.items()})


def _commands(url: str, workers: int) -> dict[str, list[str]]:
    pytest = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
    spread = [*pytest, f"-n{workers}"]
    suite = ["--suite=radar:full", f"--model={url}"]
    return {
        "trivial tests": [*spread, "-p", "no:mcpbench", "test_trivial.py"],
        "trivial tests, plugin loaded": [*spread, "test_trivial.py"],
        "radar, as many as are of use": [*spread, *suite],
        "radar, each worker by itself": [*spread, *suite, "--mcpbench-engine=local"],
        "radar, handed on to one process": [*spread, *suite, "--mcpbench-engine=shared"],
        "radar without workers": [*pytest, *suite, "-p", "no:xdist"],
    }


def _show(results: dict[str, Measurement]) -> None:
    least = next(iter(results.values()))
    print(f"{'':33}{'seconds':>9}{'':>8}{'processor seconds':>19}")
    for name, taken in results.items():
        of_seconds = taken.seconds / least.seconds
        of_processor = taken.processor_seconds / least.processor_seconds
        print(
            f"{name:33}{taken.seconds:9.1f}{of_seconds:7.2f}x{taken.processor_seconds:19.1f}{of_processor:7.2f}x",
            flush=True,
        )


@contextmanager
def _provider() -> Iterator[str]:
    command = [sys.executable, str(_PROVIDER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/0/v1#bench"
        finally:
            process.kill()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
