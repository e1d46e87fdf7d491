"""No attempt sees what another one has done to its world, whichever server it is."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.simulated.serve import build_server

each_server = pytest.mark.parametrize("name", sorted(set(SERVERS) - {"feishu", "wecom"}))


def an_attempt(name: str, path: Path) -> World:
    """The world of a server in a fresh attempt, with its tree made."""
    world = Sandbox(path=path, identity="a-task").world("app")
    build_server(name, world)
    return world


def tree_of(world: World) -> ContextTree:
    """A server whose state is files or a database has none, and these tests ask nothing of it."""
    return world.after or ContextTree.of({})


@each_server
def test_an_attempt_that_wrecks_everything_leaves_the_next_one_whole(name: str, tmp_path: Path) -> None:
    first = tree_of(an_attempt(name, tmp_path))
    beginning = first.text()
    meanwhile = tree_of(an_attempt(name, tmp_path))
    for key in list(first.to_json()):
        first.delete(key)
    assert first.text() == "{}"
    assert meanwhile.text() == beginning
    assert tree_of(an_attempt(name, tmp_path)).text() == beginning


def test_changes_to_the_json_of_a_tree_do_not_reach_the_tree(tmp_path: Path) -> None:
    reached = []
    for name in SERVERS:
        tree = tree_of(an_attempt(name, tmp_path))
        beginning = tree.text()
        _wreck(tree.to_json())
        if tree.text() != beginning:
            reached.append(name)
    assert reached == []


def test_two_attempts_at_a_task_generate_the_same_ids(tmp_path: Path) -> None:
    one, two = (an_attempt("slack", tmp_path) for _ in range(2))
    assert [one.ids.uuid() for _ in range(3)] == [two.ids.uuid() for _ in range(3)]


def _wreck(value: Any) -> None:
    """Empty every object and list at any depth."""
    for part in list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else ():
        _wreck(part)
    if isinstance(value, dict | list):
        value.clear()
