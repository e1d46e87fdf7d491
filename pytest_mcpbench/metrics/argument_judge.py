"""Judge questions about arguments that differ in their text alone."""

import json
from collections.abc import Callable, Mapping

from pytest_mcpbench.core.call_text import SHORT_VALUE, format_reference
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.metrics.comparison.arguments import ArgumentDifference
from pytest_mcpbench.metrics.comparison.calls import CallMatching, Mismatch, matching_of
from pytest_mcpbench.metrics.judged import without_verdict

SAME = "fulfilled"
"""The label of a value that means the same; of the others, a value that means it in part is not enough."""


def argument_question(task: Task, expected: ExpectedCall, difference: ArgumentDifference) -> Question:
    """Return the question whether an argument means the same as the reference's."""
    return Question(
        kind="argument",
        statement=json.dumps({difference.path: difference.expected}, ensure_ascii=False),
        evidence=json.dumps({difference.path: difference.actual}, ensure_ascii=False),
        context={"request": task.prompt, "reference call": format_reference(expected, SHORT_VALUE)},
    )


def argument_questions(matching: CallMatching, task: Task) -> tuple[Question, ...]:
    """Return one question for each differing string of calls that differ in nothing but strings."""
    found: dict[str, Question] = {}
    for reference, expected in enumerate(matching.expected):
        for mismatches in matching.mismatches[reference]:
            if mismatches and all(map(_is_about_strings, mismatches)):
                for mismatch in mismatches:
                    asked = argument_question(task, expected, _difference(mismatch))
                    found[asked.key] = asked
    return tuple(found.values())


def score_with_verdicts(
    matching: CallMatching, task: Task, evidence: AttemptEvidence, score: Callable[[CallMatching], Score]
) -> Score:
    """Return the score after the judge's verdicts; unscored if a missing verdict could change it."""
    verdicts = _verdicts(matching, task, evidence)
    accepted = _accepted(verdicts)
    missing = {key: verdict for key, verdict in verdicts.items() if verdict is None or verdict.label is None}
    settled = score(_without(matching, task, accepted))
    best = score(_without(matching, task, accepted | missing.keys()))
    if settled.value != best.value:
        return without_verdict(next(iter(missing.values())))
    judged = [verdict for key in sorted(accepted) if (verdict := verdicts[key])]
    notes = [f"accepted by judge {verdict.judge!r}: {verdict.reason}" for verdict in judged]
    return settled.model_copy(update={"reasons": (*settled.reasons, *notes)})


def matching_with_verdicts(matching: CallMatching, task: Task, evidence: AttemptEvidence) -> CallMatching:
    """Return the matching without the differences that the judge accepted."""
    return _without(matching, task, _accepted(_verdicts(matching, task, evidence)))


def _verdicts(matching: CallMatching, task: Task, evidence: AttemptEvidence) -> dict[str, Verdict | None]:
    return {asked.key: evidence.verdict(asked) for asked in argument_questions(matching, task)}


def _accepted(verdicts: Mapping[str, Verdict | None]) -> set[str]:
    return {key for key, verdict in verdicts.items() if verdict and verdict.label == SAME}


def _without(matching: CallMatching, task: Task, accepted: set[str]) -> CallMatching:
    """Return the matching without the accepted differences."""

    def remaining(reference: int, mismatches: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
        expected = matching.expected[reference]
        return tuple(
            one
            for one in mismatches
            if not _is_about_strings(one) or argument_question(task, expected, _difference(one)).key not in accepted
        )

    rows = tuple(tuple(remaining(index, one) for one in row) for index, row in enumerate(matching.mismatches))
    return matching_of(matching.expected, matching.calls, rows)


def _is_about_strings(mismatch: Mismatch) -> bool:
    difference = mismatch.difference
    return difference is not None and isinstance(difference.expected, str) and isinstance(difference.actual, str)


def _difference(mismatch: Mismatch) -> ArgumentDifference:
    if mismatch.difference is None:
        raise ValueError(f"{mismatch.reason!r} is no difference of values")
    return mismatch.difference
