"""Tool search: a model sees at most a line of each tool, and loads the definitions of those that it searches for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_mcpbench.agents.call_batch import Caller
from pytest_mcpbench.core.chat import ChatMessage
from pytest_mcpbench.core.conditions import DeferredTools
from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSearch, ToolSpec
from pytest_mcpbench.core.tool_index import first_sentence
from pytest_mcpbench.core.trajectory import SearchOffer

_NAME = "search_tools"
WORDS = "words that say what the tools do"
"""Query of a ranking that compares words."""


class Ranking(Protocol):
    """Ranking of tools by a query: a dispatcher, or one whose query is not a text of words."""

    @property
    def name(self) -> str: ...

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return one score for each tool; 0 or less for one that is not found. Raises ValueError for a bad query."""
        ...


class ToolSearcher:
    """Search in the tools of one attempt, with the tools that it has found so far."""

    def __init__(
        self,
        tools: Sequence[ToolSpec],
        ranking: Ranking,
        results: int,
        query: str = WORDS,
        *,
        deferred_tools: DeferredTools = "names",
    ) -> None:
        self._tools: Mapping[str, ToolSpec] = {tool.name: tool for tool in tools}
        self._ranking = ranking
        self._query = query
        self._results = results
        self._deferred_tools = deferred_tools
        self._loaded: dict[str, ToolSpec] = {}
        self.tool = self._search_tool()
        """The tool that searches, as a model sees it."""

    @property
    def shown_tools(self) -> tuple[ToolSpec, ...]:
        """Return the search and the tools found so far, in the order in which they were found."""
        return (self.tool, *self._loaded.values())

    @property
    def offer(self) -> SearchOffer:
        """Return the description of the search for records."""
        tokens = definition_tokens([self.tool]).total
        return SearchOffer(ranking=self._ranking.name, results=self._results, tokens=tokens)

    def relist(self, tools: Sequence[ToolSpec]) -> None:
        """Search in other tools from now on; those found so far stay loaded as they are now, if they still exist."""
        self._tools = {tool.name: tool for tool in tools}
        self._loaded = {name: self._tools[name] for name in self._loaded if name in self._tools}
        self.tool = self._search_tool()

    async def search(self, call: Call) -> ToolSearch:
        """Search with the query of a call of :attr:`tool`, and load the tools found.

        Raises:
            ModelError: the ranking uses a model that cannot be reached.
        """
        search = ToolSearch(**call.model_dump())
        if not search.query.strip():
            return search.model_copy(update={"problem": f"`query` is missing: {self._query}."})
        try:
            scores = await self._ranking.scores(search.query, tuple(self._tools.values()))
        except ValueError as error:
            return search.model_copy(update={"problem": str(error)})
        ranked = sorted(zip(self._tools, scores, strict=True), key=lambda pair: -pair[1])
        return search.model_copy(update={"found": tuple(name for name, score in ranked if score > 0)[: self._results]})

    def load(self, search: ToolSearch) -> None:
        """Show the tools that a search has found from now on."""
        self._loaded |= {name: self._tools[name] for name in search.found or ()}

    def caller(self, arena: Caller) -> Caller:
        """Return the arena as far as its tools are loaded: calls of others are refused."""
        return _LoadedTools(self, arena)

    def refusal(self, call: Call) -> CallRecord | None:
        """Return the record of a call of a tool that has not been found; ``None`` for any other call."""
        tool = self._tools.get(call.name)
        if tool is None or call.name in self._loaded:
            return None
        text = f"The tool {call.name!r} is not loaded. Find it with {self.tool.name} first, then call it."
        result = ToolResult.failure(text, "protocol")
        return CallRecord(**call.model_dump(), tool=tool.tool, server=tool.server, problem="not_loaded", result=result)

    def message(self, search: ToolSearch) -> ChatMessage:
        """Return the result of a search as the model reads it."""
        if search.found is None:
            text = search.problem or "The search was not made: a limit was reached."
        elif not search.found:
            text = "No tool matches. Search for something else."
        else:
            text = "\n".join(("These tools can be called from your next message on:", *self._lines(search.found)))
        return ChatMessage("tool", text, call_id=search.id)

    def _lines(self, names: Iterable[str]) -> Iterator[str]:
        return (f"- {name}: {first_sentence(self._tools[name])}" for name in names)

    def _search_tool(self) -> ToolSpec:
        name = _NAME
        while name in self._tools:
            name += "_"
        description = (
            f"Find tools. Only tools that were found can be called, from the next message on. "
            f"At most {self._results} are found at a time."
        )
        if self._deferred_tools == "names":
            description += f"\nNames of all tools: {', '.join(self._tools)}"
        elif self._deferred_tools == "lines":
            description = "\n".join((description, "All tools:", *self._lines(self._tools)))
        query = {"type": "string", "description": self._query[0].upper() + self._query[1:]}
        schema = {"type": "object", "properties": {"query": query}, "required": ["query"]}
        return ToolSpec(name=name, server="", tool=name, description=description, input_schema=schema)


@dataclass(frozen=True)
class _LoadedTools:
    searcher: ToolSearcher
    arena: Caller

    async def call(self, call: Call) -> CallRecord:
        return self.searcher.refusal(call) or await self.arena.call(call)
