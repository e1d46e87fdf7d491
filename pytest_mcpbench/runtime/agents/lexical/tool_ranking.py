"""Ranking of tools by the words of a request, and selection among tools of similar rank by their arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.bm25 import Index
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.core.text_search.tool_documents import tool_document
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import SchemaLeaf, schema_leaves
from pytest_mcpbench.runtime.agents.lexical.synonyms import query_terms, reading_terms
from pytest_mcpbench.runtime.agents.lexical.value_mentions import mask_mentions

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
class ToolCandidate:
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


class ToolIndex:
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

    def rank_tools(self, request: Request) -> list[tuple[float, ToolSpec]]:
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

    def candidates(self, request: Request) -> list[ToolCandidate]:
        """Return the likeliest tools, best first, each with arguments as far as the request contains them.

        Within the margin of the best score, tools with complete arguments precede others, and then those that use more
        mentions precede others.
        """
        ranking = self.rank_tools(request)
        if not ranking:
            return self._sole_candidate(request)
        best = ranking[0][0]
        leaders = [pair for pair in ranking[:_MAX_CANDIDATES] if pair[0] >= best * _WEAKEST_SHARE]
        candidates = [ToolCandidate(tool, score, fill_arguments(self.leaves(tool), request)) for score, tool in leaders]
        return sorted(candidates, key=lambda candidate: _sort_key(candidate, best))

    def _sole_candidate(self, request: Request) -> list[ToolCandidate]:
        """Return the only exposed tool if the request mentions all that it requires, although no word matches."""
        if len(self.tools) != 1:
            return []
        (tool,) = self.tools
        filling = fill_arguments(self.leaves(tool), request)
        return [ToolCandidate(tool, 0.0, filling)] if filling.used and not filling.missing else []


def _sort_key(candidate: ToolCandidate, best: float) -> tuple[bool, bool, int, float]:
    is_close = candidate.score >= best * _MARGIN
    used = sum(mention.kind not in _LOOSE_KINDS for mention in candidate.filling.used)
    return (not is_close, is_close and not candidate.is_complete, -used if is_close else 0, -candidate.score)
