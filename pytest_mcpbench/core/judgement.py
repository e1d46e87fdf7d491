"""Questions of metrics to a judge, with the judge's verdicts."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import KEYFACTS
from pytest_mcpbench.core.usage import NO_USAGE, Usage

POINTS: Mapping[str, float] = MappingProxyType({"fulfilled": 1.0, "partially_fulfilled": 0.5, "not_fulfilled": 0.0})
"""Points of each label of a graded question (MCP-Atlas, scoring framework; MCP-Persona 3.4)."""


WORK_IS_DONE = "its changes are those of the reference, apart from the wording of free texts"
"""Context ``work`` of a question of kind ``report`` whose attempt did what was asked."""

UNDECIDED = "keyfacts cannot decide"
"""Beginning of the reason for which the rules leave a question open."""
NO_JUDGE_ASKED = "no judge is configured"
"""Reason for which a question has no verdict."""
JUDGE_NEEDED = "a judge is needed for free text, and gave no verdict"
"""Reason for which an operation has no score."""


class Background(FrozenModel):
    """The texts of an attempt from which an answer may take words and values without saying anything else by it."""

    request: str = ""
    results: tuple[str, ...] = ()
    """The system prompt of the task and the results of the calls that succeeded."""
    statements: tuple[str, ...] = ()
    """Other statements of the reference that belong beside the one in question."""


class Question(FrozenModel):
    """One question; two that are equal have the same ``key`` and are asked once."""

    kind: Literal[
        "claim",
        "claim_with_request",
        "checkpoint",
        "exec",
        "response",
        "argument",
        "text",
        "title",
        "report",
        "failure_modes",
        "failure_patterns",
    ]
    statement: str
    """The claim, checkpoint or label that is to be decided."""
    evidence: str
    """The answer, or the calls with results, that the judge sees."""
    context: dict[str, str] = Field(default_factory=dict)
    """Additional text for the judge, by heading (the request, the reference calls)."""
    labels: tuple[str, ...] = tuple(POINTS)
    """The labels that a verdict may have."""
    background: Background = Field(default=Background(), exclude=True)
    """Read by rules alone. Models do not see it, so that the key and the verdicts stored under it leave it out."""

    @classmethod
    def about_claim(
        cls, claim: str, answer: str, request: str | None = None, background: Background | None = None
    ) -> "Question":
        """Return the question whether an answer makes a claim; the judge also sees the request, if there is one."""
        background = background or Background()
        if request is None:
            return cls(kind="claim", statement=claim, evidence=answer, background=background)
        context = {"request": request}
        return cls(kind="claim_with_request", statement=claim, evidence=answer, context=context, background=background)

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:24]


class Verdict(FrozenModel):
    """Decision of a judge; without one, ``label`` is ``None`` and ``error`` has the reason."""

    label: str | None
    score: float | None = None
    """fulfilled 1, partially 0.5, not 0; ``None`` for other labels."""
    reason: str = ""
    judge: str
    judge_digest: str = ""
    """Digest of the model, address and settings behind the judge's name; empty for a judge without a model."""
    prompt_version: str
    statement: str = ""
    """Statement of the question; empty in records of earlier versions and in the votes of a panel."""
    error: str | None = None
    is_refused: bool = Field(default=False, exclude=True)
    """True if no question can be answered: the provider of the judge's model refuses the key, does not know the model,
    or could never be reached; not stored."""
    usage: Usage = NO_USAGE
    """Usage of the judge's model; zero for rules and cached verdicts, the sum over the members for a panel. That of
    earlier verdicts on the question, which left it open, is added."""
    votes: tuple["Verdict", ...] = ()
    """Verdict of each member of a panel, in their order; empty for a single judge."""
    stages: tuple["Verdict", ...] = ()
    """Verdict of each judge of a cascade that was asked, the last one without its votes; empty for any other judge."""

    @property
    def is_decided(self) -> bool:
        """Return whether the judge gave a label."""
        return self.label is not None and self.error is None

    @property
    def needs_reader(self) -> bool:
        """Return whether rules left the question open, alone or in a panel, so that a model as judge can decide it."""
        return not self.is_decided and any(
            each.judge == KEYFACTS and not each.is_decided for each in (self, *self.votes)
        )

    def about(self, question: Question) -> "Verdict":
        """Return the verdict with the statement of the question that it decides.

        A label that the question does not have, which a judge of a user's own may give, is no verdict.
        """
        decided = {"statement": question.statement}
        if self.label is None or self.label in question.labels:
            return self.model_copy(update=decided)
        error = f"its label {self.label!r} is none of the question's: {', '.join(question.labels)}"
        return self.model_copy(update={**decided, "label": None, "score": None, "error": error})


_MOST_CHARACTERS_OF_REASON = 300


def majority_verdict(panel: str, votes: Sequence[Verdict]) -> Verdict:
    """Return the verdict of a panel: the label that more than half of all its members gave.

    Members without a verdict count as members: what they might have said can then never turn the verdict. Without
    such a label the verdict has an error that names each vote.
    """
    counts = Counter(vote.label for vote in votes if vote.is_decided)
    label, count = counts.most_common(1)[0] if counts else (None, 0)
    is_decided = 2 * count > len(votes)
    reasons = (f"{vote.judge}: {vote.reason[:_MOST_CHARACTERS_OF_REASON]}" for vote in votes if vote.label == label)
    labels = (f"{vote.judge}: {vote.label or f'no verdict ({vote.error})'}" for vote in votes)
    return Verdict(
        label=label if is_decided else None,
        score=next(vote.score for vote in votes if vote.label == label) if is_decided else None,
        reason=f"{count} of {len(votes)} judges: {'; '.join(reasons)}" if is_decided else "",
        judge=panel,
        prompt_version=" ".join(dict.fromkeys(vote.prompt_version for vote in votes if vote.prompt_version)),
        error=None if is_decided else f"no label has a majority of {len(votes)} judges: {'; '.join(labels)}",
        usage=sum((vote.usage for vote in votes), NO_USAGE),
        votes=tuple(votes),
    )


def cascade_verdict(cascade: str, stages: Sequence[Verdict]) -> Verdict:
    """Return the verdict of a cascade: that of the judge that was asked last, with what all of them said."""
    return stages[-1].model_copy(
        update={
            "judge": cascade,
            "judge_digest": "",
            "usage": sum((stage.usage for stage in stages), NO_USAGE),
            "stages": tuple(stage.model_copy(update={"votes": ()}) for stage in stages),
        }
    )


# Interface of a judge: one question in, one verdict out.


class Judge(Protocol):
    """Judge that decides questions; one instance serves many questions at the same time."""

    @property
    def name(self) -> str:
        """Name of the judge as the user wrote it; it is part of every verdict."""
        ...

    @property
    def identity(self) -> str:
        """Model and settings behind the name, as text, which determine the verdicts; empty if there are none."""
        ...

    async def decide(self, question: Question) -> Verdict:
        """Return the verdict on a question; a verdict that cannot be obtained has an error and no label."""
        ...


async def signed_verdict(judge: Judge, question: Question) -> Verdict:
    """Return the judge's verdict with the digest of the model behind the judge's name."""
    verdict = await judge.decide(question)
    return verdict.model_copy(update={"judge_digest": identity_digest(judge.identity)})


@runtime_checkable
class GroupJudge(Protocol):
    """Judge that can decide several questions about one attempt in one request.

    Models and panels can. Only a cascade asks them so, for what its rules leave open: that saves requests. A run and
    ``mcpbench rescore`` ask a model or panel that is named alone one question a request, as the benchmarks do, so that
    no verdict depends on the other questions.
    """

    async def decide_together(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Return the verdicts in the order of the questions; ``context`` is the attempt's, text by heading."""
        ...


@runtime_checkable
class AttemptJudge(Judge, Protocol):
    """Judge that wants all questions about an attempt at once, as a cascade does.

    A run and ``mcpbench rescore`` ask it so (:func:`~pytest_mcpbench.runs.attempt_verdicts.attempt_verdicts`); it sorts
    the questions, and may pass some of them on together to a :class:`GroupJudge`.
    """

    async def decide_attempt(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Return the verdicts in the order of the questions; ``context`` is the attempt's, text by heading."""
        ...


async def signed_verdicts(judge: Judge, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
    """Return the judge's verdicts with the digest of its model: in one request if it can, otherwise one by one."""
    if not isinstance(judge, GroupJudge):
        return [await signed_verdict(judge, question) for question in questions]
    digest = identity_digest(judge.identity)
    verdicts = await judge.decide_together(questions, context)
    return [verdict.model_copy(update={"judge_digest": digest}) for verdict in verdicts]
