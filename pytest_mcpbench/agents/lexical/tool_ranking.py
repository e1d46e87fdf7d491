"""Ranking of tools by the words of a request, and selection among tools of similar rank by their arguments."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pytest_mcpbench.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.agents.lexical.schema_leaves import SchemaLeaf, schema_leaves
from pytest_mcpbench.agents.lexical.value_mentions import RequestSegment, mask_mentions
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import tool_document
from pytest_mcpbench.text.search import Index
from pytest_mcpbench.text.vocabulary import synonym_groups
from pytest_mcpbench.text.words import stem, terms

# Synonyms of verbs, and the verbs that the form of a question implies.
#
# A synonym has a fraction of the weight of the word itself.

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
    for group in synonym_groups("en"):
        stems = frozenset(map(stem, group))
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


_MARGIN = 0.85
"""Tools with at least this share of the best score count as equal; the one with better arguments is chosen."""
_MAX_CANDIDATES = 4
"""Number of tools tried; a tool further down is a guess."""
_WEAKEST_SHARE = 0.25
"""Lowest share of the best score of a tool that is tried because the arguments of better ones are incomplete."""
_TERMS_BY_KIND = {"url": ("url",), "email": ("email",), "expression": ("express",), "coordinates": ("coordinat",)}
"""Terms that a request implies by mentioning a value of a kind."""
_KIND_WEIGHT = 0.7
"""Weight of an implied term."""
_LOOSE_KINDS = frozenset(("phrase", "name", "named", "pair"))
"""Kinds of mentions that are found by their surroundings, not by their own form."""


@dataclass(frozen=True)
class RankedTool:
    """Tool with its arguments, and the parameters that are missing."""

    tool: ToolSpec
    score: float
    filling: FilledArguments

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return self.filling.arguments

    @property
    def is_complete(self) -> bool:
        return not self.filling.missing


class ToolRanking:
    """Index of the exposed tools; immutable."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self.tools = tuple(tools)
        self._index = Index([tool_document(tool) for tool in self.tools])
        self._leaves = {tool.name: schema_leaves(tool.input_schema) for tool in self.tools}

    @cached_property
    def labels(self) -> frozenset[str]:
        """Stems of all parameter names, which may label a value when a colon follows them."""
        return frozenset(
            name for parameters in self._leaves.values() for leaf in parameters for name in leaf.name_terms
        )

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Stems of the first words of the tools' names, most of which are verbs."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool)[:1])

    @cached_property
    def name_words(self) -> frozenset[str]:
        """Stems of all words in the tools' names."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool))

    def leaves(self, tool: ToolSpec) -> tuple[SchemaLeaf, ...]:
        """Return the values in the arguments of a tool."""
        return self._leaves[tool.name]

    def word_scores(self, text: str) -> list[float]:
        """Return the plain BM25 score of each tool for the words of a text, without synonyms."""
        return self._index.scores(dict.fromkeys(terms(text), 1.0))

    def rank_tools(self, request: RequestSegment) -> list[tuple[float, ToolSpec]]:
        """Return the tools with a score above 0, best first; equal ones in the order of exposure."""
        exact = [mention for mention in request.mentions if mention.kind not in _LOOSE_KINDS]
        query = query_terms(mask_mentions(request.text, exact), self.name_words)
        for mention in exact:
            for term in _TERMS_BY_KIND.get(mention.kind, ()):
                query.setdefault(term, _KIND_WEIGHT)
        scores = self._index.scores(query)
        reading_scores = self._index.scores(
            {term: weight for term, weight in reading_terms(request.text).items() if term not in query}
        )
        scored = [
            (score + reading_score, tool)
            for score, reading_score, tool in zip(scores, reading_scores, self.tools, strict=True)
            if score > 0
        ]
        return sorted(scored, key=lambda pair: -pair[0])

    def candidates(self, request: RequestSegment) -> list[RankedTool]:
        """Return the likeliest tools, best first, each with arguments as far as the request contains them.

        Within the margin of the best score, tools with complete arguments precede others, and then those that use more
        mentions precede others.
        """
        ranking = self.rank_tools(request)
        if not ranking:
            # The only exposed tool if the request mentions all that it requires, although no word matches.
            if len(self.tools) != 1:
                return []
            (tool,) = self.tools
            filling = fill_arguments(self.leaves(tool), request)
            return [RankedTool(tool, 0.0, filling)] if filling.used and not filling.missing else []
        best = ranking[0][0]
        leaders = [pair for pair in ranking[:_MAX_CANDIDATES] if pair[0] >= best * _WEAKEST_SHARE]
        candidates = [RankedTool(tool, score, fill_arguments(self.leaves(tool), request)) for score, tool in leaders]
        return sorted(candidates, key=lambda candidate: _sort_key(candidate, best))


def _sort_key(candidate: RankedTool, best: float) -> tuple[bool, bool, int, float]:
    is_close = candidate.score >= best * _MARGIN
    used = sum(mention.kind not in _LOOSE_KINDS for mention in candidate.filling.used)
    return (not is_close, is_close and not candidate.is_complete, -used if is_close else 0, -candidate.score)
