"""Reasons for which a passage does not state a claim."""

from dataclasses import dataclass
from typing import Literal

Weight = Literal["refutes", "unsure"]


@dataclass(frozen=True)
class Problem:
    """A reason for which a passage does not state a claim."""

    weight: Weight
    """``refutes``: it states something else. ``unsure``: the rules cannot tell."""
    reason: str
