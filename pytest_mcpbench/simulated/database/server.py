"""Database server: four tools of the reference server ``mcp-server-sqlite``, with its results and errors.

A failure sets ``isError``, where the real server returns only text. The limits on the kind and duration of a query are
specific to the simulation.
"""

from typing import Annotated

from pydantic import Field

from pytest_mcpbench.simulated.database.world import Database
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure


def list_tables(database: Database) -> str:
    """List all tables in the SQLite database"""
    return str(database.tables())


def describe_table(
    database: Database, table_name: Annotated[str, Field(description="Name of the table to describe")]
) -> str:
    """Get the schema of one table: its columns with their types and keys"""
    return str(database.columns(table_name))


def read_query(database: Database, query: Annotated[str, Field(description="SELECT statement to run")]) -> str:
    """Run a SELECT query on the SQLite database"""
    if not query.strip().upper().startswith(("SELECT", "WITH")):
        raise ToolFailure("Error: Only SELECT queries are allowed for read_query", verbatim=True)
    return str(database.select(query))


def write_query(
    database: Database, query: Annotated[str, Field(description="INSERT, UPDATE or DELETE statement to run")]
) -> str:
    """Run an INSERT, UPDATE or DELETE query on the SQLite database"""
    if query.strip().upper().startswith("SELECT"):
        raise ToolFailure("Error: SELECT queries are not allowed for write_query", verbatim=True)
    return str([{"affected_rows": database.change(query)}])


SIMULATION = Simulation(
    name="sqlite",
    state=Database,
    tools=(read_query, write_query, list_tables, describe_table),
    dialect=PYTHON_SDK,
    version="0.1.0",
    failure="Database error: {message}",
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
