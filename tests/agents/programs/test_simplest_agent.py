"""The simplest agent of the documentation works as the page says, and its calls are recorded."""

import re
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.runs.records import read_records

PAGE = (Path(__file__).parents[3] / "docs/how-to/test-your-agent.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+\n# file: (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
TASK = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks: [{id: read, ask: Show the text of the note Shopping, tool: read_note, arguments: {title: Shopping}}]
"""


def test_the_simplest_agent_calls_a_tool_through_the_proxy_and_answers(pytester: pytest.Pytester) -> None:
    assert len(FILES["agent.py"].split("\n\n\nasync def", 1)[1].splitlines()) < 20
    pytester.path.joinpath("agent.py").write_text(FILES["agent.py"], encoding="utf-8")
    pytester.makepyprojecttoml(FILES["pyproject.toml"].replace('"python"', f'"{sys.executable}"'))
    pytester.path.joinpath("notes.mcpbench.yaml").write_text(TASK, encoding="utf-8")
    result = pytester.runpytest_inprocess("--model=agent:simple", "-p", "no:xdist", "--mcpbench-out=out")
    result.assert_outcomes(passed=1)
    ((_, record),) = read_records(pytester.path / "out")
    assert record.evidence is not None
    assert [(call.tool, call.arguments) for call in record.evidence.calls] == [("read_note", {"title": "Shopping"})]
    assert record.evidence.trajectory.answer == "milk, eggs"
