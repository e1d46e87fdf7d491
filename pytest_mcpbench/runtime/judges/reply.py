"""Parser of a judge's reply: JSON, JSON inside other text, or plain text with one label."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.thoughts import without_thoughts

_MOST_CHARACTERS_OF_REASON = 1000
_MOST_OBJECTS = 1000
"""Opening braces of a reply at which JSON is looked for."""
_LABELLED = re.compile(r"^[^\w\n]*+(?:label|verdict)\W++(\w[\w ]*+)[^\w\n]*+$", re.IGNORECASE | re.MULTILINE)
"""A line with nothing but a label."""


class ParsedReply(NamedTuple):
    """Label and reason from a reply."""

    label: str
    reason: str


def parse_reply(text: str, question: Question) -> ParsedReply | None:
    """Return the label and the reason, or ``None`` if the reply has no label of the question or several.

    Labels in the judge's thoughts do not count.
    """
    said = without_thoughts(text)
    objects = list(_replies_in_json(said, question))
    if not objects:
        return _as_text(said, question)
    return objects[0] if len({each.label for each in objects}) == 1 else None


def _replies_in_json(text: str, question: Question) -> Iterator[ParsedReply]:
    """Yield the label and the reason of each object with a label, without the objects inside of it."""
    decoder = json.JSONDecoder()
    end_of_last = 0
    for start in (match.start() for match in islice(re.finditer(r"\{", text), _MOST_OBJECTS)):
        if start < end_of_last:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        label = _label(value.get("label"), question)
        if label is not None:
            end_of_last = end
            yield ParsedReply(label, str(value.get("reason", ""))[:_MOST_CHARACTERS_OF_REASON])


def _as_text(text: str, question: Question) -> ParsedReply | None:
    """Parse a line ``label: …`` or, without such a line, the only label in the text."""
    written = _LABELLED.findall(text)
    labels = {label for label in (_label(one, question) for one in written) if label} or _labels_in(text, question)
    if len(labels) != 1:
        return None
    return ParsedReply(labels.pop(), " ".join(text.split())[:_MOST_CHARACTERS_OF_REASON])


def _labels_in(text: str, question: Question) -> set[str]:
    """Return the labels that the text contains as words; ``not_fulfilled`` does not also count as ``fulfilled``."""
    longest_first = sorted(question.labels, key=len, reverse=True)
    pattern = "|".join(re.escape(label).replace("_", r"[_\s-]") for label in longest_first)
    found = re.findall(rf"(?<![\w-])({pattern})(?![\w-])", text, re.IGNORECASE)
    return {label for label in (_label(one, question) for one in found) if label}


def _label(written: object, question: Question) -> str | None:
    if not isinstance(written, str):
        return None
    plain = re.sub(r"[\s-]+", "_", written.strip().lower())
    return next((label for label in question.labels if label.lower() == plain), None)
