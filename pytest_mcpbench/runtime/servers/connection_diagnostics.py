"""Facts about the failure of a connection."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ConnectionDiagnostics:
    """Facts that a transport knows about a failure."""

    hint: str = ""
    stderr: str = ""
    returncode: int | None = None
