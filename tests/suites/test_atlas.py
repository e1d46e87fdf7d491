"""The suite ``atlas``: claims that follow from the worlds and that only an answer with the facts fulfils."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from pytest_mcpbench.agents.oracle import OracleAgent, unused_results
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.result_templates import ResultTemplateError, literal_texts, render
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.generation.atlas.draft import Draft, drafts
from pytest_mcpbench.generation.atlas.rows import SERVERS, StudioServers
from pytest_mcpbench.judges.keyfacts.decision import decide_claim
from pytest_mcpbench.judges.keyfacts.known import Known
from pytest_mcpbench.judges.keyfacts.reading import read
from pytest_mcpbench.simulated.database import seed as database
from tests.builders import a_call
from tests.suites import shipped
from tests.suites.reference_attempts import one_worker

pytestmark = one_worker("atlas")

SUITE = shipped.SUITES / "atlas"
POINTS = {"fulfilled": 1.0, "partially_fulfilled": 0.5, "not_fulfilled": 0.0, None: 0.0}
SOME_OR_ALL = [pytest.param(5, id="one in five"), pytest.param(1, id="all", marks=pytest.mark.extra)]
OWN = ("memory", "documents", "database", "git", "messages")


@cache
def _drafts() -> dict[str, Draft]:
    return {draft.name: draft for draft in drafts()}


def test_the_settings_are_the_benchmarks() -> None:
    suite = shipped.suite("atlas")
    assert (suite.system, suite.tool_names, suite.exposure, suite.judge) == (None, "prefixed", "listed", "keyfacts")
    assert (suite.limits.rounds, suite.limits.tool_calls, suite.limits.seconds) == (256, 100, 1800)
    assert {server.timeouts.call_seconds for server in suite.servers.values()} == {60}
    assert (suite.floors, set(suite.servers)) == ({"coverage": 0.75}, set(SERVERS))
    assert suite.guards == {"effects": 1.0, "contradiction_free": 1.0}


@pytest.mark.long
def test_the_distribution_is_that_of_the_benchmark() -> None:
    needed = {name: {call.tool for call in draft.calls} for name, draft in _drafts().items()}
    across = sum(len({tool.partition("_")[0] for tool in tools}) > 1 for tools in needed.values())
    conditional = sum(task.tags["conditional"] == "yes" for task in shipped.tasks("atlas"))
    assert len(_drafts()) >= 40
    assert {3 <= len(tools) <= 11 for tools in needed.values()} == {True}
    assert {12 <= len(row["ENABLED_TOOLS"]) <= 18 for row in shipped.records("atlas")} == {True}
    assert across / len(_drafts()) >= 0.65
    assert conditional / len(_drafts()) >= 0.4


def test_every_tool_of_the_suites_own_servers_is_needed() -> None:
    called = {call.tool for draft in _drafts().values() for call in draft.calls}
    offered = {f"{server}_{tool}" for server in OWN for tool in SERVERS[server].table}
    assert offered - called == set()


def test_no_two_tasks_claim_the_same() -> None:
    claims = Counter(claim for row in shipped.records("atlas") for claim in row["GTFA_CLAIMS"])
    assert [claim for claim, count in claims.items() if count > 1] == []


def test_no_id_and_no_name_of_a_tool_stands_in_a_request() -> None:
    ids = re.compile(r"\b(app|tbl|rec|fld)[A-Z]\w{6,}|\bpg-\w{4}|\bC\d[A-Z]{4,}|\b[0-9a-f]{40}\b|SELECT |/data\b")
    assert [
        task.id
        for task in shipped.tasks("atlas")
        if ids.search(task.prompt) or any(t in task.prompt for t in task.tools)
    ] == []


@pytest.mark.parametrize("step", SOME_OR_ALL)
def test_giving_up_does_not_pass_and_stating_the_claims_does(step: int) -> None:
    tasks = shipped.tasks("atlas")[::step]
    assert [task.id for task in tasks if _coverage(task, "I could not find out.") >= 0.75] == []
    assert [task.id for task in tasks if _coverage(task, "\n".join(task.expected.claims)) < 1] == []


def test_the_recorded_calls_are_valid_and_their_results_show_the_claimed_values() -> None:
    empty, unfounded = [], []
    for task in shipped.tasks("atlas"):
        name = task.id.replace("-", "_")
        draft, results = _drafts()[name], _recorded_results(name)
        for call, made, result in zip(draft.calls, task.expected.flat_calls, results, strict=True):
            server, _, tool = call.tool.partition("_")
            Draft202012Validator(SERVERS[server].table[tool].input_schema).validate(dict(made.arguments))
            if not _has_found(call.tool, result):
                empty.append((name, call))
        unfounded += [(name, value) for value in _values(draft) if not _is_shown(value, "\n".join(results))]
    assert (empty, unfounded) == ([], [])


def test_a_derivation_states_no_value_and_no_name_that_is_not_in_the_request() -> None:
    recited = {
        (row["TASK"], text)
        for row in shipped.records("atlas")
        for text in _facts(" . ".join(literal_texts(row["DERIVATION"]["answer"])))
        if text.casefold() not in row["PROMPT"].casefold()
    }
    assert recited == set()


@pytest.mark.long
@pytest.mark.parametrize("step", SOME_OR_ALL)
def test_the_derived_answer_makes_every_claim(step: int) -> None:
    missing = [
        claim
        for row in shipped.records("atlas")[::step]
        for claim in row["GTFA_CLAIMS"]
        if _label(row, claim, _derived(row, _texts(row))) != "fulfilled"
    ]
    assert missing == []


def test_every_result_is_used_by_a_later_call_or_the_answer() -> None:
    unused = {task.id: list(unused_results(task, _recorded_calls(task))) for task in shipped.tasks("atlas")}
    assert {task_id: found for task_id, found in unused.items() if found} == {}


@pytest.mark.long
def test_every_claim_depends_on_what_the_servers_return() -> None:
    """For each claim, of every second task: some word or number can be exchanged in the results so that it is lost."""
    recited = [
        (row["TASK"], claim)
        for row in shipped.records("atlas")[::2]
        for claim in row["GTFA_CLAIMS"]
        if not _depends_on_results(row, claim)
    ]
    assert recited == []


def test_a_claim_that_no_result_supports_fails_the_oracle(tmp_path: Path) -> None:
    task = next(task for task in shipped.tasks("atlas") if task.id == "wren-fee")
    claims = (*task.expected.claims, "Wren Hotels was founded in 1987.")
    changed = task.model_copy(update={"expected": task.expected.model_copy(update={"claims": claims})})
    assert _coverage(changed, _played(changed, tmp_path)) == 0.75


@pytest.mark.parametrize(
    ("task_id", "server", "before", "after", "stated"),
    [
        pytest.param("wren-fee", "database", "14599", "19000", "19,000.00 EUR is 30 days overdue", id="database"),
        pytest.param("wren-fee", "memory", "late fee of 2 percent", "late fee of 3 percent", "437.97 EUR", id="memory"),
        pytest.param("port-withheld", "documents", "2026-05-15", "2026-06-09", "9 June 2026", id="documents"),
        pytest.param("petty-cash", "files", "sample tiles,63.20", "sample tiles,163.20", "412.65 EUR", id="files"),
        pytest.param("felt-branch", "messages", "quoted 66 EUR", "quoted 64 EUR", "not agree with", id="messages"),
    ],
)
def test_the_oracles_answer_follows_a_change_of_a_world(
    task_id: str, server: str, before: str, after: str, stated: str, tmp_path: Path
) -> None:
    task = next(task for task in shipped.tasks("atlas") if task.id == task_id)
    changed = _with_changed_world(task, server, (before, after), tmp_path)
    answer = _played(changed, tmp_path)
    assert stated in answer
    assert _coverage(task, answer) < 1


def test_the_recorded_results_are_those_of_fresh_servers(tmp_path: Path) -> None:
    studio = StudioServers("oven-tiles", tmp_path)
    assert [studio.call(call) for call in _drafts()["oven_tiles"].calls] == _recorded_results("oven_tiles")


def _played(task: Task, directory: Path) -> str:
    """Return the oracle's answer on the servers of the suite."""
    suite = shipped.suite("atlas").model_copy(update={"directory": str(directory)})
    if not (directory / "data").exists():
        copytree(SUITE / "data", directory / "data")

    async def play() -> str:
        async with ServerPool(root=SUITE) as pool:
            result = await Player(suite, pool).play(task, OracleAgent())
        assert result.error is None, result.error
        return result.evidence.answer

    return anyio.run(play)


def _with_changed_world(task: Task, server: str, change: tuple[str, str], directory: Path) -> Task:
    """Return the task with one text exchanged in the initial state of a server or in a file."""
    if server == "files":
        copytree(SUITE / "data", directory / "data")
        for file in (directory / "data").rglob("*.csv"):
            file.write_text(file.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
        return task
    if server == "database":
        tree = {name: table._asdict() for name, table in database.tables().items()}
    else:
        world = Sandbox(directory).world(server)
        SERVERS[server].state(world)
        assert world.before is not None
        tree = world.before.to_json()
    text = json.dumps(tree, ensure_ascii=False)
    assert change[0] in text
    seeds = {server: json.loads(text.replace(*change))}
    return task.model_copy(update={"context": task.context.model_copy(update={"seeds": seeds})})


def _recorded_calls(task: Task) -> list[CallRecord]:
    row = next(row for row in shipped.records("atlas") if row["TASK"] == task.id)
    return [
        a_call(call.tool, call.arguments, result=text)
        for call, text in zip(task.expected.flat_calls, _texts(row), strict=True)
    ]


def _texts(row: dict[str, Any]) -> list[str]:
    return [message["content"][0]["text"] for message in row["TRAJECTORY"] if message["role"] == "tool"]


def _derived(row: dict[str, Any], texts: Sequence[str]) -> str:
    results = {str(at): ToolResult.of_text(text) for at, text in enumerate(texts, 1)}
    return render(row["DERIVATION"]["answer"], results)


def _depends_on_results(row: dict[str, Any], claim: str) -> bool:
    texts = _texts(row)
    tokens = dict.fromkeys(re.findall(r"[^\W_]+", " ".join(texts)))
    in_claim = [token for token in tokens if token in claim]
    return any(_changes(row, claim, texts, token) for token in (*in_claim, *tokens))


def _changes(row: dict[str, Any], claim: str, texts: Sequence[str], token: str) -> bool:
    """Return whether the derived answer lacks the claim after some exchange of a word, everywhere or once a result."""
    return any(
        _lacks(row, claim, [re.sub(rf"\b{token}\b", other, text, count=count) for text in texts])
        for other in _others(token)
        for count in (0, 1)
    )


def _others(token: str) -> tuple[str, ...]:
    """Return words that differ from a word: for a number the next, the smallest and the largest of its length."""
    if token.isdigit():
        return str(int(token) + 1).zfill(len(token)), "1".ljust(len(token), "0"), "9" * len(token)
    return "Zed", *([following] if (following := _with_next_digits(token)) != token else [])


def _with_next_digits(token: str) -> str:
    return re.sub(r"[0-8]", lambda digit: str(int(digit[0]) + 1), token)


def _label(row: dict[str, Any], claim: str, answer: str) -> str | None:
    return decide_claim(claim, answer, Known(row["PROMPT"], tuple(_texts(row))), row["GTFA_CLAIMS"]).label


def _lacks(row: dict[str, Any], claim: str, texts: Sequence[str]) -> bool:
    try:
        answer = _derived(row, texts)
    except ResultTemplateError:
        return False
    return _label(row, claim, answer) != "fulfilled"


def _facts(text: str) -> Iterator[str]:
    for clause in read(text):
        yield from (token.text for token in clause.tokens if token.kind not in ("word", "question") or token.is_name)


def _recorded_results(name: str) -> list[str]:
    row = next(row for row in shipped.records("atlas") if row["TASK"] == name.replace("_", "-"))
    return _texts(row)


def _coverage(task: Task, answer: str) -> float:
    claims = task.expected.claims
    results = tuple(_recorded_results(task.id))
    known = Known(task.prompt, results)
    return sum(POINTS.get(decide_claim(claim, answer, known, claims).label or "", 0) for claim in claims) / len(claims)


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


def _has_found(tool: str, answer: str) -> bool:
    """Return whether the result of a search is not empty."""
    if tool.startswith("messages_conversations_"):
        return len(answer.splitlines()) > 1
    if tool.startswith("memory_search"):
        return bool(json.loads(answer)["entities"])
    return answer.strip() not in ("", "[]", "No events found in the specified date range")
