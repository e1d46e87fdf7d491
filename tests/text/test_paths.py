from typing import Any

import pytest

from pytest_mcpbench.text.paths import part_at, same_file


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"a": {"b": [{"c.d": 1}, 2]}}),
        ("a.b[0].c.d", 1),
        ("a.b.0", {"c.d": 1}),
        ("a.b[-1]", 2),
        ("a.b[2]", None),
        ("a.x.y", None),
        ("a.b.c", None),
    ],
)
def test_a_path_leads_to_a_part(path: str, value: Any) -> None:
    assert part_at({"a": {"b": [{"c.d": 1}, 2]}}, path) == value


@pytest.mark.parametrize(
    ("left", "right", "is_same"),
    [
        ("./a//b", "a/b", True),
        ("a\\b", "a/b", True),
        ("/a", "a", False),
        ("a", "a", False),
        ("{sandbox}/a", "a", True),
        ("{sandbox}", ".", True),
        ("{sandbox}/a", "{sandbox}/b", False),
        ("{sandbox}/a", "/a", False),
        ("{sandbox}a", "a", False),
        ("{sandbox}/..", "{sandbox}", False),
        ("{sandbox}/../a", "{sandbox}/a", False),
        ("{sandbox}/../a", "../a", True),
        ("http://x.org//a", "http://x.org/a", False),
    ],
)
def test_two_paths_to_one_file(left: str, right: str, is_same: bool) -> None:
    assert same_file(left, right) == is_same
