"""What task files record of servers that nobody can start."""

from typing import Any

import pytest

from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import SimilarTool, Task
from pytest_mcpbench.loaders.recorded_servers import NAMELESS, Tools, recorded_servers, with_recorded_answers
from tests.builders import a_task, a_tool, expected_call


def _suite(**fields: Any) -> SuiteManifest:
    return SuiteManifest(
        **{"name": "s", "directory": "/", "files": (TaskFileRef(path="x", loader="native"),), **fields}
    )


def _tools(*tasks: Task, known: Tools | None = None, **fields: Any) -> dict[str, Any]:
    """Server -> name and properties of each tool."""
    made = recorded_servers(tasks, _suite(**fields), known or {})
    return {name: [_plain(tool) for tool in ref.settings["tools"]] for name, ref in made.items()}  # type: ignore[union-attr]


def _plain(tool: Any) -> tuple[str, dict[str, Any]]:
    return tool["name"], tool["inputSchema"].get("properties", {})


def test_a_tools_schema_is_the_union_of_the_arguments_of_its_reference_calls() -> None:
    first = a_task((expected_call("quote", {"code": "X", "days": 3}, server="fund"),))
    second = a_task((expected_call("quote", {"code": ["X"], "full": True}, server="fund"),))
    properties = {"code": {}, "days": {"type": "number"}, "full": {"type": "boolean"}}
    assert _tools(first, second) == {"fund": [("quote", properties)]}


def test_schemas_that_the_files_hold_come_first() -> None:
    known = {"fund": (a_tool("quote", {"code": {"type": "string"}}, server="fund"),)}
    task = a_task((expected_call("quote", {"code": "X"}, server="fund"), expected_call("rank", server="fund")))
    assert _tools(task, known=known) == {"fund": [("quote", {"code": {"type": "string"}}), ("rank", {})]}


@pytest.mark.parametrize(
    ("servers", "server"),
    [pytest.param(("mail",), "mail", id="the task's only one"), pytest.param((), NAMELESS, id="none is named")],
)
def test_a_call_without_a_server_belongs_to(servers: tuple[str, ...], server: str) -> None:
    assert _tools(a_task((expected_call("send"),), servers=servers)) == {server: [("send", {})]}


def test_similar_and_listed_tools_are_offered_too() -> None:
    call = expected_call("geo", server="maps", similar_tools=(SimilarTool(tool="geocode", server="other"),))
    made = _tools(a_task((call,), tools=("maps_geo", "wiki_search_page")), tool_names="prefixed")
    assert made == {"maps": [("geo", {})], "other": [("geocode", {})], "wiki": [("search_page", {})]}


def test_a_server_that_the_suite_has_is_not_replayed() -> None:
    own = {"mail": {"name": "mail", "transport": "in_process", "factory": "m:f"}}
    task = a_task((expected_call("send", server="mail").model_copy(update={"result": "sent"}),))
    suite = _suite(servers=own)
    assert recorded_servers([task], suite, {}) == {}
    assert with_recorded_answers(task, suite) is task


def test_recorded_results_are_the_seeds_of_the_replaying_servers() -> None:
    task = a_task((expected_call("send", {"to": "Bo"}, server="mail", result="sent"), expected_call("x", server="y")))
    suite = _suite(servers=recorded_servers([task], _suite(), {}))
    seeds = with_recorded_answers(task, suite).context.seeds
    assert seeds == {"mail": {"answers": [{"tool": "send", "arguments": {"to": "Bo"}, "result": "sent"}]}}
