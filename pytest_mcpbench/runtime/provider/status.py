"""Status of the provider process: a small file that is rewritten twice a second and read by the progress display."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Status:
    """Costs and load of the provider process."""

    cost_usd: float | None
    """Cost of all replies so far; ``None`` if the cost of some of them is unknown."""
    in_flight: int
    """Number of requests that are sent to providers or wait for a rate limiter."""

    @classmethod
    def read(cls, path: Path) -> "Status | None":
        """Return the last status that was written; ``None`` if there is none."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Replace the status file atomically, so that readers never see a part of it."""
        scratch = path.with_suffix(".new")
        scratch.write_text(json.dumps(asdict(self)), encoding="utf-8")
        scratch.replace(path)
