"""Facts that the claims of tasks state, computed from the data behind the servers without calling any tool.

A function has the name of its task. It also requires what the task relies on, such as the branch of a condition.
"""

from collections.abc import Callable, Mapping
from inspect import getmembers, isfunction
from types import MappingProxyType

from pytest_mcpbench.generation.atlas.facts import computed
from pytest_mcpbench.generation.atlas.facts.sources import Facts

FACTS: Mapping[str, Callable[[], Facts]] = MappingProxyType(
    {
        name.replace("_", "-"): function
        for name, function in getmembers(computed, isfunction)
        if function.__module__ == computed.__name__
    }
)
"""Id of a task -> function that returns the values for the slots of its claims.

It raises ``GenerationError`` if the data no longer contain what the task relies on.
"""
