"""Tasks of the suite ``atlas``: facts fill claims, and what servers or data contradict is told with its place."""

import re
from dataclasses import replace
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill_slots
from pytest_mcpbench.generation.atlas.draft import Draft, WrittenDerivation, drafts
from pytest_mcpbench.generation.atlas.facts import FACTS
from pytest_mcpbench.generation.atlas.rows import json_line
from pytest_mcpbench.generation.source.calls import ReferenceCall

SUM = ReferenceCall(tool="calculator_calculate", arguments={"expression": "40 + 2"})
PRODUCT = ReferenceCall(tool="calculator_calculate", arguments={"expression": "42 * 2"})
READ = ReferenceCall(tool="filesystem_read_text_file", arguments={"path": "/data/x"})
DERIVATION = WrittenDerivation(answer="{{ results[2] }}", arguments={"2": {"expression": "{{ results[1] }} * 2"}})
DRAFT = Draft("sum", "?", (SUM, PRODUCT), ("84.",), DERIVATION, SourceLocation("x.yaml", 3))


def test_a_fact_fills_its_slot_in_a_claim() -> None:
    assert fill_slots(
        "{{ share | fixed(1) }} % of {{ year.budget | money }}", {"share": 7.25, "year": {"budget": 1e3}}
    ) == ("7.2 % of 1,000.00")
    with pytest.raises(ResultTemplateError, match="'shares' is undefined"):
        fill_slots("{{ shares }}", {"share": 1})


def test_every_function_of_facts_has_a_task() -> None:
    assert {*FACTS} <= {draft.task_id for draft in drafts()}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"calls": (SUM, SUM)}, "calculator_calculate has expression '40 + 2', but derived is '42 * 2'."),
        ({"calls": (ReferenceCall(tool="calculator_calc", arguments={}),)}, "Did you mean 'calculator_calculate'?"),
        (
            {"calls": (ReferenceCall(tool="git_git_log", arguments={"repo_path": "x"}),)},
            "git_git_log {'repo_path': 'x'} fails",
        ),
        (
            {"derivation": WrittenDerivation(answer="", arguments={"2": {"expression": "{{ results[7] }}"}})},
            "results[7]",
        ),
    ],
)
def test_a_call_that_the_servers_contradict_is_told_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert '"42 * 2"' in json_line(DRAFT, 1).replace("\\", "")
    with pytest.raises(TaskError, match=rf"^x\.yaml:3: 'sum': .*{re.escape(message)}"):
        json_line(replace(DRAFT, **changes), 1)
