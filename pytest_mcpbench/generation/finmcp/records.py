"""Records of FinMCP-Bench's file format, built from conversations."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.finmcp.playback import Playback
from pytest_mcpbench.generation.finmcp.policy import POLICY
from pytest_mcpbench.generation.finmcp.sample import ReferenceCall, Sample, Turn
from pytest_mcpbench.loaders.finmcp import difficulty

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

_TASKS = {"single_tool": "single step", "multi_tool": "multi step", "multi_turn": "multi turn"}


def file_content(kind: str, samples: Iterable[Sample]) -> str:
    """Return the text of one task file: a JSON array with one record per line."""
    rows = (record(f"{kind}-{number:03d}", kind, each) for number, each in enumerate(samples, start=1))
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in rows) + "\n]\n"


def record(name: str, kind: str, sample: Sample) -> dict[str, Any]:
    """Return one record. All keys are those of the released files except ``language``, which is our own."""
    has_turns = kind == "multi_turn"
    groups = [group for turn in sample.turns for group in turn.groups]
    return {
        "id": name,
        "scenery": f"{SCENARIOS[sample.scenario][has_turns]}-{sample.sub_scenario}",
        "diff_level": _level(sample, groups) | ({} if has_turns else {"para_tool_call_number": _parallel(groups)}),
        "tool_list": [[call.tool for call in group] for group in groups],
        "task": _TASKS[kind],
        "language": sample.language,
        "question": sample.turns[0].ask,
        "messages": list(_messages(name, sample, has_turns=has_turns)),
    }


def _level(sample: Sample, groups: list[tuple[ReferenceCall, ...]]) -> dict[str, Any]:
    calls = sum(map(len, groups))
    return {"turns": len(sample.turns), "tool_number": calls, "level": difficulty(calls)}


def _parallel(groups: list[tuple[ReferenceCall, ...]]) -> int:
    """Return the number of calls that are made in parallel with others."""
    return sum(len(group) for group in groups if len(group) > 1)


def _messages(name: str, sample: Sample, *, has_turns: bool) -> Iterator[dict[str, Any]]:
    playback = Playback()
    if has_turns:
        yield {"role": "system", "content": POLICY}
    for number, turn in enumerate(sample.turns):
        yield {"role": "user", "content": turn.ask + ("" if number else sample.suffix)}
        yield from _calls(name, turn, playback, has_turns=has_turns)
        final = {} if has_turns else {"tool_calls": None}
        yield {"role": "assistant", "content": playback.resolve(turn.say), **final}


def _calls(name: str, turn: Turn, playback: Playback, *, has_turns: bool) -> Iterator[dict[str, Any]]:
    """Yield one assistant message per group of calls, each followed by the results."""
    for group in turn.groups:
        first = len(playback.results)
        arguments = [playback.resolve(dict(call.arguments)) for call in group]
        calls = [_tool_call(name, first, at, group[at].tool, arguments[at]) for at in range(len(group))]
        yield {"role": "assistant", **({"content": ""} if has_turns else {}), "tool_calls": calls}
        for at, call in enumerate(group):
            named = {"name": call.tool} if has_turns else {}
            answer = {"role": "tool", "tool_call_id": calls[at]["id"], **named}
            yield {**answer, "content": playback.call(call, arguments[at])}


def _tool_call(name: str, first: int, at: int, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    digest = sha256(f"{name}/{first + at}".encode()).hexdigest()[:22]
    function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{digest}", "function": function, "type": "function", "index": at}
