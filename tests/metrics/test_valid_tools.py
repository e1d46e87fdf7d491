from typing import Any

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.metrics.answer import Answer
from pytest_mcpbench.metrics.dtsr import Dtsr
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOLS = (a_tool("send", server="mail"), a_tool("add", server="math"), a_tool("read", server="files"))


def _evidence_of_call(server: str) -> AttemptEvidence:
    tool = next(tool for tool in TOOLS if tool.server == server)
    return evidence_of((a_call(tool.name, server=server),), answer="<answer>1</answer>", tools=TOOLS)


@pytest.mark.parametrize(
    ("fields", "valid"),
    [
        pytest.param({}, {"mail", "math", "files"}, id="nothing restricts the task"),
        pytest.param({"servers": ("mail",)}, {"mail"}, id="its servers"),
        pytest.param(
            {"servers": ("mail", "files"), "tags": {"domain": "math"}}, {"mail", "files"}, id="before its domain"
        ),
        pytest.param({"tags": {"domain": "Math"}}, {"math"}, id="the server of its domain"),
        pytest.param({"tags": {"domain": "calendar"}}, {"mail", "math", "files"}, id="no server has the domain's name"),
        pytest.param({"servers": ("mail",), "tools": ("add",)}, {"math"}, id="a list of tools before all"),
        pytest.param({"tools": ("mail_send", "files_add")}, {"mail"}, id="tools listed with their servers"),
    ],
)
def test_valid_tools_follow_from_the_task_if_all_tools_are_exposed(fields: dict[str, Any], valid: set[str]) -> None:
    fuzzy, precise = a_task(**fields), a_task(expected=Expected(answer="1"), **fields)
    servers = ("mail", "math", "files")
    assert {server for server in servers if Dtsr()(fuzzy, _evidence_of_call(server)).value == 1} == valid
    assert {server for server in servers if Answer()(precise, _evidence_of_call(server)).value == 1} == valid


def test_the_servers_of_the_reference_are_as_valid_as_the_one_of_the_domain() -> None:
    task = a_task((expected_call("read", server="files"),), tags={"domain": "mail"})
    assert [Dtsr()(task, _evidence_of_call(server)).value for server in ("mail", "files", "math")] == [1, 1, 0]
