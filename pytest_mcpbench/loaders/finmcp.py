"""Loader of FinMCP-Bench conversations: gold turns with groups of parallel calls (arXiv 2603.24943, section 2.5)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from pydantic import Field

from pytest_mcpbench.core.difficulty import difficulty
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Expected, Message, Source, Task, Turn
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.chat_messages import RecordedMessage, parse_conversation
from pytest_mcpbench.loaders.field_errors import FieldError, type_name
from pytest_mcpbench.loaders.json_records import JsonRecord, read_json_records
from pytest_mcpbench.loaders.loader_options import parse_options
from pytest_mcpbench.loaders.task_building import build_task
from pytest_mcpbench.loaders.task_ids import TaskIds, normalize_id
from pytest_mcpbench.loaders.tool_schemas import json_type

STOP = "###STOP###"
"""Message with which the simulated user of the authors' generator ends a conversation; it is not a turn."""

_KINDS = {"single step": "single_tool", "multi step": "multi_tool", "multi turn": "multi_turn"}
_CODES = ("PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO")
_SCENARIOS = {
    "平台技术支持": "PTS",
    "市场分析与研究": "MAR",
    "产品与策略咨询": "PSC",
    "投资规划与配置": "IPA",
    "账户与服务管理": "ASM",
}
_SCENARIO_WORDS = (
    ("CLA", "合规|法律|法规|compliance|legal"),
    ("IE", "投资者教育|投教|investor ?education"),
    ("TEO", "交易|trad(e|ing)"),
    ("OC", "运营|operation(s|al)? ?(and ?)?consult"),
    ("PTS", "平台|技术支持|technical ?support"),
    ("MAR", "市场|market"),
    ("PSC", "产品|策略|product|strateg"),
    ("IPA", "投资规划|资产配置|investment ?planning|allocation"),
    ("ASM", "账户|account"),
    ("FP", "理财|财务规划|财富规划|financial ?planning"),
)
"""Words by which a scenario is recognized, in this order: five of the ten Chinese names are not published."""
_SUB_SCENARIOS = {
    "PTS": {
        "Feature usage": "功能使用 PlatformFeatureUsage",
        "Account security": "账户安全 AccountSecurity",
        "Troubleshooting": "故障处理 TransactionHelp",
    },
    "MAR": {
        "Macroeconomy": "宏观经济 MacroEconomy MarketOutlook BondMarket",
        "Industry research": "行业研究 IndustryResearch",
        "Company research": "公司研究 CompanyResearch",
        "Index research": "指数研究 IndexResearch",
        "News": "资讯解读 NewsReading",
    },
    "FP": {
        "Family finances": "家庭财务 FamilyBalance DebtManagement",
        "Goals": "目标规划 SavingGoals Education Retirement",
    },
    "PSC": {
        "Funds": "基金咨询 FundInformation FundComparison",
        "Fund managers": "基金经理 FundManager",
        "Strategies": "策略咨询 StrategyInformation",
    },
    "IE": {
        "Concepts": "概念讲解 Concepts FamilyFinance",
        "Risk awareness": "风险认知 RiskAwareness Diversification Behaviour",
        "Products": "产品知识",
    },
    "IPA": {
        "Asset allocation": "资产配置 AssetAllocation StrategySelection Retirement",
        "Portfolio analysis": "组合分析 PortfolioAnalysis BackTesting",
        "Portfolio optimization": "组合优化 FundReplacement Diversification RebalancingAdvice",
        "Regular investment": "定投规划 RegularInvestment RegularInvestmentPlans",
    },
    "OC": {
        "Campaigns and benefits": "活动与权益 CampaignRules Points MembershipBenefits Events",
        "Services": "运营服务 CustomerService",
    },
    "ASM": {
        "Assets": "资产查询 AccountOverview RegularPlans",
        "Profits": "收益查询 ProfitInquiry",
        "Reports": "报告生成 InvestmentReport",
        "Account services": "账户服务 CustomerServiceSupport RiskAssessment",
    },
    "CLA": {
        "Rules": "规则说明 RulesExplained TaxAndInheritance",
        "Protection of rights": "权益保护 InvestorProtection",
    },
    "TEO": {
        "Trading rules": "交易规则 TradingRules SwitchingFunds TradingCalendar LargeOrders",
        "Orders": "交易进度 OrderStatus",
        "Fees": "费用测算 FeeEstimation",
        "Dividends": "分红 Dividends",
        "Regular plans": "定投管理",
    },
}
"""Scenario -> its sub-scenarios, 33 in all -> their names in one-turn (Chinese) and multi-turn (English) records.

The paper draws them without a list; the Chinese names are the second level of a record's scenario.
"""
_SUB_SCENARIO_OF = {
    (code, spelling): name
    for code, names in _SUB_SCENARIOS.items()
    for name, spellings in names.items()
    for spelling in spellings.split()
}
_WORD = re.compile(r"[A-Z]?[a-z]+")
_SMALL_WORDS = frozenset({"and", "of", "the", "for"})


class FinmcpOptions(FrozenModel):
    """Options of ``loader = "finmcp"``."""

    split: str | None = None
    """Prefix of generated ids for records without an id; default: the file's name without ``benchmark_``."""
    server: str | None = None
    """Server that all tasks use; default: all servers of the suite."""
    scenarios: dict[str, str] = Field(default_factory=dict)
    """Codes of additional scenarios by name."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load a JSON array or JSON lines, in the format of the release or of the demo in the authors' repository."""
    finmcp_options = parse_options(options, FinmcpOptions)
    split = finmcp_options.split or PurePath(options.file).stem.removeprefix("benchmark_")
    prefix = normalize_id(split) or "finmcp"
    ids = TaskIds()
    for index, record in enumerate(read_json_records(content, options.file)):
        upstream_id = record.value.get("id") if isinstance(record.value, dict) else None
        has_id = isinstance(upstream_id, str | int) and not isinstance(upstream_id, bool)
        preferred_id = normalize_id(str(upstream_id)) if has_id else ""
        task_id, repetition = ids.take(preferred_id or f"{prefix}-{index}", record.place)
        warnings = (*record.warnings, *repetition)
        try:
            task, task_warnings = _task(record, task_id, finmcp_options)
        except FieldError as error:
            yield LoadedTask(record.place, id=task_id, error=error.at(record.place), warnings=warnings)
        else:
            yield LoadedTask(record.place, id=task_id, task=task, warnings=(*warnings, *task_warnings))


def recorded_tools(content: bytes, file: str = "", server: str = "qieman") -> dict[str, tuple[ToolSpec, ...]]:
    """Return all tools that the conversations call as tools of one server; a schema is the union of seen arguments."""
    argument_types: dict[str, dict[str, set[str]]] = {}
    for record in load(content, LoadOptions(file or "records.json")):
        for call in record.task.expected.flat_calls if record.task else ():
            keys = argument_types.setdefault(call.tool, {})
            for key, value in call.arguments.items():
                keys.setdefault(key, set()).add(json_type(value))
    tools: list[ToolSpec] = []
    for name in sorted(argument_types):
        kinds_by_key = sorted(argument_types[name].items())
        properties = {key: {"type": min(kinds)} if len(kinds) == 1 else {} for key, kinds in kinds_by_key}
        schema = {"type": "object", "properties": properties}
        tools.append(ToolSpec(name=name, server=server, tool=name, input_schema=schema))
    return {server: tuple(tools)} if tools else {}


def _task(record: JsonRecord, task_id: str, options: FinmcpOptions) -> tuple[Task, list[str]]:
    row = record.value
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    if not isinstance(row, dict):
        raise FieldError(None, f"a record must be an object, not {type_name(row)}.")
    if row.get("messages") is None:
        raise FieldError("messages", "is missing.", "The reference calls are read from the conversation.")
    parsed = parse_conversation(row["messages"], "messages")
    messages = parsed.messages
    while messages and messages[-1].role == "user" and messages[-1].text.strip() == STOP:
        messages = messages[:-1]
    turns, groups = _turns(messages)
    upstream_id = row.get("id")
    fields = {
        "id": task_id,
        "turns": turns,
        "system": "\n\n".join(message.text for message in messages if message.role == "system") or None,
        "servers": (options.server,) if options.server else (),
        "expected": Expected(calls=groups),
        "tags": _tags(row, groups, options.scenarios),
        "source": Source(
            file=record.place.file,
            place=str(record.place),
            upstream_id=None if upstream_id is None else str(upstream_id),
        ),
    }
    return build_task(fields), [*parsed.warnings, *_inconsistencies(row, messages, groups)]


def _turns(messages: tuple[RecordedMessage, ...]) -> tuple[tuple[Turn, ...], tuple[CallGroup, ...]]:
    """Return a turn for each user message, and a group of calls for each assistant message that calls tools."""
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    if not starts:
        raise FieldError("messages", "has no user message.")
    turns: list[Turn] = []
    groups: list[CallGroup] = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(messages)], strict=True)):
        gold: list[Message] = []
        for message in (message for message in messages[start + 1 : end] if message.role != "system"):
            if message.role == "assistant":
                gold.append(Message(role="assistant", text=message.text, calls=message.calls))
            elif message.role in ("tool", "function"):
                gold.append(Message(role="tool", text=message.text, call_id=message.call_id))
            else:
                raise FieldError(
                    "messages", f"the role {message.role!r} is unknown.", "Use one of: assistant, system, tool, user."
                )
        turns.append(Turn(user=messages[start].text, gold=tuple(gold)))
        groups += [CallGroup(calls=message.calls, turn=number) for message in gold if message.calls]
    return tuple(turns), tuple(groups)


def _tags(row: Mapping[str, Any], groups: tuple[CallGroup, ...], scenarios: Mapping[str, str]) -> dict[str, str]:
    levels = [part.strip() for part in _text(row.get("scenery") or row.get("first-class")).split("-")]
    kind = _text(row.get("task")).strip().lower()
    code = scenario_code(levels[0], scenarios)
    sub_scenario, *topic = levels[1:] or [_text(row.get("sub-class"))]
    tags = {
        "kind": _KINDS.get(kind, kind.replace(" ", "_")),
        "scenario": code,
        "scenario_name": levels[0],
        "sub_scenario": _SUB_SCENARIO_OF.get((code, sub_scenario), sub_scenario),
        "topic": "-".join(topic),
        "difficulty": difficulty(_count(groups)),
        "language": _text(row.get("language")),
        "parallel": "parallel" if any(len(group.calls) > 1 for group in groups) else "",
    }
    return {name: value for name, value in tags.items() if value}


def scenario_code(name: str, further: Mapping[str, str] | None = None) -> str:
    """Return the code of a scenario's Chinese or English name; a name that is not recognized is kept.

    The published names and those of the options count first, then the initials of an English name, then single words.
    """
    known = {**_SCENARIOS, **(further or {})}
    if name in known:
        return known[name]
    initials = "".join(word[0].upper() for word in _WORD.findall(name) if word.lower() not in _SMALL_WORDS)
    if initials in _CODES or name in _CODES:
        return initials if initials in _CODES else name
    return next((code for code, words in _SCENARIO_WORDS if re.search(words, name, re.IGNORECASE)), name)


def _count(groups: tuple[CallGroup, ...]) -> int:
    return sum(len(group.calls) for group in groups)


def _inconsistencies(
    row: Mapping[str, Any], messages: tuple[RecordedMessage, ...], groups: tuple[CallGroup, ...]
) -> Iterator[str]:
    """Yield a warning for each contradiction between a record's summary fields and its messages."""
    summary = row.get("diff_level")
    level = summary.get("level") if isinstance(summary, dict) else None
    counted = difficulty(_count(groups))
    if isinstance(level, str) and level != counted:
        yield f"diff_level is {level}, but {_count(groups)} reference calls are {counted}"
    number = summary.get("tool_number") if isinstance(summary, dict) else None
    distinct = len({call.tool for group in groups for call in group.calls})
    if isinstance(number, int) and number not in (_count(groups), distinct):
        yield f"diff_level is {number} tools; the messages have {_count(groups)} calls of {distinct} tools"
    listed = row.get("tool_list")
    if isinstance(listed, list):
        names = [[call.tool for call in group.calls] for group in groups]
        flat = [name for group in names for name in group]
        # It has the same groups or, if it is flat, the same names with or without repetition.
        if all(isinstance(group, list) for group in listed):
            is_same = [Counter(map(str, group)) for group in listed] == [Counter(group) for group in names]
        else:
            is_same = listed == flat or sorted(map(str, listed)) == sorted(set(flat))
        if not is_same:
            yield "tool_list differs from the calls in the messages; the messages are used"
    if messages and messages[0].role == "assistant":
        yield "the conversation starts with an assistant message, which was left out"
    unanswered = [call.tool for group in groups for call in group.calls if call.result is None]
    if unanswered:
        yield f"no result was recorded for {', '.join(unanswered)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
