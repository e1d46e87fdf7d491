"""Sequences of operations on a tree, against a plain model of nested dictionaries."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pytest_mcpbench.core.context import ABSENT, Collection, ContextTree, Shape, TreeEdit

IDS = ["a", "b.c", "d@e.f", "g[h]", "[i].[j]"]
ids = st.sampled_from(IDS)
fields = st.dictionaries(
    st.sampled_from(["n", "x.y", "flag"]), st.none() | st.booleans() | st.integers(0, 1) | st.lists(st.integers(0, 2))
)
SHAPE = Shape((Collection("groups"), Collection("groups[*].members")))


class Worlds(RuleBasedStateMachine):
    """Creates, updates and deletes groups and their members; whatever is refused changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, Any] = {"title": "t", "groups": {"a": {"n": 1, "members": {"b.c": {"n": 2}}}, "z": {}}}
        self.beginning = json.dumps(self.model)
        self.tree = ContextTree.of(json.loads(self.beginning), SHAPE)
        self.before = self.tree.fork()
        self.undeclared = ContextTree.of(json.loads(self.beginning))
        self.undeclared_before = self.undeclared.fork()

    @property
    def trees(self) -> tuple[ContextTree, ContextTree]:
        return self.tree, self.undeclared

    @rule(group=ids, data=fields)
    def create_group(self, group: str, data: dict[str, Any]) -> None:
        if group not in self.model["groups"]:
            for tree in self.trees:
                tree.create("groups", data, id=group)
            self.model["groups"][group] = dict(data)

    @rule(group=ids, member=ids, data=fields)
    def create_member(self, group: str, member: str, data: dict[str, Any]) -> None:
        members = self.model["groups"].get(group, {}).get("members", {})
        if group in self.model["groups"] and member not in members:
            for tree in self.trees:
                tree.create(f"groups[{group}].members", data, id=member)
            self.model["groups"][group].setdefault("members", {})[member] = dict(data)

    @rule(group=ids, data=fields)
    def update_group(self, group: str, data: dict[str, Any]) -> None:
        if group in self.model["groups"]:
            for tree in self.trees:
                tree.update(f"groups[{group}]", data)
            self.model["groups"][group].update(data)

    @rule(group=ids, member=ids)
    def delete_member(self, group: str, member: str) -> None:
        if member in self.model["groups"].get(group, {}).get("members", {}):
            for tree in self.trees:
                tree.delete(f"groups[{group}].members[{member}]")
            del self.model["groups"][group]["members"][member]

    @rule(group=ids)
    def delete_group(self, group: str) -> None:
        if group in self.model["groups"]:
            for tree in self.trees:
                tree.delete(f"groups[{group}]")
            del self.model["groups"][group]

    @invariant()
    def the_tree_is_what_the_model_says_in_the_same_order(self) -> None:
        assert self.tree.text() == json.dumps(self.model, ensure_ascii=False)

    @invariant()
    def the_inverse_of_the_journal_gives_the_same_bytes(self) -> None:
        back = self.tree.fork()
        for edit in reversed(self.tree.journal):
            back.apply(edit.inverse())
        assert back.text() == self.beginning == self.before.text()
        assert back.diff_from(self.before) == ()

    @invariant()
    def the_journal_played_on_the_beginning_gives_the_same_bytes(self) -> None:
        forth = self.before.fork()
        for edit in self.tree.journal:
            forth.apply(edit)
        assert forth.text() == self.tree.text()

    @invariant()
    def a_tree_that_declares_nothing_has_the_same_diff(self) -> None:
        assert self.undeclared.text() == self.tree.text()
        assert self.undeclared.diff_from(self.undeclared_before) == self.tree.diff_from(self.before)

    @invariant()
    def the_diff_is_empty_only_between_equal_trees(self) -> None:
        equal = _without_empty_collections(self.tree.text()) == _without_empty_collections(self.beginning)
        assert (self.tree.diff_from(self.before) == ()) is equal


def _without_empty_collections(text: str) -> str:
    world = json.loads(text)
    for group in world["groups"].values():
        if group.get("members") == {}:
            del group["members"]
    return json.dumps(world, sort_keys=True)


TestWorlds = Worlds.TestCase
TestWorlds.settings = settings(max_examples=40, deadline=None)


@given(fields, st.lists(st.tuples(ids, fields)))
def test_changes_share_what_they_do_not_touch(data: dict[str, Any], updates: list[tuple[str, dict[str, Any]]]) -> None:
    tree = ContextTree.of({"touched": {key: {} for key in IDS}, "other": {"x": data}})
    other = tree.matches("other")[0].value
    for key, changed in updates:
        tree.update(f"touched[{key}]", changed)
    assert tree.matches("other")[0].value is other


def test_an_edit_says_what_it_did() -> None:
    tree = ContextTree.of({"a": {"x": {"n": 1}, "y": {"n": 2}}})
    tree.delete("a[x]")
    assert tree.journal == (TreeEdit("deleted", "a[x]", ("a", "x"), 0, {"n": 1}, ABSENT),)
    assert tree.journal[0].inverse() == TreeEdit("created", "a[x]", ("a", "x"), 0, ABSENT, {"n": 1})
