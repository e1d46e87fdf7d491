"""Framework for simulated servers: a state over a context tree, and thin tool functions that call its methods.

A tool is a typed function. Its first parameter is the server's state and the others are the tool's parameters; its name
becomes the tool's name, its docstring the description, and ``Field`` the description and bounds of a parameter. The
schema that agents see and the validation of their arguments are both derived from the function::

    def delete_note(notes: Notes, note_id: Annotated[str, Field(description="Id of the note")]) -> str:
        '''Delete a note for good.'''
        notes.delete(note_id)  # raises ToolFailure where the real service returns an error
        return f"Deleted {note_id}"

    SIMULATION = Simulation(name="notes", state=Notes, tools=(delete_note, ...), dialect=ZOD)
    server = SIMULATION.server

Parameters that several tools share, or that a call may omit although they have no default, go into a ``TypedDict``:
``def edit(notes: Notes, **changes: Unpack[Changes])`` receives only the ones that were sent.

``Notes(world)`` opens the state of one attempt. ``world.tree(seed, shape=SHAPE)`` is the tree that it changes, and
``Entities(tree, "notes", missing="no note {id}")`` is one of its collections, with the service's message for an unknown
id.
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
from pytest_mcpbench.simulated.engine.directory import file_inside, resolve_inside
from pytest_mcpbench.simulated.engine.entities import Entities
from pytest_mcpbench.simulated.engine.failure import MissingEntity, MissingScope, ToolFailure, prefix_failures
from pytest_mcpbench.simulated.engine.numerals import whole_number
from pytest_mcpbench.simulated.engine.paging import ItemPage, page
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
    "ItemPage",
    "MissingEntity",
    "MissingScope",
    "SimulatedTool",
    "Simulation",
    "ToolFailure",
    "closed_schema",
    "file_inside",
    "page",
    "plain_schema",
    "prefix_failures",
    "resolve_inside",
    "whole_number",
]
