"""Agent without a model: it ranks tools with BM25 and fills arguments by schema and pattern."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.lexical import result_values
from pytest_mcpbench.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.agents.lexical.mention_scoring import QUERY_TERMS
from pytest_mcpbench.agents.lexical.result_values import most_specific_value
from pytest_mcpbench.agents.lexical.schema_leaves import Path, SchemaLeaf
from pytest_mcpbench.agents.lexical.tool_ranking import RankedTool, ToolRanking, is_verb
from pytest_mcpbench.agents.lexical.value_mentions import Mention, RequestSegment, find_mentions
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.text.words import stem, terms, words

# Segmentation of a request into the actions that it asks for.

_HARD_BOUNDARY = re.compile(
    r"(?<=[.!?])(?<!^\d\.)\s+|\n+|[;；。！？]\s*"
    r"|(?P<next>(?:(?<!\s)\s++)?(?:[,，]\s*+)?\b(?:and\s+then|then|after\s+that|afterwards|and\s+finally|and\s+also)\s*,?\s+"
    r"|(?:[，,]\s*+|(?<!\s)\s++)?(?:然后|接着|随后|之后再|并且|同时|另外|最后|再))",
    re.IGNORECASE | re.MULTILINE,
)
"""Boundary of segments, whatever follows."""
_SOFT_BOUNDARY = re.compile(
    r"(?:(?<!\s)\s++)?(?:,\s*+(?:and\s+)?|\band\s+)(?=(?:please\s+)?(?P<word>[a-z]+)\b)", re.IGNORECASE
)
"""Boundary if the next word is a verb in the name of a tool, or a synonym of one."""
_MARKER = re.compile(
    r"^\s*(?:\(?\d{1,2}[.)、]|[-*•])\s+|^\s*(?:first|second|third|lastly|finally|首先|先)\b[,，]?\s*", re.IGNORECASE
)
_QUESTION = re.compile(r"^\W*(?:what|which|who|where|when|how|is|are|do|does|can|could|would|will)\b", re.IGNORECASE)
_POLITE = re.compile(
    r"^\W*(?:(?:please|can|could|would|will|you|i|we|also|kindly|let|me|us|want|need|like|to|d|ll|and|then)\W+)*",
    re.IGNORECASE,
)
_NOT_LATIN = re.compile(r"[^\W\d_a-zA-ZÀ-ɏ]")


@dataclass(frozen=True)
class SegmentSpan:
    """Where in a request a segment is, which asks for one action."""

    start: int
    end: int


def split_request(text: str, mentions: Sequence[Mention], verbs: Container[str]) -> tuple[SegmentSpan, ...]:
    """Return the segments in order; no mention is split, and a clause without an action joins the previous segment.

    ``verbs`` are stems of words in tools' names. A clause asks for an action if it is a question or starts with a verb;
    in scripts without spaces every clause does.
    """
    segments: list[SegmentSpan] = []
    has_request = True
    start, is_next = 0, False
    for separator in (*_separators(text, mentions, verbs), _Separator(len(text), len(text))):
        end = separator.start
        if text[start:end].strip():
            marker = _MARKER.match(text[start:end])
            start += marker.end() if marker else 0
            is_request = is_next or _is_request(text[start:end], verbs)
            if segments and not (has_request and is_request):
                segments[-1] = SegmentSpan(segments[-1].start, end)
            else:
                segments.append(SegmentSpan(start, end))
                has_request = False
            has_request = has_request or is_request
        start, is_next = separator.end, separator.is_next
    return tuple(segments)


@dataclass(frozen=True)
class _Separator(SegmentSpan):
    """Separator between two clauses."""

    is_next: bool = False


def _separators(text: str, mentions: Sequence[Mention], verbs: Container[str]) -> list[_Separator]:
    """Return the separators between clauses in order; none overlaps another or a mention."""
    separators = [_Separator(*match.span(), match["next"] is not None) for match in _HARD_BOUNDARY.finditer(text)]
    separators += [
        _Separator(*match.span()) for match in _SOFT_BOUNDARY.finditer(text) if _is_verb(match["word"], verbs)
    ]
    unsplittable = [mention for mention in mentions if mention.kind not in ("phrase", "pair", "named")]
    protected = {position for mention in unsplittable for position in range(mention.start, mention.end)}
    disjoint: list[_Separator] = []
    for separator in sorted(separators, key=lambda separator: (separator.start, not separator.is_next)):
        is_inside = not protected.isdisjoint(range(separator.start, separator.end))
        if not is_inside and (not disjoint or separator.start >= disjoint[-1].end):
            disjoint.append(separator)
    return disjoint


def _is_request(clause: str, verbs: Container[str]) -> bool:
    if _NOT_LATIN.search(clause) or _QUESTION.match(clause):
        return True
    first = words(_POLITE.sub("", clause))[:1]
    return bool(first) and _is_verb(first[0], verbs)


def _is_verb(word: str, verbs: Container[str]) -> bool:
    """Return whether a word can be an imperative: in its base form (unlike ``directories``) and a known verb."""
    word = word.lower()
    is_base_form = not word.endswith(("ing", "ed")) and (not word.endswith("s") or word.endswith("ss"))
    return is_base_form and (stem(word) in verbs or is_verb(stem(word)))


# Planner of the calls for a request: segment by segment, with values from earlier results; without I/O.

_WEAK_SHARE = 0.3
"""A segment whose best tool has less than this share of the best segment's score belongs to its neighbour."""
_LOOKUP_VERBS = frozenset(("search", "list", "find", "get", "query", "brows", "lookup"))
_POINTERS = frozenset(("it", "that", "this", "result", "them", "those", "output", "answer"))


@dataclass(frozen=True)
class ProposedCall:
    """Call that the planner proposes."""

    tool: str
    arguments: dict[str, JsonValue]
    is_lookup: bool = False
    """Whether the call only finds an id for the call after it."""


@dataclass
class CallPlanner:
    """Planner for one user message, which decides one call at a time as results arrive."""

    tool_index: ToolRanking
    text: str
    now: datetime | None = None
    results: list[str] = field(default_factory=list)
    """Texts of the successful results so far; the caller appends to them."""

    def __post_init__(self) -> None:
        self._mentions = find_mentions(self.text, self.tool_index.labels)
        self._pending = self._merge_segments(split_request(self.text, self._mentions, self.tool_index.verbs))
        self._lookup_tool: str | None = None

    def next_call(self) -> ProposedCall | None:
        """Return the call for the current segment, or a lookup that it requires; ``None`` after the last segment."""
        while self._pending:
            call = self._call_for(self._pending[0])
            if call is None or not call.is_lookup:
                self._pending.pop(0)
            self._lookup_tool = call.tool if call and call.is_lookup else None
            if call is not None:
                return call
        return None

    def _merge_segments(self, segments: Sequence[SegmentSpan]) -> list[SegmentSpan]:
        """Return the segments that need a call each.

        A weak segment, or one that only adds to the same action, is merged with its neighbour.
        """
        rankings = [self.tool_index.rank_tools(self._request(segment)) for segment in segments]
        best = max((ranks[0][0] for ranks in rankings if ranks), default=0.0)
        merged: list[tuple[SegmentSpan, ToolSpec | None]] = []
        for segment, ranks in zip(segments, rankings, strict=True):
            specific = [mention for mention in self._request(segment).mentions if _is_specific(mention)]
            is_specific = any(mention.kind != "number" for mention in specific)
            is_weak = not ranks or (ranks[0][0] < _WEAK_SHARE * best and not is_specific)
            tool = None if is_weak else ranks[0][1]
            earlier = merged[-1][1] if merged else None
            if merged and (tool is None or earlier is None or (tool.name == earlier.name and not specific)):
                merged[-1] = (SegmentSpan(merged[-1][0].start, segment.end), earlier or tool)
            else:
                merged.append((segment, tool))
        return [segment for segment, _ in merged]

    def _request(self, segment: SegmentSpan) -> RequestSegment:
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
        return RequestSegment.create(self.text[segment.start : segment.end], inside, self.now)

    def _call_for(self, segment: SegmentSpan) -> ProposedCall | None:
        """Return a call of the best tool with complete arguments, or else one lookup of the best tool's id."""
        request = self._request(segment)
        candidates = [
            candidate for candidate in self.tool_index.candidates(request) if candidate.tool.name != self._lookup_tool
        ]
        for rank, candidate in enumerate(candidates):
            filling = self._fill_from_context(candidate, request, segment)
            if not filling.missing:
                return ProposedCall(candidate.tool.name, filling.arguments)
            if rank == 0 and not self._lookup_tool and (lookup := self._lookup(candidate.tool, filling, request)):
                return lookup
        return None

    def _fill_from_context(
        self, candidate: RankedTool, request: RequestSegment, segment: SegmentSpan
    ) -> FilledArguments:
        """Fill missing arguments from earlier results, then from mentions before this segment."""
        filling = candidate.filling
        if not filling.missing:
            return filling
        known_values: dict[Path, JsonValue] = dict(filling.values)
        refers_back = bool(_POINTERS & frozenset(words(request.text)))
        for leaf in filling.missing:
            if result_values.is_id_parameter(leaf):
                value = result_values.find_id(leaf, self.results, request.text)
            elif result_values.is_address_parameter(leaf):
                value = result_values.find_addresses(leaf, self.results, _names(request))
            else:
                value = result_values.single_value(self.results) if refers_back and leaf.type == "string" else None
            if value is not None:
                known_values[leaf.path] = value
        earlier = tuple(
            mention for mention in self._mentions if mention.start < segment.start and _is_specific(mention)
        )
        if earlier:
            before = RequestSegment(request.text, (*earlier, *request.mentions), self.now, request.stems)
            return fill_arguments(self.tool_index.leaves(candidate.tool), before, known_values)
        return fill_arguments(self.tool_index.leaves(candidate.tool), request, known_values)

    def _lookup(self, tool: ToolSpec, filling: FilledArguments, request: RequestSegment) -> ProposedCall | None:
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
        lookups = []
        for other in self.tool_index.tools:
            name = terms(other.tool)
            if other.name != tool.name and _LOOKUP_VERBS & {*name[:1]} and things & {*name[1:]}:
                lookups.append(other)
        searches_first = sorted(
            lookups,
            key=lambda other: (not {"search", "find", "query"} & {*terms(other.tool)}, -scores.get(other.name, 0.0)),
        )
        for lookup in searches_first:
            leaves = self.tool_index.leaves(lookup)
            lookup_filling = fill_arguments(leaves, request, dict(_search_terms(leaves, request)))
            if not lookup_filling.missing:
                return ProposedCall(lookup.name, lookup_filling.arguments, is_lookup=True)
        return None


def _search_terms(leaves: Sequence[SchemaLeaf], request: RequestSegment) -> Iterator[tuple[Path, JsonValue]]:
    """Yield the search text for required query parameters: quoted text, a proper name or the topic of the request."""
    quoted = [mention.text for mention in request.mentions if mention.is_quoted or mention.kind == "email"]
    topics = [
        mention.text for mention in request.mentions if mention.kind == "phrase" and mention.before[-1:] == ("about",)
    ]
    names = [*quoted, *_names(request), *topics]
    for leaf in leaves:
        if leaf.is_required and names and leaf.name_terms & QUERY_TERMS and not leaf.is_list:
            yield leaf.path, names[0]


def _names(request: RequestSegment) -> list[str]:
    return [mention.text for mention in request.mentions if mention.kind == "name"]


def _is_specific(mention: Mention) -> bool:
    return mention.kind not in ("phrase", "name", "named", "pair")


_LONGEST_ANSWER = 4000


class LexicalAgent:
    """Deterministic, free and fast baseline that reacts to tool descriptions (docs/explanation/lexical.md)."""

    name = "lexical"

    def __init__(
        self,
        limits: Limits | None = None,
        system: str | None = None,
        may_be_called: Callable[[ToolSpec], bool] | None = None,
    ) -> None:
        """``may_be_called`` decides which of the tools on offer the agent knows; ``None``: all of them."""
        self._limits = limits or Limits()
        self._system = system
        self._may_be_called = may_be_called
        self._tool_index: ToolRanking | None = None

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        known = arena.tools if self._may_be_called is None else tuple(filter(self._may_be_called, arena.tools))
        search = None if arena.searcher is None else arena.searcher.tool.name
        model = _LexicalModel(known, self._index_of, _now(task, arena), search)
        agent = LlmAgent(model, limits=self._limits, system=self._system, may_be_silent=True)
        return await agent.attempt(task, arena)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolRanking:
        """Return the index of these tools, which is cached because most tasks of a suite expose the same tools."""
        if self._tool_index is None or self._tool_index.tools != tools:
            self._tool_index = ToolRanking(tools)
        return self._tool_index


class _LexicalModel:
    """Substitute for a model in the agent loop of one attempt: one call per reply, then an answer from results.

    Where models search for tools, each turn begins with a search for the words of the user's message, if it has any.
    """

    name = "lexical"

    def __init__(
        self,
        known: tuple[ToolSpec, ...],
        index_of: Callable[[tuple[ToolSpec, ...]], ToolRanking],
        now: datetime | None,
        search: str | None,
    ) -> None:
        """``search`` is the name of the tool that searches for the others; ``None`` if all are shown."""
        self._known = known
        self._index_of = index_of
        self._now = now
        self._search = search
        self._turns = 0
        self._planner: CallPlanner | None = None
        self._texts: list[str] = []
        self._calls = 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,  # noqa: ARG002 - there are no settings
    ) -> Reply:
        prompts = [message.text for message in messages if message.role == "user"]
        if len(prompts) > self._turns:
            self._turns = len(prompts)
            self._planner, self._texts = None, []
            # Words with `|` between them are a query of every way of searching, regular expressions among them.
            query = "|".join(dict.fromkeys(terms(prompts[-1])))
            if self._search is not None and query:
                return self._call(self._search, {"query": query})
        if self._planner is None:
            shown = {tool.name for tool in tools}
            found = self._known if self._search is None else tuple(each for each in self._known if each.name in shown)
            self._planner = CallPlanner(self._index_of(found), prompts[-1], self._now)
        elif messages[-1].role == "tool":
            self._planner.results.append(messages[-1].text)
            self._texts.append(messages[-1].text)
        call = self._planner.next_call()
        if call is None:
            text = _answer(self._texts, messages)
            return Reply(text=text, usage=NO_USAGE, finish_reason=None if text else "refusal")
        return self._call(call.tool, call.arguments)

    def _call(self, tool: str, arguments: dict[str, JsonValue]) -> Reply:
        self._calls += 1
        return Reply(calls=(Call(id=f"lexical-{self._calls}", name=tool, arguments=arguments),), usage=NO_USAGE)


def _answer(texts: Sequence[str], messages: Sequence[ChatMessage]) -> str:
    """Return the texts of the results; empty, and so declined, without results.

    If a message mentions ``<answer>`` tags, the last result's value follows in such tags.
    """
    if not texts:
        return ""
    answer = "\n".join(dict.fromkeys(texts))[:_LONGEST_ANSWER]
    if not any("<answer>" in message.text for message in messages if message.role in ("system", "user")):
        return answer
    value = most_specific_value(texts[-1])
    # The text after the last `=` or `result:`, if there is one.
    labelled_value = re.search(
        r"(?:=|\b(?:result|answer|value)\b\s*(?:is\b\s*:?|:))\s*([^=\n]+?)\.?\s*$", value, re.IGNORECASE
    )
    return f"{answer}\n<answer>{labelled_value[1] if labelled_value else value}</answer>"


def _now(task: Task, arena: AgentEnvironment) -> datetime | None:
    """Return the frozen clock of the sandbox or the task; ``None`` if there is none."""
    now = getattr(getattr(arena, "sandbox", None), "now", None)
    if isinstance(now, datetime):
        return now.replace(tzinfo=None)
    try:
        return datetime.fromisoformat(task.context.now).replace(tzinfo=None) if task.context.now else None
    except ValueError:
        return None
