"""Facts about the failure of a connection."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ConnectionDiagnostics:
    """Facts that a transport knows about a failure."""

    lost_reply: str = ""
    """Description of a reply that could not be read, which is why the connection was given up."""
    hint: str = ""
    stderr: str = ""
    returncode: int | None = None
