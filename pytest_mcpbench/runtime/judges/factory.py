"""Factory of judges by name."""

from collections.abc import Sequence

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL, KEYFACTS, NO_JUDGE, panel_members
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.cache import VerdictCache
from pytest_mcpbench.runtime.models.factory import Models, UnknownModelError


def make_judge(name: str, models: Models, *, cache: VerdictCache | None = None) -> Judge | None:
    """Return the judge with that name: ``keyfacts``, ``none`` (no judge), a model, or a panel of them, ``a,b,c``.

    The verdicts of a model are stored in the ``cache``, if there is one, and reused.
    """
    if name == NO_JUDGE:
        return None
    members = panel_members(name)
    if len(members) == 1:
        return _make_one(name, models, cache)
    _check_panel(name, members, models)
    from pytest_mcpbench.runtime.judges.panel import JudgePanel

    return JudgePanel([_make_one(member, models, cache) for member in members])


def _make_one(name: str, models: Models, cache: VerdictCache | None) -> Judge:
    if name == KEYFACTS:
        from pytest_mcpbench.runtime.judges.keyfacts.judge import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.runtime.judges.llm import LlmJudge

    try:
        shared = models.judge(name)
        if shared is not None:
            return shared
        model = models.get(name)
    except UnknownModelError as error:
        raise UsageError(f"the judge {name!r}: {error.with_names(*JUDGES_WITHOUT_MODEL)}") from None
    return LlmJudge(model, cache=cache, identity=models.identity(name))


def _check_panel(panel: str, members: Sequence[str], models: Models) -> None:
    """Raise UsageError for a member that cannot vote, and for a model that would vote twice."""
    for name in members:
        if name in ("", NO_JUDGE):
            raise UsageError(f"the judges {panel!r}: {name!r} does not judge; write names of judges, such as a,b,c.")
    names: dict[str, str] = {}
    for name in members:
        identity = models.identity(name)
        if identity in names:
            raise UsageError(
                f"the judges {panel!r}: {names[identity]} and {name} are one judge, which would vote twice."
            )
        names[identity] = name
