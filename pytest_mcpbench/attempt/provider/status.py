"""Status of the provider process: a small file that is rewritten twice a second and read by the progress display."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.files.atomic_file import replace_file

STATUS_SECONDS = 0.5
"""Time between two statuses."""


@dataclass(frozen=True)
class Status:
    """Costs and load of the provider process."""

    cost_usd: float | None
    """Cost of all replies so far; ``None`` if the cost of some of them is unknown."""
    in_flight: int
    """Number of requests that are sent to providers or wait for a rate limiter."""
    speeds: Mapping[str, Speed] = field(default_factory=dict)
    """Speeds of models by name, see :class:`~pytest_mcpbench.models.ledger.Ledger`."""

    @classmethod
    def read(cls, path: Path) -> "Status | None":
        """Return the last status that was written; ``None`` if there is none."""
        try:
            content = json.loads(path.read_bytes())
            speeds = {name: Speed(**speed) for name, speed in content.pop("speeds").items()}
            return cls(**content, speeds=speeds)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, path: Path) -> None:
        """Replace the status file atomically, so that readers never see a part of it."""
        replace_file(path, json.dumps(asdict(self)).encode())
