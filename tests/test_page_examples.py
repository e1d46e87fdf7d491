"""The examples of all pages are what the package reads; ``.ci/blocks.py`` runs those of README.md and the tutorial."""

import re
import shlex
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench.cli import command_line
from pytest_mcpbench.clients.profile import load_profile
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.loaders import native
from pytest_mcpbench.loaders.manifest import read_manifest
from pytest_mcpbench.models.aliases import ModelAlias
from pytest_mcpbench.options.settings import ALL_OPTIONS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.glob("[a-z]*/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"))
GUIDES = [page for page in PAGES if page.parent != DOCS / "reference"]
"""Pages without those of the formats, which ``tests/loaders/test_documented_examples.py`` reads."""
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_OWN_OPTION = re.compile(r"--(?:mcpbench-([\w-]+)|(suite|model|trials)\b)")
_NAMES = {option.name for option in ALL_OPTIONS}


def blocks(language: str, pages: Sequence[Path] = PAGES) -> list[Any]:
    """Return the text of each block of a language as a parameter of a test, whose id is the place."""
    found_blocks = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            if found[2] == language:
                place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}"
                text_of_block = re.sub(rf"^{found[1]}", "", found[3], flags=re.MULTILINE)
                found_blocks.append(pytest.param(text_of_block, id=place))
    return found_blocks


def commands(program: str) -> list[Any]:
    """Return the arguments of each command of a program in the blocks; one with ``…`` leaves something out."""
    found_commands = []
    for block in [*blocks("console"), *blocks("bash")]:
        lines = block.values[0].replace("\\\n", " ").splitlines()
        for number, line in enumerate(lines, 1):
            # A comment follows two blanks, and a further command an operator of the shell.
            command = re.split(r" {2,}#| (?:&&|\|\||[|>]|;) ", line.removeprefix("$ "))[0]
            if command.startswith(f"{program} ") and "…" not in command:
                found_commands.append(pytest.param(shlex.split(command)[1:], id=f"{block.id}+{number}"))
    return found_commands


@pytest.mark.parametrize("arguments", commands("pytest"))
def test_a_pytest_command_of_a_page_has_options_that_exist(arguments: list[str]) -> None:
    used = {"".join(filter(None, found.groups())) for each in arguments if (found := _OWN_OPTION.match(each))}
    assert used - _NAMES == set()


@pytest.mark.parametrize("arguments", commands("mcpbench"))
def test_an_mcpbench_command_of_a_page_can_be_parsed(arguments: list[str]) -> None:
    command, *rest = arguments
    if command not in ("--help", "--version"):
        command_line.command_parser(command).parse_args(rest)


@pytest.mark.parametrize("text", blocks("yaml", GUIDES))
def test_a_task_file_of_a_page_loads(text: str) -> None:
    content = yaml.safe_load(text)
    if isinstance(content, dict) and "tasks" in content:
        loaded = list(native.load(text.encode(), LoadOptions("page.mcpbench.yaml")))
        assert [str(each.error) for each in loaded if each.error] == []


@pytest.mark.parametrize("text", blocks("toml", GUIDES))
def test_a_table_of_a_page_has_the_fields_that_exist(text: str, tmp_path: Path) -> None:
    content = tomllib.loads(text)
    if "project" in content:
        return
    if "values" in content:
        (tmp_path / "client.toml").write_text(text, encoding="utf-8")
        load_profile("client.toml", tmp_path)
        return
    if "tool" in content:
        for alias in content["tool"].get("mcpbench", {}).get("models", {}).values():
            if isinstance(alias, dict):
                ModelAlias.model_validate(alias)
        return
    if "files" not in content:
        (tmp_path / "page.yaml").write_text("- ask: hi\n", encoding="utf-8")
        text = f'files = ["page.yaml"]\n{text}'
    (tmp_path / "suite.toml").write_text(text, encoding="utf-8")
    read_manifest(text, tmp_path / "suite.toml", {"MAIL_KEY": "k", "MAPS_KEY": "k"})


@pytest.mark.parametrize("text", blocks("python"))
def test_a_program_of_a_page_compiles(text: str) -> None:
    compile(text, "page.py", "exec")


SERVER = """
from mcp.server import MCPServer

server = MCPServer("weather")

@server.tool(description="Current weather of a city.")
def get_weather(city: str) -> str:
    return f"{city}: rain"

server.run()
"""


@pytest.fixture
def weather(pytester: pytest.Pytester) -> pytest.Pytester:
    (task_file, *_) = blocks("yaml", [DOCS / "how-to" / "test-a-server.md"])
    text = task_file.values[0].replace("python server.py", f"{sys.executable} server.py")
    pytester.path.joinpath("weather.mcpbench.yaml").write_text(text, encoding="utf-8")
    pytester.path.joinpath("server.py").write_text(SERVER, encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def test_the_metric_of_the_page_is_scored(weather: pytest.Pytester) -> None:
    (example,) = blocks("python", [DOCS / "how-to" / "add-a-metric.md"])
    weather.makeconftest(example.values[0])
    result = weather.runpytest_inprocess("--model=oracle", "--mcpbench-floor=brevity=0.5", "--mcpbench-json=r.json")
    result.assert_outcomes(passed=1)
    assert '"brevity"' in weather.path.joinpath("r.json").read_text(encoding="utf-8")


@pytest.mark.extra
def test_the_tests_and_the_agent_of_the_page_on_fixtures_run(weather: pytest.Pytester) -> None:
    quick, agent = (each.values[0] for each in blocks("python", [DOCS / "how-to" / "write-tests.md"]))
    weather.makepyfile(test_quick=quick)
    weather.runpytest_inprocess("test_quick.py", "--model=oracle").assert_outcomes(passed=1)
    weather.makeconftest(agent.replace('"Oslo"', '"Montreal"'))
    weather.runpytest_inprocess("weather.mcpbench.yaml").assert_outcomes(passed=1)


@pytest.mark.long
def test_the_tests_of_the_page_on_servers_run(weather: pytest.Pytester) -> None:
    examples = {
        name: each.values[0]
        for each in blocks("python", [DOCS / "how-to" / "test-a-server.md"])
        for name in re.findall(r"def (test_\w+)", each.values[0])
    }
    weather.makepyfile(test_tools=examples["test_tools"], test_protocol=examples["test_protocol"])
    weather.runpytest_inprocess("test_tools.py", "--snapshot-update").assert_outcomes(passed=1)
    weather.runpytest_inprocess("test_tools.py", "test_protocol.py").assert_outcomes(passed=2)
