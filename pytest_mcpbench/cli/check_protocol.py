"""``mcpbench check-protocol``: check servers against the rules of the protocol."""

import argparse
import json
from dataclasses import asdict

import anyio

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.core.protocol_findings import CHECKS, ProtocolFinding, faults
from pytest_mcpbench.reporting.forms.display_text import terminal_safe
from pytest_mcpbench.servers.protocol_check import check_protocol
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer

_MARKS = {"ok": "ok", "fault": "FAULT", "warning": "warning", "skipped": "skipped"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)
    parser.add_argument("--json", action="store_true", help="write JSON: server -> findings")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    findings = anyio.run(_findings, selected_servers(options))
    if options.json:
        content = {name: [asdict(finding) for finding in each] for name, each in findings.items()}
        write_text([json.dumps(content, indent=2, ensure_ascii=False) + "\n"], None)
    else:
        lines: list[str] = []
        for name, each in findings.items():
            applicable = [finding for finding in each if finding.verdict != "skipped"]
            good = sum(finding.verdict == "ok" for finding in applicable)
            lines.append(f"{name}: {good} of {len(applicable)} checks ok, {len(each) - len(applicable)} skipped\n")
            for finding in each:
                text = finding.text or CHECKS[finding.check]
                lines.append(f"  {_MARKS[finding.verdict]:8}{finding.check:22}{text}\n")
        write_text(map(terminal_safe, lines), None)
    return 1 if any(faults(each) for each in findings.values()) else 0


async def _findings(servers: list[ConfiguredServer]) -> dict[str, tuple[ProtocolFinding, ...]]:
    return {server.name: await check_protocol(server.ref) for server in servers}
