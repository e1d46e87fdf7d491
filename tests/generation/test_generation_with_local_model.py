"""The small local model writes a task for a server with one tool."""

import json
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.models.local.weights import QWEN
from tests.generation.made_suites import passes
from tests.local_engine import needs_engine

SERVER = '''
from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("weather", log_level="CRITICAL")
DEGREES = {"london": 11, "paris": 14, "berlin": 9, "tokyo": 18, "new york": 12, "madrid": 19, "rome": 20}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def get_weather(city: str) -> str:
    """Get the current weather in a city."""
    return f"{DEGREES.get(city.casefold(), 15)} degrees"
'''


@needs_engine
@pytest.mark.local_model
@pytest.mark.extra
def test_the_small_local_model_writes_a_proven_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not QWEN.path.exists():
        pytest.skip(f"the weights are missing at {QWEN.path}: run `mcpbench fetch local`")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weather_of_cities.py").write_text(SERVER)
    options = ["--server", "weather=weather_of_cities:server", "--model", "local", "--tasks", "1", "--out", "mine"]
    made = main(["generate", *options, "--yes"])
    assert made == 0, capsys.readouterr().out
    (task,) = [json.loads(line) for line in (tmp_path / "mine/tasks.jsonl").read_text().splitlines()]
    assert task["calls"][0][0]["tool"] == "get_weather"
    assert anyio.run(passes, tmp_path / "mine", OracleAgent()) == [True]
    assert anyio.run(passes, tmp_path / "mine", NoopAgent()) == [False]
