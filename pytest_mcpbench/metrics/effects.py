"""Metric ``effects``: whether the attempt changed the worlds exactly as the reference does."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.judged import QuestionScore, background_of, score_question
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import EffectMatching, FreeWording, match_effects


@dataclass(frozen=True)
class Effects:
    """1 if the changes of all worlds are the task's expected effects, each made once, and no others; otherwise 0.

    Values must be equal (texts up to their final line ends, and a file by its text rather than its digest where the
    text is known), but the order of ids and texts in a list does not count, nor do blank lines and bullets in notes,
    nor that a message answers another one where the reference's does not. Generated values (ids) need only be there,
    and prose that the task leaves open is compared by a judge, as is the subject of a mail; without a judge the score
    is unscored as soon as one differs from the reference. A task without recorded effects is not applicable; a task
    whose recorded effects are empty must leave every world as it was.
    """

    bookkeeping: tuple[str, ...] = DEFAULT_BOOKKEEPING
    """Names (regular expressions) of fields that servers maintain themselves; they are not compared."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return one question for each differing text, if everything else is right."""
        matching = self._matching(task, evidence)
        if matching is None or matching.missing or matching.extra:
            return ()
        return tuple(_question(task, evidence, wording) for wording in matching.wordings)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        matching = self._matching(task, evidence)
        if matching is None:
            return Score.not_applicable("no effects are recorded for the task")
        if not evidence.worlds and task.expected.effects:
            return Score.missing("no world was observed")
        missing = [
            f"missing: {effect.world}: {effect.kind} {effect.collection}[{effect.id}]{f' ({near})' if near else ''}"
            for effect, near in zip(matching.missing, matching.near, strict=True)
        ]
        extra = [f"not asked for: {world}: {change.kind} {change.path}" for world, change in matching.extra]
        faults = tuple(missing + extra)
        if faults:
            return Score.of(0.0, faults, missing=len(matching.missing), extra=len(matching.extra))
        grades = [
            score_question(evidence, _question(task, evidence, wording), official=False)
            for wording in matching.wordings
        ]
        wrong = [one.reason for one in grades if isinstance(one, QuestionScore) and one.points < 1]
        if wrong:
            return Score.of(0.0, wrong)
        undecided = [one for one in grades if isinstance(one, Score)]
        if undecided:
            return undecided[0]
        return Score.of(1.0, [one.reason for one in grades if isinstance(one, QuestionScore)])

    def _matching(self, task: Task, evidence: AttemptEvidence) -> EffectMatching | None:
        if task.expected.effects is None:
            return None
        return match_effects(task.expected.effects, evidence.worlds, self.bookkeeping, task.request)


def _question(task: Task, evidence: AttemptEvidence, wording: FreeWording) -> Question:
    return Question(
        kind="title" if wording.is_title else "text",
        statement=wording.expected,
        evidence=wording.actual,
        context={"request": task.prompt, **({"mail": wording.body} if wording.is_title else {})},
        background=background_of(task, evidence, wording.beside),
    )
