"""The first example of the page on servers, run as it shows it."""

import re
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "test-a-server.md"
SERVER = """
from mcp.server import MCPServer

server = MCPServer("weather")

@server.tool(description="Current weather of a city.")
def get_weather(city: str) -> str:
    return f"{city}: rain"

server.run()
"""


def _example() -> str:
    """Return the first task file of the page, for this interpreter."""
    (yaml, *_) = re.findall(r"^```yaml\n(server: .*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    text: str = yaml
    return text.replace("python server.py", f"{sys.executable} server.py")


@pytest.fixture
def weather(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.path.joinpath("server.py").write_text(SERVER, encoding="utf-8")
    pytester.path.joinpath("weather.mcpbench.yaml").write_text(_example(), encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def _summary(result: pytest.RunResult) -> str:
    """The line about the one task that did not pass."""
    (line,) = [line for line in result.outlines if line.startswith(("FAILED ", "ERROR "))]
    return line


def test_the_agent_without_a_model_passes_as_shown(weather: pytest.Pytester) -> None:
    result = weather.runpytest_inprocess()
    shown = re.compile(r"^weather\.mcpbench\.yaml \. +\[100%\]$", re.MULTILINE)
    assert shown.search(PAGE.read_text(encoding="utf-8"))
    assert shown.search(result.stdout.str())


@pytest.mark.extra
def test_a_reference_call_of_no_tool_says_what_the_page_says(
    weather: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    path = weather.path / "weather.mcpbench.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("get_weather", "get_wether"), encoding="utf-8")
    result = weather.runpytest_inprocess("--model=oracle")
    assert _summary(result) in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_oracle_passes_and_doing_nothing_fails_as_the_page_shows(
    weather: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    result = weather.runpytest_inprocess("--model=oracle", "--model=noop")
    result.assert_outcomes(passed=1, failed=1)
    assert _summary(result) in PAGE.read_text(encoding="utf-8").splitlines()
