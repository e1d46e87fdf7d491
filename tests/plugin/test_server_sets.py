"""Tasks that need the same shared processes are known to belong together."""

import pytest

from pytest_mcpbench.plugin.collection import file_names
from pytest_mcpbench.plugin.xdist.distribution import server_sets

TASKS = """\
servers:
  mail: {{command: "python mail.py", state: {state}}}
  maps: {{command: "python maps.py", state: {state}}}
tasks:
  - {{id: a, ask: Hello, servers: [mail], tool: send}}
  - {{id: b, ask: Hello, servers: [maps], tool: find}}
  - {{id: c, ask: Hello, servers: [mail], tool: send}}
"""
IDS = ("t.mcpbench.yaml::a[m]", "t.mcpbench.yaml::b[m]", "test_plain.py::test_it", "t.mcpbench.yaml::c[m]")


def _sets(pytester: pytest.Pytester, state: str) -> list[str | None]:
    pytester.makeini("[pytest]\n")
    pytester.makefile(".mcpbench.yaml", t=TASKS.format(state=state))
    return server_sets(pytester.parseconfigure("--model=oracle"), IDS)


def test_tasks_on_shared_commands_go_by_their_servers(pytester: pytest.Pytester) -> None:
    first, second, plain, third = _sets(pytester, "shared")
    assert first == third
    assert len({first, second, plain}) == 3
    assert plain is None


def test_servers_of_each_attempt_keep_nothing_together(pytester: pytest.Pytester) -> None:
    assert _sets(pytester, "per_task") == [None] * 4


def test_a_file_that_cannot_be_read_is_left_to_the_workers(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", t="servers: 3\ntasks: []\n")
    assert server_sets(pytester.parseconfigure("--model=oracle"), IDS) == [None] * 4


@pytest.mark.parametrize(
    ("node_id", "expected"),
    [
        ("suites/mail/suite.toml::a[m]", True),
        ("notes.mcpbench.jsonl::a[m]", True),
        ("::a[m]", True),
        ("test_mail.py::test_a[m]", False),
    ],
)
def test_items_of_task_files_are_tasks(node_id: str, *, expected: bool) -> None:
    assert file_names.is_task_id(node_id) is expected
