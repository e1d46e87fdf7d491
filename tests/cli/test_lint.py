"""``mcpbench lint``, the item ``lint`` of a lock file, and the fixture ``mcp_lint``."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main

TASKS = """\
servers: {weather: {factory: "fixtures.servers.defined:server"}}
tasks:
  - {id: rain, ask: What is the weather in Oslo?, tool: get_weather, arguments: {city: Oslo}}
"""
CITY = {"type": "object", "properties": {"city": {"type": "string", "description": "A city."}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "Return the weather of a city.", "inputSchema": CITY}
NULL = {"city": {"type": "string", "description": "A city.", "default": None}}
BROKEN = {**TOOL, "inputSchema": {"type": "object", "properties": NULL}}


def define(*tools: dict[str, Any]) -> None:
    Path("tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")


def configure(**settings: Any) -> None:
    entries = settings.pop("ignore", ())
    tables = [["[tool.mcpbench.lint]", settings], *(["[[tool.mcpbench.lint.ignore]]", entry] for entry in entries)]
    lines = [line for head, table in tables for line in (head, *(f"{key} = {json.dumps(table[key])}" for key in table))]
    Path("pyproject.toml").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".mcpbench.yaml", weather=TASKS)
    define(BROKEN)
    return pytester


def test_an_error_fails_and_says_where(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint"]) == 1
    shown = capsys.readouterr().out.splitlines()
    message = "defaults that their schemas refuse: city (null, not string)"
    assert shown == [
        f"weather/get_weather: MCPB105 {message} [invalid-default]",
        "1 error, 0 warnings, 0 remarks",
    ]
    define(TOOL)
    assert main(["lint"]) == 0


def test_a_task_that_names_a_renamed_parameter_is_an_error_with_its_line(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    define({**TOOL, "inputSchema": {"type": "object", "properties": {"town": CITY["properties"]["city"]}}})  # type: ignore[index]
    assert main(["lint"]) == 1
    assert (
        "weather.mcpbench.yaml:3: weather/get_weather/rain: MCPB152 'get_weather' has no parameter 'city'; it has: town"
        in capsys.readouterr().out
    )


def test_a_tool_is_findable_if_a_task_of_any_file_asks_in_its_words(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    define(TOOL)
    project.makefile(".mcpbench.yaml", rain=TASKS.replace("What is the weather in Oslo?", "Is it raining?"))
    assert main(["lint"]) == 0
    assert "MCPB255" not in capsys.readouterr().out
    Path("weather.mcpbench.yaml").unlink()
    assert main(["lint"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "weather/get_weather: MCPB255 nobody will find 'get_weather': its description shares no word with the requests "
        "of its tasks [unfindable-tool]"
    )


def test_a_finding_is_ignored_for_a_reason(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"rule": "MCPB105", "subject": "weather/get_weather", "reason": "clients send no null"}
    configure(ignore=[entry, {"rule": "tool-name", "reason": "old names"}])
    assert main(["lint"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ignored nothing: tool-name * (old names)",
        "0 errors, 0 warnings, 0 remarks, 1 ignored",
    ]


def test_many_findings_of_a_kind_are_one_line_and_style_is_for_strict_projects(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = {"type": "object", "properties": {"mode": {"type": "string"}}}
    define(*({"name": f"t{n}", "description": f"Act {n}.", "inputSchema": parameters} for n in range(4)))
    assert main(["lint"]) == 1
    assert (
        "weather: MCPB201 4 times, -v lists them: t0, t1, t2, t3 [undescribed-parameter]\n" in capsys.readouterr().out
    )
    main(["lint", "-v"])
    shown = capsys.readouterr().out
    assert (shown.count("MCPB201"), shown.count("MCPB301")) == (4, 0)
    main(["lint", "-v", "--strict"])
    assert capsys.readouterr().out.count("MCPB301") == 4


def test_a_finding_about_a_script_of_the_project_has_the_line_of_the_tool(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    project.makepyfile(
        server="""
        from mcp.server import MCPServer

        server = MCPServer("weather")

        @server.tool(description="Current weather.")
        def get_weather(mode: str) -> str:
            return "rain"

        server.run()
        """
    )
    project.makefile(".mcpbench.yaml", weather="server: python server.py\ntasks: []\n")
    main(["lint", "--format", "github"])
    assert "::warning file=server.py,line=6,title=MCPB201 undescribed-parameter::" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ignore": [{"rule": "MCPB105"}]}, r"tool.mcpbench.lint.ignore.0.reason: Field required."),
        (
            {"ignore": [{"rule": "MCPB999", "reason": "x"}]},
            "tool.mcpbench.lint.ignore.0.rule: there is no rule MCPB999",
        ),
        ({"fail_on": "warn"}, "tool.mcpbench.lint.fail_on: Input should be"),
        ({"budget": 1}, "tool.mcpbench.lint.budget: Extra inputs are not permitted."),
    ],
)
def test_wrong_settings_are_refused(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], settings: dict[str, Any], message: str
) -> None:
    configure(**settings)
    assert main(["lint"]) == 2
    assert message in capsys.readouterr().err.replace("'", "")


def test_of_a_server_that_does_not_start_nothing_is_said_but_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "no-such-server --stdio"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "its command 'no-such-server' was not found" in said.err


def test_findings_are_written_for_github_and_code_scanning(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(strict=True, ignore=[{"rule": "no-example", "reason": "plain"}])
    assert main(["lint", "--format", "github"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=weather.mcpbench.yaml,title=MCPB105 invalid-default::weather/get_weather: ")
    assert main(["lint", "--format", "sarif", "--out", "lint.sarif"]) == 1
    (run,) = json.loads(Path("lint.sarif").read_text())["runs"]
    found, ignored = run["results"]
    assert (found["ruleId"], found["level"]) == ("MCPB105", "error")
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == "MCPB105"
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "weather.mcpbench.yaml"
    assert ignored["suppressions"] == [{"kind": "external", "justification": "plain"}]


def test_the_item_of_a_lock_fails_for_errors_and_passes_for_the_rest(project: pytest.Pytester) -> None:
    assert main(["lock"]) == 0
    result = project.runpytest_inprocess("tools.lock.json", "-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["tools.lock.json::lint[[]weather[]] FAILED*", "*MCPB105 defaults*"])
    configure(ignore=[{"rule": "MCPB105", "reason": "clients send no null"}])
    project.runpytest_inprocess("tools.lock.json", "-p", "no:cacheprovider").assert_outcomes(passed=2)
    configure(fail_on="info", strict=True, ignore=[{"rule": "MCPB105", "reason": "clients send no null"}])
    result = project.runpytest_inprocess("tools.lock.json", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*MCPB301 *"])


def test_a_test_can_look_at_the_findings(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_lint(mcp_lint):
            assert [finding.rule.id for finding in mcp_lint.errors] == ["MCPB105"]
            assert not mcp_lint.warnings
        """
    )
    project.runpytest_inprocess("-k", "test_lint").assert_outcomes(passed=1)
