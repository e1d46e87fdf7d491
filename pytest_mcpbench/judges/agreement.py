"""Agreement of a judge with human labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.judgement import Judge, Question, Verdict
from pytest_mcpbench.statistics import Agreement, agreement

_LABELS = {
    "1": "fulfilled",
    "1.0": "fulfilled",
    "correct": "fulfilled",
    "fulfilled": "fulfilled",
    "0.5": "partially_fulfilled",
    "partially_correct": "partially_fulfilled",
    "partially_fulfilled": "partially_fulfilled",
    "partial": "partially_fulfilled",
    "0": "not_fulfilled",
    "0.0": "not_fulfilled",
    "incorrect": "not_fulfilled",
    "not_fulfilled": "not_fulfilled",
}
"""Label by the notations in which people write a grade."""


@dataclass(frozen=True)
class Labelled:
    """A question with its human label."""

    question: Question
    label: str


@dataclass(frozen=True)
class JudgeAgreement:
    """Verdicts of a judge compared with human labels."""

    judge: str
    agreement: Agreement | None
    """First rater: people; second rater: the judge. ``None`` if the judge decided no question."""
    verdicts: tuple[tuple[Labelled, Verdict], ...]

    @property
    def undecided(self) -> tuple[tuple[Labelled, Verdict], ...]:
        """Return the questions without a label from the judge; ``agreement`` leaves them out."""
        return tuple(pair for pair in self.verdicts if pair[1].label is None)

    @property
    def disagreements(self) -> tuple[tuple[Labelled, Verdict], ...]:
        """Return the questions that people and the judge label differently."""
        return tuple(pair for pair in self.verdicts if pair[1].label not in (None, pair[0].label))


async def judge_agreement(rows: Iterable[Labelled], judge: Judge) -> JudgeAgreement:
    """Ask the judge every labelled question at once; the judge limits its own concurrency."""
    labelled = list(rows)
    verdicts: dict[int, Verdict] = {}

    async def ask(position: int) -> None:
        verdicts[position] = await judge.decide(labelled[position].question)

    async with anyio.create_task_group() as group:
        for position in range(len(labelled)):
            group.start_soon(ask, position)
    pairs = tuple((row, verdicts[position]) for position, row in enumerate(labelled))
    decided = [(row.label, verdict.label) for row, verdict in pairs if verdict.label is not None]
    return JudgeAgreement(judge.name, agreement(decided) if decided else None, pairs)


def labelled_of(row: Any, place: SourceLocation) -> Labelled:
    """Parse one JSON row, ``{"claim": …, "answer": …, "label": …}``, into a labelled question.

    With ``request`` the judge also sees the task's prompt. A row may also hold any question:
    ``{"question": {kind, statement, evidence, …}, "label": …}``. ``human_label`` is an alias of ``label``. A grade may
    be written as 1, 0.5 or 0.

    Raises:
        TaskError: the row has another form.
    """
    if not isinstance(row, Mapping):
        raise TaskError("a row must be an object.", place, remedy='Write {"claim": …, "answer": …, "label": …}.')
    question = _question(row, place)
    grade = row.get("label", row.get("human_label"))
    written = str(grade).strip().lower().replace(" ", "_").replace("-", "_")
    label = next((one for one in (written, _LABELS.get(written)) if one in question.labels), None)
    if label is None:
        raise TaskError(f"{grade!r} is not a label.", place, "label", f"Write one of: {', '.join(question.labels)}.")
    return Labelled(question, label)


def _question(row: Mapping[str, Any], place: SourceLocation) -> Question:
    written = row.get("question")
    if isinstance(written, Mapping):
        try:
            return Question.model_validate(written)
        except ValueError as error:
            raise TaskError(str(error).replace("\n", " "), place, "question") from None
    statement, answer = row.get("claim", written), row.get("answer")
    if not isinstance(statement, str) or not isinstance(answer, str):
        raise TaskError("claim and answer must be texts.", place, remedy="Write both, or a complete question.")
    request = row.get("request")
    if request is not None and not isinstance(request, str):
        raise TaskError("must be text.", place, "request", "Write the task's prompt, or omit it.")
    return Question.about_claim(statement, answer, request)
