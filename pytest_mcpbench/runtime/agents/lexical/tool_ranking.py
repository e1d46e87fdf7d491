"""The tool that a request asks for, and its arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.bm25 import Index
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import SchemaLeaf, schema_leaves
from pytest_mcpbench.runtime.agents.lexical.synonyms import query_terms, reading_terms
from pytest_mcpbench.runtime.agents.lexical.value_mentions import mask_mentions

_NAME_WEIGHT, _FIRST_SENTENCE_WEIGHT, _DESCRIPTION_WEIGHT, _PARAMETERS_WEIGHT = 3.0, 2.0, 0.5, 0.3
"""How much a word counts by where it stands: the first sentence says what a tool does, the rest mostly when not to."""
_MARGIN = 0.85
"""Tools with this share of the best score are as good by their words; then the better filled one is taken."""
_MAX_CANDIDATES = 4
"""A tool further down the list is a guess."""
_WEAKEST_SHARE = 0.25
"""Least share of the best score that a tool may have which is tried because better ones could not be filled."""
_TERMS_BY_KIND = {"url": ("url",), "email": ("email",), "expression": ("express",), "coordinates": ("coordinat",)}
"""Terms that a request says by mentioning a value of a kind."""
_KIND_WEIGHT = 0.7
_SENTENCE_END = re.compile(r"[.!。]\s|\n\s*\n|。")
_LOOSE_KINDS = frozenset(("phrase", "name", "named", "pair"))


@dataclass(frozen=True)
class ToolCandidate:
    """A tool with its arguments; what is missing of them, if anything."""

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
    """The exposed tools, indexed once; immutable."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self.tools = tuple(tools)
        self._index = Index([_document(tool) for tool in self.tools])
        self._leaves = {tool.name: schema_leaves(tool.input_schema) for tool in self.tools}

    @cached_property
    def labels(self) -> frozenset[str]:
        """Stems of all parameter names: words after which, with a colon, a value may stand."""
        return frozenset(
            name for parameters in self._leaves.values() for leaf in parameters for name in leaf.name_terms
        )

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Stems of the first words of the tools' names, which are verbs more often than not."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool)[:1])

    @cached_property
    def name_words(self) -> frozenset[str]:
        """Stems of all words in the tools' names."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool))

    def leaves(self, tool: ToolSpec) -> tuple[SchemaLeaf, ...]:
        return self._leaves[tool.name]

    def word_scores(self, text: str) -> list[float]:
        """How well the words of a text fit each tool: plain BM25, without what is known of words."""
        return self._index.scores(dict.fromkeys(terms(text), 1.0))

    def rank_tools(self, request: Request) -> list[tuple[float, ToolSpec]]:
        """Tools with a score above 0, best first; equal ones in the order in which they are exposed."""
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
        """The tools that may be meant, the likeliest first, each filled as far as the request goes.

        Within the margin of the best score those that can be filled come first, then those that use more of what the
        request mentions.
        """
        ranking = self.rank_tools(request)
        if not ranking:
            return self._sole_candidate(request)
        best = ranking[0][0]
        leaders = [pair for pair in ranking[:_MAX_CANDIDATES] if pair[0] >= best * _WEAKEST_SHARE]
        candidates = [ToolCandidate(tool, score, fill_arguments(self.leaves(tool), request)) for score, tool in leaders]
        return sorted(candidates, key=lambda candidate: _sort_key(candidate, best))

    def _sole_candidate(self, request: Request) -> list[ToolCandidate]:
        """The only tool, where no word speaks for it and yet the request mentions all that it needs."""
        if len(self.tools) != 1:
            return []
        (tool,) = self.tools
        filling = fill_arguments(self.leaves(tool), request)
        return [ToolCandidate(tool, 0.0, filling)] if filling.used and not filling.missing else []


def _sort_key(candidate: ToolCandidate, best: float) -> tuple[bool, bool, int, float]:
    is_close = candidate.score >= best * _MARGIN
    used = sum(mention.kind not in _LOOSE_KINDS for mention in candidate.filling.used)
    return (not is_close, is_close and not candidate.is_complete, -used if is_close else 0, -candidate.score)


def _document(tool: ToolSpec) -> list[tuple[list[str], float]]:
    first = _SENTENCE_END.split(tool.description.strip(), maxsplit=1)[0]
    parameters = [term for name in tool.properties for term in terms(name)]
    return [
        (terms(tool.tool), _NAME_WEIGHT),
        (terms(first), _FIRST_SENTENCE_WEIGHT),
        (terms(tool.description), _DESCRIPTION_WEIGHT),
        (parameters, _PARAMETERS_WEIGHT),
    ]
