"""Records of attempts: the evidence with its scores and with everything that reports derive from it."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.chat import user_messages
from pytest_mcpbench.core.errors import MetricError, error_with_place
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.prompt import server_instructions, system_prompt
from pytest_mcpbench.core.record import ErrorFacts, Outcome, RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.score import Score, Scorecard, Verdict, scorecard, scorecard_of, waived_floors
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import PROGRAM
from pytest_mcpbench.metrics.catalogue import BUILT_IN, resolve
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures_by_outcome
from pytest_mcpbench.metrics.failure_analysis.tool_choice import tool_choice
from pytest_mcpbench.metrics.reference_matching import MatchReferences, deciding_matching

_OF_HOOK = "its metric comes from a hook; --mcpbench-resume computes it"


def make_record(  # noqa: PLR0913 (the parts of a record)
    description: AttemptDescription,
    task: Task | None,
    evidence: AttemptEvidence | None,
    *,
    outcome: Outcome,
    scores: Scorecard | None = None,
    error: ErrorFacts | None = None,
    seconds: float = 0.0,
) -> RunRecord:
    """Return the record of an attempt; ``task`` is ``None`` for a broken line of a task file.

    If something cannot be derived from the evidence, the attempt is an error and keeps its evidence.
    """
    identity = description.model_dump(include=set(_IDENTITY))
    verdicts = scores.verdicts if scores and outcome != "error" else {}
    about_task, about_evidence = {}, {}
    try:
        if task:
            about_task = _facts_of_task(task, evidence)
        if task and evidence:
            match = deciding_matching(description.metrics, description.floors)
            about_evidence = facts_of_evidence(
                task, evidence, outcome, verdicts, match, is_routed=description.is_routed
            )
    except Exception as failure:
        # Of this attempt only: the records of others do not depend on it.
        outcome, verdicts = "error", {}
        error = ErrorFacts(kind="internal", message=f"the record could not be built: {error_with_place(failure)}")
    return RunRecord(
        **identity,
        verdicts=verdicts,
        **about_task,
        **about_evidence,
        outcome=outcome,
        error=error,
        scorecard=scores or Scorecard(scores={}),
        evidence=evidence,
        seconds=seconds,
    )


def scored_record(
    description: AttemptDescription, task: Task, evidence: AttemptEvidence, *, seconds: float
) -> RunRecord:
    """Return the record of an attempt that pytest did not report: the built-in metrics score its evidence.

    The attempt is unscored if the verdict is not the scores' alone.
    """
    metrics = {name: resolve(name, settings) for name, settings in description.metrics.items() if name in BUILT_IN}
    try:
        computed = scorecard(task, evidence, metrics, {}).scores
        waived = waived_floors(metrics, task, evidence)
    except MetricError as error:
        facts = ErrorFacts(kind=error.kind, message=str(error))
        return make_record(description, task, evidence, outcome="error", error=facts, seconds=seconds)
    values = {name: computed.get(name, Score.missing(_OF_HOOK)) for name in description.metrics}
    scores = scorecard_of(values, description.floors, description.criteria, waived)
    outcome = scores.verdict if description.is_decided_by_scores else "unscored"
    return make_record(description, task, evidence, outcome=outcome, scores=scores, seconds=seconds)


_IDENTITY = frozenset(AttemptDescription.model_fields) & frozenset(RunRecord.model_fields)


def _facts_of_task(task: Task, evidence: AttemptEvidence | None) -> dict[str, Any]:
    instructions = ""
    if evidence is not None:
        program = evidence.trajectory.notes.get(PROGRAM, "")
        instructions = server_instructions(evidence.servers, evidence.tools, program)
    return {
        "tags": task.tags,
        "prompt": task.prompt,
        "turns": user_messages(task, evidence.trajectory if evidence else None),
        "system_prompt": system_prompt(task, instructions=instructions),
        "expected": reference_lines(task),
    }


def facts_of_evidence(  # noqa: PLR0913 (what a record says of its evidence)
    task: Task,
    evidence: AttemptEvidence,
    outcome: Outcome,
    verdicts: Mapping[Scoring, Verdict],
    match: MatchReferences,
    *,
    is_routed: bool,
) -> dict[str, Any]:
    """Return the fields of a record that say which calls and arguments were wrong."""
    is_passed = outcome == "passed"
    # Primary modes are of a paper, whose tables are about the attempts that fail by its own criterion.
    is_failed = verdicts.get("paper", outcome) == "failed"
    choice = (
        tool_choice(task, evidence, match, is_passed=is_passed, is_routed=is_routed) if outcome != "error" else None
    )
    return {
        # An error is nobody's behaviour: a model that never answered has not decided against a tool.
        "failures": failures_by_outcome(task, evidence, is_failed=is_failed) if outcome != "error" else {},
        "choice": choice,
        "comparison": comparison_rows(match(task.expected.flat_calls, task, evidence)),
    }
