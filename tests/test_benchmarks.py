"""The benchmarks run; how fast is not tested here."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.extra

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.long
def test_all_parts_of_the_benchmarks_run_and_are_written(tmp_path: Path) -> None:
    run = [sys.executable, str(BENCHMARKS / "run.py"), "--tiny", "--rounds=1", "--without-peers", f"--out={tmp_path}"]

    subprocess.run(run, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)

    results = json.loads((tmp_path / "results.json").read_text())
    assert [row["kind"] for row in results["compare"]] == ["trivial", "latency"]
    assert [(row["kind"], row["tasks"]) for row in results["growth"]] == [("trivial", 2), ("tool", 2)]
    assert results["plain"]["rescore"]["seconds"] > 0
    assert "## Side by side" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "growth.svg").read_text().endswith("</svg>\n")


@pytest.mark.long
def test_a_kill_loses_no_attempt_whose_evidence_was_stored() -> None:
    """tests/plugin/test_resumed_runs.py has killed runs."""
    kills = ["--kills=1", "--kills-each=1", "--tasks=30", "--in-flight=8", "--kinds=worker", "--seed=1"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "kill_runs.py", *kills], capture_output=True, text=True, timeout=600, check=True
    )
    total = next(line for line in done.stdout.splitlines() if line.startswith("all: "))
    counts = {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", total)}
    assert counts["stored"] > 0
    assert {name: counts[name] for name in ("lost", "doubled", "wrong", "left_directories")} == dict.fromkeys(
        ("lost", "doubled", "wrong", "left_directories"), 0
    )
