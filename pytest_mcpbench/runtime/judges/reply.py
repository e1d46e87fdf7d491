"""Reading a judge's reply: JSON, JSON among other text, or plain text that names one label."""

import json
import re
from typing import NamedTuple

from pytest_mcpbench.core.judgement import Question

_MOST_CHARACTERS_OF_REASON = 1000


class Read(NamedTuple):
    """A reply that could be read."""

    label: str
    reason: str


def read_reply(text: str, question: Question) -> Read | None:
    """The label and the reason, or ``None`` where the reply names no label of the question or several."""
    return _as_json(text, question) or _as_text(text, question)


def _as_json(text: str, question: Question) -> Read | None:
    decoder = json.JSONDecoder()
    for start in (match.start() for match in re.finditer(r"\{", text)):
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        label = _label(value.get("label"), question)
        if label is not None:
            return Read(label, str(value.get("reason", ""))[:_MOST_CHARACTERS_OF_REASON])
    return None


def _as_text(text: str, question: Question) -> Read | None:
    """A line ``label: …`` or, without one, the only label in the text."""
    said = re.findall(r"^\W*(?:label|verdict)\W+([\w ]+?)\W*$", text, re.IGNORECASE | re.MULTILINE)
    labels = {label for label in (_label(one, question) for one in said) if label} or _named(text, question)
    if len(labels) != 1:
        return None
    return Read(labels.pop(), " ".join(text.split())[:_MOST_CHARACTERS_OF_REASON])


def _named(text: str, question: Question) -> set[str]:
    """Labels that stand in the text as words; ``not_fulfilled`` does not also name ``fulfilled``."""
    longest_first = sorted(question.labels, key=len, reverse=True)
    pattern = "|".join(re.escape(label).replace("_", r"[_\s-]") for label in longest_first)
    found = re.findall(rf"(?<![\w-])({pattern})(?![\w-])", text, re.IGNORECASE)
    return {label for label in (_label(one, question) for one in found) if label}


def _label(said: object, question: Question) -> str | None:
    if not isinstance(said, str):
        return None
    plain = re.sub(r"[\s-]+", "_", said.strip().lower())
    return next((label for label in question.labels if label.lower() == plain), None)
