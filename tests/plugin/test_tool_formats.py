"""Runs of models that have no native tool calls."""

from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from pytest_mcpbench.core.trajectory import ParsedText
from pytest_mcpbench.reporting.texts.attempt_text import attempt_lines
from pytest_mcpbench.runs.records import read_facts, read_records

ACTION = 'Thought: Look.\nAction: read_note\nAction Input: {"title": "Shopping"}'


def _react(body: dict[str, Any]) -> Answer:
    if "tools" in body:
        return fails(400, "tools are not supported")
    *_, last = body["messages"]
    match last["content"]:
        case str(text) if "report_number" in text and "Action Input" in body["messages"][0]["content"]:
            return says('Action: report_number\nAction Input: {"number": 7}')
        case str(text) if text.startswith("What does"):
            return says("Action: read_note")
        case str(text) if text.startswith("Your reply could not be read"):
            return says(f"{ACTION}\nObservation: Nothing.\nFinal Answer: Nothing.")
        case str(text) if text.startswith("Observation: "):
            return says(f"Final Answer: {text}")
    return says("I do not know.")


@pytest.mark.parametrize("tools", ["react", "auto"])
def test_a_model_without_tool_calls_does_the_task_in_text(project: pytest.Pytester, tools: str) -> None:
    with chat_server(_react) as server:
        table = f'[tool.mcpbench.models]\nsmall = {{url = "{server.url}", model = "x", tools = "{tools}"}}\n'
        Path("pyproject.toml").write_text(table, encoding="utf-8")
        result = project.runpytest_inprocess("--model=small", "--mcpbench-out=run", "-k", "read-shopping")
    result.assert_outcomes(passed=1, deselected=1)
    ((_, record),) = read_records(Path("run"))
    assert record.evidence is not None
    steps = record.evidence.trajectory.steps
    assert [step.tool_format for step in steps] == ["react"] * 3
    problem = "no 'Action Input:' follows the action 'read_note'"
    assert steps[0].parsed == ParsedText(format="react", raw="Action: read_note", problem=problem)
    assert steps[1].parsed == ParsedText(format="react", raw=f"{ACTION}\nObservation: Nothing.\nFinal Answer: Nothing.")
    assert record.failures["rules"] == ("unreadable_reply",)
    assert "parsed as react" in "\n".join(attempt_lines(record))
    assert read_facts(Path("run"))["models"] == {"small": {"model": "x", "tools": tools}}
