"""The agent that ``--model`` means, and the judge that ``--mcpbench-judge`` means."""

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.options import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.judge import Judge

DEFAULT_JUDGE = "keyfacts"


def make_agent(name: str, settings: Settings) -> "Agent":
    """One of the agents without a model, or the LLM agent with a model of that name."""
    kind, _, argument = name.partition(":")
    if kind == "replay" and argument:
        from pytest_mcpbench.runtime.agents.replay import ReplayAgent

        return ReplayAgent.of_directory(Path(argument))
    return _WITHOUT_MODEL.get(name, _llm)(name, settings)


def make_judge(name: str, settings: Settings) -> "Judge | None":
    """The judge of that name; ``none`` is no judge."""
    if name == "none":
        return None
    if name == "keyfacts":
        from pytest_mcpbench.runtime.judges.keyfacts import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.runtime.judges.llm import LlmJudge
    from pytest_mcpbench.runtime.models.names import make_model

    return LlmJudge(make_model(name, settings.aliases))


def _noop(_name: str, _settings: Settings) -> "Agent":
    from pytest_mcpbench.runtime.agents.noop import NoopAgent

    return NoopAgent()


def _oracle(_name: str, _settings: Settings) -> "Agent":
    from pytest_mcpbench.runtime.agents.oracle import OracleAgent

    return OracleAgent()


def _lexical(_name: str, _settings: Settings) -> "Agent":
    from pytest_mcpbench.runtime.agents.lexical import LexicalAgent

    return LexicalAgent()


def _llm(name: str, settings: Settings) -> "Agent":
    from pytest_mcpbench.core.chat import ModelSettings
    from pytest_mcpbench.runtime.agents.llm import LlmAgent
    from pytest_mcpbench.runtime.models.names import make_model

    return LlmAgent(make_model(name, settings.aliases), ModelSettings(temperature=settings.temperature))


_WITHOUT_MODEL = {"noop": _noop, "oracle": _oracle, "lexical": _lexical}
