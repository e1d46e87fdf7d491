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


def usage_error(project: pytest.Pytester, *arguments: str) -> str:
    """Return the message of a run that ends with a usage error."""
    result = project.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in result.stderr.str() + result.stdout.str()
    return result.stderr.str().strip().removeprefix("ERROR: ")
