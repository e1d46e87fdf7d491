"""Candidates of the stages of the pipeline ``persona``."""

from typing import Literal

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.candidates import Candidate
from pytest_mcpbench.generation.pipelines.chains.candidates import ChainCall

Arguments = dict[str, JsonValue]
Role = Literal["thing", "text", "title", "choice"]


class Record(FrozenModel):
    """A thing of a person's world, as a tool returns it."""

    label: str
    """The name by which a person speaks of it."""
    fields: dict[str, JsonValue]
    """Texts and numbers by their dotted path."""


class Lookup(FrozenModel):
    """A read tool that finds things of one kind."""

    id: str
    server: str
    tool: str
    noun: str
    """The word for one of the things, such as ``channel``."""
    nouns: tuple[str, ...] = ()
    """All words that the tool has for them."""
    query: str = ""
    """Parameter that takes the name of a thing; empty for a tool that lists all."""
    is_person: bool = False
    asked: tuple[str, ...] = ()
    """Fields of the things that a person may ask for."""
    records: tuple[Record, ...] = ()


class TreeCandidate(Candidate):
    """The context tree of one person in one app."""

    person: str
    server: str
    cast: dict[str, str] = Field(default_factory=dict)
    """Name in the world that the server starts with -> name in the person's; empty for the first person."""
    methods: dict[str, str] = Field(default_factory=dict)
    """Field -> method that makes its values (Table 2): enumerate, free_form, random or authentic."""
    lookups: tuple[Lookup, ...] = ()
    names: tuple[str, ...] = ()
    """Names of all things in the world, whether a tool finds them or not."""


class Slot(FrozenModel):
    """A value that a unit needs."""

    name: str
    role: Role
    parameter: str
    """Dotted path of the parameter, with 0 for the only item of a list."""
    noun: str = ""
    lookup: str = ""
    """Id of the lookup that finds the thing."""
    field: str = ""
    """Field of the thing that is the value."""
    is_number: bool = False
    values: tuple[JsonValue, ...] = ()
    """Values of a choice."""


class ToolUnit(FrozenModel):
    """Tools that belong together: the lookups of the things, and the tool that reads or changes them."""

    kind: Literal["read", "change"]
    server: str
    tool: str
    noun: str
    slots: tuple[Slot, ...] = ()
    shape: Arguments = Field(default_factory=dict)
    """Arguments with ``<slot>`` for each value."""
    field: str = ""
    """Field of the thing that is read."""

    @property
    def key(self) -> str:
        """Return the tools of the unit with the places of their values."""
        places = sorted(f"{slot.parameter}={slot.lookup}.{slot.field}" for slot in self.slots if slot.lookup)
        return f"{self.server}.{self.tool}.{self.field}({', '.join(places)})"


class UnitCandidate(Candidate):
    """A unit that the server accepts."""

    person: str
    unit: ToolUnit
    cast: dict[str, str] = Field(default_factory=dict)
    lookups: tuple[Lookup, ...] = ()
    """Those that find the things of the unit, with the fields that it needs."""
    people: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Names of all people in the person's apps, with their mail addresses."""


class NeededValue(FrozenModel):
    """A value that an earlier unit finds and a later one needs."""

    source: int
    """Index of the unit."""
    target: int
    slot: str


class UnitChain(Candidate):
    """Units that one request is to need, in order."""

    person: str
    units: tuple[ToolUnit, ...]
    flows: tuple[NeededValue, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    people: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    cast: dict[str, str] = Field(default_factory=dict)

    @property
    def own_name(self) -> str:
        """Return the person's name; empty for the one whose world the servers start with."""
        return next(iter(self.cast.values()), "")


class PrototypeCandidate(UnitChain):
    """A chain with the skeleton of its request."""

    prototype: str
    """Text with ``<1_channel>`` where a value of the first unit belongs."""


class SituationCandidate(PrototypeCandidate):
    """A prototype with concrete values of a person's world."""

    things: dict[str, Record] = Field(default_factory=dict)
    """Slot -> the thing that is meant."""
    values: Arguments = Field(default_factory=dict)
    """Slot -> value of the call; of a thing its id, address or name."""
    instruction: str = ""
    """The request with all values."""
    unnecessary: tuple[str, ...] = ()


class FuzzyRequest(SituationCandidate):
    """A request from which is left out what the world tells, with its reference."""

    request: str
    necessary: dict[str, str] = Field(default_factory=dict)
    steps: tuple[tuple[ChainCall, ...], ...] = ()
    answer: str = ""
    """Value that a right answer contains; empty where something is changed."""
