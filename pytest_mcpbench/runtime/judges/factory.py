"""Factory of judges by name."""

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL, KEYFACTS, NO_JUDGE
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.cache import VerdictCache
from pytest_mcpbench.runtime.models.factory import Models, UnknownModelError

DEFAULT_JUDGE = KEYFACTS
NONE = NO_JUDGE
WITHOUT_MODEL = JUDGES_WITHOUT_MODEL


def make_judge(name: str, models: Models, *, cache: VerdictCache | None = None) -> Judge | None:
    """Return the judge with that name: ``keyfacts``, ``none`` (no judge), or a model.

    The verdicts of a model are stored in the ``cache``, if there is one, and reused.
    """
    if name == NONE:
        return None
    if name == DEFAULT_JUDGE:
        from pytest_mcpbench.runtime.judges.keyfacts.judge import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.runtime.judges.llm import LlmJudge

    try:
        shared = models.judge(name)
        if shared is not None:
            return shared
        model = models.get(name)
    except UnknownModelError as error:
        raise UsageError(f"the judge {name!r}: {error.with_names(*WITHOUT_MODEL)}") from None
    return LlmJudge(model, cache=cache, identity=models.identity(name))
