"""Findings of the protocol check of a server."""

from dataclasses import dataclass
from typing import Literal

CheckOutcome = Literal["ok", "fault", "warning", "skipped"]


@dataclass(frozen=True)
class ProtocolFinding:
    """Outcome of one check."""

    check: str
    """Id of the check, see :data:`CHECKS`."""
    verdict: CheckOutcome
    text: str = ""
    """Description of the fault, or the reason why the check was skipped."""

    def __str__(self) -> str:
        return f"{self.check}: {self.text}" if self.text else self.check


CHECKS = {
    "era": "speaks the protocol with a handshake (to 2025-11-25), without (2026-07-28), or both",
    "discover": "answers server/discover with the versions that it supports and its capabilities",
    "initialize": "answers with a known protocol version, its name, its version and its capabilities",
    "unknown-version": "answers a version that does not exist with one that it supports, or an error",
    "ping": "answers ping with an empty result, and repeats the type of the id",
    "unknown-method": "answers a method that does not exist with error -32601",
    "unknown-notification": "ignores a notification that it does not know",
    "tools-list": "lists its tools on pages that end, each name once, with JSON schemas",
    "invalid-cursor": "answers a cursor that it never gave with an error",
    "unknown-tool": "answers a call of a tool that does not exist with an error",
    "invalid-arguments": "answers a call without its required arguments with an error",
    "stdout": "writes nothing but messages to stdout",
    "shutdown": "ends within 2 seconds after its stdin was closed",
}
"""Checks in their order: id -> the behaviour that the protocol asks for."""


def faults(findings: tuple[ProtocolFinding, ...]) -> tuple[ProtocolFinding, ...]:
    """Return the findings that break a rule of the protocol."""
    return tuple(finding for finding in findings if finding.verdict == "fault")
