"""Handwritten conversations, parsed from the files in ``source/``: one file per kind."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from pydantic import field_validator, model_validator

from pytest_mcpbench.generation.source.calls import Step
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_entries, source_directory
from pytest_mcpbench.text.suggestions import hint

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
