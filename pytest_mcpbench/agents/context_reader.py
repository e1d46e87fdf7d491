"""Tools of the client with which a model reads resources and prompts of servers, and loads skills."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pydantic import JsonValue

from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.core.tool import Call, ContextMethod, ContextRead, ToolResult, ToolSpec
from pytest_mcpbench.core.world import WORLD_RESOURCE
from pytest_mcpbench.servers.server_connection import ServerConnection

# The names of the first two are those of Codex; other clients have similar ones.
_LIST_RESOURCES = "list_mcp_resources"
_READ_RESOURCE = "read_mcp_resource"
_GET_PROMPT = "get_mcp_prompt"
_LOAD_SKILL = "load_skill"

TARGETS: Mapping[str, str] = {"resources/read": "uri", "prompts/get": "name"}
"""Argument that says what is read, by the method that reads."""


class _Budget(Protocol):
    def spend(self, result: ToolResult, server: str) -> None: ...


@dataclass(frozen=True)
class ContextReader:
    """Reader of everything that servers and skills offer besides tools, in one attempt."""

    connections: Mapping[str, ServerConnection]
    budget: _Budget
    skills: Mapping[str, Skill] = field(default_factory=dict)
    """Skills that a model may load, by name."""
    tools: tuple[ToolSpec, ...] = ()
    """Tools that a model sees beside those of the servers; their own name (``tool``) says what they do."""

    @classmethod
    async def open(  # noqa: PLR0913 - what is read from, and what is offered of it
        cls,
        connections: Mapping[str, ServerConnection],
        budget: _Budget,
        skills: Sequence[Skill],
        taken: Sequence[str],
        *,
        resources: bool,
        prompts: bool,
    ) -> "ContextReader":
        """Return a reader whose tools are those that there is something to read for.

        Args:
            connections: Servers of the attempt.
            budget: Bound on the results of the attempt.
            skills: Skills that the model may load.
            taken: Names of the tools of the servers.
            resources: Whether models can list and read resources.
            prompts: Whether models can get prompts.

        Raises:
            ServerError: a server is gone.
        """
        reader = cls(connections, budget, {skill.name: skill for skill in skills})
        made = []
        if resources and (servers := reader._offering("resources")):
            made += [_list_resources(servers), _read_resource(servers)]
        if prompts and (servers := reader._offering("prompts")):
            lists = {name: await reader.request(name, "prompts/list", {}) for name in servers}
            made.append(_get_prompt(lists))
        if skills:
            made.append(_load_skill(skills))
        tools = []
        for tool in made:
            name = tool.name
            while name in taken:
                name += "_"
            tools.append(tool.model_copy(update={"name": name}))
        return replace(reader, tools=tuple(tools))

    @property
    def offered_skills(self) -> tuple[str, ...] | None:
        """Return the names of the skills that a model may load; ``None`` if there are none."""
        return tuple(self.skills) or None

    def reads(self, name: str) -> bool:
        """Return whether a tool is one of the client."""
        return any(tool.name == name for tool in self.tools)

    def unmade(self, call: Call) -> ContextRead:
        """Return the record of a use of a tool that was not made."""
        own = next(tool.tool for tool in self.tools if tool.name == call.name)
        kind, target = _KINDS[own]
        return ContextRead(
            **call.model_dump(), kind=kind, target=_text(call, target), server=_text(call, "server") or None
        )

    async def read(self, call: Call) -> ContextRead:
        """Make a call of one of :attr:`tools` and return it with its result, which may be an error for the model.

        Raises:
            ServerError: the server is gone.
        """
        read = self.unmade(call)
        if call.raw_arguments is not None:
            return _answered(read, ToolResult.failure("The arguments are not a JSON object.", "protocol"))
        if read.kind == "skill":
            return _answered(read, self._skill(read.target))
        if read.kind == "resources/list":
            return _answered(read, await self._all_resources(read.server))
        offering = self._offering(read.kind.partition("/")[0])
        server = read.server or (offering[0] if len(offering) == 1 else None)
        if server not in offering:
            given = f"No server {server!r} offers that" if server else "`server` is missing"
            return _answered(read, ToolResult.failure(f"{given}; there are: {', '.join(offering)}.", "protocol"))
        return _answered(
            read.model_copy(update={"server": server}), await self.request(server, read.kind, call.arguments)
        )

    def load(self, name: str) -> ContextRead:
        """Return the record of loading a skill."""
        call = Call(id=f"skill {name}", name=_LOAD_SKILL, arguments={"name": name})
        return ContextRead(**call.model_dump(), kind="skill", target=name, result=self._skill(name))

    async def find_resource(self, uri: str) -> ContextRead:
        """Return the record of reading a resource from the first server that has it.

        Raises:
            ServerError: a server is gone.
        """
        call = Call(id=f"resource {uri}", name=_READ_RESOURCE, arguments={"uri": uri})
        read = ContextRead(**call.model_dump(), kind="resources/read", target=uri)
        result = ToolResult.failure("no server of the task has resources", "protocol")
        for server in self._offering("resources"):
            result = await self.request(server, "resources/read", {"uri": uri})
            if not result.is_error:
                return _answered(read.model_copy(update={"server": server}), result)
        return _answered(read, result)

    async def request(self, server: str, method: ContextMethod, arguments: Mapping[str, Any]) -> ToolResult:
        """Return what a server answers, without its world, which agents do not see.

        Raises:
            ServerError: the server is gone, or the results of the attempt are larger than what is kept.
        """
        if method == "resources/read" and arguments.get("uri") == WORLD_RESOURCE:
            return ToolResult.failure(f"Resource not found: {WORLD_RESOURCE}", "protocol")
        needed = TARGETS.get(method)
        if needed is not None and not isinstance(arguments.get(needed), str):
            return ToolResult.failure(f"`{needed}` is missing.", "protocol")
        result = await self.connections[server].request(method, dict(arguments))
        self.budget.spend(result, server)
        if method == "resources/list" and isinstance(result.structured, dict):
            listed = result.structured["resources"]
            assert isinstance(listed, list)
            kept = [each for each in listed if not (isinstance(each, dict) and each["uri"] == WORLD_RESOURCE)]
            return result.model_copy(update={"structured": {"resources": kept}})
        return result

    def _offering(self, capability: str) -> list[str]:
        return [name for name, each in self.connections.items() if capability in each.facts.capabilities]

    def _skill(self, name: str) -> ToolResult:
        skill = self.skills.get(name)
        if skill is not None:
            return ToolResult.of_text(skill.prompt_text)
        return ToolResult.failure(f"No skill is called {name!r}; there are: {', '.join(self.skills)}.", "protocol")

    async def _all_resources(self, server: str | None) -> ToolResult:
        """Return the resources and templates of a server, or of all, with the name of the server in each."""
        found: dict[str, list[JsonValue]] = {"resources": [], "resourceTemplates": []}
        methods: tuple[ContextMethod, ...] = ("resources/list", "resources/templates/list")
        offering = self._offering("resources")
        if server not in (None, *offering):
            return ToolResult.failure(f"No server {server!r}; there are: {', '.join(offering)}.", "protocol")
        for name in offering if server is None else [server]:
            for method, key in zip(methods, found, strict=True):
                result = await self.request(str(name), method, {})
                if isinstance(result.structured, dict):
                    found[key] += [{"server": name, **each} for each in result.structured[key]]  # type: ignore[union-attr, dict-item]
        return ToolResult.of_text(json.dumps(found, ensure_ascii=False))


_KINDS: Mapping[str, tuple[Any, str]] = {
    _LIST_RESOURCES: ("resources/list", ""),
    _READ_RESOURCE: ("resources/read", "uri"),
    _GET_PROMPT: ("prompts/get", "name"),
    _LOAD_SKILL: ("skill", "name"),
}
"""What a tool of the client does, and the argument that says with what."""


def _answered(read: ContextRead, result: ToolResult) -> ContextRead:
    return read.model_copy(update={"result": result})


def _text(call: Call, argument: str) -> str:
    value = call.arguments.get(argument)
    return value if isinstance(value, str) else ""


def _tool(name: str, description: str, properties: dict[str, Any], required: Sequence[str]) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name=name, server="", tool=name, description=description, input_schema=schema)


def _server(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(names), "description": "Name of the MCP server"}


def _list_resources(servers: Sequence[str]) -> ToolSpec:
    description = "List the resources and resource templates of an MCP server, or of all of them."
    return _tool(_LIST_RESOURCES, description, {"server": _server(servers)}, ())


def _read_resource(servers: Sequence[str]) -> ToolSpec:
    uri = {"type": "string", "description": "URI, as it is listed or made from a template"}
    description = "Read a resource of an MCP server."
    return _tool(_READ_RESOURCE, description, {"server": _server(servers), "uri": uri}, ("server", "uri"))


def _get_prompt(lists: Mapping[str, ToolResult]) -> ToolSpec:
    lines = []
    for server, listed in lists.items():
        prompts: Any = listed.structured["prompts"] if isinstance(listed.structured, dict) else []
        for each in prompts:
            arguments = ", ".join(argument["name"] for argument in each.get("arguments", ()))
            lines.append(f"- {server}: {each['name']}({arguments}): {each.get('description', '')}")
    properties = {
        "server": _server(list(lists)),
        "name": {"type": "string"},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    description = "\n".join(("Get a prompt of an MCP server. There are:", *lines))
    return _tool(_GET_PROMPT, description, properties, ("server", "name"))


def _load_skill(skills: Sequence[Skill]) -> ToolSpec:
    lines = (f"- {skill.name}: {skill.description}" for skill in skills)
    description = "\n".join(("Load a skill: instructions for a kind of work. There are:", *lines))
    name = {"type": "string", "enum": [skill.name for skill in skills]}
    return _tool(_LOAD_SKILL, description, {"name": name}, ("name",))
