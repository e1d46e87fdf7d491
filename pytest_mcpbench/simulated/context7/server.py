"""The documentation server: the two tools of ``@upstash/context7-mcp`` 1.0 over invented libraries."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.context7 import world
from pytest_mcpbench.simulated.engine import ZOD4, Simulation

_LEAST_TOKENS = 1000


def resolve_library_id(_world: None, libraryName: Annotated[str, Field(description="Name of a library")]) -> Any:  # noqa: N803
    """Find the id under which a library's documentation can be read."""
    found = world.find_libraries(libraryName)
    if not found:
        return "No documentation libraries found matching your query."
    entries: list[str] = []
    for library in found:
        facts = {
            "Title": library.title,
            "Context7-compatible library ID": library.id,
            "Description": library.description,
            "Code Snippets": library.snippets,
            "Trust Score": library.trust,
            "Versions": ", ".join(library.versions),
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
    found = world.library(context7CompatibleLibraryID.strip())
    if found is None:
        return (
            "The library you are trying to access does not exist. Please try with a different library ID: "
            f"{context7CompatibleLibraryID}"
        )
    text = world.documentation(found, topic or "", max(int(tokens), _LEAST_TOKENS))
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
