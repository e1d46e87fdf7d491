from typing import Any

import pytest

from pytest_mcpbench.agents.lexical.result_values import find_addresses, find_id, most_specific_value
from pytest_mcpbench.agents.lexical.schema_leaves import SchemaLeaf, schema_leaves


def a_leaf(name: str, **schema: Any) -> SchemaLeaf:
    (leaf,) = schema_leaves({"properties": {name: schema or {"type": "string"}}})
    return leaf


MAILS = '{"mails": [{"id": "m-1", "from": "Ann"}, {"id": "m-2", "from": "Harmon"}, {"id": "m-3", "from": "Harmon"}]}'


@pytest.mark.parametrize(
    ("leaf", "results", "request_text", "expected"),
    [
        pytest.param(a_leaf("messageId"), [MAILS], "the mail from Harmon", "m-2", id="the first most like the request"),
        pytest.param(a_leaf("messageId"), [MAILS], "the mail", "m-1", id="the first where all are alike"),
        pytest.param(a_leaf("id"), ["ok", MAILS, "fine"], "Ann", "m-1", id="any result"),
        pytest.param(a_leaf("user_id"), ['{"id": 1, "user_id": 7}'], "x", "7", id="the parameter's own name first"),
        pytest.param(a_leaf("pid", type="integer"), ["Started. PID: 42"], "x", 42, id="its own label in prose"),
        pytest.param(a_leaf("id", type="integer"), ["Name: a\nID: 42"], "x", 42, id="a label in prose"),
        pytest.param(
            a_leaf("ids", type="array", items={"type": "string"}), [MAILS], "Harmon", ["m-2", "m-3"], id="list"
        ),
        pytest.param(a_leaf("id"), ["nothing found"], "x", None, id="none"),
        pytest.param(a_leaf("id"), [], "x", None, id="no results"),
    ],
)
def test_an_id_is_taken_from_the_item_most_like_the_request(
    leaf: SchemaLeaf, results: list[str], request_text: str, expected: Any
) -> None:
    assert find_id(leaf, results, request_text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("42", "42"),
        ('{"result": 42}', "42"),
        ('{"ok": true, "result": [3.5]}', "[3.5]"),
        ('[{"name": "Ann"}]', "Ann"),
        (" plain text\n", "plain text"),
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2}'),
    ],
)
def test_the_value_that_a_result_is_about(text: str, expected: str) -> None:
    assert most_specific_value(text) == expected


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        pytest.param(
            ["From: Ann Lee <ann.lee@x.org>, bob@x.org", "b.ray@x.org"], ["ann.lee@x.org"], id="by a shared word"
        ),
        pytest.param(["bob@x.org"], None, id="nobody of that name"),
    ],
)
def test_an_address_is_taken_by_its_owners_name(results: list[str], expected: list[str] | None) -> None:
    to = a_leaf("to", type="array", items={"type": "string"})

    assert find_addresses(to, results, ["Ann Lee"]) == expected
