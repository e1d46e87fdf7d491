"""What is true of every suite that ships: its tasks differ, are decidable and solvable, and give nothing away."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.sandbox import DEFAULT_NOW
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.catalogue import configure, resolve
from pytest_mcpbench.metrics.comparison.arguments import has_placeholder
from pytest_mcpbench.runtime.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.runtime.records import read_records
from pytest_mcpbench.runtime.rescoring import Rescoring, rescored, with_verdicts
from tests.suites import shipped

of_each_suite = pytest.mark.parametrize("name", shipped.NAMES)


@of_each_suite
def test_every_record_loads_without_error_or_warning(name: str) -> None:
    assert [(str(each.place), each.error, each.warnings) for each in shipped.loaded(name) if _is_flawed(each)] == []


@of_each_suite
def test_the_suite_says_where_it_comes_from_and_under_which_licence(name: str) -> None:
    assert shipped.suite(name).licence == "MIT"
    assert f"{len(shipped.tasks(name))} tasks" in (shipped.SUITES / name / "SOURCE.md").read_text(encoding="utf-8")


@of_each_suite
def test_the_settings_name_metrics_that_exist(name: str) -> None:
    suite = shipped.suite(name)
    for metric in (*suite.metrics, *suite.floors):
        configure(metric, resolve(metric), suite.metric_settings.get(metric, {}))


@of_each_suite
def test_no_two_requests_are_alike(name: str) -> None:
    said = {task.id: shipped.runs(shipped.request(task), 3) for task in shipped.tasks(name)}
    near = [(a, b) for a, b in combinations(said, 2) if len(said[a] & said[b]) > 0.3 * len(said[a] | said[b])]
    assert near == []


@of_each_suite
def test_no_two_references_are_alike_but_single_calls_without_arguments(name: str) -> None:
    """The only way to use such a tool is one call; a suite may ask for it in several ways."""
    references = Counter(
        shipped.reference(task)
        for task in shipped.tasks(name)
        if any(call.arguments for call in task.expected.flat_calls)
    )
    assert [reference for reference, count in references.items() if count > 1] == []


@of_each_suite
def test_no_request_quotes_the_description_of_a_tool(name: str) -> None:
    said = [(tool, _six_words_of(tool.description, tool.input_schema)) for tool in shipped.tools(name)]
    quoted = [
        (task.id, tool.tool)
        for task in shipped.tasks(name)
        for tool, runs in said
        if tool.server in (task.servers or (tool.server,)) and shipped.runs(shipped.request(task), 6) & runs
    ]
    assert quoted == []


@of_each_suite
def test_every_reference_call_is_of_a_tool_and_validates(name: str) -> None:
    """Calls that refer to earlier results are validated by the run of the oracle."""
    invalid = [
        (task.id, call.tool, error.message)
        for task in shipped.tasks(name)
        for call in task.expected.flat_calls
        if not has_placeholder(dict(call.arguments), frozenset(each.id for each in task.expected.flat_calls if each.id))
        for error in Draft202012Validator(shipped.tool_of(call, name).input_schema).iter_errors(dict(call.arguments))
    ]
    assert invalid == []


def test_every_tool_of_every_server_is_needed_by_some_task() -> None:
    """But of servers that tasks use in a way of the agent's own, and of which only the answer counts."""
    of_references = [
        (name, shipped.tool_of(call, name))
        for name in shipped.NAMES
        for task in shipped.tasks(name)
        for call in task.expected.flat_calls
    ]
    free = {_factory(server, name) for name in shipped.NAMES for server in _servers_of_mere_answers(name)}
    offered = {(_factory(tool.server, name), tool.tool) for name in shipped.NAMES for tool in shipped.tools(name)}
    called = {(_factory(tool.server, name), tool.tool) for name, tool in of_references}
    assert {(server, tool) for server, tool in offered - called if server not in free} == set()


@of_each_suite
def test_who_is_told_the_day_is_told_the_day_of_the_worlds(name: str) -> None:
    said = shipped.suite(name).system or ""
    assert ("20" not in said) or (f"{DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}" in said)


@of_each_suite
def test_the_oracle_passes_every_task_by_valid_calls_and_nobody_by_doing_nothing_or_by_repeating_the_request(
    name: str, tmp_path: Path
) -> None:
    run = _run(name, tmp_path, "oracle", "noop")
    count = len(shipped.tasks(name))
    assert re.search(rf"oracle +{count} +{count} +0 +0 +0 ", run.stdout), run.stdout[-3000:]
    assert re.search(rf"noop +{count} +0 +{count} +0 +0 ", run.stdout), run.stdout[-3000:]
    records = [record for _, record in read_records(tmp_path / "out")]
    assert list(_broken_calls(records)) == []
    assert [record.task_id for record in records if record.evidence and record.evidence.unavailable_tools] == []
    assert Counter(record.outcome for record in _echoing(records, name)) == {"failed": count}


def _run(name: str, directory: Path, *models: str) -> subprocess.CompletedProcess[str]:
    """A run as a user starts it, outside the checkout."""
    chosen = [word for model in models for word in ("--model", model)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    options = ["--suite", str(shipped.SUITES / name), *chosen, "--mcpbench-out", str(directory / "out")]
    return subprocess.run([*command, *options], capture_output=True, text=True, cwd=directory, timeout=600, check=False)


def _broken_calls(records: Iterable[RunRecord]) -> Iterator[tuple[str, CallRecord]]:
    """Calls of the oracle that no tool took, that broke the tool's schema, or whose answer is an error."""
    for evidence in (record.evidence for record in records if record.evidence and record.model == "oracle"):
        schemas = {tool.name: tool.input_schema for tool in evidence.tools}
        for call in evidence.calls:
            if call.is_error or not Draft202012Validator(schemas[call.name]).is_valid(call.arguments):
                yield evidence.task_id, call


def _echoing(records: Iterable[RunRecord], name: str) -> Iterator[RunRecord]:
    """The records of an agent that does nothing and answers each request with the request."""
    rescoring = Rescoring.of(shipped.suite(name), {})
    echoes = [_echo(record, rescoring.tasks[record.task_id]) for record in records if record.model == "noop"]
    judged = anyio.run(with_verdicts, echoes, rescoring, KeyFactsJudge())
    return (rescored(record, rescoring) for record in judged)


def _echo(record: RunRecord, task: Task) -> RunRecord:
    assert record.evidence is not None
    said = (turn.user for turn in task.turns)
    steps = (Step(turn=index, text=f"{text}\n<answer>{text}</answer>") for index, text in enumerate(said))
    evidence = record.evidence.model_copy(update={"trajectory": Trajectory(steps=tuple(steps)), "verdicts": {}})
    return record.model_copy(update={"evidence": evidence})


def _is_flawed(each: Any) -> bool:
    return bool(each.error or each.warnings)


def _six_words_of(description: str, schema: dict[str, Any]) -> frozenset[tuple[str, ...]]:
    return shipped.runs(description, 6) | shipped.runs(json.dumps(schema, ensure_ascii=False), 6)


def _factory(server: str, suite: str) -> str:
    """The server, however the suites call it."""
    return str(shipped.suite(suite).servers[server].factory)


def _servers_of_mere_answers(name: str) -> set[str]:
    return {server for task in shipped.tasks(name) if not task.expected.flat_calls for server in task.servers}
