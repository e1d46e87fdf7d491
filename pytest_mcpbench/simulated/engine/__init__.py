"""The one way to declare a simulated server: a state over a context tree, and thin tools that call its methods.

A tool is a typed function. Its first parameter is the server's state, the others are the tool's parameters; its name is
the tool's name, its docstring the description, ``Field`` the description and bounds of a parameter. The schema that
agents see and the check of what they send are both derived from it::

    def delete_note(notes: Notes, note_id: Annotated[str, Field(description="Id of the note")]) -> str:
        '''Delete a note for good.'''
        notes.delete(note_id)  # raises ToolFailure where the real service answers with an error
        return f"Deleted {note_id}"

    SIMULATION = Simulation(name="notes", state=Notes, tools=(delete_note, ...), dialect=ZOD)
    server = SIMULATION.server

Parameters that several tools share, or that a call may leave out without a default, are a ``TypedDict``:
``def edit(notes: Notes, **changes: Unpack[Changes])`` gets only those that were sent.

``Notes(world)`` opens the state of one attempt: ``world.tree(seed, shape=SHAPE)`` is the tree that it changes, and
``Entities(tree, "notes", missing="no note {id}")`` one of its collections, with the service's words for an unknown id.
"""

from pytest_mcpbench.simulated.engine.dialect import (
    FASTMCP,
    PYTHON_SDK,
    TYPESCRIPT,
    ZOD,
    ZOD4,
    Dialect,
    closed_schema,
    plain_schema,
)
from pytest_mcpbench.simulated.engine.directory import inside
from pytest_mcpbench.simulated.engine.entities import Entities
from pytest_mcpbench.simulated.engine.failure import MissingEntity, MissingScope, ToolFailure, explained
from pytest_mcpbench.simulated.engine.paging import Page, page
from pytest_mcpbench.simulated.engine.simulation import Simulation
from pytest_mcpbench.simulated.engine.tool import SimulatedTool

__all__ = [
    "FASTMCP",
    "PYTHON_SDK",
    "TYPESCRIPT",
    "ZOD",
    "ZOD4",
    "Dialect",
    "Entities",
    "MissingEntity",
    "MissingScope",
    "Page",
    "SimulatedTool",
    "Simulation",
    "ToolFailure",
    "closed_schema",
    "explained",
    "inside",
    "page",
    "plain_schema",
]
