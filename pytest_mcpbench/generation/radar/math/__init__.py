"""Math domain: sixty kinds of problems with two wordings each. Answers are computed without the calculator server."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature
from itertools import count
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill_slots
from pytest_mcpbench.generation.radar.math import (
    algebra,
    arithmetic,
    calculus,
    combinatorics,
    finance,
    geometry,
    matrices,
    numbers,
    probability,
)
from pytest_mcpbench.generation.radar.math.problem import KindOfProblem, Problem, RedrawError, Solved
from pytest_mcpbench.generation.radar.request import source
from pytest_mcpbench.generation.radar.templates import drawing_functions
from pytest_mcpbench.generation.source.files import read_named_entries
from pytest_mcpbench.generation.source.values import evaluate
from pytest_mcpbench.simulated.math.server import SIMULATION
from pytest_mcpbench.text.suggestions import hint

__all__ = ["Kind", "derivation", "kinds", "problems"]

_AREAS = (arithmetic, algebra, numbers, combinatorics, probability, calculus, matrices, geometry, finance)
"""Modules with the functions of the kinds in the source file of the same name."""


@dataclass(frozen=True)
class Kind:
    """Kind of problem with the function that solves it.

    The function asks for drawn values by the names of its parameters, and for ``wording`` (0 or 1) or the random
    generator ``draw``.
    """

    name: str
    written: KindOfProblem
    solve: Callable[..., Solved]

    def problem(self, draw: Random, wording: int) -> Problem:
        """Return a problem with numbers that are drawn at random. Raises ``TaskError``."""
        try:
            values = evaluate(self.written.draw, {"wording": wording, **drawing_functions(draw)})
            known = {**values, "draw": draw, "wording": wording}
            asked = signature(self.solve).parameters
            for name in asked:
                if name not in known:
                    raise TaskError(f"{self.name}() needs {name!r}, which is not drawn.", self.written.place, "draw")
            solved = self.solve(**{name: known[name] for name in asked})
            prompt = fill_slots(self.written.wordings[wording], {**values, **solved.values})
        except ResultTemplateError as error:
            raise TaskError(f"{error}.", self.written.place, self.name) from error
        solution = solved.solution
        if isinstance(solution, str):
            return Problem(prompt, solved.answer, lambda tools: tools.calculate(solution))
        return Problem(prompt, solved.answer, solution)


def kinds() -> Iterator[Kind]:
    """Yield all kinds, in the order of the areas and of their source files."""
    for area in _AREAS:
        file = area.__name__.rpartition(".")[2]
        for name, written in read_named_entries(source(f"math/{file}.yaml"), KindOfProblem).items():
            if not hasattr(area, name):
                known = hint(name, [each for each in vars(area) if callable(getattr(area, each))])
                raise TaskError(f"{area.__name__} has no function {name!r}.", written.place, remedy=known)
            yield Kind(name, written, getattr(area, name))


def problems(seed: int) -> list[tuple[Kind, Problem]]:
    """Return all problems: every kind in its first wording, then every kind in its second wording."""
    every = list(kinds())
    first = [_problem(kind, seed, 0) for kind in every]
    second = [_problem(kind, seed, 1, unlike=problem) for kind, problem in zip(every, first, strict=True)]
    return list(zip(every * 2, first + second, strict=True))


def _problem(kind: Kind, seed: int, wording: int, *, unlike: Problem | None = None) -> Problem:
    """Draw problems until the text does not contain the answer, and the answer differs from the other wording's."""
    for attempt in count():
        with suppress(RedrawError):
            problem = kind.problem(Random(f"{seed}/{kind.name}/{wording}/{attempt}"), wording)
            shows_answer = re.search(rf"(?<![\d.]){re.escape(problem.answer)}(?![\d.])", problem.prompt)
            if not shows_answer and not (unlike and unlike.answer == problem.answer):
                return problem
    raise AssertionError("count() does not end")


# Calculations that find the answer of a problem with the tools of the calculator server.


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
