"""Claude Code, run with ``claude --print``."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.command_program import read_lines
from pytest_mcpbench.agents.programs.program import (
    LOADED_MACHINE,
    START_SECONDS,
    Launch,
    ProgramReport,
    ReportedMessage,
    Workplace,
)
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.trajectory import StopReason
from pytest_mcpbench.core.usage import Usage

_PREFIX = "mcp__"
_OF_SERVERS = "ToolSearch,ListMcpResourcesTool,ReadMcpResourceTool"
"""Its own tools for servers: it offers the first where tools are deferred, and the others where there are resources."""
_LIMITS: Mapping[str, StopReason] = {"error_max_turns": "round_limit", "error_max_budget_usd": "cost_limit"}


@dataclass(frozen=True)
class ClaudeCode:
    """Claude Code with the task's servers and its search for tools, without settings, memory, hooks and other tools."""

    table: AgentTable
    transport: Transport = "http"
    tool_names: ToolNames = "own"
    variables: tuple[str, ...] = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "TZ",
    )
    has_sessions: bool = True
    sums_session: bool = False
    own_tools: str = f"off (--tools {_OF_SERVERS})"
    has_presentations: bool = True

    def launch(self, workplace: Workplace) -> Launch:
        arguments = [
            "--print",
            *("--output-format", "stream-json", "--verbose"),
            *("--mcp-config", str(workplace.mcp_config), "--strict-mcp-config"),
            *("--setting-sources", ""),
            *("--tools", _OF_SERVERS),
            *("--allowedTools", ",".join((_OF_SERVERS, *(f"{_PREFIX}{server.name}" for server in workplace.servers)))),
            *("--permission-mode", "dontAsk"),
        ]
        if workplace.system:
            arguments += ["--append-system-prompt", workplace.system]
        if workplace.model:
            arguments += ["--model", workplace.model]
        if workplace.limits.cost_usd is not None:
            arguments += ["--max-budget-usd", f"{workplace.limits.cost_usd:g}"]
        if workplace.session is not None:
            arguments += ["--resume", workplace.session]
        environment = {
            "HOME": str(workplace.home),
            "CLAUDE_CONFIG_DIR": str(workplace.home / ".claude"),
            # Neither telemetry nor an update during a measurement.
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # By default it asks its model without the tools of servers that are slow to start, as the proxies are on a
            # loaded machine.
            "MCP_CONNECTION_NONBLOCKING": "false",
            **dict.fromkeys(("MCP_CONNECT_TIMEOUT_MS", "MCP_TIMEOUT"), str(START_SECONDS * 1000)),
        }
        if workplace.presentation is not None:
            environment["ENABLE_TOOL_SEARCH"] = "true" if workplace.presentation == "search" else "false"
        # Its first message to its model has the day of its start in the time zone of this machine.
        today = datetime.now().astimezone().date().isoformat()
        return Launch(
            (*arguments, *self.table.arguments),
            environment,
            stdin=workplace.prompt,
            complete=lambda report: replace(report, date=today),
        )

    def report(self, output: str) -> ProgramReport:
        events = read_lines(output)
        messages = list(_messages(events))
        result = next((event for event in reversed(events) if event.get("type") == "result"), None)
        if result is None:
            return ProgramReport(error="ended without a result")
        own = tuple(name for message in messages for name in message.calls if not name.startswith(_PREFIX))
        starts = (event for event in events if event.get("type") == "system" and event.get("subtype") == "init")
        start: dict[str, Any] = next(starts, {})
        listed = map(str, start.get("tools") or ())
        stop = _LIMITS.get(str(result.get("subtype")))
        text = str(result.get("result") or "")
        error = (text or str(result.get("subtype"))) if result.get("is_error") and stop is None else ""
        if not error:
            states = [
                f"{server.get('name')!r} ({server.get('status')})"
                for server in start.get("mcp_servers") or ()
                if server.get("status") != "connected"
            ]
            if states:
                error = f"asked its model without the tools of server {', '.join(states)}. {LOADED_MACHINE}"
        return ProgramReport(
            answer="" if result.get("is_error") else text,
            usage=_usage(result),
            session=result.get("session_id"),
            model=next((event["message"].get("model") for event in _of_model(events)), None),
            messages=tuple(
                ReportedMessage(message.text, tuple(name for name in message.calls if name.startswith(_PREFIX)))
                for message in messages
            ),
            own_calls=own,
            own_offer=tuple(name for name in listed if not name.startswith(_PREFIX)),
            stop=stop,
            error=error,
        )


def _of_model(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event.get("type") == "assistant" and isinstance(event.get("message"), dict)]


def _messages(events: Iterable[dict[str, Any]]) -> list[ReportedMessage]:
    """Return the messages; each block of a message is an event of its own, with the id of the message."""
    by_id: dict[str, list[dict[str, Any]]] = {}
    for event in _of_model(events):
        by_id.setdefault(str(event["message"].get("id")), []).extend(event["message"].get("content") or [])
    return [
        ReportedMessage(
            text="\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text"),
            calls=tuple(str(block.get("name")) for block in blocks if block.get("type") == "tool_use"),
        )
        for blocks in by_id.values()
    ]


def _usage(result: Mapping[str, Any]) -> Usage:
    """Return the tokens and the cost; what was written to the cache was read by the model too."""
    usage = result.get("usage") or {}
    if "input_tokens" not in usage:
        return Usage(cost_usd=result.get("total_cost_usd"))
    cached = usage.get("cache_read_input_tokens") or 0
    return Usage(
        input_tokens=usage["input_tokens"] + cached + (usage.get("cache_creation_input_tokens") or 0),
        output_tokens=usage.get("output_tokens"),
        cached_tokens=cached,
        cost_usd=result.get("total_cost_usd"),
    )
