"""Answers of simulated language models: sentences of the small web that share most words with a question."""

import re

from pytest_mcpbench.simulated.websearch.world import packaged_web
from pytest_mcpbench.text.words import terms

UNKNOWN = "I do not know anything about that."
_SENTENCES = 3
"""Number of sentences in an answer."""


def answer(question: str) -> str:
    """Return the best sentences of the best page, in the page's order; :data:`UNKNOWN` if no page shares a word."""
    pages = packaged_web().search(question, 1)
    if not pages:
        return UNKNOWN
    sentences = re.split(r"(?<=[.!?])\s+", pages[0].text)
    wanted = set(terms(question))
    shared = {number: len(wanted & set(terms(sentence))) for number, sentence in enumerate(sentences)}
    best = sorted(shared, key=lambda number: (-shared[number], number))[:_SENTENCES]
    return " ".join(sentences[number] for number in sorted(best))
