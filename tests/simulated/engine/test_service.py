"""How a service puts its answers, its failures and its lists."""

import json
from pathlib import Path
from typing import Any, NotRequired

import pytest
from typing_extensions import TypedDict

from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, ItemPage, Simulation, ToolFailure, page


class Where(TypedDict):
    room: str
    shelf: NotRequired[int]


class Shop:
    def __init__(self, world: World) -> None:
        self.tree = world.tree(lambda: {"things": {}})


def look(_shop: Shop, path: Where) -> dict[str, Any]:
    """Look at a shelf."""
    if path["room"] == "cellar":
        raise ToolFailure("locked", key="rusty")
    return dict(path)


def failed(failure: ToolFailure) -> str:
    return json.dumps({"ok": False, "tool": failure.tool, "error": str(failure), **failure.facts})


SHOP = Simulation(
    name="shop",
    state=Shop,
    tools=(look,),
    dialect=TYPESCRIPT,
    answer=lambda result: {"ok": True, **result},
    failure=failed,
    scopes={"look": "shop:read"},
)


def a_shop(**root: Any) -> Shop:
    return Shop(Sandbox(Path("/nowhere"), seeds={"shop": {"things": {}, **root}}).world("shop"))


def refused(shop: Shop, tool: str = "look", **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as failure:
        SHOP.call(shop, tool, arguments)
    return str(failure.value)


def test_every_result_is_wrapped() -> None:
    assert SHOP.call(a_shop(), "look", {"path": {"room": "hall"}}) == {"ok": True, "room": "hall"}


def test_a_failure_has_the_services_form_with_its_facts() -> None:
    assert refused(a_shop(), path={"room": "cellar"}) == (
        '{"ok": false, "tool": "look", "error": "locked", "key": "rusty"}'
    )


def test_a_token_without_the_scope_is_refused_and_one_without_a_list_is_not() -> None:
    assert json.loads(refused(a_shop(scopes=["shop:write"]), path={"room": "hall"})) == {
        "ok": False,
        "tool": "look",
        "error": "missing scope: shop:read",
        "needed": "shop:read",
        "provided": ["shop:write"],
    }
    assert SHOP.call(a_shop(scopes=["shop:read"]), "look", {"path": {"room": "hall"}})["ok"]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("look", {}, "Required"),
        ("look", {"path": {"room": 1}}, "Expected string, received number"),
        ("look", {"path": {"room": "hall", "lamp": True}}, "Unrecognized key(s) in object: 'lamp'"),
        ("sell", {}, "MCP error -32602: Tool sell not found"),
    ],
    ids=["missing", "type", "key", "tool"],
)
def test_the_sdk_checks_arguments_in_its_own_words(tool: str, arguments: dict[str, Any], says: str) -> None:
    message = refused(a_shop(), tool, **arguments)
    assert message.startswith("MCP error -32602: ")
    assert says in message


def test_pages_follow_each_other_by_cursor() -> None:
    first = page("abcde", 2, None, "invalid_cursor")
    second = page("abcde", 2, first.cursor, "invalid_cursor")
    third = page("abcde", 2, second.cursor, "invalid_cursor")
    assert [first.items, second.items, third] == [["a", "b"], ["c", "d"], ItemPage(["e"], None)]
    assert page([], 2, None, "invalid_cursor") == ItemPage([], None)


@pytest.mark.parametrize("cursor", ["x", "é", "bmV4dDo5OQ==", "bmV4dDotMQ=="])
def test_a_cursor_that_nobody_gave_out_is_refused(cursor: str) -> None:
    with pytest.raises(ToolFailure, match="invalid_cursor"):
        page("abc", 2, cursor, "invalid_cursor")
