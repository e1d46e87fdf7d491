"""Rules for every shipped suite: its tasks differ, are decidable and solvable, and give nothing away."""

import json
import re
from collections import Counter
from collections.abc import Set
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.sandbox import DEFAULT_NOW
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.catalogue import configure, resolve
from pytest_mcpbench.metrics.comparison.arguments import has_placeholder
from tests.suites import dictation, shipped
from tests.suites.reference_attempts import one_worker, reference_attempts, scores_of

of_each_suite = pytest.mark.parametrize("name", [pytest.param(name, marks=one_worker(name)) for name in shipped.NAMES])


@of_each_suite
def test_every_record_loads_without_error_or_warning(name: str) -> None:
    assert [(str(each.place), each.error, each.warnings) for each in shipped.loaded(name) if _is_flawed(each)] == []


@of_each_suite
def test_the_suite_has_a_licence_and_a_note_about_its_source(name: str) -> None:
    assert shipped.suite(name).licence == "MIT"
    assert (shipped.SUITES / name / "SOURCE.md").is_file()


@of_each_suite
def test_the_settings_name_metrics_that_exist(name: str) -> None:
    suite = shipped.suite(name)
    for metric in (*suite.metrics, *suite.floors):
        configure(metric, resolve(metric), suite.metric_settings.get(metric, {}))


@of_each_suite
def test_no_two_requests_are_alike(name: str) -> None:
    said = {task.id: shipped.runs(shipped.request(task), 3) for task in shipped.tasks(name)}
    assert [(a, b) for a, b in combinations(said, 2) if _are_alike(said[a], said[b])] == []


@of_each_suite
def test_no_two_references_are_alike_but_single_calls_without_arguments(name: str) -> None:
    """A tool without arguments can be called in one way only, so a suite may ask for it in several wordings."""
    references = Counter(
        shipped.reference(task)
        for task in shipped.tasks(name)
        if any(call.arguments for call in task.expected.flat_calls)
    )
    assert [reference for reference, count in references.items() if count > 1] == []


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("atlas", (0.02, 0, 0, 0)),
        ("finmcp", (0.04, 0.01, 0, 0)),
        # In quotation marks stand texts to be written word for word, as the system prompt says.
        ("persona", (0.01, 0.39, 0.025, 0)),
        ("radar", (0.04, 0.16, 0.015, 0)),
        ("toolbench", (0.01, 0.035, 0.005, 0.02)),
    ],
)
def test_requests_say_what_is_wanted_and_dictate_little(name: str, most: tuple[float, ...]) -> None:
    """The bounds are the shares of requests with words of order, quotation marks, selectors and coordinates."""
    asked = [shipped.request(task) for task in shipped.tasks(name)]
    words = (dictation.ORDER, dictation.QUOTATION, dictation.SELECTOR, dictation.COORDINATE)
    dictated = [[each for each in asked if word.search(each)] for word in words]
    assert [each for each, share in zip(dictated, most, strict=True) if len(each) > share * len(asked)] == []


@of_each_suite
def test_no_request_names_a_tool_or_quotes_a_search_term(name: str) -> None:
    """Then the agent would have nothing to find out. What looks like a word, such as ``search``, is no name here."""
    tasks = shipped.tasks(name)
    tools = {
        call.tool.lower() for task in tasks for call in task.expected.flat_calls if re.search("_|[a-z][A-Z]", call.tool)
    }
    named = [(task.id, tool) for task in tasks for tool in tools if tool in shipped.request(task).lower()]
    quoted = [(task.id, term) for task in tasks for term in _search_terms(task) & _quoted(task)]
    assert named + quoted == []


def _search_terms(task: Task) -> set[str]:
    arguments = (argument for call in task.expected.flat_calls for argument in call.arguments.items())
    return {str(value).strip() for key, value in arguments if re.search("query|keyword|search|^q$", key)}


def _quoted(task: Task) -> set[str]:
    return {text.strip(" .,!?") for text in dictation.QUOTED.findall(shipped.request(task))}


@of_each_suite
def test_no_request_quotes_the_description_of_a_tool(name: str) -> None:
    said = [(tool, _six_words_of(tool.description, tool.input_schema)) for tool in shipped.tools(name)]
    asked = [(task, shipped.runs(shipped.request(task), 6)) for task in shipped.tasks(name)]
    quoted = [
        (task.id, tool.tool)
        for task, request in asked
        for tool, runs in said
        if tool.server in (task.servers or (tool.server,)) and request & runs
    ]
    assert quoted == []


@of_each_suite
def test_every_reference_call_is_of_a_tool_and_validates(name: str) -> None:
    """Calls that refer to earlier results are validated as the oracle makes them."""
    invalid = [
        (task.id, call.tool, error.message)
        for task in shipped.tasks(name)
        for call in task.expected.flat_calls
        if not has_placeholder(dict(call.arguments), frozenset(each.id for each in task.expected.flat_calls if each.id))
        for error in Draft202012Validator(shipped.tool_of(call, name).input_schema).iter_errors(dict(call.arguments))
    ]
    assert invalid == []


def test_every_tool_of_every_server_is_needed_by_some_task() -> None:
    """Servers of tasks that judge only the answer are excepted: their agents choose the tools themselves."""
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
def test_a_prompt_with_a_date_has_the_date_of_the_worlds(name: str) -> None:
    said = shipped.suite(name).system or ""
    assert ("20" not in said) or (f"{DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}" in said)


@pytest.mark.extra
@of_each_suite
def test_the_oracle_passes_every_task_by_valid_calls(name: str) -> None:
    attempts = reference_attempts(name)
    assert {each.task.id: each.problem for each in attempts if each.problem} == {}
    assert {each.task.id: found for each in attempts if (found := _broken_calls(each.evidence))} == {}
    assert [each.task.id for each in attempts if each.evidence.unavailable_tools] == []


def _passes(card: Scorecard) -> bool:
    return not card.shortfalls and not card.unscored


@pytest.mark.extra
@of_each_suite
def test_neither_doing_nothing_nor_repeating_the_request_passes_a_task(name: str) -> None:
    passed = [
        (attempt.task.id, texts)
        for attempt in reference_attempts(name)
        for texts in ((), _echo(attempt.task))
        if _passes(scores_of(name, attempt.task, attempt.without_calls(*texts)))
    ]
    assert passed == []


@pytest.mark.long
@of_each_suite
def test_regenerating_writes_the_task_files_that_are_checked_in(name: str, tmp_path: Path) -> None:
    import_module(f"pytest_mcpbench.generation.{name}").write(tmp_path)
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.as_posix() for path in written} == {file.path for file in shipped.suite(name).files}
    changed = [
        path for path in written if (tmp_path / path).read_bytes() != (shipped.SUITES / name / path).read_bytes()
    ]
    assert changed == []


def _broken_calls(evidence: AttemptEvidence) -> list[CallRecord]:
    """Return the calls that break the tool's schema or were answered with an error."""
    schemas = {tool.name: tool.input_schema for tool in evidence.tools}
    return [
        call
        for call in evidence.calls
        if call.is_error or not Draft202012Validator(schemas[call.name]).is_valid(call.arguments)
    ]


def _echo(task: Task) -> tuple[str, ...]:
    return tuple(f"{turn.user}\n<answer>{turn.user}</answer>" for turn in task.turns)


def _is_flawed(each: Any) -> bool:
    return bool(each.error or each.warnings)


def _are_alike(one: Set[Any], other: Set[Any]) -> bool:
    """Return whether more than 30 % of all runs are in both; very different sizes decide it without a comparison."""
    if min(len(one), len(other)) <= 0.3 * max(len(one), len(other)):
        return False
    shared = len(one & other)
    return shared > 0.3 * (len(one) + len(other) - shared)


def _six_words_of(description: str, schema: dict[str, Any]) -> frozenset[tuple[str, ...]]:
    return shipped.runs(description, 6) | shipped.runs(json.dumps(schema, ensure_ascii=False), 6)


def _factory(server: str, suite: str) -> str:
    """Return the factory of a server, which is the same whatever the suites call the server."""
    return str(shipped.suite(suite).servers[server].factory)


def _servers_of_mere_answers(name: str) -> set[str]:
    return {server for task in shipped.tasks(name) if not task.expected.flat_calls for server in task.servers}
