"""Deciding a claim without a model: its numbers, dates, quotations and names must be found in the answer."""

from pytest_mcpbench.core.keyfacts.decision import Decision, decide
from pytest_mcpbench.core.keyfacts.facts import Fact, key_facts

__all__ = ["Decision", "Fact", "decide", "key_facts"]
