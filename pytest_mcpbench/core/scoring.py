"""The criteria by which an attempt passes: that of the paper, and that with guards against wrong attempts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

Scoring = Literal["paper", "guarded"]
"""Criterion of a verdict. ``paper``: the floors of a suite, which are those of its paper. ``guarded``: these, and the
suite's guards against attempts that are wrong although they meet the paper's criterion."""

SCORINGS: tuple[Scoring, ...] = get_args(Scoring)

Criteria = Mapping[Scoring, Mapping[str, float]]
"""Floors of each criterion; empty for a suite without guards, whose verdicts do not differ."""

NO_CRITERIA: Criteria = MappingProxyType({})
