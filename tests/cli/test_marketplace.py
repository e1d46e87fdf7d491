"""``mcpbench marketplace``: servers by category, from the files of registries and of MCPToolBench++."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main

WEATHER = {"name": "io.github.ann/weather", "description": "Forecasts for cities", "packages": []}
MAPS = {"id": "servers/google-maps", "content_name": "Google Maps", "category": "MAP", "description": "Routes"}
TOOLS = {"tools": [{"name": "directions", "description": "Get a way between two points"}, {"name": "geocode"}]}


def write(directory: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.fixture
def market(tmp_path: Path) -> Path:
    again = {"server": {**WEATHER, "remotes": []}, "category": "Weather"}
    listed = {"servers": [{"server": WEATHER, "category": "Weather"}, again, {"server": {**WEATHER, "name": "plain"}}]}
    files = {"maps/server_meta.json": MAPS, "maps/tool_schema.json": TOOLS, "registry.json": listed, "x.json": "{"}
    write(tmp_path, files)
    return tmp_path


def test_categories_are_counted_and_files_without_servers_named(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["marketplace", str(market)]) == 0
    shown = capsys.readouterr()
    assert [line.split() for line in shown.out.splitlines()[1:-1]] == [
        ["map", "1", "2"],
        ["weather", "1", "–"],
        ["no", "category", "1", "–"],
    ]
    assert shown.out.splitlines()[-1] == (
        "3 servers in 2 categories; tools are known of 1; 1 further entries have the name of an earlier one"
    )
    assert f"{market / 'x.json'}: not valid JSON: " in shown.err


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("a way between points", {"servers/google-maps"}),
        ("forecast of cities", {"io.github.ann/weather", "plain"}),
    ],
)
def test_servers_are_found_by_words_of_their_tools_and_descriptions(
    market: Path, capsys: pytest.CaptureFixture[str], words: str, names: set[str]
) -> None:
    assert main(["marketplace", str(market), "--search", words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["servers"]
    assert {server["name"] for server in found} == names


def test_a_search_without_a_hit_and_a_category_that_there_is_not_say_so(
    market: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["marketplace", str(market), "--search", "violin"]) == 1
    assert main(["marketplace", str(market), "--category", "pay"]) == 2
    assert "no server has it; there are: map, weather." in capsys.readouterr().err


def test_the_chart_has_a_bar_for_each_category(market: Path, tmp_path: Path) -> None:
    assert main(["marketplace", str(market), "--chart", str(tmp_path / "figure.svg")]) == 0
    drawn = (tmp_path / "figure.svg").read_text()
    assert all(f">{name}<" in drawn for name in ("map", "weather", "no category"))


def test_servers_of_a_pool_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = {"tool_name": "search", "tool_description": "Search the web", "inputs": []}
    pool = {"mcp_pool": [{"name": "FireCrawl", "description": "Crawler", "tools": [tool], "run_config": []}]}
    write(tmp_path, {"pool.json": pool})
    assert main(["marketplace", str(tmp_path), "--search", "search the web", "--json"]) == 0
    (server,) = json.loads(capsys.readouterr().out)["servers"]
    assert (server["name"], server["tools"]) == ("FireCrawl", {"search": "Search the web"})
