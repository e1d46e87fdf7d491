"""The tool that a request asks for, and its arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.bm25 import Index
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.leaves import Leaf, leaves
from pytest_mcpbench.runtime.agents.lexical.meaning import query_terms, reading_terms
from pytest_mcpbench.runtime.agents.lexical.mentions import without
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.slots import Filled, fill

_NAME, _FIRST_SENTENCE, _DESCRIPTION, _PARAMETERS = 3.0, 2.0, 0.5, 0.3
"""How much a word counts by where it stands: the first sentence says what a tool does, the rest mostly when not to."""
_MARGIN = 0.85
"""Tools with this share of the best score are as good by their words; then the better filled one is taken."""
_TRIED = 4
"""A tool further down the list is a guess."""
_WEAKEST = 0.25
"""Least share of the best score that a tool may have which is tried because better ones could not be filled."""
_SAID_BY_KIND = {"url": ("url",), "email": ("email",), "expression": ("express",), "coordinates": ("coordinat",)}
"""Terms that a request says by mentioning a value of a kind."""
_KIND = 0.7
_SENTENCE_END = re.compile(r"[.!。]\s|\n\s*\n|。")
_UNNAMED = frozenset(("phrase", "name", "named", "pair"))


@dataclass(frozen=True)
class Choice:
    """A tool with its arguments; what is missing of them, if anything."""

    tool: ToolSpec
    score: float
    filled: Filled

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return self.filled.arguments

    @property
    def is_complete(self) -> bool:
        return not self.filled.missing


class Toolbox:
    """The exposed tools, indexed once; immutable."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self.tools = tuple(tools)
        self._index = Index([_document(tool) for tool in self.tools])
        self._leaves = {tool.name: leaves(tool.input_schema) for tool in self.tools}

    @cached_property
    def labels(self) -> frozenset[str]:
        """Stems of all parameter names: words after which, with a colon, a value may stand."""
        return frozenset(name for parameters in self._leaves.values() for leaf in parameters for name in leaf.name)

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Stems of the first words of the tools' names, which are verbs more often than not."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool)[:1])

    @cached_property
    def name_words(self) -> frozenset[str]:
        """Stems of all words in the tools' names."""
        return frozenset(term for tool in self.tools for term in terms(tool.tool))

    def leaves(self, tool: ToolSpec) -> tuple[Leaf, ...]:
        return self._leaves[tool.name]

    def word_scores(self, text: str) -> list[float]:
        """How well the words of a text fit each tool: plain BM25, without what is known of words."""
        return self._index.scores(dict.fromkeys(terms(text), 1.0))

    def ranked(self, request: Request) -> list[tuple[float, ToolSpec]]:
        """Tools with a score above 0, best first; equal ones in the order in which they are exposed."""
        exact = [mention for mention in request.found if mention.kind not in _UNNAMED]
        query = query_terms(without(request.text, exact), self.name_words)
        for mention in exact:
            for term in _SAID_BY_KIND.get(mention.kind, ()):
                query.setdefault(term, _KIND)
        said = self._index.scores(query)
        read = self._index.scores(
            {term: weight for term, weight in reading_terms(request.text).items() if term not in query}
        )
        scored = [(one + other, tool) for one, other, tool in zip(said, read, self.tools, strict=True) if one > 0]
        return sorted(scored, key=lambda pair: -pair[0])

    def choices(self, request: Request) -> list[Choice]:
        """The tools that may be meant, the likeliest first, each filled as far as the request goes.

        Within the margin of the best score those that can be filled come first, then those that use more of what the
        request mentions.
        """
        ranked = self.ranked(request)
        if not ranked:
            return self._only_choice(request)
        best = ranked[0][0]
        tried = [pair for pair in ranked[:_TRIED] if pair[0] >= best * _WEAKEST]
        filled = [Choice(tool, score, fill(self.leaves(tool), request)) for score, tool in tried]
        return sorted(filled, key=lambda choice: _order(choice, best))

    def _only_choice(self, request: Request) -> list[Choice]:
        """The only tool, where no word speaks for it and yet the request mentions all that it needs."""
        if len(self.tools) != 1:
            return []
        (tool,) = self.tools
        filled = fill(self.leaves(tool), request)
        return [Choice(tool, 0.0, filled)] if filled.used and not filled.missing else []


def _order(choice: Choice, best: float) -> tuple[bool, bool, int, float]:
    is_close = choice.score >= best * _MARGIN
    used = sum(mention.kind not in _UNNAMED for mention in choice.filled.used)
    return (not is_close, is_close and not choice.is_complete, -used if is_close else 0, -choice.score)


def _document(tool: ToolSpec) -> list[tuple[list[str], float]]:
    first = _SENTENCE_END.split(tool.description.strip(), maxsplit=1)[0]
    parameters = [term for name in tool.properties for term in terms(name)]
    return [
        (terms(tool.tool), _NAME),
        (terms(first), _FIRST_SENTENCE),
        (terms(tool.description), _DESCRIPTION),
        (parameters, _PARAMETERS),
    ]
