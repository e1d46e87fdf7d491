"""Planner of the calls for a request: segment by segment, with values from earlier results; without I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.tokens import terms, words
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical import result_values
from pytest_mcpbench.runtime.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.runtime.agents.lexical.mention_scoring import QUERY_TERMS
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import Path, SchemaLeaf
from pytest_mcpbench.runtime.agents.lexical.segmentation import Segment, split_request
from pytest_mcpbench.runtime.agents.lexical.tool_ranking import ToolCandidate, ToolIndex
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention, find_mentions

_WEAK_SHARE = 0.3
"""A segment whose best tool has less than this share of the best segment's score belongs to its neighbour."""
_LOOKUP_VERBS = frozenset(("search", "list", "find", "get", "query", "brows", "lookup"))
_POINTERS = frozenset(("it", "that", "this", "result", "them", "those", "output", "answer"))


@dataclass(frozen=True)
class PlannedCall:
    """Call that the planner proposes."""

    tool: str
    arguments: dict[str, JsonValue]
    is_lookup: bool = False
    """Whether the call only finds an id for the call after it."""


@dataclass
class CallPlanner:
    """Planner for one user message, which decides one call at a time as results arrive."""

    tool_index: ToolIndex
    text: str
    now: datetime | None = None
    results: list[str] = field(default_factory=list)
    """Texts of the successful results so far; the caller appends to them."""

    def __post_init__(self) -> None:
        self._mentions = find_mentions(self.text, self.tool_index.labels)
        self._pending = self._merge_segments(split_request(self.text, self._mentions, self.tool_index.verbs))
        self._lookup_tool: str | None = None

    def next_call(self) -> PlannedCall | None:
        """Return the call for the current segment, or a lookup that it requires; ``None`` after the last segment."""
        while self._pending:
            call = self._call_for(self._pending[0])
            if call is None or not call.is_lookup:
                self._pending.pop(0)
            self._lookup_tool = call.tool if call and call.is_lookup else None
            if call is not None:
                return call
        return None

    def _merge_segments(self, segments: Sequence[Segment]) -> list[Segment]:
        """Return the segments that need a call each.

        A weak segment, or one that only adds to the same action, is merged with its neighbour.
        """
        rankings = [self.tool_index.rank_tools(self._request(segment)) for segment in segments]
        best = max((ranks[0][0] for ranks in rankings if ranks), default=0.0)
        merged: list[tuple[Segment, ToolSpec | None]] = []
        for segment, ranks in zip(segments, rankings, strict=True):
            is_specific = any(
                _is_specific(mention) and mention.kind != "number" for mention in self._request(segment).mentions
            )
            is_weak = not ranks or (ranks[0][0] < _WEAK_SHARE * best and not is_specific)
            tool = None if is_weak else ranks[0][1]
            if merged and (tool is None or merged[-1][1] is None or self._repeats_tool(segment, tool, merged[-1][1])):
                merged[-1] = (Segment(merged[-1][0].start, segment.end), merged[-1][1] or tool)
            else:
                merged.append((segment, tool))
        return [segment for segment, _ in merged]

    def _repeats_tool(self, segment: Segment, tool: ToolSpec, earlier: ToolSpec) -> bool:
        """Return whether a segment has the same tool as the one before and no value for a second call."""
        return tool.name == earlier.name and not any(map(_is_specific, self._request(segment).mentions))

    def _request(self, segment: Segment) -> Request:
        inside = [
            Mention(
                kind=mention.kind,
                text=mention.text,
                start=mention.start - segment.start,
                end=mention.end - segment.start,
                before=mention.before,
                after=mention.after,
                is_quoted=mention.is_quoted,
            )
            for mention in self._mentions
            if segment.start <= mention.start and mention.end <= segment.end
        ]
        return Request.create(self.text[segment.start : segment.end], inside, self.now)

    def _call_for(self, segment: Segment) -> PlannedCall | None:
        """Return a call of the best tool with complete arguments, or else one lookup of the best tool's id."""
        request = self._request(segment)
        candidates = [
            candidate for candidate in self.tool_index.candidates(request) if candidate.tool.name != self._lookup_tool
        ]
        for rank, candidate in enumerate(candidates):
            filling = self._fill_from_context(candidate, request, segment)
            if not filling.missing:
                return PlannedCall(candidate.tool.name, filling.arguments)
            if rank == 0 and not self._lookup_tool and (lookup := self._lookup(candidate.tool, filling, request)):
                return lookup
        return None

    def _fill_from_context(self, candidate: ToolCandidate, request: Request, segment: Segment) -> FilledArguments:
        """Fill missing arguments from earlier results, then from mentions before this segment."""
        filling = candidate.filling
        if not filling.missing:
            return filling
        known_values: dict[Path, JsonValue] = {**filling.values, **dict(self._from_results(filling.missing, request))}
        earlier = tuple(
            mention for mention in self._mentions if mention.start < segment.start and _is_specific(mention)
        )
        if earlier:
            before = Request(request.text, (*earlier, *request.mentions), self.now, request.stems)
            return fill_arguments(self.tool_index.leaves(candidate.tool), before, known_values)
        return fill_arguments(self.tool_index.leaves(candidate.tool), request, known_values)

    def _from_results(self, missing: Sequence[SchemaLeaf], request: Request) -> Iterator[tuple[Path, JsonValue]]:
        refers_back = bool(_POINTERS & frozenset(words(request.text)))
        for leaf in missing:
            if result_values.is_id_parameter(leaf):
                value = result_values.find_id(leaf, self.results, request.text)
            elif result_values.is_address_parameter(leaf):
                value = result_values.find_addresses(leaf, self.results, _names(request))
            else:
                value = result_values.single_value(self.results) if refers_back and leaf.type == "string" else None
            if value is not None:
                yield leaf.path, value

    def _lookup(self, tool: ToolSpec, filling: FilledArguments, request: Request) -> PlannedCall | None:
        """Return a search for the things that a missing id identifies, if the request contains its arguments.

        A missing e-mail address is looked up by a name.
        """
        needed = [
            leaf
            for leaf in filling.missing
            if result_values.is_id_parameter(leaf) or (result_values.is_address_parameter(leaf) and _names(request))
        ]
        if not needed:
            return None
        things = frozenset(terms(tool.tool)) | {term for leaf in needed for term in leaf.name_terms} - {"id"}
        scores = {ranked.name: score for score, ranked in self.tool_index.rank_tools(request)}
        lookups = [other for other in self.tool_index.tools if other.name != tool.name and _is_lookup(other, things)]
        for lookup in sorted(lookups, key=lambda other: (not _is_search(other), -scores.get(other.name, 0.0))):
            leaves = self.tool_index.leaves(lookup)
            lookup_filling = fill_arguments(leaves, request, dict(_search_terms(leaves, request)))
            if not lookup_filling.missing:
                return PlannedCall(lookup.name, lookup_filling.arguments, is_lookup=True)
        return None


def _is_lookup(tool: ToolSpec, things: frozenset[str]) -> bool:
    name = terms(tool.tool)
    return bool(_LOOKUP_VERBS & set(name[:1])) and bool(things & set(name[1:]))


def _is_search(tool: ToolSpec) -> bool:
    return bool({"search", "find", "query"} & set(terms(tool.tool)))


def _search_terms(leaves: Sequence[SchemaLeaf], request: Request) -> Iterator[tuple[Path, JsonValue]]:
    """Yield the search text for required query parameters: quoted text, a proper name or the topic of the request."""
    quoted = [mention.text for mention in request.mentions if mention.is_quoted or mention.kind == "email"]
    topics = [
        mention.text for mention in request.mentions if mention.kind == "phrase" and mention.before[-1:] == ("about",)
    ]
    names = [*quoted, *_names(request), *topics]
    for leaf in leaves:
        if leaf.is_required and names and leaf.name_terms & QUERY_TERMS and not leaf.is_list:
            yield leaf.path, names[0]


def _names(request: Request) -> list[str]:
    return [mention.text for mention in request.mentions if mention.kind == "name"]


def _is_specific(mention: Mention) -> bool:
    return mention.kind not in ("phrase", "name", "named", "pair")
