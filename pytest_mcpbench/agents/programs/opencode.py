"""OpenCode, run with ``opencode run``."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.command_program import read_lines
from pytest_mcpbench.agents.programs.program import START_SECONDS, Launch, ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.usage import NO_USAGE, Usage


@dataclass(frozen=True)
class OpenCode:
    """OpenCode with the task's servers, and without its own tools and the settings of its user."""

    table: AgentTable
    transport: Transport = "http"
    tool_names: ToolNames = "own"
    variables: tuple[str, ...] = (
        "ANTHROPIC_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENAI_API_KEY",
        "OPENCODE_API_KEY",
        "OPENROUTER_API_KEY",
    )
    has_sessions: bool = True
    sums_session: bool = False
    own_tools: str = "off (tools)"
    has_presentations: bool = False

    def launch(self, workplace: Workplace) -> Launch:
        session = () if workplace.session is None else ("--session", workplace.session)
        model = () if workplace.model is None else ("--model", workplace.model)
        # A title of its own would be one more request to the model.
        arguments = ("run", "--format", "json", "--title", "task", *session, *model, *self.table.arguments)
        remote = {"type": "remote", "enabled": True, "oauth": False, "timeout": START_SECONDS * 1000}
        configuration = {
            "share": "disabled",
            "autoupdate": False,
            "mcp": {each.name: {**remote, "url": each.url} for each in workplace.servers},
            "tools": {"*": False, **{f"{each.name}_*": True for each in workplace.servers}},
        }
        environment = {
            "HOME": str(workplace.home),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_CONFIG_CONTENT": json.dumps(configuration),
        }
        return Launch(arguments, environment, stdin=workplace.whole_prompt)

    def report(self, output: str) -> ProgramReport:
        events = read_lines(output)
        parts = [event["part"] for event in events if isinstance(event.get("part"), dict)]
        texts = [part for part in parts if part.get("type") == "text"]
        last = texts[-1].get("messageID") if texts else None
        errors = [event.get("error") for event in events if event.get("type") == "error"]
        error = ""
        if errors:
            data = errors[-1].get("data") if isinstance(errors[-1], Mapping) else None
            error = str(data.get("message") if isinstance(data, Mapping) and data.get("message") else errors[-1])
        usages = [_usage_of_request(part) for part in parts if part.get("type") == "step-finish"]
        return ProgramReport(
            answer="\n".join(str(part.get("text", "")) for part in texts if part.get("messageID") == last),
            # Unknown if the output reports none.
            usage=sum(usages, NO_USAGE) if usages else Usage(),
            session=next((event["sessionID"] for event in events if "sessionID" in event), None),
            error=error,
        )


def _usage_of_request(part: Mapping[str, Any]) -> Usage:
    tokens = part.get("tokens") or {}
    cache = tokens.get("cache") or {}
    cached = cache.get("read") or 0
    return Usage(
        input_tokens=(tokens.get("input") or 0) + cached + (cache.get("write") or 0),
        output_tokens=(tokens.get("output") or 0) + (tokens.get("reasoning") or 0),
        cached_tokens=cached,
        # It reports 0 for a model whose price it does not know.
        cost_usd=part.get("cost") or None,
    )
