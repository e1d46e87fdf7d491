"""Generator of the suite ``finmcp``: our own conversations in FinMCP-Bench's format (arXiv 2603.24943, 2.2 to 2.5).

Questions, reference calls and replies are handwritten, in the suite's ``source/``; nothing is random. The generator
executes the calls on fresh servers to get the results, and fills in the arguments and replies that refer to results.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import field_validator, model_validator

from pytest_mcpbench.core.difficulty import difficulty
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.directories import output_directory, suite_directory, write_files
from pytest_mcpbench.generation.source.calls import ReferenceCall, Step
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_entries, source_directory
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import accounts, content, funds, stocks, strategies
from pytest_mcpbench.text.suggestions import hint

# Handwritten conversations, parsed from the files in ``source/``: one file per kind.

SCENARIOS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PTS": ("平台技术支持", "PlatformTechnicalSupport"),
        "MAR": ("市场分析与研究", "MarketAnalysisAndResearch"),
        "FP": ("理财规划", "FinancialPlanning"),
        "PSC": ("产品与策略咨询", "ProductAndStrategyConsulting"),
        "IE": ("投资者教育", "InvestorEducation"),
        "IPA": ("投资规划与配置", "InvestmentPlanningAndAllocation"),
        "OC": ("运营咨询", "OperationsConsulting"),
        "ASM": ("账户与服务管理", "AccountAndServiceManagement"),
        "CLA": ("合规与法律咨询", "ComplianceAndLegalAdvice"),
        "TEO": ("交易执行与操作", "TradeExecutionAndOperation"),
    }
)
"""The paper's scenario code -> Chinese and English name.

Released files use the Chinese name in one-turn conversations and the English name in conversations of several turns.
Names that no public record shows are our reading of the code.
"""

_SUFFIXES = {"zh": "\n当前用户id是{}", "en": "\nThe current user's id is {}"}
_TURN_FIELDS = ("ask", "calls", "reply")


class CustomerTurn(SourceValue):
    """A customer's message, the calls that answer it, and the reply, which may refer to results."""

    ask: str
    calls: tuple[Step, ...] = ()
    reply: str


class Sample(SourceEntry):
    """One conversation. A conversation of one turn can have the fields of the turn itself."""

    scenario: str
    """Scenario code of the paper and the name of the sub-scenario, separated by a space."""
    language: Literal["zh", "en"] = "zh"
    user: str | None = None
    """Account id, which is appended to the first message."""
    turns: tuple[CustomerTurn, ...]

    @model_validator(mode="before")
    @classmethod
    def _with_turns(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "turns" in value:
            return value
        turn = {name: each for name, each in value.items() if name in _TURN_FIELDS}
        return {name: each for name, each in value.items() if name not in turn} | {"turns": [turn]}

    @field_validator("scenario")
    @classmethod
    def _has_known_code(cls, value: str) -> str:
        code = value.partition(" ")[0]
        if code not in SCENARIOS:
            raise ValueError(f"no scenario has the code {code!r}. {hint(code, SCENARIOS)}")
        return value

    @property
    def scenario_code(self) -> str:
        return self.scenario.partition(" ")[0]

    @property
    def sub_scenario(self) -> str:
        return self.scenario.partition(" ")[2]

    @property
    def suffix(self) -> str:
        """Return the text that the platform appends to the first message."""
        return _SUFFIXES[self.language].format(self.user) if self.user else ""


def samples(kind: str) -> tuple[Sample, ...]:
    """Return the conversations of a kind."""
    return read_entries(source_directory("finmcp") / f"{kind}.yaml", Sample)


# The files of the suite.

KINDS = ("single_tool", "multi_tool", "multi_turn")
"""Kinds of conversations, which are the names of the files in ``source/``."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/benchmark_{kind}.json": file_content(kind, samples(kind)) for kind in KINDS}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("finmcp"), task_files())


# Records of FinMCP-Bench's file format, built from conversations: their calls are executed on fresh servers, and
# references to the results are resolved.

SERVERS: Mapping[str, Simulation] = MappingProxyType(
    {each.SIMULATION.name: each.SIMULATION for each in (funds, strategies, stocks, accounts, content)}
)
"""Servers of the suite, by name. Tool names are unique across servers."""

_REFERENCE = re.compile(r"\{(\d+)\.([^{}|]+)(\|,)?\}")


class PlaybackError(ValueError):
    """Error for a call of an unknown tool, or for a reference to something that no result has."""


@dataclass
class Playback:
    """State of one conversation during playback; ``results`` holds the results of the calls made so far."""

    results: list[Any] = field(default_factory=list)

    def resolve(self, value: Any) -> Any:
        """Return a value with its references replaced.

        A string that consists of one reference becomes the referenced value, which need not be a string.
        """
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        if isinstance(value, dict):
            return {key: self.resolve(part) for key, part in value.items()}
        if not isinstance(value, str):
            return value
        match = _REFERENCE.fullmatch(value)
        return self._look_up(match) if match else _REFERENCE.sub(self._format_reference, value)

    def call(self, reference: ReferenceCall, arguments: Mapping[str, Any]) -> str:
        """Execute a call and return the server's answer as text. An error of the tool is raised."""
        simulation = next((each for each in SERVERS.values() if reference.tool in each.table), None)
        if simulation is None:
            known = [name for each in SERVERS.values() for name in each.table]
            raise PlaybackError(f"no server has a tool {reference.tool!r}. {hint(reference.tool, known)}")
        world = World(simulation.name, Path(), DEFAULT_NOW, Ids("finmcp"))
        result = simulation.call(simulation.state(world), reference.tool, arguments)
        self.results.append(result)
        return json.dumps(result, ensure_ascii=False, indent=simulation.indent)

    def _look_up(self, reference: re.Match[str]) -> Any:
        try:
            value = self.results[int(reference[1]) - 1]
            for step in reference[2].split("."):
                # By key, by index, or the first item of a list with ``name=value``.
                key, _, expected = step.partition("=")
                if isinstance(value, dict):
                    value = value[step]
                elif expected:
                    value = next(item for item in value if item[key] == expected)
                else:
                    value = value[int(step)]
        except (LookupError, StopIteration, TypeError, ValueError) as error:
            raise PlaybackError(f"{reference[0]} refers to nothing in the results of the calls before it.") from error
        return value

    def _format_reference(self, reference: re.Match[str]) -> str:
        """Format a referenced value for a reply: no trailing zeros, thousands separators in amounts of money."""
        value = self._look_up(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        text = f"{value:,.2f}" if reference[3] else f"{value}"
        return text.rstrip("0").rstrip(".") if "." in text else text


_TASKS = {"single_tool": "single step", "multi_tool": "multi step", "multi_turn": "multi turn"}


def file_content(kind: str, samples: Iterable[Sample]) -> str:
    """Return the text of one task file: a JSON array with one record per line."""
    rows = (record(f"{kind}-{number:03d}", kind, each) for number, each in enumerate(samples, start=1))
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in rows) + "\n]\n"


def record(name: str, kind: str, sample: Sample) -> dict[str, Any]:
    """Return one record. All keys are those of the released files except ``id`` and ``language``."""
    has_turns = kind == "multi_turn"
    groups = [group for turn in sample.turns for group in turn.calls]
    calls = sum(map(len, groups))
    return {
        "id": name,
        "scenery": f"{SCENARIOS[sample.scenario_code][has_turns]}-{sample.sub_scenario}",
        "diff_level": {"turns": len(sample.turns), "tool_number": calls, "level": difficulty(calls)}
        | ({} if has_turns else {"para_tool_call_number": sum(len(group) for group in groups if len(group) > 1)}),
        "tool_list": [[call.tool for call in group] for group in groups],
        "task": _TASKS[kind],
        "language": sample.language,
        "question": sample.turns[0].ask,
        "messages": _played_messages(name, sample, has_turns=has_turns),
    }


@cache
def policy() -> str:
    """Return the assistant's policy: the system message of the suite and of every conversation of several turns."""
    manifest = (suite_directory("finmcp") / "suite.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(manifest)["system"])


def _played_messages(name: str, sample: Sample, *, has_turns: bool) -> list[dict[str, Any]]:
    try:
        messages: list[dict[str, Any]] = []
        playback = Playback()
        if has_turns:
            messages.append({"role": "system", "content": policy()})
        for number, turn in enumerate(sample.turns):
            messages.append({"role": "user", "content": turn.ask + ("" if number else sample.suffix)})
            messages.extend(_calls(name, turn, playback, has_turns=has_turns))
            final = {} if has_turns else {"tool_calls": None}
            messages.append({"role": "assistant", "content": playback.resolve(turn.reply), **final})
        return messages
    except (PlaybackError, ToolFailure) as error:
        raise TaskError(str(error), sample.place) from error


def _calls(name: str, turn: CustomerTurn, playback: Playback, *, has_turns: bool) -> Iterator[dict[str, Any]]:
    """Yield one assistant message per group of calls, each followed by the results."""
    for group in turn.calls:
        first = len(playback.results)
        arguments = [playback.resolve(dict(call.arguments)) for call in group]
        calls = []
        for at, call in enumerate(group):
            digest = sha256(f"{name}/{first + at}".encode()).hexdigest()[:22]
            function = {"name": call.tool, "arguments": json.dumps(arguments[at], ensure_ascii=False)}
            calls.append({"id": f"call_{digest}", "function": function, "type": "function", "index": at})
        yield {"role": "assistant", **({"content": ""} if has_turns else {}), "tool_calls": calls}
        for at, call in enumerate(group):
            named = {"name": call.tool} if has_turns else {}
            answer = {"role": "tool", "tool_call_id": calls[at]["id"], **named}
            yield {**answer, "content": playback.call(call, arguments[at])}
