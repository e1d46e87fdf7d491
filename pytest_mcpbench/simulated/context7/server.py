"""The documentation server: the two tools of ``@upstash/context7-mcp`` 1.0 over libraries with documentation by topic.

The libraries are invented, so that nobody knows their options by heart.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import ZOD4, Simulation
from pytest_mcpbench.text.words import terms

_LIBRARIES = Path(__file__).with_name("libraries.json")
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Library:
    """A library in the index."""

    id: str
    title: str
    description: str
    trust: float
    versions: tuple[str, ...]
    topics: Mapping[str, str]

    @property
    def snippets(self) -> int:
        """Number of passages of documentation."""
        return len(self.topics)


@cache
def libraries() -> tuple[Library, ...]:
    """Return all libraries."""
    rows = json.loads(_LIBRARIES.read_text(encoding="utf-8"))
    return tuple(Library(**{**row, "versions": tuple(row["versions"])}) for row in rows)


def find_libraries(name: str) -> list[Library]:
    """Return the libraries whose title, id or description shares words with the name, best first."""
    wanted = set(terms(name))
    ranks = [(len(wanted & set(terms(f"{each.title} {each.id} {each.description}"))), each) for each in libraries()]
    return [each for count, each in sorted(ranks, key=lambda pair: (-pair[0], -pair[1].trust)) if count]


def library(library_id: str) -> Library | None:
    """Return a library by its id, with or without a version at the end; ``None`` if there is none."""
    for each in libraries():
        if library_id in (each.id, *(f"{each.id}/{version}" for version in each.versions)):
            return each
    return None


def documentation(of: Library, topic: str, most_tokens: int) -> str:
    """Return the passages about a topic, the best first, within a number of tokens; all for an empty topic."""
    wanted = set(terms(topic))
    ranked = sorted(
        ((len(wanted & set(terms(f"{name} {text}"))), name, text) for name, text in of.topics.items()),
        key=lambda passage: -passage[0],
    )
    passages = [
        f"### {name.capitalize()}\nSource: https://docs.example{of.id}/{name.replace(' ', '-')}\n\n{text}"
        for count, name, text in ranked
        if count or not wanted
    ]
    return "\n\n".join(passages)[: most_tokens * _CHARACTERS_PER_TOKEN]


_LEAST_TOKENS = 1000


def resolve_library_id(_world: None, libraryName: Annotated[str, Field(description="Name of a library")]) -> Any:  # noqa: N803
    """Find the id under which a library's documentation can be read."""
    found = find_libraries(libraryName)
    if not found:
        return "No documentation libraries found matching your query."
    entries: list[str] = []
    for each in found:
        facts = {
            "Title": each.title,
            "Context7-compatible library ID": each.id,
            "Description": each.description,
            "Code Snippets": each.snippets,
            "Trust Score": each.trust,
            "Versions": ", ".join(each.versions),
        }
        entries.append("\n".join(f"- {label}: {value}" for label, value in facts.items()))
    return "Available Libraries (top matches):\n\n" + "\n----------\n".join(entries)


def get_library_docs(
    _world: None,
    context7CompatibleLibraryID: Annotated[str, Field(description="Id of the library, as /owner/project")],  # noqa: N803
    topic: Annotated[str | None, Field(description="Subject to read about")] = None,
    tokens: Annotated[
        float, Field(description="Longest text in tokens, at least 1000", json_schema_extra={"default": 5000})
    ] = 5000,
) -> Any:
    """Read a library's documentation."""
    found = library(context7CompatibleLibraryID.strip())
    if found is None:
        return (
            "The library you are trying to access does not exist. Please try with a different library ID: "
            f"{context7CompatibleLibraryID}"
        )
    text = documentation(found, topic or "", max(int(tokens), _LEAST_TOKENS))
    return text or f"Documentation not found for this topic in {found.id}."


SIMULATION = Simulation(
    name="Context7",
    state=lambda _world: None,
    tools=(resolve_library_id, get_library_docs),
    dialect=ZOD4,
    hyphenated=True,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
