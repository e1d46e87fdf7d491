"""The agent that ``--model`` means."""

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.options import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.models.names import Models


def make_agent(name: str, settings: Settings, models: "Models") -> "Agent":
    """One of the agents without a model, or the LLM agent with a model of that name."""
    kind, _, argument = name.partition(":")
    if kind == "replay" and argument:
        from pytest_mcpbench.runtime.agents.replay import ReplayAgent

        return ReplayAgent.of_directory(Path(argument))
    if name in _WITHOUT_MODEL:
        return _WITHOUT_MODEL[name]()
    return _llm(name, settings, models)


def _noop() -> "Agent":
    from pytest_mcpbench.runtime.agents.noop import NoopAgent

    return NoopAgent()


def _oracle() -> "Agent":
    from pytest_mcpbench.runtime.agents.oracle import OracleAgent

    return OracleAgent()


def _lexical() -> "Agent":
    from pytest_mcpbench.runtime.agents.lexical import LexicalAgent

    return LexicalAgent()


def _llm(name: str, settings: Settings, models: "Models") -> "Agent":
    from pytest_mcpbench.core.chat import ModelSettings
    from pytest_mcpbench.runtime.agents.llm import LlmAgent

    return LlmAgent(models.get(name), ModelSettings(temperature=settings.temperature))


_WITHOUT_MODEL = {"noop": _noop, "oracle": _oracle, "lexical": _lexical}
