"""The little that is known of words: verbs that ask for the same thing, and what a form of question asks for.

General English only, nothing of any benchmark; a word of a class counts for the others of it at a part of its weight.
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
"""What a question is answered by: it changes nothing."""
_SYNONYM_WEIGHT = 0.35
_QUESTION_WEIGHT = 1.0


def _build_synonyms() -> dict[str, frozenset[str]]:
    """Stem -> the stems that ask for the same."""
    synonyms: dict[str, frozenset[str]] = {}
    for line in _VERBS:
        stems = frozenset(map(stem, line.split()))
        for one in stems:
            synonyms[one] = synonyms.get(one, frozenset()) | stems - {one}
    return synonyms


SYNONYMS: Mapping[str, frozenset[str]] = _build_synonyms()


def query_terms(text: str, tool_verbs: Container[str]) -> dict[str, float]:
    """What a text asks for: its own terms at 1, the verb that its form of question stands for, and words alike.

    A verb that is ``known`` (some tool has it in its name) speaks for itself; only others stand for their class.
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
    """What a question adds to its words: that it is answered by reading. No tool is chosen for this alone."""
    has_form = any(re.match(rf"\W*(?:{question})\b", text, re.IGNORECASE) for question in _QUESTIONS)
    return dict.fromkeys(_READING_VERBS, _SYNONYM_WEIGHT) if _QUESTION_START.match(text) and not has_form else {}


def is_verb(term: str) -> bool:
    """Whether a stem is one of a verb that stands for others."""
    return term in SYNONYMS
