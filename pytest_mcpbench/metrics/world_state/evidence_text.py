"""Evidence of an attempt as bounded text for a judge."""

import json
from itertools import zip_longest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.metrics.comparison.containment import format_json
from pytest_mcpbench.metrics.world_state.changes import entity_path

MOST_CALLS = 50
MOST_CHARACTERS = 3000
"""Bounds of MCP-Persona's released evaluator: its first 50 calls, 3,000 characters of each result."""


def calls_with_results(evidence: AttemptEvidence) -> str:
    """Return the attempt's calls, numbered, each with arguments and result; behind a conversation with the user."""
    conversation = evidence.trajectory.conversation
    if conversation is None:
        return _calls(evidence)
    users = [f"User: {message.text}"[:MOST_CHARACTERS] for message in conversation.messages if message.text]
    agents = [f"Agent: {text or '(no text)'}"[:MOST_CHARACTERS] for text in evidence.trajectory.replies]
    said = [text for pair in zip_longest(users, agents) for text in pair if text]
    return "\n".join(["Conversation:", *said, "", _calls(evidence)])


def _calls(evidence: AttemptEvidence) -> str:
    if not evidence.calls:
        return "Calls: none"
    lines: list[str] = []
    for number, call in enumerate(evidence.calls[:MOST_CALLS], 1):
        arguments = json.dumps(call.arguments, ensure_ascii=False)[:MOST_CHARACTERS]
        if call.problem:
            outcome = f"refused: {call.problem}"
        elif call.result is None:
            outcome = "never sent"
        else:
            text = call.result.text[:MOST_CHARACTERS]
            outcome = f"error: {text}" if call.result.is_error else text
        lines.append(f"{number}. {call.called}({arguments}) → {outcome}")
    left_out = len(evidence.calls) - MOST_CALLS
    return "\n".join(["Calls:", *lines, *([f"({left_out} further calls are left out)"] if left_out > 0 else [])])


def changes_text(evidence: AttemptEvidence) -> str:
    """Return the changes of the worlds, one entity per line."""
    lines = []
    for world in evidence.worlds:
        for change in world.changes[:MOST_CALLS]:
            before, after = format_json(change.before, MOST_CHARACTERS), format_json(change.after, MOST_CHARACTERS)
            lines.append(f"{world.name}: {change.kind} {entity_path(change)}: {before} → {after}")
    return "\n".join(["Changes of state:", *(lines or ["none"])])
