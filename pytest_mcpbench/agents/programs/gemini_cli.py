"""Gemini CLI, run without a terminal."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.command_program import read_object
from pytest_mcpbench.agents.programs.program import Launch, ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.usage import Usage


@dataclass(frozen=True)
class GeminiCli:
    """Gemini CLI with the task's servers, and without its own tools and the settings of its user."""

    table: AgentTable
    transport: Transport = "http"
    tool_names: ToolNames = "own"
    variables: tuple[str, ...] = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL")
    has_sessions: bool = True
    sums_session: bool = False
    own_tools: str = "off (tools.core)"
    has_presentations: bool = False

    def launch(self, workplace: Workplace) -> Launch:
        settings = {
            "mcpServers": {each.name: {"httpUrl": each.url, "trust": True} for each in workplace.servers},
            # All tools that it may use, with those of servers; an empty list would be all tools.
            "tools": {"core": ["none", *(f"mcp_{each.name}_*" for each in workplace.servers)]},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        }
        file = workplace.home / ".gemini/settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
        session = () if workplace.session is None else ("--resume", workplace.session)
        model = () if workplace.model is None else ("--model", workplace.model)
        # Approved without a question: the only tools are those of the task.
        options = ("--output-format", "json", "--approval-mode", "yolo", "--skip-trust")
        environment = {"HOME": str(workplace.home)}
        return Launch((*options, *session, *model, *self.table.arguments), environment, stdin=workplace.whole_prompt)

    def report(self, output: str) -> ProgramReport:
        result = read_object(output[max(0, output.find("{")) :])
        models = (result.get("stats") or {}).get("models") or {}
        error = result.get("error") or {}
        tokens: list[Mapping[str, int]] = [model.get("tokens") or {} for model in models.values()]
        usage = Usage()
        if tokens:
            usage = Usage(
                input_tokens=sum(each.get("prompt", 0) for each in tokens),
                output_tokens=sum(each.get("candidates", 0) + each.get("thoughts", 0) for each in tokens),
                cached_tokens=sum(each.get("cached", 0) for each in tokens),
            )
        return ProgramReport(
            answer=str(result.get("response") or ""),
            usage=usage,
            session=result.get("session_id"),
            model=", ".join(models) or None,
            error=str(error.get("message") or error) if error else "",
        )
