"""The problems of the math domain: answers by brute force, verified with the calculator."""

import re
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar import SEED
from pytest_mcpbench.generation.radar.math import Calculations, Kind, kinds, problems
from pytest_mcpbench.generation.radar.math.problem import (
    KindOfProblem,
    Problem,
    RedrawError,
    Solved,
    calculator_polynomial,
    format_rounded,
    polynomial,
    simpson,
    value_at,
)
from pytest_mcpbench.metrics.answer import same_mathematics
from pytest_mcpbench.metrics.comparison.answers import same_answer


def _agrees(problem: Problem) -> bool:
    return same_answer(problem.answer, problem.solution(Calculations()).strip("[]"), same_mathematics)


@pytest.mark.parametrize("seed", [SEED, pytest.param(SEED + 1, marks=pytest.mark.extra)])
def test_the_calculations_of_a_solution_reach_its_answer(seed: int) -> None:
    assert [kind.name for kind, problem in problems(seed) if not _agrees(problem)] == []


def test_there_are_sixty_kinds_of_three_levels() -> None:
    every = list(kinds())
    assert len(every) == len({kind.name for kind in every}) == 60
    assert Counter(kind.written.level for kind in every) == {"easy": 14, "medium": 30, "hard": 16}


def test_the_two_wordings_of_a_kind_differ_in_text_and_answer() -> None:
    result = [problem for _, problem in problems(SEED)]
    assert [(a, b) for a, b in zip(result[:60], result[60:], strict=True) if a.answer == b.answer] == []
    assert len({problem.prompt for problem in result}) == 120


def _twice(number: int, wording: int) -> Solved:
    return Solved(f"{2 * number}", f"2*{number}", {"factor": 2 + wording})


def _kind(**changes: Any) -> Kind:
    draw = {"number": "{{ randint(7, 7) }}", "name": "{{ choice(['Bruno']) }}"}
    written = {
        "area": "arithmetic",
        "level": "easy",
        "draw": draw,
        "wordings": ["{{ name }}: {{ number }}?", "{{ factor }}?"],
    }
    return Kind("twice", KindOfProblem.model_validate({**written, **changes}), _twice)


def test_the_function_of_a_kind_gets_the_drawn_values_that_it_asks_for() -> None:
    first, second = (_kind().problem(Random(1), wording) for wording in (0, 1))
    assert (first.prompt, first.answer, first.solution(Calculations())) == ("Bruno: 7?", "14", "14")
    assert second.prompt == "3?"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wordings": ["{{ nam }}?", "?"]}, "twice: Undefined: 'nam' is undefined."),
        ({"draw": {"number": "{{ choose(7) }}"}}, "twice: Undefined: 'choose' is undefined."),
        ({"draw": {}}, "draw: twice() needs 'number', which is not drawn."),
    ],
)
def test_a_value_that_is_not_drawn_is_told(changes: Any, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        _kind(**changes).problem(Random(1), 0)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(22, 7), 2, "3.14"),
        (Fraction(-1, 3), 3, "-0.333"),
        (Fraction(1, 1000), 2, "0.00"),
        (2.5, 1, "2.5"),
        (Fraction(199, 100), 0, "2"),
    ],
)
def test_a_value_is_rounded_to_places(value: Any, places: int, text: str) -> None:
    assert format_rounded(value, places) == text


def test_a_value_near_a_tie_is_refused() -> None:
    with pytest.raises(RedrawError, match="too close to a rounding tie"):
        format_rounded(Fraction(1, 8), 2)


@pytest.mark.parametrize(
    ("coefficients", "text", "as_code"),
    [
        ((3, -1, 0, 4), "3x^3 - x^2 + 4", "3*x**3 - x**2 + 4"),
        ((-1, 2), "-x + 2", "-x + 2"),
        ((1, 0), "x", "x"),
        ((0, 0), "0", "0"),
    ],
)
def test_a_polynomial_is_written_for_people_and_for_the_calculator(
    coefficients: tuple[int, ...], text: str, as_code: str
) -> None:
    assert (polynomial(coefficients), calculator_polynomial(coefficients)) == (text, as_code)


def test_simpsons_rule_is_exact_for_a_cubic() -> None:
    assert simpson((4, 0, 0, 0), 0, 3) == 81
    assert value_at((1, 2, 3), Fraction(1, 2)) == Fraction(17, 4)
