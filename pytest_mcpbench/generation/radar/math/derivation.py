"""Calculations that find the answer of a problem with the tools of the calculator server."""

from typing import Any

from pytest_mcpbench.generation.radar.math.problem import Problem
from pytest_mcpbench.simulated.math.server import SIMULATION


class Calculations:
    """The four tools of the calculator server, and the calls that were made of them."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def calculate(self, expression: str) -> str:
        result = self._call("calculate", expression=expression)
        return str(result.get("exact", result["result"]))

    def solve_equation(self, equation: str) -> str:
        return str(self._call("solve_equation", equation=equation)["solutions"])

    def differentiate(self, expression: str) -> str:
        return str(self._call("differentiate", expression=expression)["result"])

    def integrate(self, expression: str) -> str:
        return str(self._call("integrate", expression=expression)["result"])

    def _call(self, tool: str, **arguments: str) -> dict[str, Any]:
        result: dict[str, Any] = SIMULATION.call(None, tool, arguments)
        assert "error" not in result, (tool, arguments, result)
        self.calls.append({"tool": tool, "arguments": arguments})
        return result


_VALUES = {
    "calculate": "results[{last}].exact | default(results[{last}])",
    "solve_equation": "results[{last}].solutions",
}
"""Tool of the last call -> the answer in its result."""


def derivation(problem: Problem) -> dict[str, Any]:
    """Return the calculations of a problem's solution, the last of which returns the answer."""
    tools = Calculations()
    problem.solution(tools)
    value = _VALUES[tools.calls[-1]["tool"]].format(last=len(tools.calls))
    # The calculator puts brackets around several values; an answer has commas only.
    answer = f"{value} | string | replace('[', '') | replace(']', '')"
    return {"calls": tools.calls, "answer": f"<answer>{{{{ {answer} }}}}</answer>"}
