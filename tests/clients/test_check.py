"""Check of profiles against programs: what requests show, and what is printed."""

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.cli.clients import check_lines
from pytest_mcpbench.clients.check import ClientCheck, ComparedValue, observe
from pytest_mcpbench.clients.probe_server import DESCRIPTION, INSTRUCTIONS

PROGRAMS = Path(os.environ.get("MCPBENCH_TEST_SERVERS", ".venv-servers")).resolve() / "agents/node_modules/.bin"
TOOL = {"name": "x_probeserver_probe_echo", "description": f"{DESCRIPTION[:100]}…"}


def body(*tools: dict[str, Any], system: str = "", message: str = "") -> dict[str, Any]:
    return {"tools": [*tools], "system": system, "messages": [{"content": [{"text": message}]}]}


def test_a_listed_tool_with_cut_texts_is_observed() -> None:
    assert observe([body(TOOL, system=f"srv: {INSTRUCTIONS[:300]}… [truncated]", message="IN-CONTENT")]) == {
        "instruction_characters": 300,
        "description_characters": 100,
        "name_form": "x_{server}_{tool}",
        "presentation": "listed",
        "result_form": "content",
        "server_resources": "none",
    }


def test_whole_texts_and_both_forms_of_results_are_observed() -> None:
    whole = {"name": "space", "tools": [{"name": "probe_echo", "description": DESCRIPTION}]}
    seen = observe([body(whole, {"name": "ReadMcpResource"}, message=f"{INSTRUCTIONS} IN-CONTENT IN-STRUCTURED")])
    assert seen == {
        "instruction_characters": "whole",
        "description_characters": "whole",
        "presentation": "listed",
        "result_form": "content and structured",
        "server_resources": "tools",
    }


def test_a_tool_that_was_loaded_by_a_search_is_not_listed() -> None:
    assert observe([body(), body({**TOOL, "defer_loading": True})])["presentation"] == "search"


def test_a_tool_is_listed_whatever_a_later_request_has_in_place_of_tools() -> None:
    assert observe([body(TOOL), {"tools": None}])["presentation"] == "listed"
    assert observe([{"tools": None}, body(TOOL)])["presentation"] == "listed"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Call probe_echo once.", "none"),
        ("Tools:\nother\nmcp__probeserver__probe_echo\n", "names"),
        (f"Tools:\n- mcp__probeserver__probe_echo: {DESCRIPTION[:40]}", "lines"),
    ],
)
def test_what_a_model_reads_of_deferred_tools_is_observed(message: str, shown: str) -> None:
    assert observe([body({**TOOL, "defer_loading": True}, message=message)])["deferred_tools"] == shown
    assert "deferred_tools" not in observe([body(TOOL, message=message)])


def test_instructions_that_are_not_sent_are_none() -> None:
    assert observe([body(TOOL)])["instruction_characters"] == 0


@pytest.mark.parametrize(
    ("stated", "observed", "differs"),
    [(5, 5, False), (5, 6, True), (5, None, False), (None, "whole", False), (None, 6, True), (5, "whole", True)],
)
def test_a_line_differs_if_something_else_is_sent(stated: Any, observed: Any, differs: bool) -> None:
    assert ComparedValue("description_characters", stated, observed).differs is differs


def test_a_difference_and_another_version_are_printed() -> None:
    lines = (
        ComparedValue("most_tools", 5, None),
        ComparedValue("name_form", None, "x"),
        ComparedValue("result_form", "content", "content"),
    )
    assert [*check_lines(ClientCheck("mine", "2.0", "1.0", lines))] == [
        "mine 2.0: not checked before, the profile is of 1.0",
        "  most_tools: 5, not observed",
        '  name_form: not in the profile, but the program sends "x"',
        '  result_form: "content", as sent',
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [("vscode", "vscode cannot be run without a window"), ("codex", "'codex' is not on the search path")],
)
def test_a_client_that_cannot_be_run_is_an_error(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["clients", "check", name]) == 2
    assert message in capsys.readouterr().err


def test_the_list_has_a_line_for_each_profile_and_names_show_the_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clients"]) == 0
    assert "claude-code  Claude Code 2.1.197: 12 values, oldest " in capsys.readouterr().out
    assert main(["clients", "cursor"]) == 0
    shown = capsys.readouterr().out
    assert "  most_tools = 40\n    2025-06-25, " in shown
    assert "older than a year, so that Cursor may show something else by now: most_tools" in shown


@pytest.mark.extra
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_installed_program_sends_what_its_profile_says(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not (PROGRAMS / {"claude-code": "claude", "codex": "codex"}[name]).is_file():
        pytest.skip(f"{PROGRAMS} has no {name}: .ci/setup installs it")
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    exit_code = main(["clients", "check", name])
    shown = capsys.readouterr().out
    assert exit_code == 0, shown
    for value in (
        "instruction_characters",
        "presentation",
        "deferred_tools",
        "result_form",
        "capabilities",
        "server_resources",
    ):
        assert f"  {value}: " in shown
    assert shown.count("as sent") >= 7
