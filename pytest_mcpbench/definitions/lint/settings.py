"""Settings of lint: ``[tool.mcpbench.lint]`` of a pyproject.toml, with findings that are ignored for a reason."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from pydantic import Field, ValidationError, field_validator

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.definitions.lint.rules import RULES, Finding, Tier, of_tier
from pytest_mcpbench.definitions.lint.server import DEFAULT_MAX_TOKENS
from pytest_mcpbench.text.suggestions import hint

_IDS = {rule.id: name for name, rule in RULES.items()}


class Ignore(FrozenModel):
    """Findings of one rule that are accepted."""

    rule: str
    subject: str = "*"
    """Pattern of ``server/tool/parameter``, ``server//task`` or a part of it, in which ``*`` is any text."""
    reason: str = Field(min_length=1)

    @field_validator("rule")
    @classmethod
    def _is_known(cls, rule: str) -> str:
        if rule not in _IDS and rule not in RULES:
            raise ValueError(f"there is no rule {rule!r}. {hint(rule, (*_IDS, *RULES))}")
        return rule

    def covers(self, finding: Finding) -> bool:
        """Return whether a finding is ignored."""
        is_rule = self.rule in (finding.rule.id, finding.rule.name)
        return is_rule and any(fnmatchcase(finding.subject, pattern) for pattern in (self.subject, f"{self.subject}/*"))


class LintSettings(FrozenModel):
    """The settings of a project."""

    max_tokens: int = Field(DEFAULT_MAX_TOKENS, ge=1)
    """Budget of the definitions of one server."""
    fail_on: Tier = "error"
    """The mildest tier that fails."""
    strict: bool = False
    """True also applies rules most of whose findings change nothing."""
    ignore: tuple[Ignore, ...] = ()

    def fails(self, finding: Finding) -> bool:
        """Return whether a finding fails the check."""
        tiers: tuple[Tier, ...] = ("error", "warning", "info")
        return tiers.index(finding.rule.tier) <= tiers.index(self.fail_on)


@dataclass(frozen=True)
class LintResult:
    """The findings that count, those that are ignored, and the entries that ignore nothing."""

    findings: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, Ignore], ...] = ()
    unused: tuple[Ignore, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Return the findings of the tier ``error``."""
        return of_tier(self.findings, "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Return the findings of the tier ``warning``."""
        return of_tier(self.findings, "warning")


def read_lint_settings(table: Mapping[str, Any], file: str) -> LintSettings:
    """Return the settings in the table ``tool.mcpbench.lint``. Raises TaskError that names file and field."""
    try:
        return LintSettings.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in ("tool.mcpbench.lint", *first["loc"]))
        problem = f"{first['msg'].removeprefix('Value error, ').removesuffix('.')}."
        raise TaskError(problem, SourceLocation(file), field=field) from None


def apply_settings(findings: Iterable[Finding], settings: LintSettings) -> LintResult:
    """Return the findings without those that the settings ignore, or leave to strict projects."""
    kept: list[Finding] = []
    ignored: list[tuple[Finding, Ignore]] = []
    for finding in findings:
        if finding.rule.is_strict and not settings.strict:
            continue
        entry = next((entry for entry in settings.ignore if entry.covers(finding)), None)
        if entry is None:
            kept.append(finding)
        else:
            ignored.append((finding, entry))
    used = {id(entry) for _, entry in ignored}
    return LintResult(tuple(kept), tuple(ignored), tuple(entry for entry in settings.ignore if id(entry) not in used))
