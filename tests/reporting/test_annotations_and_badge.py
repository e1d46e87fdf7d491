"""Annotations at the lines of tasks, and badges."""

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.data import badge
from pytest_mcpbench.reporting.texts.annotations import code_quality, github_commands
from tests.reporting.samples import HOSTILE, a_report, an_entry, scored

PLACE: dict[str, Any] = {"source": "suites/radar/tasks/a,b.jsonl", "line": 7}


def test_an_annotation_is_at_the_line_of_the_task() -> None:
    (command,) = github_commands((scored("t", 0, reason="no call", **PLACE), scored("u", 1)), directory="server")
    assert command == (
        "::error file=server/suites/radar/tasks/a%2Cb.jsonl,line=7,title=t [m]%3A 0/1 passed::ast 0 < 1: no call"
    )


def test_a_task_outside_of_the_repository_is_annotated_without_a_place() -> None:
    failed = scored("t", 0, **PLACE)
    assert list(github_commands((failed,), directory=None)) == ["::error title=t [m]%3A 0/1 passed::ast 0 < 1"]
    assert [*github_commands((scored("t", 0),))] == ["::error title=t [m]%3A 0/1 passed::ast 0 < 1"]
    error = an_entry("t", "error", error="no such host", error_kind="server")
    assert [*github_commands((error,))] == ["::error title=t [m]%3A 1 error::server: no such host"]


def test_no_text_of_a_tool_starts_a_command_of_its_own() -> None:
    attack = f"x\r\n::stop-commands::token\n::set-output name=a::b %0A::error::{HOSTILE}"
    failed = (
        scored("t", 0, reason=attack, model=attack),
        an_entry("u", "error", error=attack, error_kind="server"),
        scored(attack, 0, source=attack, line=1),
    )
    commands = list(github_commands(failed))
    assert len(commands) == len(failed)
    for command in commands:
        assert command.startswith("::error ")
        assert not {"\n", "\r", "\x1b"} & set(command)
        assert "%0A::error" not in command


def test_github_shows_ten_annotations_of_a_step() -> None:
    assert len([*github_commands([scored(f"t{n}", 0) for n in range(30)])]) == 10


def test_gitlab_gets_each_task_once_with_a_stable_fingerprint() -> None:
    report = a_report(*(scored("t", 0, trial=n, **PLACE) for n in (1, 2, 3)), scored("u", 0), scored("v", 1, **PLACE))
    (issue,) = json.loads(code_quality(report))
    assert issue["location"] == {"path": "suites/radar/tasks/a,b.jsonl", "lines": {"begin": 7}}
    assert (issue["severity"], issue["description"]) == ("major", "t [m]: 0/3 passed: ast 0 < 1")
    assert json.loads(code_quality(report)) == [issue]


@pytest.mark.parametrize(
    ("report", "label", "message"),
    [
        (a_report(scored("a", 1), scored("b", 0)), "s", "50 %"),
        (a_report(scored("a", 1, model="x"), scored("a", 0, model="y")), "s", "0–100 %"),
        (a_report(scored("a", 1, model="x"), *(scored("a", 0, model=n) for n in ("noop", "oracle"))), "s", "100 %"),
        (a_report(scored("a", 1, suite="r"), scored("a", 0, suite="t")), "mcpbench", "r 100 % · t 0 %"),
        (a_report(scored("a", 1), an_entry("b", "error")), "s", "100 % · 1 error"),
        (a_report(scored("a", None, unscored={"ast": "no judge"})), "s", "no verdict"),
        (Report(), "mcpbench", "no attempts"),
    ],
    ids=["one model", "two models", "with controls", "two suites", "errors", "unscored", "empty"],
)
def test_a_badge_shows_pass_rates_and_errors(report: Report, label: str, message: str) -> None:
    content = json.loads(badge.shields(report))
    assert (content["schemaVersion"], content["label"], content["message"]) == (1, label, message)
    image = ET.fromstring(badge.svg(report))
    assert image.attrib["aria-label"] == f"{label}: {message}"


def test_the_text_of_a_badge_is_data() -> None:
    image = ET.fromstring(badge.svg(a_report(scored("a", 1, suite=HOSTILE))))
    assert {element.tag.rpartition("}")[2] for element in image.iter()} == {"svg", "title", "rect", "g", "text"}
