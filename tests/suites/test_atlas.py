"""The suite ``atlas``: claims that follow from the worlds and that only an answer with the facts fulfils."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation import atlas
from pytest_mcpbench.generation.atlas.draft import Draft, Step
from pytest_mcpbench.generation.atlas.rows import SERVERS, StudioServers
from pytest_mcpbench.runtime.judges.keyfacts import decide
from tests.suites import shipped

SUITE = shipped.SUITES / "atlas"
POINTS = {"fulfilled": 1.0, "partially_fulfilled": 0.5, "not_fulfilled": 0.0, None: 0.0}
DRAFTS = dict(atlas.drafts())
OWN = ("memory", "documents", "database", "git", "messages")


TASKS = shipped.tasks("atlas")
ROWS = [json.loads(line) for line in (SUITE / "tasks.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_settings_are_the_benchmarks() -> None:
    suite = shipped.suite("atlas")
    assert (suite.system, suite.tool_names, suite.exposure, suite.judge) == (None, "prefixed", "listed", "keyfacts")
    assert (suite.limits.rounds, suite.limits.tool_calls, suite.limits.seconds) == (256, 100, 1800)
    assert {server.timeouts.call_seconds for server in suite.servers.values()} == {60}
    assert (suite.floors, set(suite.servers)) == ({"coverage": 0.75, "effects": 1.0}, set(SERVERS))


def test_the_distribution_is_that_of_the_benchmark() -> None:
    needed = {name: {step.tool for step in draft.steps} for name, draft in DRAFTS.items()}
    across = sum(len({tool.partition("_")[0] for tool in tools}) > 1 for tools in needed.values())
    conditional = sum(draft.is_conditional for draft in DRAFTS.values())
    assert len(DRAFTS) >= 40
    assert {3 <= len(tools) <= 7 for tools in needed.values()} == {True}
    assert {12 <= len(row["ENABLED_TOOLS"]) <= 18 for row in ROWS} == {True}
    assert across / len(DRAFTS) >= 0.65
    assert conditional / len(DRAFTS) >= 0.4


def test_every_tool_of_the_suites_own_servers_is_needed() -> None:
    called = {step.tool for draft in DRAFTS.values() for step in draft.steps}
    offered = {f"{server}_{tool}" for server in OWN for tool in SERVERS[server].table}
    assert offered - called == set()


def test_no_two_tasks_claim_the_same() -> None:
    claims = Counter(claim for row in ROWS for claim in row["GTFA_CLAIMS"])
    assert [claim for claim, count in claims.items() if count > 1] == []


def test_no_id_and_no_name_of_a_tool_stands_in_a_request() -> None:
    ids = re.compile(r"\b(app|tbl|rec|fld)[A-Z]\w{6,}|\bpg-\w{4}|\bC\d[A-Z]{4,}|\b[0-9a-f]{40}\b|SELECT |/data\b")
    assert [task.id for task in TASKS if ids.search(task.prompt) or any(t in task.prompt for t in task.tools)] == []


def test_giving_up_does_not_pass_and_stating_the_claims_does() -> None:
    assert [task.id for task in TASKS if _coverage(task, "I could not find out.") >= 0.75] == []
    assert [task.id for task in TASKS if _coverage(task, "\n".join(task.expected.claims)) < 1] == []


def test_the_recorded_calls_are_valid_and_their_results_show_the_claimed_values() -> None:
    empty, unfounded = [], []
    for name, draft in DRAFTS.items():
        results = _recorded_results(name)
        for step, result in zip(draft.steps, results, strict=True):
            server, _, tool = step.tool.partition("_")
            Draft202012Validator(SERVERS[server].table[tool].input_schema).validate(step.arguments)
            if not _has_found(step, result):
                empty.append((name, step))
        unfounded += [(name, value) for value in _values(draft) if not _is_shown(value, "\n".join(results))]
    assert (empty, unfounded) == ([], [])


def test_the_recorded_results_are_those_of_fresh_servers(tmp_path: Path) -> None:
    studio = StudioServers("oven-tiles", tmp_path)
    assert [studio.call(step) for step in DRAFTS["oven_tiles"].steps] == _recorded_results("oven_tiles")


def _recorded_results(name: str) -> list[str]:
    row = next(row for row in ROWS if row["TASK"] == name.replace("_", "-"))
    return [message["content"][0]["text"] for message in row["TRAJECTORY"] if message["role"] == "tool"]


def _coverage(task: Task, answer: str) -> float:
    return sum(POINTS[str(decide(claim, answer).label)] for claim in task.expected.claims) / len(task.expected.claims)


def _values(draft: Draft) -> Iterator[str]:
    """Yield the values that no agent can guess: amounts with decimals, and numbers of invoices and boards."""
    for claim in draft.claims:
        yield from re.findall(r"\b[\d,]+\.\d+\b|\b[A-Z]-\d+\b", claim)


def _is_shown(value: str, answers: str) -> bool:
    if value[0].isalpha():
        return value in answers
    wanted = float(value.replace(",", ""))
    return any(abs(float(each) - wanted) < 0.006 or round(float(each), 1) == wanted for each in _numbers(answers))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def _has_found(step: Step, answer: Any) -> bool:
    """Return whether the result of a search is not empty."""
    if step.tool.startswith("messages_conversations_"):
        return len(answer.splitlines()) > 1
    if step.tool.startswith("memory_search"):
        return bool(json.loads(answer)["entities"])
    return answer.strip() not in ("", "[]", "No events found in the specified date range")
