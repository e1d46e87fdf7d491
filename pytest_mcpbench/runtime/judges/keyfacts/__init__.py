"""Rules that decide without a model whether an answer states a claim, or say that they cannot."""

from pytest_mcpbench.runtime.judges.keyfacts.decision import Decision, decide
from pytest_mcpbench.runtime.judges.keyfacts.values import values_beyond
from pytest_mcpbench.runtime.judges.keyfacts.wording import decide_wording

__all__ = ["Decision", "decide", "decide_wording", "values_beyond"]
