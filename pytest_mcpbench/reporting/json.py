"""A report as JSON: a stable shape for scripts and dashboards."""

import dataclasses
import json
from typing import Any

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.summary import Summary, summaries

VERSION = 1


def text(report: Report) -> str:
    """``{version, facts, directory, summaries: [...], entries: [...]}``; see docs/reference/reports.md."""
    content = {
        "version": VERSION,
        "facts": report.facts,
        "directory": report.directory,
        "summaries": [_plain(summary) for summary in summaries(report)],
        "entries": [entry.as_json() for entry in report.entries],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _plain(summary: Summary) -> dict[str, Any]:
    fields = dataclasses.asdict(summary)
    return {**fields, "usage": summary.usage.model_dump(), "pass_rate": summary.pass_rate, "verdicts": summary.verdicts}
