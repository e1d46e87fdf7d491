"""What the provider process tells whoever shows the run's progress: a small file, written anew twice a second."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Status:
    """What the process tells whoever shows the run's progress."""

    cost_usd: float | None
    """Of every reply so far; ``None``: some of it is not known."""
    in_flight: int
    """Requests that are with providers or wait for their place."""

    @classmethod
    def read(cls, path: Path) -> "Status | None":
        """What was last written; ``None`` where nothing was."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """In one step, so that readers see all of it."""
        scratch = path.with_suffix(".new")
        scratch.write_text(json.dumps(asdict(self)), encoding="utf-8")
        scratch.replace(path)
