"""Math domain: sixty kinds of problems with two wordings each. Answers are computed without the calculator server."""

import re
from contextlib import suppress
from itertools import count
from random import Random

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
from pytest_mcpbench.generation.radar.math.problem import KindOfProblem, Problem, TieError

KINDS: tuple[KindOfProblem, ...] = (
    *arithmetic.KINDS,
    *algebra.KINDS,
    *numbers.KINDS,
    *combinatorics.KINDS,
    *probability.KINDS,
    *calculus.KINDS,
    *matrices.KINDS,
    *geometry.KINDS,
    *finance.KINDS,
)


def problems(seed: int) -> list[tuple[KindOfProblem, Problem]]:
    """Return all problems: every kind in its first wording, then every kind in its second wording."""
    first = [_problem(kind, seed, 0) for kind in KINDS]
    second = [_problem(kind, seed, 1, unlike=problem) for kind, problem in zip(KINDS, first, strict=True)]
    return list(zip(KINDS * 2, first + second, strict=True))


def _problem(kind: KindOfProblem, seed: int, wording: int, *, unlike: Problem | None = None) -> Problem:
    """Draw problems until the text does not contain the answer, and the answer differs from the other wording's."""
    for attempt in count():
        with suppress(TieError):
            problem = kind.make(Random(f"{seed}/{kind.name}/{wording}/{attempt}"), wording)
            if not _gives_itself_away(problem) and not (unlike and unlike.answer == problem.answer):
                return problem
    raise AssertionError("count() does not end")


def _gives_itself_away(problem: Problem) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(problem.answer)}(?![\d.])", problem.prompt) is not None
