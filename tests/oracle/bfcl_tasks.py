"""Verdicts on all calls of a BFCL task, by our verdicts on single calls."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pytest_mcpbench.metrics.bfcl import VALID, AcceptedCall, BfclFunction, CallVerdict, FunctionCall, check_call
from pytest_mcpbench.metrics.comparison.matching import maximum_matching

BfclKind = Literal["simple", "multiple", "parallel"]
"""One function and one call; several functions and one call; several calls."""


def check_calls(
    functions: Sequence[BfclFunction], calls: Sequence[FunctionCall], answers: Sequence[AcceptedCall], kind: BfclKind
) -> CallVerdict:
    """Return the verdict on all calls of one task."""
    if len(calls) != len(answers):
        return CallVerdict(False, _WRONG_COUNT[kind], f"{len(calls)} calls, {len(answers)} expected")
    if kind == "parallel":
        return _check_parallel(functions, calls, answers)
    function = functions[0] if kind == "simple" else _named(functions, answers[0].name)
    return check_call(function, calls[0], answers[0].options)


_WRONG_COUNT: Mapping[BfclKind, str] = {
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}


def _check_parallel(
    functions: Sequence[BfclFunction], calls: Sequence[FunctionCall], answers: Sequence[AcceptedCall]
) -> CallVerdict:
    verdicts = [
        [check_call(_named(functions, answer.name), call, answer.options) for call in calls] for answer in answers
    ]
    pairs = maximum_matching([[verdict.is_valid for verdict in row] for row in verdicts])
    unmatched = next((index for index in range(len(answers)) if index not in pairs), None)
    if unmatched is None:
        return VALID
    tried = "; ".join(f"call {index + 1}: {verdict.error}" for index, verdict in enumerate(verdicts[unmatched]))
    problem = f"no call of {answers[unmatched].name} for reference call {unmatched + 1} ({tried})"
    return CallVerdict(False, "parallel_function_checker_no_order:cannot_find_match", problem)


def _named(functions: Sequence[BfclFunction], name: str) -> BfclFunction:
    return next((function for function in functions if function.name == name), BfclFunction(name, {}))
