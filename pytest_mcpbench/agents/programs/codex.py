"""Codex CLI, run with ``codex exec``."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.command_program import read_lines
from pytest_mcpbench.agents.programs.program import START_SECONDS, Launch, ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.usage import Usage

_OWN = frozenset({"command_execution", "file_change", "web_search", "collab_tool_call"})
"""Items of the output that are uses of the program's own tools."""
_OFF = (
    "apps",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "multi_agent",
    "plugins",
    "shell_tool",
    "skill_mcp_dependency_install",
    "sleep_tool",
    "tool_suggest",
    "unified_exec",
    "view_image",
)
_BEHIND_EXEC = re.compile(r"^### `([^`]+)`$", re.MULTILINE)
"""Headings in the description of its tool ``exec``, one for each tool that its JavaScript can call."""
_SKILL = re.compile(r"\\n- ([\w.:-]+): (?:(?!\\n).)*?SKILL\.md\)")
"""Line of a skill in the JSON of its message to its model."""
_CONFIGURATION = """\
approval_policy = "never"
sandbox_mode = "read-only"
web_search = "disabled"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
"""


@dataclass(frozen=True)
class Codex:
    """Codex CLI with the task's servers, and without its shell and web search and the settings of its user."""

    table: AgentTable
    transport: Transport = "http"
    tool_names: ToolNames = "own"
    variables: tuple[str, ...] = ("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_PROJECT")
    has_sessions: bool = True
    sums_session: bool = True
    own_tools: str = (
        "shell, web search, images and plugins off (features), others as its model has them; sandbox read-only"
    )
    has_presentations: bool = False

    def launch(self, workplace: Workplace) -> Launch:
        home = workplace.home / ".codex"
        home.mkdir(exist_ok=True)
        features = "".join(f"{name} = false\n" for name in _OFF)
        entries = (
            f'[mcp_servers.{server.name}]\nurl = {json.dumps(server.url)}\ndefault_tools_approval_mode = "approve"\n'
            # By default it asks its model without the tools of servers that are slow to start, as the proxies are on a
            # loaded machine.
            f"required = true\nstartup_timeout_sec = {START_SECONDS}\n"
            for server in workplace.servers
        )
        (home / "config.toml").write_text(_CONFIGURATION + features + "".join(entries), encoding="utf-8")
        session = () if workplace.session is None else ("resume", workplace.session)
        model = () if workplace.model is None else ("--model", workplace.model)
        arguments = ("exec", *session, "--json", "--skip-git-repo-check", *model, *self.table.arguments, "-")
        # The requests to its model are the only place where it says which tools of its own it offers.
        trace = workplace.home / "trace"
        environment = {"HOME": str(workplace.home), "CODEX_HOME": str(home), "CODEX_ROLLOUT_TRACE_ROOT": str(trace)}
        if "CODEX_API_KEY" not in os.environ and (key := os.environ.get("OPENAI_API_KEY")):
            environment["CODEX_API_KEY"] = key
        named = frozenset(f"mcp__{server.name}" for server in workplace.servers)
        return Launch(
            arguments,
            environment,
            stdin=workplace.whole_prompt,
            complete=lambda report: replace(report, **_observed(trace, named)),
        )

    def report(self, output: str) -> ProgramReport:
        events = read_lines(output)
        items = [event["item"] for event in events if event.get("type") == "item.completed" and "item" in event]
        answers = [str(item.get("text", "")) for item in items if item.get("type") == "agent_message"]
        finished = [event for event in events if event.get("type") == "turn.completed"]
        usage = Usage()
        if finished:
            tokens = finished[-1].get("usage") or {}
            usage = Usage(
                input_tokens=tokens.get("input_tokens"),
                output_tokens=tokens.get("output_tokens"),
                cached_tokens=tokens.get("cached_input_tokens"),
            )
        return ProgramReport(
            answer=answers[-1] if answers else "",
            usage=usage,
            session=next((event.get("thread_id") for event in events if event.get("type") == "thread.started"), None),
            own_calls=tuple(str(item["type"]) for item in items if item.get("type") in _OWN),
            error="" if finished else _error(events),
        )


def _observed(trace: Path, servers: frozenset[str]) -> dict[str, Any]:
    """Return what the traced requests to its model show: its own tools and skills, and the date in its prompt."""
    payloads = map(_request, sorted(trace.glob("*/payloads/*.json")))
    requests = [payload for payload in payloads if payload]
    # Its default model gets tools in an item of the input, and those of servers behind its tool `exec`.
    holders = [each for request in requests for each in (request, *request["input"])]
    own = dict.fromkeys(name for holder in holders for name in _own_names(holder.get("tools") or (), servers))
    dates = re.findall(r"<current_date>([^<]+)</current_date>", json.dumps(requests))
    told = [each for request in requests for each in request["input"] if each.get("role") == "developer"]
    skills = tuple(dict.fromkeys(_SKILL.findall(json.dumps(told))))
    return {"own_offer": tuple(own), "own_skills": skills, "date": dates[-1] if dates else ""}


def _request(file: Path) -> dict[str, Any]:
    """Return a request to the model; empty for a file that has something else, or is cut off."""
    try:
        payload = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) and isinstance(payload.get("input"), list) else {}


def _own_names(tools: Iterable[Mapping[str, Any]], servers: frozenset[str]) -> Iterator[str]:
    """Yield the names of tools that are not of a server; some tools of the provider have a type only."""
    for tool in tools:
        if tool.get("name") in servers:
            continue
        if "tools" in tool:
            yield from _own_names(tool["tools"], servers)
            continue
        yield str(tool.get("name") or tool["type"])
        behind = _BEHIND_EXEC.findall(str(tool.get("description", "")))
        yield from (name for name in behind if not name.startswith(tuple(f"{server}__" for server in servers)))


def _error(events: Iterable[Mapping[str, Any]]) -> str:
    """Return the last error in the output; the end of a turn is missing only after one."""
    for event in reversed(list(events)):
        if event.get("type") == "turn.failed":
            return str((event.get("error") or {}).get("message") or event)
        if event.get("type") == "error":
            return str(event.get("message") or event)
    return "ended before its turn was complete"
