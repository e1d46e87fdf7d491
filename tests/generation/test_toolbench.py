"""Requests of the suite ``toolbench`` become records: servers, steps, similar tools."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation import toolbench
from pytest_mcpbench.generation.toolbench import ToolbenchRequest, record

OPEN = {"playwright_navigate": {"url": "https://x.example"}}
TEXT: dict[str, Any] = {"playwright_get_visible_text": {}}
GEOCODE = {"maps_geocode": {"address": "x"}}


def request(*calls: Any, named_servers: Any = ()) -> ToolbenchRequest:
    return ToolbenchRequest.model_validate(
        {"language": "en", "ask": "?", "calls": calls, "named_servers": named_servers}
    )


def _label(asked: ToolbenchRequest) -> list[dict[str, Any]]:
    label: list[dict[str, Any]] = record("t-1", "map", asked)["function_call_label"]
    return label


def _similar(asked: ToolbenchRequest) -> list[list[str]]:
    return [[tool["name"] for tool in each["similar_tools"]] for each in _label(asked)]


def test_calls_are_numbered_and_those_of_a_step_share_its_number() -> None:
    label = _label(request(GEOCODE, [{"list_invoices": {}}, {"list_products": {}}], TEXT))
    assert [(each["id"], each["step"]) for each in label] == [("1", "1"), ("2", "2"), ("3", "2"), ("4", "3")]
    assert [each["mcp_server"] for each in label] == ["google-maps", "paypal", "paypal", "playwright"]


def test_all_servers_of_the_categories_that_are_touched_are_offered() -> None:
    row = record("t-1", "cross", request({"write_file": {"path": "x", "content": "y"}}, GEOCODE))
    assert list(row["mcp_tools_dict"]) == ["filesystem", "google-maps", "baidu-maps", "amap-maps"]
    assert [tool["name"] for tool in row["tools"]] == [
        name for names in row["mcp_tools_dict"].values() for name in names
    ]


@pytest.mark.parametrize(
    ("asked", "similar"),
    [
        pytest.param(request(GEOCODE), [["map_geocode", "maps_geo"]], id="the user names no server"),
        pytest.param(request(GEOCODE, named_servers=["google-maps"]), [[]], id="the user names the server"),
        pytest.param(request(OPEN, TEXT), [[], []], id="each browser keeps its own page"),
    ],
)
def test_tools_that_do_the_same_are_as_right(asked: ToolbenchRequest, similar: list[list[str]]) -> None:
    assert _similar(asked) == similar


@pytest.mark.parametrize(("calls", "kind"), [((GEOCODE,), "single"), ((OPEN, TEXT), "multiple")])
def test_the_type_of_a_record_is_the_number_of_its_calls(calls: Any, kind: str) -> None:
    assert record("t-1", "map", request(*calls))["call_type"] == kind


def test_an_unknown_tool_is_told_with_the_nearest_one() -> None:
    with pytest.raises(TaskError, match=r"no server has a tool 'map_geocodes'\. Did you mean 'map_geocode'\?"):
        record("t-1", "map", request({"map_geocodes": {}}))


@pytest.mark.extra
def test_the_command_writes_the_files_and_takes_no_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "toolbench", "--to", str(tmp_path)]) == 0
    expected = toolbench.task_files()
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in expected} == expected
    assert main(["generate", "toolbench", "--to", str(tmp_path), "--seed", "7"]) == 2
    assert "has no random part" in capsys.readouterr().err
