"""Text of one attempt for the terminal: the conversation, calls with results, scores, and changes, all of it uncut."""

import json
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.prompt import result_text
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import PROGRAM, UNCHECKED_PROGRAM, Step
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line, visible
from pytest_mcpbench.reporting.tables.judge_panels import stated_verdicts
from pytest_mcpbench.reporting.texts.failures import column_width, heading, row_lines

_INDENT = "  "
_LONGEST_REASON = 100_000
"""Characters of a reason, which stands on one line: more than any metric writes."""


def attempt_lines(record: RunRecord, *, columns: int = 120) -> Iterator[str]:
    """Yield everything that a record knows about an attempt, with control characters made visible."""
    yield from _facts(record)
    yield from _section("error", f"{record.error.kind}: {record.error.message}" if record.error else "")
    yield from _section("system prompt", record.system_prompt)
    yield from _conversation(record)
    if record.comparison:
        yield from _heading("expected beside actual")
        yield from comparison_lines(record, columns=columns)
    yield from _section("reference", "\n".join(record.expected))
    yield from _scores(record)
    if record.evidence is not None:
        yield from _worlds(record.evidence.worlds)
        yield from _verdicts(stated_verdicts(record))
    labels = {taxonomy: found for taxonomy, found in record.failures.items() if found}
    if labels:
        yield from _heading("failure labels")
        yield from (f"{_flat(taxonomy)}: {_flat(', '.join(found))}" for taxonomy, found in labels.items())


def comparison_lines(record: RunRecord, *, columns: int = 120) -> Iterator[str]:
    """Yield reference calls beside actual calls; nothing if the task has no reference calls."""
    if not record.comparison:
        return
    half = column_width(columns)
    yield heading(half)
    for row in record.comparison:
        yield from row_lines(row, half, _wrap, _flat)


def _facts(record: RunRecord) -> Iterator[str]:
    name = (record.suite, record.task_id, record.model, f"trial {record.trial}", *([record.arm] if record.arm else []))
    yield " · ".join(map(_flat, name))
    expected = " (the failure is expected)" if record.is_xfail else ""
    facts = {
        "outcome": f"{record.outcome}{expected}",
        "node id": record.node_id,
        "tags": ", ".join(f"{tag}={value}" for tag, value in record.tags.items()),
        "started": record.begin,
        "took": number_formats.seconds(record.seconds),
        **(_effort(record.evidence) if record.evidence else {}),
    }
    yield from (f"{label + ':':9} {_flat(text)}" for label, text in facts.items() if text)


def _effort(evidence: AttemptEvidence) -> dict[str, str]:
    trajectory = evidence.trajectory
    usage = trajectory.usage
    notes = trajectory.notes
    # What is known of a program under test: its version, what it offered to its model, and its date.
    unchecked = f" ({notes[UNCHECKED_PROGRAM]})" if UNCHECKED_PROGRAM in notes else ""
    user, conversation = "", trajectory.conversation
    if conversation is not None:
        tokens = f"{number_formats.usage_tokens(conversation.usage)} tokens"
        cost = number_formats.money(conversation.usage.cost_usd)
        end = (conversation.end or "the attempt ended first").replace("_", " ")
        user = f"{conversation.user}, {tokens}, {cost}, {number_formats.seconds(conversation.seconds)}; {end}"
    task_date = f", and that of the task {notes['task_date']}" if "task_date" in notes else ""
    return {
        "steps": f"{len(trajectory.steps)}, with {len(trajectory.calls)} calls of {len(evidence.tools)} tools",
        "tokens": f"{number_formats.usage_tokens(usage)} (read + written), {number_formats.money(usage.cost_usd)}",
        "stopped": trajectory.stop,
        "program": f"{notes.get(PROGRAM, '')}{unchecked}",
        "offered": notes.get("own_tools_offered", ""),
        "skills": notes.get("own_skills_offered", ""),
        "used": notes.get("own_tools", ""),
        "date": f"its own was {notes['program_date']}{task_date}" if "program_date" in notes else "",
        "user": user,
    }


def _conversation(record: RunRecord) -> Iterator[str]:
    """Yield each user message with the steps that answer it; a message without steps is shown as well."""
    messages = record.turns or (record.prompt,)
    steps = record.evidence.trajectory.steps if record.evidence else ()
    by_turn = {turn: list(group) for turn, group in groupby(steps, key=lambda step: step.turn)}
    numbers = iter(range(1, len(steps) + 1))
    for turn, message in enumerate(messages):
        # The first message is the task's own.
        turns = len(messages)
        conversation = record.evidence.trajectory.conversation if record.evidence else None
        who = f"user ({_flat(conversation.user)})" if conversation is not None and turn else "user"
        yield from _section(f"{who}, turn {turn + 1} of {turns}" if turns > 1 else who, message)
        for step in by_turn.pop(turn, []):
            yield from _step(step, next(numbers))
    for step in (step for rest in by_turn.values() for step in rest):
        yield from _step(step, next(numbers))


def _step(step: Step, number: int) -> Iterator[str]:
    effort = f"{number_formats.seconds(step.seconds)}, {number_formats.usage_tokens(step.usage)} tokens"
    first = "" if step.first_token_seconds is None else f", {number_formats.seconds(step.first_token_seconds)} to first"
    retries = f"{first}, {step.retries} retries" if step.retries else first
    reason = f", {_flat(step.finish_reason)}" if step.finish_reason else ""
    parsed = f", parsed as {step.tool_format}" if step.parsed else ""
    yield from _heading(f"step {number} ({effort}{retries}{reason}{parsed})")
    if step.parsed is not None:
        if step.parsed.problem:
            yield f"The reply could not be read: {_flat(step.parsed.problem)}."
        yield "as the model wrote it:"
        yield from _block(step.parsed.raw)
    yield from _block(step.text)
    for search in step.searches:
        yield f"→ search for tools: {_flat(search.query)}"
        if search.found is None:
            yield f"← not made{f': {_flat(search.problem)}' if search.problem else ''}"
        else:
            yield f"← found: {', '.join(map(_flat, search.found)) or 'no tool'}"
    for read in step.reads:
        what = "load the skill" if read.kind == "skill" else read.kind
        yield f"→ {what} {_flat(read.target)}".rstrip() + (f" ({_flat(read.server)})" if read.server else "")
        if read.result is None:
            yield "← not made"
        else:
            yield "← error" if read.is_error else "← read"
            yield from _block(result_text(read.result))
    for call in step.calls:
        yield from _call(call)


def _call(call: CallRecord) -> Iterator[str]:
    target = "" if call.server is None else f" ({_flat(call.server)}/{_flat(call.called)})"
    yield f"→ {_flat(call.name)}{target}"
    yield from _block(_pretty(call.arguments) if call.raw_arguments is None else call.raw_arguments)
    if call.problem is not None:
        yield f"← not sent: {call.problem.replace('_', ' ')}"
    if call.result is None:
        yield "← no result"
    else:
        for asked in call.result.elicitations:
            yield f"? the server asks, and the user ({_flat(asked.answered_by)}) answers: {_flat(asked.reply)}"
            yield from _block(asked.question)
        for sampled in call.result.samplings:
            yield f"? the server asks a model for a message (sampling), and {_flat(sampled.model)} replies"
            yield from _block(sampled.prompt)
            yield from _block(sampled.reply)
        if call.result.refused_samplings:
            messages = number_formats.quantity(call.result.refused_samplings, "message")
            yield f"? the server asks a model for {messages} (sampling), and is refused"
        yield from (f"… {_flat(news)}" for news in call.result.news)
        error = f"error ({call.result.error_kind})" if call.result.is_error else "result"
        yield f"← {error}, {number_formats.seconds(call.seconds)}"
        yield from _block(call.result.text)
        if call.result.structured is not None:
            yield "← structured"
            yield from _block(_pretty(call.result.structured))


def _scores(record: RunRecord) -> Iterator[str]:
    if not record.scorecard.scores:
        return
    yield from _heading("scores")
    if record.verdicts:
        yield "; ".join(f"{scoring}: {verdict}" for scoring, verdict in record.verdicts.items())
    for name, score in record.scorecard.scores.items():
        value = number_formats.score(score.value) if score.value is not None else "unscored" if score.applies else "n/a"
        is_guard = name not in record.scorecard.criteria.get("paper", {name: 0})
        floor = record.scorecard.floors.get(name)
        required = "" if floor is None else f", required{' by a guard' if is_guard else ''}: at least {floor:g}"
        counts = ", ".join(f"{count} {number:g}" for count, number in score.counts.items())
        yield f"{_flat(name)}: {value}{required}{f' ({_flat(counts)})' if counts else ''}"
        for reason in (*([score.unscored] if score.unscored else []), *score.reasons):
            yield from _block(reason)


def _worlds(worlds: Iterable[WorldRecord]) -> Iterator[str]:
    changes = [(world.name, change) for world in worlds for change in world.changes]
    if not changes:
        return
    yield from _heading("changes of the worlds")
    for world, change in changes:
        yield f"{change.kind} {_flat(world)}: {_flat(change.path)}"
        for label, state in (("before", change.before), ("after", change.after)):
            if state is not None:
                yield f"{_INDENT}{label}:"
                yield from _block(_pretty(state), _INDENT * 2)


def _verdicts(verdicts: Iterable[Verdict]) -> Iterator[str]:
    for number, verdict in enumerate(verdicts):
        yield from _heading("verdicts of the judge") if number == 0 else ()
        yield f"{_flat(verdict.label or 'undecided')} ({_flat(verdict.judge)}, {_flat(verdict.prompt_version)})"
        yield from _block(f"question: {verdict.statement}" if verdict.statement else "")
        yield from _block(verdict.error or verdict.reason)
        for vote in (*verdict.stages, *verdict.votes):
            yield f"{_INDENT}{_flat(vote.judge)}: {_flat(vote.label or 'no verdict')}"
            yield from _block(vote.error or vote.reason, _INDENT * 2)


def _section(title: str, text: str) -> Iterator[str]:
    """Yield a heading and the text below it; nothing if there is no text."""
    if text:
        yield from _heading(title)
        yield from _block(text)


def _heading(title: str) -> Iterator[str]:
    yield ""
    yield f"── {title} ──"


def _block(text: str, indent: str = _INDENT) -> Iterator[str]:
    """Yield the lines of a text indented, so that no line of it passes for one of ours."""
    yield from (f"{indent}{line}" for line in visible(text).split("\n") if text)


def _flat(text: str) -> str:
    return one_line(text, _LONGEST_REASON)


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _wrap(text: str, columns: int) -> list[str]:
    lines = (textwrap.wrap(line, columns, break_on_hyphens=False) for line in visible(text).split("\n"))
    return [piece for pieces in lines for piece in pieces]
