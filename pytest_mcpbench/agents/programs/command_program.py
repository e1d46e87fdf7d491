"""Program of ``[tool.mcpbench.agents]`` that is a command with placeholders."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, ValidationError

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.program import Launch, ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ToolNames, Transport
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.suite_files.server_paths import PROGRAM_ENDINGS

PLACEHOLDERS = ("prompt", "prompt_file", "system", "mcp_config", "cwd", "home", "model", "session")


class JsonReport(FrozenModel):
    """Object that a program with ``output = "json"`` writes to stdout; only ``answer`` is required."""

    # Programs may tell more than this project reads.
    model_config = ConfigDict(extra="ignore")

    answer: str
    session: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def report(self) -> ProgramReport:
        usage = Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            cost_usd=self.cost_usd,
        )
        return ProgramReport(answer=self.answer, usage=usage, session=self.session, model=self.model)


@dataclass(frozen=True)
class CommandProgram:
    """Program whose command, output and sessions a table describes."""

    table: AgentTable
    root: Path | None = None
    """Directory from which a relative path of a program in the command starts; ``None``: that of the attempt."""
    variables: tuple[str, ...] = ()
    sums_session: bool = False
    own_tools: str = "not known to pytest-mcpbench"
    has_presentations: bool = False

    @property
    def transport(self) -> Transport:
        return self.table.transport

    @property
    def tool_names(self) -> ToolNames:
        return self.table.tool_names

    @property
    def has_sessions(self) -> bool:
        return bool(self.table.resume)

    def launch(self, workplace: Workplace) -> Launch:
        """Return the command with the values of its placeholders; a prompt without placeholder is written to stdin."""
        command = self.table.command if workplace.session is None else self.table.resume
        used = {name for part in command for name in _placeholders(part)}
        text = workplace.prompt if "system" in used else workplace.whole_prompt
        if "prompt_file" in used:
            (workplace.home / "prompt.txt").write_text(text, encoding="utf-8")
        values = {
            "prompt": text,
            "prompt_file": str(workplace.home / "prompt.txt"),
            "system": workplace.system,
            "mcp_config": str(workplace.mcp_config),
            "cwd": str(workplace.directory),
            "home": str(workplace.home),
            "model": workplace.model or "",
            "session": workplace.session or "",
        }
        arguments = []
        for part in command[1:]:
            if self.root is not None and part.endswith(PROGRAM_ENDINGS) and (self.root / part).is_file():
                part = str(self.root / part)  # a program of the project, such as `agent.py`
            # In one pass, because a value may contain what looks like a placeholder.
            arguments.append(_PLACEHOLDER.sub(lambda match: values[match[1]], part))
        return Launch(tuple(arguments), stdin="" if used & {"prompt", "prompt_file"} else text)

    def report(self, output: str) -> ProgramReport:
        """Return the answer: the text, or what the JSON object says."""
        if self.table.output == "text":
            return ProgramReport(answer=output.strip())
        if not output.strip():
            return ProgramReport()
        try:
            return JsonReport.model_validate(read_object(output)).report
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise ValueError(f"its output has no usable {field!r}: {first['msg']}") from None


def read_object(output: str) -> dict[str, Any]:
    """Parse a JSON object. Raises ValueError that shows how the output begins."""
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        raise ValueError(
            f"its output is not JSON; it begins with {NO_SECRETS.shorten(output.strip(), 100)!r}"
        ) from None
    if not isinstance(value, dict):
        raise ValueError(f"its output is not a JSON object; it begins with {NO_SECRETS.shorten(output.strip(), 100)!r}")
    return value


def read_lines(output: str) -> list[dict[str, Any]]:
    """Parse one JSON object a line; other lines, such as warnings, are left out. Raises ValueError without any."""
    events = []
    for line in output.splitlines():
        if line.lstrip().startswith("{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            events.append(event)
    if not events and output.strip():
        raise ValueError(f"its output is not JSON; it begins with {NO_SECRETS.shorten(output.strip(), 100)!r}")
    return events


def check_placeholders(name: str, command: tuple[str, ...]) -> None:
    """Raise UsageError for a placeholder that does not exist."""
    for part in command:
        unknown = [each for each in _placeholders(part) if each not in PLACEHOLDERS]
        if unknown:
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise UsageError(f"[tool.mcpbench.agents].{name}: {{{unknown[0]}}} is no placeholder; there are: {known}")


_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def _placeholders(part: str) -> list[str]:
    return _PLACEHOLDER.findall(part)
