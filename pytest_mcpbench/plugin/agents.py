"""The agent that ``--model`` means, and the judge that ``--mcpbench-judge`` means."""

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.options import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.judge import Judge
    from pytest_mcpbench.runtime.models.names import Models

DEFAULT_JUDGE = "keyfacts"


def make_agent(name: str, settings: Settings, models: "Models") -> "Agent":
    """One of the agents without a model, or the LLM agent with a model of that name."""
    kind, _, argument = name.partition(":")
    if kind == "replay" and argument:
        from pytest_mcpbench.runtime.agents.replay import ReplayAgent

        return ReplayAgent.of_directory(Path(argument))
    if name in _WITHOUT_MODEL:
        return _WITHOUT_MODEL[name]()
    return _llm(name, settings, models)


def make_judge(name: str, models: "Models", *, cache: Path) -> "Judge | None":
    """The judge of that name; ``none`` is no judge. What a model has decided is kept in ``cache``, not asked again."""
    if name == "none":
        return None
    if name == "keyfacts":
        from pytest_mcpbench.runtime.judges.keyfacts import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.runtime.judges.cache import VerdictCache
    from pytest_mcpbench.runtime.judges.llm import LlmJudge

    return LlmJudge(models.get(name), cache=VerdictCache(cache))


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
