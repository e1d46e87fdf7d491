"""Reference calls that a task does not need.

A call is needless only if that is certain. It must be known that the call changes nothing (see :func:`_is_read`), and

* an earlier call of the same turn is equal, returned the same, and nothing in between can have changed a world; or
* the task has a derivation, which declares how everything that is expected follows from results: neither it nor a
  placeholder reads the call's result, and no later call has a word of the result in its arguments that the request does
  not have.

A result that only decides what to do next leaves no trace in later calls, so tasks without a derivation are judged by
the first rule alone. A change of a world is needless if only the answer's words are compared: see
:func:`unchecked_changes`.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence

from pydantic import JsonValue

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.result_templates import referenced_results
from pytest_mcpbench.core.task import Derivation, ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.comparison.references import result_ids

_WORD = re.compile(r"(?<![\w#@.+/-])[\w#@.+/-]*\w")
_FILES = "files"
_METRICS_OF_WORDS = frozenset({"answer", "answer_strict", "coverage"})
"""Metrics that look at nothing but the answer."""


def needless_calls(task: Task, evidence: AttemptEvidence) -> Iterator[tuple[ExpectedCall, str]]:
    """Yield each reference call that is certainly not needed, with the reason."""
    references = _in_played_order(task)
    calls = evidence.calls
    if len(references) != len(calls):
        return
    unused = frozenset(unused_results(task, calls))
    for at, reference in enumerate(references):
        if reference.is_unused_expected or not _is_read(evidence, calls[at]):
            continue
        if _is_repetition(evidence, at):
            yield reference, "repeats an earlier call, and nothing can have changed in between"
        elif at in unused:
            yield reference, "returns nothing that a later call or the derivation of the answer uses"


def unused_results(task: Task, calls: Sequence[CallRecord]) -> Iterator[int]:
    """Yield the index of each call whose result nothing uses; none if the task has no derivation."""
    derivation = task.expected.derivation
    references = _in_played_order(task)
    read = _read_by_templates(derivation) if derivation else None
    if read is None or len(references) != len(calls):
        return
    ids = frozenset(reference.id for reference in references)
    read |= {found for reference in references for found in result_ids(reference.arguments, ids)}
    known = words_of([turn.user for turn in task.turns])
    for at, reference in enumerate(references):
        later = words_of([call.arguments for call in calls[at + 1 :]])
        if reference.id not in read and not (_result_words(calls[at]) - known) & later:
            yield at


def unchecked_changes(task: Task, evidence: AttemptEvidence, floors: Collection[str]) -> str | None:
    """Return the name of a world that the reference changes although only words of the answer are compared."""
    expected = task.expected
    is_checked = expected.effects or expected.state or expected.exec or expected.verify or expected.checkpoints
    if is_checked or not floors or not _METRICS_OF_WORDS.issuperset(floors):
        return None
    return next((world.name for world in evidence.worlds if world.changes), None)


def _in_played_order(task: Task) -> tuple[ExpectedCall, ...]:
    groups = sorted(task.expected.calls, key=lambda group: min(group.turn, len(task.turns) - 1))
    return tuple(call for group in groups for call in group.calls)


def _is_read(evidence: AttemptEvidence, call: CallRecord) -> bool:
    """Return whether it is known that a call changed nothing: its tool says so, or its world is seen to be unchanged.

    Servers without a world of their own may keep their state anywhere, so that only their tools can tell.
    """
    tool = evidence.tool(call)
    if tool is None or call.result is None or call.is_error:
        return False
    if tool.annotations.get("readOnlyHint") is True:
        return True
    changes = {world.name: world.changes for world in evidence.worlds}
    return tool.server in changes and not changes[tool.server] and not changes.get(_FILES)


def _is_repetition(evidence: AttemptEvidence, at: int) -> bool:
    calls = evidence.calls
    turns = [step.turn for step in evidence.trajectory.steps for _ in step.calls]
    for before in range(at - 1, -1, -1):
        if turns[before] != turns[at] or not _is_read(evidence, calls[before]):
            return False
        if _content(calls[before]) == _content(calls[at]):
            return True
    return False


def _content(call: CallRecord) -> tuple[str, str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True), call.result.text if call.result else ""


def _read_by_templates(derivation: Derivation) -> set[str] | None:
    """Return the ids whose results the derivation reads; ``None`` if they cannot be told."""
    found: set[str] = set()
    templates: list[JsonValue] = [derivation.answer, *derivation.arguments.values()]
    for template in templates:
        ids = referenced_results(template)
        if ids is None:
            return None
        found |= ids
    return found


def _result_words(call: CallRecord) -> set[str]:
    return words_of([call.result.text if call.result else ""])


def words_of(value: JsonValue) -> set[str]:
    """Return the words of all texts in a JSON value, with the names of files also without their directories."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = {word.casefold() for word in _WORD.findall(text)}
    return words | {part for word in words for part in re.split(r"[/_.]", word) if part}
