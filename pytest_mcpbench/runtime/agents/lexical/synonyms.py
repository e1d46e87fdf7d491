"""Synonyms of verbs, and the verbs that the form of a question implies.

General English only, nothing from a benchmark; a synonym has a fraction of the weight of the word itself.
"""

import re
from collections.abc import Container, Mapping

from pytest_mcpbench.core.text_search.tokens import stem, terms

_VERBS = (
    "create make add new insert",
    "delete remove erase drop discard",
    "list show display enumerate",
    "get read fetch retrieve show open view give tell",
    "search find look locate query",
    "update change modify edit set",
    "edit replace change modify",
    "send email mail",
    "move rename transfer relocate",
    "write save store overwrite",
    "run execute start launch",
    "stop kill terminate end cancel",
    "calculate compute evaluate work",
    "book reserve schedule",
    "convert translate transform",
    "delete cancel",
    "schedule add create",
    "appointment meeting event",
    "mail email",
    "folder directory",
    "picture photo image",
)
_QUESTIONS = {
    "what are|what (?!is\\b|was\\b|does\\b|has\\b)\\w+s\\b|which": "list",
    "how many": "count",
    "where|who": "find",
}
_QUESTION_START = re.compile(r"\W*(?:what|which|who|when|where|how|is|are|do|does)\b", re.IGNORECASE)
_READING_VERBS = ("list", "get", "search")
"""Verbs that a question implies, because answering it changes nothing."""
_SYNONYM_WEIGHT = 0.35
_QUESTION_WEIGHT = 1.0


def _build_synonyms() -> dict[str, frozenset[str]]:
    """Map each stem to the stems with the same meaning."""
    synonyms: dict[str, frozenset[str]] = {}
    for line in _VERBS:
        stems = frozenset(map(stem, line.split()))
        for word in stems:
            synonyms[word] = synonyms.get(word, frozenset()) | stems - {word}
    return synonyms


SYNONYMS: Mapping[str, frozenset[str]] = _build_synonyms()


def query_terms(text: str, tool_verbs: Container[str]) -> dict[str, float]:
    """Return the weighted terms of a text: its own, the verb that its form of question implies, and synonyms.

    A verb in ``tool_verbs``, which some tool has in its name, is not extended by synonyms.
    """
    query = dict.fromkeys(terms(text), 1.0)
    for question, verb in _QUESTIONS.items():
        if re.match(rf"\W*(?:{question})\b", text, re.IGNORECASE):
            query.setdefault(verb, _QUESTION_WEIGHT)
            break
    for term in list(query):
        for other in SYNONYMS.get(term, ()) if term not in tool_verbs else ():
            query.setdefault(other, _SYNONYM_WEIGHT)
    return query


def reading_terms(text: str) -> dict[str, float]:
    """Return the verbs that a question adds to its words. They alone never select a tool."""
    has_form = any(re.match(rf"\W*(?:{question})\b", text, re.IGNORECASE) for question in _QUESTIONS)
    return dict.fromkeys(_READING_VERBS, _SYNONYM_WEIGHT) if _QUESTION_START.match(text) and not has_form else {}


def is_verb(term: str) -> bool:
    """Return whether a stem belongs to a verb with synonyms."""
    return term in SYNONYMS
