"""Arms of a comparison: the same tasks on the same server, with other definitions of its tools."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolSpec

BASELINE = "baseline"
CANDIDATE = "candidate"
"""The arm with the server as it is now."""

_FRESH = ", fresh"


def fresh_arm(name: str) -> str:
    """Return the name under which the fresh trials of an arm are recorded."""
    return f"{name}{_FRESH}"


def is_fresh(name: str) -> bool:
    """Return whether the name is that of the fresh trials of an arm."""
    return name.endswith(_FRESH)


@dataclass(frozen=True)
class Arm:
    """Differences between one arm of a suite and the server as it is now."""

    name: str
    shown_tools: Mapping[str, tuple[ToolSpec, ...]] = field(default_factory=dict)
    """Server -> tools that agents see in place of its own; calls go to the server all the same."""
    servers: Mapping[str, ServerRef] = field(default_factory=dict)
    """Servers that run in place of those of the suite."""
    source: str = ""
    """Origin of the definitions, for reports."""

    def suite(self, suite: SuiteManifest) -> SuiteManifest:
        """Return the suite as this arm attempts it."""
        if not self.shown_tools and not self.servers:
            return suite
        changes = {"shown_tools": dict(self.shown_tools), "servers": {**suite.servers, **self.servers}}
        return suite.model_copy(update=changes)


LIVE = Arm(CANDIDATE)
"""The server as it is now."""
