"""Judging a claim without a model: its numbers, dates, quotations and names must occur in the answer."""

from pytest_mcpbench.runtime.judges.keyfacts.decision import Decision, decide
from pytest_mcpbench.runtime.judges.keyfacts.facts import Fact, key_facts

__all__ = ["Decision", "Fact", "decide", "key_facts"]
