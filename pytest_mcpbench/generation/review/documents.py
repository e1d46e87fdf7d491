"""JSON of the tasks under review, as the page shows them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.planning import Overrides, planned_floors, planned_metric_settings
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.review import DIMENSIONS, LEAST_SCORE, Decision
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation.review.playing import PlayedReference
from pytest_mcpbench.generation.review.recording import Review, problems_of
from pytest_mcpbench.generation.review.reviewed_suite import ReviewedTask
from pytest_mcpbench.metrics.catalogue import BUILT_IN, documentation

Plays = Mapping[str, PlayedReference]
"""Id of a task -> the play of its reference; empty if the references were not played."""
_LONGEST_TEXT = 20_000


def review_document(review: Review, reviewer: str, plays: Plays) -> dict[str, Any]:
    """Return everything that the page shows."""
    read = review.file.read()
    tasks = review.suite.tasks(read.decisions, review.reviewers)
    return {
        "suite": review.suite.name,
        "reviewer": reviewer,
        "reviewers": review.reviewers,
        "least": LEAST_SCORE,
        "dimensions": [{"key": key, "name": name} for key, name in DIMENSIONS.items()],
        "problems": [*review.suite.problems, *problems_of(read.damaged, review.suite.unknown(read.decisions))],
        "tasks": [task_document(task, reviewer, plays) for task in tasks],
    }


def task_document(task: ReviewedTask, reviewer: str, plays: Plays) -> dict[str, Any]:
    """Return one task with its decisions."""
    shown, version = task.shown, task.version
    edit = version.edit
    play = PlayedReference() if task.is_edited else plays.get(shown.id, PlayedReference())
    own = Decision(task="-", hash="-", reviewer=reviewer, decision="accept").reviewer_key if reviewer.strip() else ""
    parts = [
        ("System prompt", (version.suite.system if shown.system is None else shown.system) or ""),
        ("Servers", ", ".join(shown.servers)),
        ("Tools", "" if shown.tools == "all" else ", ".join(shown.tools)),
        ("Clock", shown.context.now or ""),
        ("Facts about the user", "\n".join(f"{name}: {value}" for name, value in shown.context.necessary.items())),
        ("Facts that are of no use", "\n".join(shown.context.unnecessary)),
        ("User who answers", _json(shown.user.model_dump(mode="json", exclude_defaults=True)) if shown.user else ""),
        ("World", _json(shown.context.seeds) if shown.context.seeds else ""),
        ("Passes if", "\n".join(_criterion(shown, version.suite))),
    ]
    return {
        "id": shown.id,
        "hash": version.hash,
        "is_edited": task.is_edited,
        "requests": [turn.user for turn in shown.turns],
        "context": [{"title": title, "text": _cut(text)} for title, text in parts if text],
        "calls": _calls(shown, play.results),
        "problem": play.problem,
        "checks": _checks(shown),
        "tags": [f"{name}: {value}" for name, value in shown.tags.items()],
        "edit": edit.model_dump(mode="json") if edit else None,
        "verdict": task.verdict,
        "decisions": [_decision(each, version.hash, own) for each in task.decisions],
    }


def _criterion(task: Task, suite: SuiteManifest) -> Iterator[str]:
    """Yield each metric that decides, with its threshold, what it measures and its settings."""
    for name, threshold in planned_floors(suite, task, Overrides()).items():
        meaning = f" ({' '.join(documentation(name).split())})" if name in BUILT_IN else ""
        settings = planned_metric_settings(suite, name)
        told = f"; settings: {json.dumps(settings, ensure_ascii=False, default=str)}" if settings else ""
        yield f"{name} is at least {threshold:g}{meaning}{told}"


def _calls(task: Task, played: Sequence[str]) -> list[dict[str, Any]]:
    """Return the calls of the reference; the result is the recorded one or, without it, that of the play."""
    calls: list[dict[str, Any]] = []
    for step, group in enumerate(task.expected.played_groups(len(task.turns) - 1), 1):
        for call in group.calls:
            result = call.result if call.result is not None else next(iter(played[len(calls) : len(calls) + 1]), None)
            calls.append(
                {
                    "name": f"{call.server}: {call.tool}" if call.server else call.tool,
                    "step": step,
                    "turn": group.turn + 1,
                    "arguments": _json(call.arguments),
                    "matchers": [f"{'.'.join(map(str, each.at))}: {each!r}" for each in call.matchers],
                    "similar_tools": [
                        f"{each.tool} ({each.server})" if each.server else each.tool for each in call.similar_tools
                    ],
                    "result": None if result is None else _cut(result),
                }
            )
    return calls


def _checks(task: Task) -> list[str]:
    """Return a line for each check except the reference calls, and for each change that the reference makes."""
    without_calls = task.model_copy(update={"expected": task.expected.model_copy(update={"calls": ()})})
    effects = task.expected.effects
    changes = (
        [] if effects is None else [_json(effect.model_dump(mode="json", exclude_defaults=True)) for effect in effects]
    )
    nothing = ["the reference changes nothing"] if effects == () else []
    return [*map(_cut, reference_lines(without_calls)), *(_cut(f"change: {each}") for each in changes), *nothing]


def _decision(decision: Decision, version: str, own: str) -> dict[str, Any]:
    return {
        "reviewer": decision.label,
        "is_own": decision.reviewer_key == own,
        "decision": decision.decision,
        "scores": decision.scores,
        "reason": decision.reason,
        "time": decision.time,
        "is_stale": decision.hash != version,
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}\n… {len(text):,} characters in all"


def verdict_counts(tasks: Iterable[ReviewedTask]) -> dict[str, int]:
    """Return the number of tasks with each verdict."""
    counts = dict.fromkeys(("accepted", "rejected", "disputed", "open"), 0)
    for task in tasks:
        counts[task.verdict] += 1
    return counts
