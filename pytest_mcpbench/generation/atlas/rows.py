"""Rows of MCP-Atlas' file format, with a trajectory recorded by executing the reference calls on fresh servers."""

import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, render_value
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Sandbox
from pytest_mcpbench.core.task import Derivation
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.generation.atlas.draft import DERIVED, Draft
from pytest_mcpbench.generation.atlas.fact_sources import FILES
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.simulated.calendar.server import SIMULATION as CALENDAR
from pytest_mcpbench.simulated.database.server import SIMULATION as DATABASE
from pytest_mcpbench.simulated.documents.server import SIMULATION as DOCUMENTS
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.git.server import SIMULATION as GIT
from pytest_mcpbench.simulated.mail.server import SIMULATION as MAIL
from pytest_mcpbench.simulated.market.finance_agent import SIMULATION as FINANCE_AGENT
from pytest_mcpbench.simulated.market.yahoo_finance import SIMULATION as YAHOO_FINANCE
from pytest_mcpbench.simulated.math.server import SIMULATION as CALCULATOR
from pytest_mcpbench.simulated.memory.server import SIMULATION as MEMORY
from pytest_mcpbench.simulated.messages.server import SIMULATION as MESSAGES
from pytest_mcpbench.simulated.notion.server import SIMULATION as NOTION
from pytest_mcpbench.simulated.search.google import SIMULATION as GOOGLE_SEARCH
from pytest_mcpbench.simulated.search.tavily import SIMULATION as TAVILY
from pytest_mcpbench.simulated.slack.server import SIMULATION as SLACK
from pytest_mcpbench.simulated.studio.office_mail import SIMULATION as OFFICE_MAIL
from pytest_mcpbench.simulated.studio.shop import SIMULATION as SHOP
from pytest_mcpbench.simulated.studio.town_web import SIMULATION as TOWN_WEB
from pytest_mcpbench.text.suggestions import hint

SERVERS: Mapping[str, Simulation] = MappingProxyType(
    {
        "filesystem": files("/data"),
        "memory": MEMORY,
        "calculator": CALCULATOR,
        "documents": DOCUMENTS,
        "database": DATABASE,
        "git": GIT,
        "calendar": CALENDAR,
        "messages": MESSAGES,
        "mail": MAIL,
        "office-mail": OFFICE_MAIL,
        "ddg-search": TOWN_WEB,
        "paypal": SHOP,
        "yahoo-finance": YAHOO_FINANCE,
        "tavily": TAVILY,
        "google-search": GOOGLE_SEARCH,
        "notion": NOTION,
        "slack": SLACK,
        "finance-agent": FINANCE_AGENT,
    }
)
"""Servers of the suite, by the names under which their tools are exposed."""

RIVALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mail": ("office-mail",),
        "office-mail": ("mail",),
        "ddg-search": ("tavily", "google-search"),
        "documents": ("notion",),
        "messages": ("slack",),
        "database": ("paypal",),
        "paypal": ("database",),
        "yahoo-finance": ("finance-agent", "ddg-search"),
    }
)
"""Server -> servers whose tools do nearly the same over other data, of which each task that needs it offers some."""

LOOKUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "filesystem": ("list_allowed_directories", "list_directory", "search_files"),
        "memory": ("search_nodes",),
        "documents": ("list_bases", "list_tables", "search_pages"),
        "messages": ("channels_list",),
    }
)
"""Server -> tools that find its ids, names and paths. A task that needs the server offers all of them."""

_PLACES = frozenset({"path", "paths", "source", "baseId", "tableId", "pageId", "names", "channel_id"})
"""Parameters whose values an agent cannot make up."""

_FEWEST, _MOST = 12, 18


class StudioServers:
    """Fresh servers of the studio that share one directory, as in an attempt."""

    def __init__(self, identity: str, directory: Path) -> None:
        self._sandbox = Sandbox(path=directory, now=DEFAULT_NOW, identity=identity)
        self._states: dict[str, Any] = {}

    def call(self, reference: ReferenceCall) -> str:
        """Execute a reference call and return the answer as text. Raises :class:`ToolFailure` if it is refused."""
        server, _, tool = reference.tool.partition("_")
        simulation = SERVERS[server]
        # The state of a server starts with the first call of one of its tools.
        if server not in self._states:
            if server == "filesystem":
                shutil.copytree(FILES, self._sandbox.path, dirs_exist_ok=True)
            self._states[server] = simulation.state(self._sandbox.world(server))
        value = simulation.call(self._states[server], tool, reference.arguments)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=simulation.indent)


def json_line(draft: Draft, seed: int) -> str:
    """Return the row of a task as one line of JSON."""
    return json.dumps(row(draft, STUDIO, seed, _played(draft)), ensure_ascii=False) + "\n"


def row(draft: Draft, catalogue: "Catalogue", seed: int, calls: Iterable[tuple[ReferenceCall, str]]) -> dict[str, Any]:
    """Return the columns of a task with the calls of its reference and their results."""
    return {
        "TASK": draft.task_id,
        "ENABLED_TOOLS": catalogue.enabled_tools(draft, seed),
        "PROMPT": draft.prompt,
        "GTFA_CLAIMS": list(draft.claims),
        "TRAJECTORY": with_results(calls),
        # What sources can write of a derivation.
        "DERIVATION": _derivation(draft).model_dump(mode="json", include={"answer", "arguments"}),
        "CONDITIONAL": draft.is_conditional,
    }


def _derivation(draft: Draft) -> Derivation:
    """Return the derivation of a task, with its macros in the templates that call them."""
    written = draft.derivation
    templates = {"answer": written.answer, "arguments": dict(written.arguments)}
    return Derivation.model_validate(_with_macros(templates, written.macros))


def _with_macros(value: Any, macros: str) -> Any:
    """Return the templates with the macros before each text that calls one of them."""
    match value:
        case str():
            names = re.findall(r"macro (\w+)[(]", macros)
            return macros + value if any(f"{name}(" in value for name in names) else value
        case list():
            return [_with_macros(item, macros) for item in value]
        case dict():
            return {name: _with_macros(item, macros) for name, item in value.items()}
    return value


@dataclass(frozen=True)
class Catalogue:
    """Tools of a suite's servers, of which each task offers some."""

    tools: Mapping[str, Collection[str]]
    """Server -> names of its tools."""
    lookups: Mapping[str, tuple[str, ...]]
    """Server -> tools that find its ids, names and paths. A task that needs the server offers all of them."""
    only_on_demand: Collection[str]
    """Servers that are never random distractors."""
    rivals: Mapping[str, tuple[str, ...]]
    """Server -> servers whose tools do nearly the same over other data; a task that needs it offers some of theirs."""

    def enabled_tools(self, draft: Draft, seed: int) -> list[str]:
        """Return the tools that a task offers: those of the reference calls, lookups, and random distractors.

        About half of the distractors are other tools of the same servers; the others belong to servers that are not
        needed, and half of these to rivals of the needed servers.
        """
        draw = Random(f"{seed}/{draft.name}/tools")
        called = [*(call.tool for call in draft.calls), *draft.other_tools]
        servers = {tool.partition("_")[0] for tool in called}
        lookups = [f"{server}_{tool}" for server in servers for tool in self.lookups.get(server, ())]
        needed = list(dict.fromkeys([*called, *lookups]))
        rivals = {rival for server in servers for rival in self.rivals.get(server, ())} - servers
        offered = [f"{server}_{tool}" for server, each in self.tools.items() for tool in each]
        for tool in needed:
            if tool not in offered:
                raise _error(draft, f"no server has a tool {tool!r}. {hint(tool, offered)}")
        near = [tool for tool in offered if tool.partition("_")[0] in servers and tool not in needed]
        rival = [tool for tool in offered if tool.partition("_")[0] in rivals]
        far = [tool for tool in offered if tool.partition("_")[0] not in {*servers, *rivals, *self.only_on_demand}]
        count = max(draw.randint(_FEWEST, _MOST) - len(needed), 0)
        chosen = {*needed}
        for tools, share in ((near, (count + 1) // 2), (rival, (count + 2) // 4), (far, count)):
            chosen |= {*draw.sample(tools, min(len(tools), share, count + len(needed) - len(chosen)))}
        return [tool for tool in offered if tool in chosen]


STUDIO = Catalogue(
    tools=MappingProxyType({name: tuple(server.table) for name, server in SERVERS.items()}),
    lookups=LOOKUPS,
    # Letters tell earlier or later versions of facts that tasks ask for.
    only_on_demand=("mail", "office-mail"),
    rivals=RIVALS,
)


def with_results(calls: Iterable[tuple[ReferenceCall, str]]) -> list[dict[str, Any]]:
    """Return calls and their results as OpenAI chat messages, one call in each."""
    messages: list[dict[str, Any]] = []
    for at, (call, result) in enumerate(calls, 1):
        call_id = f"call_{at}"
        function = {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        asked = [{"id": call_id, "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": "", "tool_calls": asked})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": [{"type": "text", "text": result}]})
    return messages


def _played(draft: Draft) -> Iterator[tuple[ReferenceCall, str]]:
    """Yield the reference calls and their results."""
    derivation = _derivation(draft)
    results: dict[str, ToolResult] = {}
    shown = draft.prompt
    with tempfile.TemporaryDirectory() as directory:
        servers = StudioServers(draft.name, Path(directory))
        for at, call in enumerate(draft.calls, 1):
            made = _with_derived_arguments(call, derivation.arguments.get(str(at), {}), results, draft)
            require_shown(made, shown, draft)
            try:
                text = servers.call(made)
            except ToolFailure as failure:
                raise _error(draft, f"{made.tool} {dict(made.arguments)} fails: {failure}.") from failure
            shown += shown_by(made, text)
            results[str(at)] = ToolResult.of_text(text)
            yield made, text


def shown_by(call: ReferenceCall, result: str) -> str:
    """Return what an agent knows by a call, as the end of the text that it has read."""
    return f"\n{result}\n{json.dumps(call.arguments, ensure_ascii=False)}"


def require_shown(call: ReferenceCall, shown: str, draft: Draft) -> None:
    """Raise ``TaskError`` if a call names a place that an agent cannot know yet.

    A place is known if the request or an earlier result has it; of a path all parts, of a channel its words.
    """
    for parameter, value in call.arguments.items():
        for place in (value if isinstance(value, list) else [value]) if parameter in _PLACES else ():
            parts = re.split("[/-]" if parameter == "channel_id" else "/", str(place).strip("/#"))
            if not all(part.casefold() in shown.casefold() for part in parts):
                raise _error(
                    draft,
                    f"{call.tool} has {parameter} {place!r}, which neither the request nor an earlier result shows; "
                    "add the call that finds it.",
                )


def _with_derived_arguments(
    call: ReferenceCall, templates: Mapping[str, JsonValue], results: Mapping[str, ToolResult], draft: Draft
) -> ReferenceCall:
    """Return the call with the arguments that follow from results.

    Raises ``TaskError`` if one differs from the written one.
    """
    derived: dict[str, JsonValue] = {}
    for argument, template in templates.items():
        try:
            derived[argument] = render_value(template, results)
        except ResultTemplateError as fault:
            raise _error(draft, f"{template}: {fault}.") from fault
    for argument, value in derived.items():
        if call.arguments.get(argument) not in (value, DERIVED):
            raise _error(
                draft, f"{call.tool} has {argument} {call.arguments.get(argument)!r}, but derived is {value!r}."
            )
    return ReferenceCall(tool=call.tool, arguments={**call.arguments, **derived})


def _error(draft: Draft, problem: str) -> TaskError:
    return TaskError(f"{draft.task_id!r}: {problem}", draft.place)
