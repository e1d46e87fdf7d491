"""The judge that a name means."""

from pathlib import Path

from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.models.names import Models

DEFAULT_JUDGE = "keyfacts"


def make_judge(name: str, models: Models, *, cache: Path | None = None) -> Judge | None:
    """``keyfacts``, ``none`` (no judge), or a model by its name.

    What a model has decided is kept in the directory ``cache``, if there is one, and not asked again.
    """
    if name == "none":
        return None
    if name == "keyfacts":
        from pytest_mcpbench.runtime.judges.keyfacts import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.runtime.judges.cache import VerdictCache
    from pytest_mcpbench.runtime.judges.llm import LlmJudge
    from pytest_mcpbench.runtime.provider.shared import SharedModels

    if isinstance(models, SharedModels) and (shared := models.judge(name)) is not None:
        return shared
    return LlmJudge(models.get(name), cache=VerdictCache(cache) if cache else None)
