"""Handwritten conversations, parsed from the YAML files in ``samples/``.

A one-turn conversation has the keys ``ask``, ``do`` and ``say`` itself; a longer one has a list of ``turns`` with them.
``do`` is a list of calls, ``{Tool: {argument: value}}``; a nested list holds calls that are made in parallel. Arguments
and replies can refer to results: ``{2.funds.0.fundCode}`` is a path into the result of the conversation's second call.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

USERS: Mapping[int, str] = MappingProxyType({1: "9b98a1c4d2e701", 2: "9b98b7f0a35c02", 3: "9b98c9d8e61f03"})
"""Number of a customer -> account id."""

_SUFFIXES = {"zh": "\n当前用户id是{}", "en": "\nThe current user's id is {}"}


@dataclass(frozen=True)
class ReferenceCall:
    """One reference call; its arguments may refer to results of earlier calls."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """A user's message, the groups of calls that answer it, and the reply, which may refer to results."""

    ask: str
    groups: tuple[tuple[ReferenceCall, ...], ...]
    say: str


@dataclass(frozen=True)
class Sample:
    """One conversation."""

    scenario: str
    """Scenario code of the paper."""
    sub_scenario: str
    language: str
    user: str | None
    """Account id, which is appended to the first message."""
    turns: tuple[Turn, ...]

    @property
    def suffix(self) -> str:
        """Return the text that the platform appends to the first message."""
        return _SUFFIXES[self.language].format(self.user) if self.user else ""


def samples(*files: str) -> Iterator[Sample]:
    """Yield the conversations of the named files in ``samples/``."""
    import yaml

    for name in files:
        path = Path(__file__).with_name("samples") / f"{name}.yaml"
        yield from map(_parse_sample, yaml.safe_load(path.read_text(encoding="utf-8")))


def _parse_sample(data: Mapping[str, Any]) -> Sample:
    scenario, _, sub_scenario = data["at"].partition(" ")
    user = USERS[data["user"]] if "user" in data else None
    turns = tuple(map(_parse_turn, data.get("turns", [data])))
    return Sample(scenario, sub_scenario, data.get("lang", "zh"), user, turns)


def _parse_turn(data: Mapping[str, Any]) -> Turn:
    return Turn(data["ask"], tuple(map(_parse_group, data.get("do", []))), data["say"])


def _parse_group(data: Any) -> tuple[ReferenceCall, ...]:
    return tuple(map(_parse_call, data if isinstance(data, list) else [data]))


def _parse_call(data: Mapping[str, Any]) -> ReferenceCall:
    ((tool, arguments),) = data.items()
    return ReferenceCall(tool, arguments)
