"""coverage against the worked examples of MCP-Atlas: scores of the claims, coverage of the task, whether it passes."""

import pytest

from pytest_mcpbench.core.score import scorecard
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.metrics.coverage import Coverage
from tests.builders import a_task, evidence_of
from tests.metrics.verdicts import judged

FLOOR = {"coverage": 0.75}


@pytest.mark.parametrize(
    ("points", "coverage", "passes"),
    [((1, 0.5, 0.5, 0), 0.5, False), ((1, 1, 0, 0, 0), 0.4, False), ((1, 1, 1, 1, 1), 1.0, True)],
    ids=["scoring framework", "GLM 4.5's answer", "GPT-5's answer"],
)
def test_the_papers_examples_score_as_printed(points: tuple[float, ...], coverage: float, passes: bool) -> None:
    task = a_task(expected=Expected(claims=tuple(f"claim {number}" for number in range(len(points)))))
    card = scorecard(
        task, judged(Coverage(), task, evidence_of(answer="An answer."), *points), {"coverage": Coverage()}, FLOOR
    )
    assert (card["coverage"].value, card.passed) == (coverage, passes)


def test_exactly_the_floor_passes() -> None:
    task = a_task(expected=Expected(claims=("a", "b", "c", "d")))
    evidence = judged(Coverage(), task, evidence_of(answer="An answer."), 1, 1, 1, 0)
    assert scorecard(task, evidence, {"coverage": Coverage()}, FLOOR).passed
