"""Tasks on a server that asks its user: what is confirmed passes, what is not or was not expected does not."""

import sys
from pathlib import Path

import pytest

ASKING = Path(__file__).parents[2] / "fixtures" / "servers" / "asking.py"
TASKS = f"""
servers:
  notes: {{command: {sys.executable}, arguments: [{ASKING}]}}
tasks:
  - id: accepted
    ask: Delete my note n1.
    elicit: {{confirm: yes}}
    elicitations: [{{asked: 'delete the note', action: accept}}, {{confirms: delete_note}}]
    tool: delete_note
    arguments: {{note: n1}}
    state: {{deleted: notes, where: {{id: n1}}}}
  - id: declined
    ask: Delete my note n1.
    elicit: decline
    elicitations: {{asked: 'delete the note', action: decline}}
    tool: delete_note
    arguments: {{note: n1}}
    state: {{unchanged: notes}}
  - id: unconfirmed
    ask: Purge n1.
    elicitations: {{confirms: purge}}
    tool: purge
    arguments: {{note: n1}}
    state: {{deleted: notes, where: {{id: n1}}}}
  - id: unexpected
    ask: Delete my note n1.
    tool: delete_note
    arguments: {{note: n1}}
    state: {{deleted: notes, where: {{id: n1}}}}
"""


def test_a_write_must_be_confirmed_and_reports_show_the_question(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", tasks=TASKS)
    page = "--mcpbench-page=page.html"
    result = pytester.runpytest_inprocess("tasks.mcpbench.yaml", "--model=oracle", page, "--mcpbench-out=out")
    result.assert_outcomes(passed=2, failed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*server 'notes' asks the user during a call of delete_note, and nobody answers: "
            "'Delete the note n1? (confirm)'*",
            "*call 1 of 1 asked nothing*",
        ],
    )
    shown = pytester.run(sys.executable, "-m", "pytest_mcpbench.cli", "show", "out", "accepted").stdout.str()
    asked = "? the server asks, and the user (script) answers: accept (confirm: True)\n  Delete the note n1? (confirm)"
    assert asked in shown
