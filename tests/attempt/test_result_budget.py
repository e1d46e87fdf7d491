"""Bound on all results of one attempt."""

import pytest

from pytest_mcpbench.attempt.arena import ResultBudget
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.tool import Content, ToolResult

LARGE: dict[str, ToolResult] = {
    "text": ToolResult.of_text("x" * 1_000),
    "texts": ToolResult(content=(Content(type="text", text="x"),) * 200),
    "data": ToolResult(content=(Content(type="image", data="x" * 1_000),)),
    "structured": ToolResult(structured={"a": ["x" * 1_000]}),
    "keys": ToolResult(structured={"x" * 1_000: 1}),
    "numbers": ToolResult(structured=[1] * 200),
}
SPENDING = ToolResult.of_text("x" * 1_500)


@pytest.mark.parametrize("result", LARGE.values(), ids=LARGE)
def test_results_that_do_not_fit_together_are_an_error_of_the_server_that_sent_the_last(result: ToolResult) -> None:
    budget = ResultBudget(remaining=2_500)
    budget.spend(result, "one")
    with pytest.raises(ServerError, match="server 'two' failed to call: the results of this attempt have more than"):
        budget.spend(SPENDING, "two")
