"""Findings as text: for the terminal, as annotations of GitHub Actions, as SARIF and as JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.lint.rules import RULES, Finding, LintRule, Tier
from pytest_mcpbench.definitions.lint.settings import LintResult

_SARIF_LEVELS: Mapping[Tier, str] = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_COMMANDS: Mapping[Tier, str] = {"error": "error", "warning": "warning", "info": "notice"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


_MOST_LINES = 3
"""Findings of one rule about one server that have lines of their own."""


def terminal_lines(result: LintResult, tiers: Iterable[Tier], *, is_grouped: bool = True) -> Iterator[str]:
    """Yield a line for each finding of some tiers, and a summary of all; one line for many of a kind, if grouped."""
    shown = set(tiers)
    groups: dict[tuple[LintRule, str, bool], list[Finding]] = {}
    for finding in result.findings:
        if finding.rule.tier in shown:
            groups.setdefault((finding.rule, finding.server, finding.tool is None), []).append(finding)
    for (rule, server, _), findings in groups.items():
        if is_grouped and len(findings) > _MOST_LINES:
            places = dict.fromkeys(finding.subject.removeprefix(f"{server}/") for finding in findings)
            yield f"{server}: {rule.id} {len(findings)} times, -v lists them: {', '.join(places)} [{rule.name}]"
        else:
            for finding in findings:
                where = f"{finding.file}:{finding.line}: " if finding.file and finding.line else ""
                yield f"{where}{finding.subject}: {rule.id} {finding.message} [{rule.name}]"
    for entry in result.unused:
        yield f"ignored nothing: {entry.rule} {entry.subject} ({entry.reason})"
    yield summary(result)


def summary(result: LintResult) -> str:
    """Return the numbers of findings by tier, and of those that are ignored."""
    counts = Counter(finding.rule.tier for finding in result.findings)
    shown = [f"{counts[tier]} {word}{'' if counts[tier] == 1 else 's'}" for tier, word in _WORDS.items()]
    return ", ".join([*shown, *([f"{len(result.ignored)} ignored"] if result.ignored else [])])


_WORDS: Mapping[Tier, str] = {"error": "error", "warning": "warning", "info": "remark"}


def github_lines(result: LintResult, files: Mapping[str, str]) -> Iterator[str]:
    """Yield workflow commands, which GitHub shows as annotations of a pull request; ``files`` as for :func:`sarif`."""
    for finding in result.findings:
        file = finding.file or files.get(finding.server)
        place = {"file": file, "line": finding.line, "title": f"{finding.rule.id} {finding.rule.name}"}
        properties = ",".join(f"{name}={_escaped(str(value), _IN_PROPERTY)}" for name, value in place.items() if value)
        message = _escaped(f"{finding.subject}: {finding.message}", _IN_MESSAGE)
        yield f"::{_GITHUB_COMMANDS[finding.rule.tier]} {properties}::{message}"


_IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = {**_IN_MESSAGE, ":": "%3A", ",": "%2C"}


def sarif(result: LintResult, files: Mapping[str, str], version: str) -> str:
    """Return a SARIF 2.1.0 log, which code scanning reads.

    Args:
        result: The findings; those that are ignored are suppressed results.
        files: File that defines each server, for findings that are not about a task.
        version: Version of this package.
    """
    rules = list(RULES.values())
    described = [
        {
            "id": rule.id,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": f"{rule.summary}; {rule.evidence}"},
            "defaultConfiguration": {"level": _SARIF_LEVELS[rule.tier]},
        }
        for rule in rules
    ]
    driver = {
        "name": "mcpbench",
        "version": version,
        "informationUri": "https://pypi.org/project/pytest-mcpbench/",
        "rules": described,
    }
    found = [_sarif_result(finding, rules, files) for finding in result.findings]
    ignored = [
        {**_sarif_result(finding, rules, files), "suppressions": [{"kind": "external", "justification": entry.reason}]}
        for finding, entry in result.ignored
    ]
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [*found, *ignored]}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def findings_json(result: LintResult) -> str:
    """Return the findings as JSON: one object each."""
    found = [{**_as_json(finding), "ignored": None} for finding in result.findings]
    ignored = [{**_as_json(finding), "ignored": entry.reason} for finding, entry in result.ignored]
    return json.dumps([*found, *ignored], indent=2, ensure_ascii=False) + "\n"


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "tier": finding.rule.tier,
        "server": finding.server,
        "tool": finding.tool,
        "place": finding.place or None,
        "file": finding.file,
        "line": finding.line,
        "message": finding.message,
    }


def _sarif_result(finding: Finding, rules: list[LintRule], files: Mapping[str, str]) -> dict[str, Any]:
    file = finding.file or files.get(finding.server)
    physical: dict[str, Any] = {"artifactLocation": {"uri": file}} if file else {}
    if file and finding.line:
        physical["region"] = {"startLine": finding.line}
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.subject}]}
    if physical:
        location["physicalLocation"] = physical
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": rules.index(finding.rule),
        "level": _SARIF_LEVELS[finding.rule.tier],
        "message": {"text": f"{finding.subject}: {finding.message}"},
        "locations": [location],
    }


def _escaped(text: str, replacements: Mapping[str, str]) -> str:
    for character, replacement in replacements.items():
        text = text.replace(character, replacement)
    return text
