"""Goose, run with ``goose run``.

Written from its documentation and source (block/goose, ``goose-cli``: options of ``run``, ``JsonOutput``), and not yet
tried with the program itself, which is in no package index.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.command_program import read_object
from pytest_mcpbench.agents.programs.program import Launch, ProgramReport, ReportedMessage, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.usage import Usage

_ERROR = "Ran into this error:"
"""Beginning of the message with which it answers in place of a provider that failed."""


@dataclass(frozen=True)
class Goose:
    """Goose with the task's servers as its only extensions, and without the settings of its user."""

    table: AgentTable
    transport: Transport = "http"
    tool_names: ToolNames = "own"
    variables: tuple[str, ...] = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_HOST",
        "GOOGLE_API_KEY",
        "GOOSE_MODEL",
        "GOOSE_PROVIDER",
        "OPENAI_API_KEY",
        "OPENAI_HOST",
        "OPENROUTER_API_KEY",
    )
    # Its output would repeat the messages of the whole session.
    has_sessions: bool = False
    sums_session: bool = False
    own_tools: str = "off (--no-profile)"
    has_presentations: bool = False

    def launch(self, workplace: Workplace) -> Launch:
        urls = (server.url for server in workplace.servers if server.url is not None)
        extensions = (each for url in urls for each in ("--with-streamable-http-extension", url))
        model = () if workplace.model is None else ("--model", workplace.model)
        options = ("--no-session", "--no-profile", "--quiet", "--output-format", "json")
        home = str(workplace.home)
        environment = {
            "HOME": home,
            **{name: f"{home}/{name}" for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")},
            "GOOSE_MODE": "auto",
            "GOOSE_DISABLE_KEYRING": "1",
            # A name of its own would be one more request to the model.
            "GOOSE_DISABLE_SESSION_NAMING": "true",
        }
        arguments = ("run", *options, *extensions, *model, *self.table.arguments, "--instructions", "-")
        return Launch(arguments, environment, stdin=workplace.whole_prompt)

    def report(self, output: str) -> ProgramReport:
        result = read_object(output[max(0, output.find("{")) :])
        messages = []
        for message in result.get("messages") or ():
            if isinstance(message, Mapping) and message.get("role") == "assistant":
                content = [part for part in message.get("content") or () if isinstance(part, Mapping)]
                text = "\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
                requested = [part.get("toolCall") or {} for part in content if part.get("type") == "toolRequest"]
                calls = tuple(str((call.get("value") or {}).get("name") or "") for call in requested)
                messages.append(ReportedMessage(text=text, calls=calls))
        last = messages[-1] if messages else ReportedMessage()
        answer = "" if last.calls else last.text
        return ProgramReport(
            answer="" if answer.startswith(_ERROR) else answer,
            # It reports the sum of tokens read and written, which has no price.
            usage=Usage(),
            messages=tuple(messages),
            error=answer if answer.startswith(_ERROR) else "" if messages else "ended without a message of its model",
        )
