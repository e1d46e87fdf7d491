"""A project with a task file and a server, for whole runs of pytest."""

import pytest

TASKS = """\
servers:
  notes:
    factory: fixtures.notes_server:server
tasks:
  - id: read-shopping
    ask: What does the note "Shopping" say?
    tool: read_note
    arguments: {title: Shopping}
    tags: {kind: reading}
  - id: add-idea
    ask: Write a new note down, titled "Idea".
    tool: add_note
    arguments: {title: Idea}
    tags: {kind: writing}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A directory with the task file ``notes.mcpbench.yaml``; runs happen in this process."""
    pytester.makefile(".mcpbench.yaml", notes=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester
