"""What to call next for a request: part by part, with what earlier results told; a pure function of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from pytest_mcpbench.core.text_search.tokens import terms, words
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical import results as told
from pytest_mcpbench.runtime.agents.lexical.choice import Choice, Toolbox
from pytest_mcpbench.runtime.agents.lexical.fit import QUERY
from pytest_mcpbench.runtime.agents.lexical.leaves import Leaf, Path
from pytest_mcpbench.runtime.agents.lexical.mentions import Mention, mentions
from pytest_mcpbench.runtime.agents.lexical.parts import Part, parts
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.slots import Filled, fill

_WEAK_PART = 0.3
"""A part whose best tool has less than this share of the best part's score only says more about its neighbour."""
_LOOKUP_VERBS = frozenset(("search", "list", "find", "get", "query", "brows", "lookup"))
_POINTERS = frozenset(("it", "that", "this", "result", "them", "those", "output", "answer"))


@dataclass(frozen=True)
class PlannedCall:
    """A call that is worth making."""

    tool: str
    arguments: dict[str, JsonValue]
    is_lookup: bool = False
    """Made only to learn an id; the call that needs it comes after it."""


@dataclass
class Plan:
    """The calls for one user message, decided one at a time as results come in."""

    toolbox: Toolbox
    text: str
    now: datetime | None = None
    results: list[str] = field(default_factory=list)
    """Texts of the good results so far; whoever makes the calls adds to it."""

    def __post_init__(self) -> None:
        self._found = mentions(self.text, self.toolbox.labels)
        self._waiting = self._joined(parts(self.text, self._found, self.toolbox.verbs))
        self._lookup_tool: str | None = None

    def next_call(self) -> PlannedCall | None:
        """The call for the part at hand, or one that looks up what it needs; ``None`` when all parts are done."""
        while self._waiting:
            call = self._call_for(self._waiting[0])
            if call is None or not call.is_lookup:
                self._waiting.pop(0)
            self._lookup_tool = call.tool if call and call.is_lookup else None
            if call is not None:
                return call
        return None

    def _joined(self, cut: Sequence[Part]) -> list[Part]:
        """Parts that mean a call of their own: a weak one, or one that only says more of the same, joins another."""
        ranked = [self.toolbox.ranked(self._request(part)) for part in cut]
        best = max((ranks[0][0] for ranks in ranked if ranks), default=0.0)
        joined: list[tuple[Part, ToolSpec | None]] = []
        for part, ranks in zip(cut, ranked, strict=True):
            is_firm = any(_is_firm(one) and one.kind != "number" for one in self._request(part).found)
            is_weak = not ranks or (ranks[0][0] < _WEAK_PART * best and not is_firm)
            tool = None if is_weak else ranks[0][1]
            if joined and (tool is None or joined[-1][1] is None or self._says_more(part, tool, joined[-1][1])):
                joined[-1] = (Part(joined[-1][0].start, part.end), joined[-1][1] or tool)
            else:
                joined.append((part, tool))
        return [part for part, _ in joined]

    def _says_more(self, part: Part, tool: ToolSpec, earlier: ToolSpec) -> bool:
        """Whether a part is about the same tool and brings nothing that a second call of it could be about."""
        return tool.name == earlier.name and not any(map(_is_firm, self._request(part).found))

    def _request(self, part: Part) -> Request:
        inside = [
            Mention(
                kind=mention.kind,
                text=mention.text,
                start=mention.start - part.start,
                end=mention.end - part.start,
                before=mention.before,
                after=mention.after,
                is_quoted=mention.is_quoted,
            )
            for mention in self._found
            if part.start <= mention.start and mention.end <= part.end
        ]
        return Request.of(self.text[part.start : part.end], inside, self.now)

    def _call_for(self, part: Part) -> PlannedCall | None:
        """The best tool that can be filled; else a lookup for the best tool's id, once; else nothing."""
        request = self._request(part)
        choices = [choice for choice in self.toolbox.choices(request) if choice.tool.name != self._lookup_tool]
        for rank, choice in enumerate(choices):
            filled = self._completed(choice, request, part)
            if not filled.missing:
                return PlannedCall(choice.tool.name, filled.arguments)
            if rank == 0 and not self._lookup_tool and (lookup := self._lookup(choice.tool, filled, request)):
                return lookup
        return None

    def _completed(self, choice: Choice, request: Request, part: Part) -> Filled:
        """What is missing taken from earlier results, then from what was said before this part."""
        filled = choice.filled
        if not filled.missing:
            return filled
        given: dict[Path, JsonValue] = {**filled.values, **dict(self._from_results(filled.missing, request))}
        earlier = tuple(mention for mention in self._found if mention.start < part.start and _is_firm(mention))
        if earlier:
            before = Request(request.text, (*earlier, *request.found), self.now, request.stems)
            return fill(self.toolbox.leaves(choice.tool), before, given)
        return fill(self.toolbox.leaves(choice.tool), request, given)

    def _from_results(self, missing: Sequence[Leaf], request: Request) -> Iterator[tuple[Path, JsonValue]]:
        points_back = bool(_POINTERS & frozenset(words(request.text)))
        for leaf in missing:
            if told.is_id(leaf):
                value = told.known_id(leaf, self.results, request.text)
            elif told.is_address(leaf):
                value = told.known_addresses(leaf, self.results, _names(request))
            else:
                value = told.only_value(self.results) if points_back and leaf.type == "string" else None
            if value is not None:
                yield leaf.path, value

    def _lookup(self, tool: ToolSpec, filled: Filled, request: Request) -> PlannedCall | None:
        """A search or list of the things that a missing id is of, if one can be filled from the request.

        For an address it is one that asks for a name.
        """
        needed = [leaf for leaf in filled.missing if told.is_id(leaf) or (told.is_address(leaf) and _names(request))]
        if not needed:
            return None
        things = frozenset(terms(tool.tool)) | {term for leaf in needed for term in leaf.name} - {"id"}
        ranked = {one.name: score for score, one in self.toolbox.ranked(request)}
        candidates = [one for one in self.toolbox.tools if one.name != tool.name and _looks_up(one, things)]
        for one in sorted(candidates, key=lambda one: (not _searches(one), -ranked.get(one.name, 0.0))):
            leaves = self.toolbox.leaves(one)
            found = fill(leaves, request, dict(_asked_for(leaves, request)))
            if not found.missing:
                return PlannedCall(one.name, found.arguments, is_lookup=True)
        return None


def _looks_up(tool: ToolSpec, things: frozenset[str]) -> bool:
    name = terms(tool.tool)
    return bool(_LOOKUP_VERBS & set(name[:1])) and bool(things & set(name[1:]))


def _searches(tool: ToolSpec) -> bool:
    return bool({"search", "find", "query"} & set(terms(tool.tool)))


def _asked_for(leaves: Sequence[Leaf], request: Request) -> Iterator[tuple[Path, JsonValue]]:
    """What a search for a thing looks for: its quoted text, a proper name or what it is about, by the request."""
    quoted = [mention.text for mention in request.found if mention.is_quoted or mention.kind == "email"]
    topics = [
        mention.text for mention in request.found if mention.kind == "phrase" and mention.before[-1:] == ("about",)
    ]
    names = [*quoted, *_names(request), *topics]
    for leaf in leaves:
        if leaf.is_required and names and leaf.name & QUERY and not leaf.is_list:
            yield leaf.path, names[0]


def _names(request: Request) -> list[str]:
    return [mention.text for mention in request.found if mention.kind == "name"]


def _is_firm(mention: Mention) -> bool:
    return mention.kind not in ("phrase", "name", "named", "pair")
