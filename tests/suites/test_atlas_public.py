"""The public sample tasks of MCP-Atlas that can be answered offline: their claims, and a run on our servers."""

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.judges.keyfacts.decision import decide_claim
from pytest_mcpbench.loaders.atlas import load
from tests.shared_data import shared_file
from tests.suites.oracle_runs import records_of_run, run_oracle

SUITE = """
tool_names = "prefixed"
exposure = "listed"
judge = "keyfacts"
metrics = ["discovery_recall", "error_free"]
floors = {{ coverage = 0.75 }}
[[files]]
path = {tasks}
loader = "atlas"
options = {{ files = "data" }}
[servers.filesystem]
factory = "pytest_mcpbench.simulated.files.server:server"
settings = {{ shown_as = "/data" }}
[servers.desktop-commander]
factory = "pytest_mcpbench.simulated.files.server:server"
settings = {{ shown_as = "/data" }}
[servers.calculator]
factory = "pytest_mcpbench.simulated.math.server:server"
"""
BARBER, HAIRCUT = "689bd255c0422b257e7dfcc5", "6888e207a34beb25cfedda3b"
MOVIES, BEER = "68993ef3cf3e953b8ab83fa9", "689af4e653c3905e7b5b25b8"


def _rows(name: str) -> list[dict[str, str]]:
    with shared_file(f"atlas/{name}").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _barber() -> str:
    clients = _rows("Barber Shop.csv")
    ages = [int(c["Customer Age"]) for c in clients if c["Customer Gender"] == "Female"]
    share, mean = Fraction(100 * len(ages), len(clients)), Fraction(sum(ages), len(ages))
    females = f"{float(share):.2f}% of the clients in Barber Shop.csv are female."
    return f"{females} Their average age is {float(mean):.2f} years."


def _haircut() -> str:
    cuts = [c for c in _rows("Barber Shop.csv") if c["Service"] == "Haircut"]
    rating = sum(Fraction(c["Barber Rating"]) for c in cuts) / len(cuts)
    age = Fraction(sum(int(c["Customer Age"]) for c in cuts), len(cuts))
    return f"The average rating of haircuts is {float(rating)}. The average age of these clients is {float(age)}."


def _movies() -> str:
    counts = Counter(movie["Genre"] or "None" for movie in _rows("Top Movies.csv"))
    ranks = ("most frequent", "second", "third", "fourth", "fifth", "sixth", "seventh", "seventh", "seventh", "seventh")
    return "\n".join(
        f"The {rank} genre is {genre}, with {count} movies each."
        for rank, (genre, count) in zip(ranks, counts.most_common(), strict=True)
    )


def _beer() -> str:
    orders = [o for o in _rows("food and beverage consumption.csv") if o["Beverage Type"].strip().lower() == "beer"]

    def mean(day: str, gender: str) -> Fraction:
        prices = [
            Fraction(o["Total Price ($)"])
            for o in orders
            if f"{datetime.strptime(o['Date'], '%d %b %Y'):%A}" == day and gender in ("all", o["Gender"])
        ]
        return round(sum(prices, Fraction()) / len(prices), 2)

    changes = {g: 100 * (mean("Saturday", g) / mean("Wednesday", g) - 1) for g in ("all", "Female", "Male")}
    larger = "Men" if abs(changes["Male"]) > abs(changes["Female"]) else "Women"
    return (
        f"For beer in 2022–2023 the average on Saturday was ${float(mean('Saturday', 'all')):.2f}, "
        f"on Wednesday ${float(mean('Wednesday', 'all')):.2f}.\n"
        f"The percentage change from Wednesday to Saturday was {float(changes['all']):.1f}%.\n"
        f"For women it was {float(changes['Female']):.1f}%, for men {float(changes['Male']):.1f}%.\n"
        f"{larger} who ordered beer in 2022–2023 showed the larger Saturday–vs–Wednesday gap in percentage terms."
    )


RECOMPUTED: dict[str, Callable[[], str]] = {BARBER: _barber, HAIRCUT: _haircut, MOVIES: _movies, BEER: _beer}


@pytest.mark.parametrize("task_id", RECOMPUTED)
def test_the_claims_recompute_exactly_from_the_files(task_id: str) -> None:
    sample = shared_file("atlas/sample_tasks.csv")
    tasks = [each.task for each in load(sample.read_bytes(), LoadOptions(sample.name))]
    (task,) = [task for task in tasks if task is not None and task.id == task_id]
    computed = RECOMPUTED[task_id]()
    numbers = {float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", computed)}
    claimed = {float(each) for claim in task.expected.claims for each in re.findall(r"-?\d+\.\d+|\d+(?= movie)", claim)}
    assert claimed - numbers == set()
    # The answers use other words than the claims: what the rules cannot decide is undecided, but nothing is refused.
    assert "not_fulfilled" not in {decide_claim(claim, computed).label for claim in task.expected.claims}


@pytest.mark.long
def test_a_task_whose_required_tools_our_servers_lack_is_an_error_that_lists_them(tmp_path: Path) -> None:
    sample = shared_file("atlas/sample_tasks.csv")
    (tmp_path / "data").mkdir()
    for file in sample.parent.glob("*.csv"):
        if file != sample:
            shutil.copy(file, tmp_path / "data")
    (tmp_path / "suite.toml").write_text(SUITE.format(tasks=json.dumps(str(sample))), encoding="utf-8")
    records = _records(tmp_path, sample.parent)
    assert {key: record["outcome"] for key, record in records.items()} == dict.fromkeys(RECOMPUTED, "error")
    assert {key: re.findall(r"'([\w-]+_\w+)'", _reference_error(record)) for key, record in records.items()} == {
        BARBER: ["filesystem_read_file", "mcp-code-executor_execute_code"],
        HAIRCUT: ["cli-mcp-server_show_security_rules", "cli-mcp-server_run_command"],
        MOVIES: ["desktop-commander_get_config", "desktop-commander_read_file", "mcp-code-executor_execute_code"],
        BEER: ["mcp-code-executor_execute_code"],
    }


def _records(directory: Path, data: Path) -> dict[str, dict[str, Any]]:
    options = ("-k", " or ".join(RECOMPUTED), f"--mcpbench-allow-path={data}")
    run = run_oracle(directory, *options, timeout_seconds=120)
    assert run.returncode == 1, run.stdout[-3000:]
    return {record["task_id"]: record for record in records_of_run(directory)}


def _reference_error(record: dict[str, Any]) -> str:
    """Return the error message without the suggestion behind it."""
    message: str = record["error"]["message"]
    return message.partition("Did you mean")[0]
