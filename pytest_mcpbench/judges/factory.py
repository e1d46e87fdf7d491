"""Factory of judges by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.judgement import Judge, Question, Verdict, majority_verdict, signed_verdict, signed_verdicts
from pytest_mcpbench.core.model_names import CASCADE, JUDGES_WITHOUT_MODEL, KEYFACTS, NO_JUDGE, panel_members
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.models.factory import Models, UnknownModelError

OtherJudges = Callable[[str], Judge | None]
"""Function that returns the judge of a name which is no model's, or ``None`` if it does not know the name."""


def make_judge(
    name: str, models: Models, *, cache: VerdictCache | None = None, others: OtherJudges = lambda _name: None
) -> Judge | None:
    """Return the judge with that name: ``keyfacts``, ``none`` (no judge), a model, or a panel of them, ``a,b,c``.

    ``keyfacts+a`` and ``keyfacts+a,b,c`` are cascades: the rules first, then the model or the panel.

    The verdicts of a model are stored in the ``cache``, if there is one, and reused. ``others`` is asked for each name
    before it is taken for a model's.
    """
    if name == NO_JUDGE:
        return None
    if name.startswith(CASCADE):
        rest = name.removeprefix(CASCADE)
        if rest.strip() in ("", *JUDGES_WITHOUT_MODEL):
            raise UsageError(
                f"the judge {name!r}: after {CASCADE!r} comes a model or a panel, such as {CASCADE}claude."
            )
        from pytest_mcpbench.judges.cascade import JudgeCascade

        last = make_judge(rest.strip(), models, cache=cache, others=others)
        assert last is not None, "none is refused above"
        return JudgeCascade(_make_one(KEYFACTS, models, cache, others), last)
    members = panel_members(name)
    if len(members) == 1:
        return _make_one(name, models, cache, others)
    _check_panel(name, members, models, others)
    return JudgePanel([_make_one(member, models, cache, others) for member in members])


def _make_one(name: str, models: Models, cache: VerdictCache | None, others: OtherJudges) -> Judge:
    if (other := others(name)) is not None:
        return other
    if name == KEYFACTS:
        from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge

        return KeyFactsJudge()
    from pytest_mcpbench.judges.llm import LlmJudge

    try:
        shared = models.judge(name)
        if shared is not None:
            return shared
        model = models.get(name)
    except UnknownModelError as error:
        raise UsageError(f"the judge {name!r}: {error.with_names(*JUDGES_WITHOUT_MODEL)}") from None
    return LlmJudge(model, cache=cache, identity=models.identity(name))


def _check_panel(panel: str, members: Sequence[str], models: Models, others: OtherJudges) -> None:
    """Raise UsageError for a member that cannot vote, and for a model that would vote twice."""
    for name in members:
        if name in ("", NO_JUDGE):
            raise UsageError(f"the judges {panel!r}: {name!r} does not judge; write names of judges, such as a,b,c.")
    names: dict[str, str] = {}
    for name in members:
        identity = name if others(name) is not None else models.identity(name)
        if identity in names:
            raise UsageError(
                f"the judges {panel!r}: {names[identity]} and {name} are one judge, which would vote twice."
            )
        names[identity] = name


@dataclass(frozen=True)
class JudgePanel:
    """Several judges, each of which decides every question without seeing the verdicts of the others."""

    members: Sequence[Judge]

    @property
    def name(self) -> str:
        return ",".join(member.name for member in self.members)

    @property
    def identity(self) -> str:
        return "\n".join(member.identity or member.name for member in self.members)

    async def decide(self, question: Question) -> Verdict:
        """Ask all members at once and return the verdict of the majority, with each member's verdict."""

        async def ask_alone(member: Judge) -> list[Verdict]:
            return [await signed_verdict(member, question)]

        return (await self._decide(ask_alone))[0]

    async def decide_together(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Ask each member about all questions and return the verdicts of the majority."""
        return await self._decide(lambda member: signed_verdicts(member, questions, context))

    async def _decide(self, ask: Callable[[Judge], Awaitable[list[Verdict]]]) -> list[Verdict]:
        votes: dict[int, list[Verdict]] = {}

        async def ask_member(position: int, member: Judge) -> None:
            votes[position] = await ask(member)

        async with anyio.create_task_group() as group:
            for position, member in enumerate(self.members):
                group.start_soon(ask_member, position, member)
        by_question = zip(*(votes[position] for position in range(len(self.members))), strict=True)
        return [majority_verdict(self.name, each) for each in by_question]
