"""YAML as plain values with lines."""

from typing import Any

import pytest

from pytest_mcpbench.loaders.yaml_parsing import YamlError, documents, head, line_at, plain


def value_of(text: str) -> Any:
    return plain(documents(text)[0])


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("2026-03-02", "2026-03-02"),
        ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("+1", "+1"),
        (".5", ".5"),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("TRUE", "TRUE"),
        (".inf", ".inf"),
        ("=", "="),
        ("'5'", "5"),
        ("!!str 5", "5"),
    ],
)
def test_scalars_mean_what_they_mean_in_json(written: str, value: Any) -> None:
    assert value_of(f"key: {written}") == {"key": value}


def test_keys_are_text() -> None:
    assert value_of("{1: a, true: b, on: c}") == {"1": "a", "true": "b", "on": "c"}


def test_anchors_aliases_and_merges_work() -> None:
    assert value_of("{base: &b {x: 1, y: 2}, own: {<<: *b, y: 3}, same: *b}") == {
        "base": {"x": 1, "y": 2},
        "own": {"x": 1, "y": 3},
        "same": {"x": 1, "y": 2},
    }


def test_a_merge_of_several_mappings_prefers_the_first() -> None:
    assert value_of("{a: &a {x: 1}, b: &b {x: 2, y: 2}, c: {<<: [*a, *b]}}")["c"] == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\na: 2", 2, "the key 'a' is duplicated"),
        ("a: &x [1, *x]", 1, "an alias contains itself"),
        ("a: !!python/object:os.system {}", 1, None),
        ("a: !thing 5", 1, "the tag '!thing' is not supported"),
        ("? [1, 2]\n: 3", 1, "a key must be text"),
        ("a: !!int x", 1, "'x' is not a valid int"),
        ("a: {<<: 5}", 1, "only a mapping can be merged with <<"),
    ],
)
def test_what_json_cannot_hold_is_named_with_its_line(text: str, line: int, problem: str | None) -> None:
    if problem is None:
        assert value_of(text) == {"a": {}}
        return
    with pytest.raises(YamlError) as caught:
        value_of(text)
    assert (caught.value.line, caught.value.problem) == (line, problem)


def test_many_aliases_cost_no_more_than_their_anchor() -> None:
    text = "a: &a [x, x]\n" + "".join(
        f"{'bcdefghij'[n]}: &{'bcdefghij'[n]} [*{'abcdefghi'[n]}, *{'abcdefghi'[n]}]\n" for n in range(9)
    )
    assert len(value_of(text)) == 10


@pytest.mark.parametrize(
    ("text", "line"), [("a: 1\nb: [1, 2\n", 3), ("a: 1\n  b: 2", 2), ("a: 'x\n", 2), ("a: 1\nb: \x01", 2)]
)
def test_invalid_yaml_is_one_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(YamlError, match="not valid YAML") as caught:
        documents(text)
    assert caught.value.line == line


def test_the_line_of_a_field_is_that_of_its_key() -> None:
    node = documents("ask: hi\ncalls:\n  - tool: a\n  - tool: b\n    arguments:\n      city: x\n")[0]
    paths = ("ask", "calls", "calls[1]", "calls[1].arguments.city", "calls[7].tool", "nothing")
    assert [line_at(node, path) for path in paths] == [1, 2, 4, 6, 2, 1]


def test_empty_documents_are_left_out() -> None:
    assert [plain(node) for node in documents("---\na: 1\n---\n---\nb: 2\n")] == [{"a": 1}, {"b": 2}]


def test_the_head_of_a_file_does_not_look_into_its_tasks() -> None:
    assert head(documents("server: s\ntasks: [!broken x]")[0]) == {"server": "s", "tasks": None}


_LAUGHS = "".join(
    f"{key}: &{key} [{', '.join([f'*{below}'] * 9)}]\n" for below, key in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # libyaml 0.2.6 has a limit of its own, and reads ahead up to it.
        pytest.param("a: " + "[" * 100_000, "more than 150 levels|exceeded maximum nesting depth", id="100,000 levels"),
        pytest.param("a: " + "[" * 500 + "]" * 500, "more than 150 levels", id="500 levels"),
        pytest.param("a: &a [1, 2, 3]\n" + _LAUGHS, "aliases stand for more than", id="billion laughs"),
        pytest.param("a: " + "7" * 5000, "is not a valid int", id="5,000 digits"),
    ],
)
def test_a_text_made_to_overload_its_reader_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(YamlError, match=problem):
        plain(documents(text)[0])
