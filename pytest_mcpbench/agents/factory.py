"""Factory of agents by name."""

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.core.model_names import REPLAY

if TYPE_CHECKING:
    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.models.factory import Models


def make_agent(name: str, models: "Models", *, temperature: float | None = None) -> "Agent":
    """Return the agent without a model that has this name, or the LLM agent with the model of this name."""
    if name.startswith(REPLAY) and name != REPLAY:
        from pytest_mcpbench.agents.replay import ReplayAgent

        return ReplayAgent.from_path(Path(name.removeprefix(REPLAY)))
    if name in WITHOUT_MODEL:
        return WITHOUT_MODEL[name]()
    from pytest_mcpbench.agents.llm import LlmAgent
    from pytest_mcpbench.core.chat import ModelSettings
    from pytest_mcpbench.models.factory import UnknownModelError

    try:
        model = models.get(name)
    except UnknownModelError as error:
        # The name may be meant as that of an agent, too.
        raise error.with_names(*WITHOUT_MODEL) from None
    return LlmAgent(model, ModelSettings(temperature=temperature))


def _noop() -> "Agent":
    from pytest_mcpbench.agents.noop import NoopAgent

    return NoopAgent()


def _oracle() -> "Agent":
    from pytest_mcpbench.agents.oracle import OracleAgent

    return OracleAgent()


def _lexical() -> "Agent":
    from pytest_mcpbench.agents.lexical.agent import LexicalAgent

    return LexicalAgent()


# Functions that import the agent when it is needed: the oracle and the lexical agent load modules that others do not.
WITHOUT_MODEL = {"noop": _noop, "oracle": _oracle, "lexical": _lexical}
"""Exactly :data:`~pytest_mcpbench.core.model_names.AGENTS_WITHOUT_MODEL`."""
