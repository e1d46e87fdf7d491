import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.ast import Ast
from pytest_mcpbench.metrics.catalogue import BUILT_IN, configure, resolve
from tests.builders import a_task, evidence_of


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_name_leads_to_a_metric_that_scores_an_empty_run(name: str) -> None:
    score = resolve(name)(a_task(), evidence_of())

    assert isinstance(score, Score)
    assert (score.value is None) == (score.unscored is not None)


def test_settings_are_converted_to_the_types_of_the_metric() -> None:
    assert resolve("ast", {"sets": ["paths"], "extra_calls": "ignore"}) == Ast(
        sets=frozenset({"paths"}), extra_calls="ignore"
    )


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("asst", {}, "no metric is called 'asst'. Did you mean 'ast'?"),
        ("ast", {"profle": "strict"}, "metric 'ast' has no setting 'profle'. Did you mean 'profile'?"),
        (
            "ast",
            {"profile": "hard"},
            "metric 'ast', setting 'profile': Input should be 'strict', 'lenient' or 'bfcl' (it is 'hard').",
        ),
        (
            "ast",
            {"comparators": {"path": "path"}},
            "metric 'ast': comparators and a judge belong to the profile 'lenient', not to 'strict'",
        ),
        ("dtsr", {"rounds": 1}, "metric 'dtsr' has no setting 'rounds'. It takes none."),
    ],
    ids=["unknown metric", "unknown setting", "value", "combination", "metric without settings"],
)
def test_a_mistake_says_what_would_be_right(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        resolve(name, settings)

    assert str(error.value) == message


def _plain(task: Task, evidence: AttemptEvidence) -> Score:
    return Score.verdict(task.id == evidence.task_id)


@dataclass(frozen=True)
class _Preset:
    least: int = 1
    most: int = 5

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        return Score.verdict(self.least <= len(evidence.calls) <= self.most, [task.id])


def test_a_function_is_a_metric_without_settings() -> None:
    assert configure("mine", _plain, {}) is _plain
    with pytest.raises(UsageError, match="'mine' has no settings; remove least"):
        configure("mine", _plain, {"least": 1})


def test_an_instance_keeps_its_own_settings_where_none_are_given() -> None:
    assert configure("mine", _Preset(most=9), {"least": 2}) == _Preset(least=2, most=9)


def test_naming_metrics_imports_none_of_them() -> None:
    code = "import sys, pytest_mcpbench.metrics.catalogue as c; c.BUILT_IN['ast']; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()

    assert {"jsonschema", "mpmath", "sympy", "dateutil", "pytest_mcpbench.metrics.ast"}.isdisjoint(found)
