"""Identity of a gate."""

from typing import NamedTuple


class GateKey(NamedTuple):
    """Comparison that a gate decides, in plain values that a worker of pytest-xdist can send."""

    file: str
    """Path of the suite's file."""
    arm: str
    model: str
